//! A client on the network, for any session: moves bytes, reads the clock and asks the policy. It makes no decisions.

use std::time::Duration;

use game_env::seat::Seat;
use game_env::{AgentId, Choice, Environment, Policy, SimTime};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, sleep_until};

use crate::session::{ClientSession, Input, Output};

/// A stream of bytes to a server.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// The result of a session.
#[derive(Debug)]
pub struct Played<S: ClientSession> {
    /// The end of the session.
    pub end: S::End,
    /// The session at its end.
    pub session: S,
}

/// Plays over TCP, see [`play_over`].
pub async fn play<S: ClientSession, P: Policy<S::Game>>(
    server: &str,
    session: S,
    policy: impl FnMut(u32, AgentId) -> P,
    report: impl FnMut(&S::News),
) -> Played<S> {
    play_over(async || tcp::dial(server).await, session, policy, report).await
}

/// Plays until the session ends. It has begun at [`SimTime::START`].
///
/// `connect` opens a connection; it is called for each attempt. `policy` creates the policy for a game from the number of
/// the game in this session, from 0, and from the client's player. If a policy panics, the client gives up the game.
pub async fn play_over<C: Stream, S: ClientSession, P: Policy<S::Game>>(
    mut connect: impl AsyncFnMut() -> std::io::Result<C>,
    mut session: S,
    mut policy: impl FnMut(u32, AgentId) -> P,
    mut report: impl FnMut(&S::News),
) -> Played<S> {
    let began = Instant::now();
    let now = || SimTime::from_millis(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
    let mut stream: Option<C> = None;
    // A server may have closed only its half: its last messages can still be read.
    let mut can_write = false;
    let mut seat: Option<Seat<P>> = None;
    let mut seen = <S::Game as Environment>::Observation::default();
    let mut buffer = vec![0; 1 << 14];
    loop {
        while let Some(output) = session.poll_output() {
            match output {
                Output::Connect => {
                    let input = match connect().await {
                        Ok(connection) => {
                            (stream, can_write) = (Some(connection), true);
                            Input::Connected
                        }
                        Err(error) => Input::Unreachable(error.to_string()),
                    };
                    session.handle(now(), input);
                }
                Output::Send(bytes) => {
                    if let Some(open) = &mut stream
                        && can_write
                    {
                        can_write = open.write_all(&bytes).await.is_ok();
                    }
                }
                Output::Decide => {
                    let Some(player) = session.player().filter(|_| session.observe(&mut seen)) else {
                        continue;
                    };
                    let seat = seat.get_or_insert_with(|| Seat::new(policy(0, player)));
                    let choice = match seat.choose(session.game_time(now()), player, &seen) {
                        Choice::Act(action) if Policy::<S::Game>::gives_up(seat).is_none() => Some(action),
                        Choice::Act(_) | Choice::Wait(_) => None,
                    };
                    session.handle(now(), Input::Choice(choice));
                }
                Output::Hear(event) => {
                    if let (Some(seat), Some(player)) = (&mut seat, session.player()) {
                        seat.hear(session.game_time(now()), player, &event);
                    }
                }
                Output::Report(news) => {
                    if let Some((game, player)) = S::began(&news) {
                        seat = Some(Seat::new(policy(game, player)));
                    }
                    report(&news);
                }
                Output::Done(end) => {
                    if let Some(mut open) = stream {
                        // The game is over for this client, whatever becomes of the connection.
                        let _ = open.shutdown().await;
                    }
                    return Played { end, session };
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
