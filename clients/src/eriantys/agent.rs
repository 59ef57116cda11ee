//! A client on the network: moves bytes, reads the clock, asks the policy, and decides nothing itself.

use std::time::Duration;

use game_env::seat::Seat;
use game_env::{AgentId, Choice, Policy, SimTime};
use game_eriantys::{Observation, State};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep_until};

use super::session::{End, Input, News, Output, Session, Settings};
pub use crate::dots::agent::Stream;

/// Plays over TCP, see [`play_over`].
pub async fn play<P: Policy<State>>(
    server: &str,
    settings: Settings,
    policy: impl FnMut(u32, AgentId) -> P,
    report: impl FnMut(&News),
) -> End {
    play_over(async || tcp::dial(server).await, settings, policy, report).await
}

/// Plays until the session ends.
///
/// `connect` makes each connection. `policy` makes the player of a match; its arguments are the number of the match in this
/// session, from 0, and the player. If the policy panics, the session ends with [`End::GaveUp`].
pub async fn play_over<S: Stream, P: Policy<State>>(
    mut connect: impl AsyncFnMut() -> std::io::Result<S>,
    settings: Settings,
    mut policy: impl FnMut(u32, AgentId) -> P,
    mut report: impl FnMut(&News),
) -> End {
    let began = Instant::now();
    let now = || SimTime::from_millis(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
    let mut session = Session::new(settings, now());
    let mut stream: Option<S> = None;
    let mut seat: Option<Seat<P>> = None;
    let mut seen = Observation::default();
    let mut buffer = vec![0; 1 << 14];
    loop {
        while let Some(output) = session.poll_output() {
            match output {
                Output::Connect => {
                    let input = match connect().await {
                        Ok(connection) => {
                            stream = Some(connection);
                            Input::Connected
                        }
                        Err(error) => Input::Unreachable(error.to_string()),
                    };
                    session.handle(now(), input);
                }
                Output::Send(bytes) => {
                    if let Some(open) = &mut stream
                        && open.write_all(&bytes).await.is_err()
                    {
                        stream = None;
                        session.handle(now(), Input::Closed);
                    }
                }
                Output::Decide => {
                    let Some(player) = session.player().filter(|_| session.observe(&mut seen)) else {
                        continue;
                    };
                    let Some(seat) = &mut seat else { continue };
                    let choice = match seat.choose(SimTime::START, player, &seen) {
                        Choice::Act(action) if Policy::<State>::gives_up(seat).is_none() => Some(action),
                        Choice::Act(_) | Choice::Wait(_) => None,
                    };
                    session.handle(now(), Input::Choice(choice));
                }
                Output::Report(news) => {
                    if let News::Began { game, player } = &news {
                        seat = Some(Seat::new(policy(*game, *player)));
                    }
                    report(&news);
                }
                Output::Done(end) => {
                    if let Some(mut open) = stream {
                        // The match is over for this client, whatever becomes of the connection.
                        let _ = open.shutdown().await;
                    }
                    return end;
                }
            }
        }
        let wake = session.wake_at().map(|at| began + Duration::from_millis(at.as_millis()));
        let reading = async {
            match &mut stream {
                Some(open) => open.read(&mut buffer).await.unwrap_or(0),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            length = reading => {
                if length == 0 {
                    stream = None;
                    session.handle(now(), Input::Closed);
                } else {
                    session.handle(now(), Input::Received(&buffer[..length]));
                }
            }
            () = sleep_until(wake.unwrap_or(began)), if wake.is_some() => session.handle(now(), Input::Tick),
        }
    }
}
