//! A client on the network, for any session: moves bytes, reads the clock and asks the policy. It makes no decisions.
//!
//! A policy chooses on a thread of its own, so the client reads messages and answers pings while a policy thinks, or
//! waits for a program.

use std::pin::pin;
use std::time::Duration;

use game_env::seat::ReportsBlunders;
use game_env::{AgentId, Choice, Environment, Outcome, Policy, SimTime};
use tcp::Stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep_until, timeout};

use crate::session::{ClientSession, Input, Output};

/// The player of a game on a server: a policy that reports its blunders.
pub trait Player<E: Environment>: Policy<E> + ReportsBlunders + Send + 'static {}

impl<E: Environment, P: Policy<E> + ReportsBlunders + Send + 'static> Player<E> for P {}

/// A game that begins or goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start<C> {
    /// The number of the game in this session, from 0.
    pub game: u32,
    /// The client's player.
    pub player: AgentId,
    /// The configuration, as far as the client knows it.
    pub config: C,
}

/// A report of a client while it plays. `N` is a report of its session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Report<'a, N> {
    /// News of the session.
    News(&'a N),
    /// A blunder of the player, in words: it panicked, or its program has failed.
    Blunder(String),
}

/// The result of a session.
#[derive(Debug)]
pub struct Played<S: ClientSession> {
    /// The end of the session.
    pub end: S::End,
    /// The session at its end.
    pub session: S,
}

/// The configuration of a session's game.
type ConfigOf<S> = <<S as ClientSession>::Game as Environment>::Config;

/// Plays over TCP, see [`play_over`].
pub async fn play<S: ClientSession, P: Player<S::Game>>(
    server: &str,
    session: S,
    player: impl FnMut(Start<ConfigOf<S>>) -> P,
    report: impl FnMut(Report<'_, S::News>),
    leave: impl Future<Output = ()>,
) -> Played<S> {
    play_over(async || tcp::dial(server).await, session, player, report, leave).await
}

/// The longest time that a client waits, at the end of its session, for a player that still thinks.
const ENDING: Duration = Duration::from_secs(2);

/// Plays until the session ends. It has begun at [`SimTime::START`].
///
/// `connect` opens a connection; it is called for each attempt. `player` creates the player of a game. If a player
/// gives up, the client gives up the game. A player that still thinks when its game is over hears the end when it has
/// chosen; at the end of the session, the client waits two seconds for that at most. The client leaves the server when
/// `leave` is over. A connection whose server takes no bytes for [`tcp::WRITE_TIMEOUT`] is given up.
///
/// # Panics
///
/// If a player panics: see [`game_env::seat::Seat`]. Outside a tokio runtime.
pub async fn play_over<C: Stream, S: ClientSession, P: Player<S::Game>>(
    mut connect: impl AsyncFnMut() -> std::io::Result<C>,
    mut session: S,
    mut player: impl FnMut(Start<ConfigOf<S>>) -> P,
    mut report: impl FnMut(Report<'_, S::News>),
    leave: impl Future<Output = ()>,
) -> Played<S> {
    let mut leave = pin!(leave);
    let mut may_stay = true;
    let began = Instant::now();
    let now = || SimTime::from(began.elapsed());
    let mut stream: Option<C> = None;
    // A server may have closed only its half: its last messages can still be read.
    let mut can_write = false;
    let mut place = Place::<S::Game, P>::Empty;
    // The end of the last game, for a player that thought when it was over.
    let mut ending: Option<JoinHandle<Vec<String>>> = None;
    let mut game = 0;
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
                        let written = timeout(tcp::WRITE_TIMEOUT, open.write_all(&bytes)).await;
                        if let Ok(written) = written {
                            can_write = written.is_ok();
                        } else {
                            stream = None;
                            session.handle(now(), Input::Closed);
                        }
                    }
                }
                Output::Decide => {
                    let mut seen = <S::Game as Environment>::Observation::default();
                    if let Some(agent) = session.player().filter(|_| session.observe(&mut seen)) {
                        place.seat(&session, game, &mut player);
                        place.ask(session.game_time(now()), agent, seen);
                    }
                }
                Output::Hear(event) => {
                    place.seat(&session, game, &mut player);
                    if let Some(agent) = session.player().or(place.agent()) {
                        place.hear(session.game_time(now()), agent, event);
                    }
                }
                Output::Over(outcome) => {
                    let is_thinking = matches!(place, Place::Thinks(..));
                    let told = place.end(session.game_time(now()), outcome);
                    if is_thinking {
                        ending = Some(tokio::spawn(told));
                    } else {
                        told.await.into_iter().for_each(|blunder| report(Report::Blunder(blunder)));
                    }
                }
                Output::Report(news) => {
                    if let Some((number, _)) = S::began(&news) {
                        (game, place) = (number, Place::Empty);
                    }
                    report(Report::News(&news));
                }
                Output::Done(end) => {
                    if let Some(mut open) = stream {
                        // The game is over for this client, whatever becomes of the connection.
                        let _ = open.shutdown().await;
                    }
                    if let Some(told) = ending
                        && let Ok(blunders) = timeout(ENDING, told).await
                    {
                        joined(blunders).into_iter().for_each(|blunder| report(Report::Blunder(blunder)));
                    }
                    return Played { end, session };
                }
            }
        }
        let wake = session.wake_at().map(|at| began + Duration::from(at));
        let reading = async {
            match &mut stream {
                Some(open) => open.read(&mut buffer).await.unwrap_or(0),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = &mut leave, if may_stay => {
                may_stay = false;
                session.handle(now(), Input::Leave);
            }
            (choice, blunders) = place.chosen() => {
                blunders.into_iter().for_each(|blunder| report(Report::Blunder(blunder)));
                session.handle(now(), Input::Choice(choice));
            }
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

/// The place of the player in the present game.
enum Place<E: Environment, P> {
    /// No player was needed yet.
    Empty,
    /// The player of this agent waits.
    Waits(AgentId, P),
    /// The player of this agent chooses on another thread. It hears these events afterwards.
    Thinks(AgentId, JoinHandle<Thought<E, P>>, Vec<(SimTime, E::Event)>),
}

/// A player with its choice; none if it gives up, or waits in its turn.
type Thought<E, P> = (P, Option<<E as Environment>::Action>);

impl<E, P> Place<E, P>
where
    E: Environment<Observation: Send, Action: Send, Event: Send> + 'static,
    P: Player<E>,
{
    /// Creates the player of the present game, if there is none yet.
    fn seat<S: ClientSession<Game = E>>(
        &mut self,
        session: &S,
        game: u32,
        player: &mut impl FnMut(Start<E::Config>) -> P,
    ) {
        if let (Self::Empty, Some(agent), Some(config)) = (&self, session.player(), session.config()) {
            *self = Self::Waits(agent, player(Start { game, player: agent, config }));
        }
    }

    fn agent(&self) -> Option<AgentId> {
        match self {
            Self::Empty => None,
            Self::Waits(agent, _) | Self::Thinks(agent, _, _) => Some(*agent),
        }
    }

    /// Asks the player for a choice. A player that was asked before, e.g. before the connection was lost, answers once.
    fn ask(&mut self, now: SimTime, agent: AgentId, seen: E::Observation) {
        *self = match std::mem::replace(self, Self::Empty) {
            Self::Waits(own, mut player) => {
                let thinking = spawn_blocking(move || {
                    let choice = match player.choose(now, agent, &seen) {
                        Choice::Act(action) if player.gives_up().is_none() => {
                            player.sent(now, agent, &action);
                            Some(action)
                        }
                        Choice::Act(_) | Choice::Wait(_) => None,
                    };
                    (player, choice)
                });
                Self::Thinks(own, thinking, Vec::new())
            }
            other => other,
        };
    }

    fn hear(&mut self, now: SimTime, agent: AgentId, event: E::Event) {
        match self {
            Self::Empty => {}
            Self::Waits(_, player) => player.hear(now, agent, &event),
            Self::Thinks(_, _, events) => events.push((now, event)),
        }
    }

    /// Returns the choice that the player was asked for, with its blunders. Without a question it never returns.
    async fn chosen(&mut self) -> (Option<E::Action>, Vec<String>) {
        let Self::Thinks(agent, thinking, events) = self else { return std::future::pending().await };
        let (mut player, choice) = joined(thinking.await);
        let agent = *agent;
        for (at, event) in events.drain(..) {
            player.hear(at, agent, &event);
        }
        let blunders = player.take_blunders();
        *self = Self::Waits(agent, player);
        (choice, blunders)
    }

    /// Takes the player out of its place. The result tells it that the game is over, as soon as it has chosen, and
    /// returns its blunders.
    fn end(
        &mut self,
        now: SimTime,
        outcome: Outcome,
    ) -> impl Future<Output = Vec<String>> + Send + use<E, P> {
        let place = std::mem::replace(self, Self::Empty);
        async move {
            let (mut player, agent, events) = match place {
                Self::Empty => return Vec::new(),
                Self::Waits(agent, player) => (player, agent, Vec::new()),
                Self::Thinks(agent, thinking, events) => (joined(thinking.await).0, agent, events),
            };
            let ending = spawn_blocking(move || {
                events.iter().for_each(|(at, event)| player.hear(*at, agent, event));
                player.end(now, &outcome);
                player.take_blunders()
            });
            joined(ending.await)
        }
    }
}

/// Returns the result of a task that nobody cancels.
fn joined<T>(result: Result<T, tokio::task::JoinError>) -> T {
    result.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
