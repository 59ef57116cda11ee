//! Clients on a stream, before a server that does not do its part, in paused time.

use std::future::pending;
use std::io;
use std::time::Duration;

use clients::ClientSession;
use clients::agent::{Player, Report, play_over};
use game_dots::Edge;
use game_env::seat::Seat;
use game_env::{Millis, RandomPolicy, SimTime};
use game_eriantys::{Action, Config};
use tokio::io::duplex;
use tokio::time::Instant;

/// Plays on a server that neither reads nor writes, and whose connections have room for this number of bytes. Returns
/// the end, its time and the reports. No game begins, so that nobody creates the player `P`.
async fn play_with_nobody<S: ClientSession, P: Player<S::Game>>(
    session: S,
    room: usize,
) -> (S::End, Duration, Vec<String>) {
    let began = Instant::now();
    let mut servers = Vec::new();
    let mut reports = Vec::new();
    let connect = async || {
        let (client, server) = duplex(room);
        servers.push(server);
        Ok::<_, io::Error>(client)
    };
    let report = |report: Report<'_, S::News>| match report {
        Report::News(news) => reports.push(news.to_string()),
        Report::Blunder(blunder) => reports.push(blunder),
    };
    let player = |_| -> P { panic!("a game begins") };
    let played = play_over(connect, session, player, report, pending()).await;
    (played.end, began.elapsed(), reports)
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_is_given_up() {
    use clients::{conveyor, dots, eriantys};

    let session = dots::Session::new(dots::Settings::new("Ada".parse().unwrap()), SimTime::START);
    let (end, after, reports) = play_with_nobody::<_, Seat<RandomPolicy<Edge>>>(session, 4096).await;
    assert_eq!((&end, after), (&dots::End::NoAnswer, Duration::from_secs(75)));
    assert_eq!(end.to_string(), "the server has not answered for 75 s");
    assert_eq!(reports, [""; 0]);

    let settings = eriantys::Settings::new("Ada".parse().unwrap(), Config::default());
    let session = eriantys::Session::new(settings, SimTime::START);
    let (end, after, reports) = play_with_nobody::<_, Seat<RandomPolicy<Action>>>(session, 4096).await;
    assert_eq!((&end, after), (&eriantys::End::NoAnswer, Duration::from_secs(75)));
    assert_eq!(end.to_string(), "the server has not answered for 75 s");
    assert_eq!(reports, [""; 0]);

    let session = conveyor::Session::new(conveyor::Settings::default());
    let (end, after, reports) =
        play_with_nobody::<_, Seat<RandomPolicy<game_conveyor::Action>>>(session, 4096).await;
    assert_eq!((&end, after), (&conveyor::End::NoAnswer, Duration::from_secs(75)));
    assert_eq!(end.to_string(), "the controller has not answered for 75 s");
    assert_eq!(reports, [""; 0]);
}

/// A server that does not take what a client sends holds it up for ten seconds at the most.
#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_is_given_up() {
    use clients::dots::{End, Session, Settings};

    // It does not try again.
    let settings = Settings { patience: Millis::ZERO, ..Settings::new("Ada".parse().unwrap()) };
    let session = Session::new(settings, SimTime::START);
    let (end, after, reports) = play_with_nobody::<_, Seat<RandomPolicy<Edge>>>(session, 8).await;
    assert_eq!(end, End::Unreachable("the connection ended".to_owned()));
    assert_eq!(after, Duration::from_secs(10));
    assert_eq!(reports[0], "the connection is lost; trying to get back");
}
