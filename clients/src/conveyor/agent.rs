//! A player on the network: moves bytes, asks the policy, and decides nothing itself.

use std::io;

use game_conveyor::{Observation, State};
use game_env::seat::Seat;
use game_env::{AgentId, Choice, Policy, SimTime};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::Instant;

use super::session::{End, Input, News, Output, Session, Settings};

/// The result of a game for a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The end of the game.
    pub end: End,
    /// Which player it was; `None` if the controller never said.
    pub player: Option<AgentId>,
    /// The number of its requests that were answered.
    pub requests: u32,
}

/// Plays one game over TCP, see [`play_over`].
///
/// # Errors
///
/// If there is no controller.
pub async fn play<P: Policy<State>>(
    controller: &str,
    settings: Settings,
    policy: impl FnOnce(AgentId) -> P,
    report: impl FnMut(&News),
) -> io::Result<Played> {
    Ok(play_over(tcp::dial(controller).await?, settings, policy, report).await)
}

/// Plays one game over this connection.
///
/// `policy` makes the player, when the controller has said which player it is. If the policy panics, the session ends with
/// [`End::GaveUp`].
pub async fn play_over<S: AsyncRead + AsyncWrite + Unpin, P: Policy<State>>(
    mut stream: S,
    settings: Settings,
    policy: impl FnOnce(AgentId) -> P,
    mut report: impl FnMut(&News),
) -> Played {
    let began = Instant::now();
    let mut session = Session::new(settings);
    let (mut policy, mut seat): (_, Option<Seat<P>>) = (Some(policy), None);
    let mut seen = Observation::default();
    let mut buffer = [0; 1024];
    loop {
        while let Some(output) = session.poll_output() {
            match output {
                Output::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        // Lines that came before may still wait to be read: the winner, for one.
                        continue;
                    }
                }
                Output::Decide => {
                    let Some(player) = session.player().filter(|_| session.observe(&mut seen)) else {
                        continue;
                    };
                    if let Some(policy) = policy.take() {
                        seat = Some(Seat::new(policy(player)));
                    }
                    let choice = seat.as_mut().and_then(|seat| {
                        match seat.choose(SimTime::from(began.elapsed()), player, &seen) {
                            Choice::Act(action) if Policy::<State>::gives_up(seat).is_none() => Some(action),
                            Choice::Act(_) | Choice::Wait(_) => None,
                        }
                    });
                    session.handle(Input::Choice(choice));
                }
                Output::Report(news) => report(&news),
                Output::Done(end) => {
                    // The game is over for this player, whatever becomes of the connection.
                    let _ = stream.shutdown().await;
                    return Played { end, player: session.player(), requests: session.requests() };
                }
            }
        }
        match stream.read(&mut buffer).await {
            Ok(length) if length > 0 => session.handle(Input::Received(&buffer[..length])),
            Ok(_) | Err(_) => session.handle(Input::Closed),
        }
    }
}
