//! Agents that misbehave, beside others: the others always play on to a regular end.

use bots::project::loopback::Loopback;
use bots::project::scripted::{End, Script, Scripted, obey};
use game_env::{Environment, Limits, Rollout, Seed, SimTime, Termination};
use game_project::{Event, RawConfig, State, Team};
use sdk::agent::{Agent, Played};
use sdk::driver::session;
use sdk::local::Seat;
use sdk::prelude::*;
use strategies::project::climber::Climber;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::fixture::{Hosted, Later, TIMEOUT, host, tiny};

/// When the others begin to play.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// When the script has ended.
    Afterwards,
    /// At once.
    Meanwhile,
}

/// One agent of red obeys a script; another one and two of blue play.
async fn play_beside(script: &str, others: Others) -> (End, Vec<Played>, Hosted) {
    let script: Script = script.parse().unwrap_or_else(|error| panic!("{error}"));
    let loopback = Loopback::open().await.unwrap();
    let server = loopback.agents();
    let hosting = tokio::spawn(async move { host(loopback, &tiny(2)).await });
    let (open, gate) = watch::channel(others == Others::Meanwhile);
    let scripted = tokio::spawn(async move {
        let stream = TcpStream::connect(server).await.unwrap();
        obey(stream, &script).await
    });
    let players = [Team::Red, Team::Blue, Team::Blue].map(|team| {
        let then = Later { gate: gate.clone(), then: Climber::default() };
        tokio::spawn(async move {
            let agent = Agent::builder(team).server(server.to_string()).connect().await.unwrap();
            agent.play(then).await
        })
    });
    let end = if others == Others::Afterwards {
        let end = timeout(TIMEOUT, scripted).await.expect("the script does not end").unwrap();
        open.send_replace(true);
        end
    } else {
        timeout(TIMEOUT, scripted).await.expect("the script does not end").unwrap()
    };
    let mut played = Vec::new();
    for player in players {
        played.push(timeout(TIMEOUT, player).await.expect("an agent hangs").unwrap());
    }
    (end, played, hosting.await.unwrap())
}

/// A team won by the rules, and all other agents received the winner.
fn check_won((_, played, hosted): &(End, Vec<Played>, Hosted)) -> Team {
    let outcome = hosted.outcome.unwrap();
    assert_eq!(outcome.termination, Termination::Normal);
    let winner = Team::try_from(outcome.winner().unwrap()).unwrap();
    for Played { end, blunders } in played {
        assert_eq!((end, *blunders), (&session::End::Over { winner }, 0));
    }
    winner
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_well_behaved_script_is_obeyed_and_served() {
    let played = play_beside(include_str!("../../scripts/walk.script"), Others::Afterwards).await;
    check_won(&played);
    assert_eq!(played.0, End::Obeyed);
    let statistics = played.2.statistics.unwrap();
    let obeyed = statistics.agents.iter().any(|agent| {
        let (granted, refused) = (&agent.counts.granted, &agent.counts.refused);
        granted.of(ActionKind::Discover) == 2 && granted.total() + refused.total() == 7
    });
    assert!(obeyed, "nobody made the script's seven requests: {:?}", statistics.agents);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_is_turned_back_and_the_game_goes_on() {
    // An answer to one of the last requests says that the game master has served all before them: what an agent has
    // sent last may be lost when it leaves.
    let script = concat!(include_str!("../../scripts/flood.script"), "\nawait 107\n");
    let played = play_beside(script, Others::Afterwards).await;
    check_won(&played);
    assert_eq!(played.0, End::Obeyed);
    // 4,500 requests that the rules see; joining again is answered by the game master itself.
    let requests = played.2.statistics.unwrap().requests;
    assert!(requests >= 4_500, "{requests} requests were served");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_message_harms_nobody() {
    let played = play_beside(include_str!("../../scripts/malformed.script"), Others::Afterwards).await;
    check_won(&played);
    assert_eq!(played.0, End::Obeyed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_never_sends_a_message_is_thrown_out_in_the_end() {
    let script = "join red\nawait start\nrepeat 200\nraw x\nend\nsilent";
    let played = play_beside(script, Others::Afterwards).await;
    check_won(&played);
    assert_eq!(played.0, End::Closed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_dies_is_missed_by_nobody() {
    let played = play_beside(include_str!("../../scripts/die.script"), Others::Afterwards).await;
    check_won(&played);
    assert_eq!(played.0, End::Died);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_silent_is_waited_for_by_nobody() {
    let played = play_beside(include_str!("../../scripts/silent.script"), Others::Meanwhile).await;
    let winner = check_won(&played);
    assert_eq!(played.0, End::Over { winner });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_never_reads_holds_nobody_up() {
    let played = play_beside(include_str!("../../scripts/deaf.script"), Others::Afterwards).await;
    check_won(&played);
    // The system chooses the number of bytes that it keeps for an agent before the server sees that the agent reads
    // nothing.
    assert!(matches!(played.0, End::Closed | End::Obeyed), "{:?}", played.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_that_is_turned_away_ends() {
    let loopback = Loopback::open().await.unwrap();
    let server = loopback.agents();
    let hosting = tokio::spawn(async move { host(loopback, &tiny(1)).await });
    let join = |script: &str| {
        let script: Script = script.parse().unwrap();
        async move { obey(TcpStream::connect(server).await.unwrap(), &script).await }
    };
    let (stay, second) = (tokio::spawn(join("join red\nsilent")), join("join red\nsilent"));
    // One of the two gets the only seat; which one is not known.
    let second = tokio::spawn(second);
    let first_end = tokio::select! {
        end = stay => end.unwrap(),
        end = second => end.unwrap(),
    };
    assert_eq!(first_end, End::TurnedAway);
    // With blue's agent the game starts, and with its leaving it ends: red has no agent but a silent one.
    assert_eq!(join("join blue\nawait start\nmove N").await, End::Obeyed);
    hosting.abort();
}

#[test]
fn a_scripted_strategy_plays_its_actions_and_rests() {
    let raw = RawConfig { board_x: 6, board_y: 8, ..tiny(1) };
    let seed = Seed::new(3);
    let mut game = State::new(&raw.check().unwrap(), seed);
    let mut seats = Seat::all(&game, seed, |_, team| {
        Scripted::new(if team == Team::Red { "discover; move W\n check; ;" } else { "" }).unwrap()
    });
    let limits = Limits { time: SimTime::from_millis(60_000), ..Limits::default() };
    let mut events: Vec<(SimTime, Event)> = Vec::new();
    let episode = Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut events);
    let told: Vec<String> = events
        .iter()
        .map(|(_, event)| event.to_string().split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(told, ["#0 discovered", "#0 moved", "over nobody"]);
    // The check is nonsense: it has no piece.
    assert_eq!((episode.steps, seats[0].take_blunders().len()), (2, 1));
    assert_eq!(episode.outcome.termination, Termination::Stall);
}

#[tokio::test]
async fn a_script_that_waits_for_nothing_can_be_stopped() {
    let script: Script = "deaf\nrepeat 4294967295\ndeaf\nend".parse().unwrap();
    let (here, _there) = tokio::io::duplex(16);
    tokio::select! {
        biased;
        end = obey(here, &script) => panic!("four billion steps without a pause, and {end:?}"),
        () = std::future::ready(()) => {}
    }
}
