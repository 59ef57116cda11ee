//! An agent on the network: reads and writes the socket, reads the clock and calls the strategy. It makes no decisions.
//!
//! ```no_run
//! use sdk::agent::Agent;
//! use sdk::prelude::*;
//!
//! struct Lookout;
//! impl Strategy for Lookout {
//!     fn act(&mut self, view: &mut View<'_>) -> Choice {
//!         view.discover()
//!     }
//! }
//!
//! # fn main() -> Result<(), sdk::agent::AgentError> {
//! let agent = Agent::builder(Team::Red).server("127.0.0.1:3727").seed(Seed::new(7));
//! let played = agent.run(Lookout, |report| eprintln!("{report}"))?;
//! println!("{}", played.end);
//! # Ok(())
//! # }
//! ```
//!
//! [`Builder::run`] starts its own runtime. A program with a runtime of its own connects ([`Builder::connect`]) and
//! plays ([`Agent::play`]) in it, with any number of agents.

use std::time::Duration;
use std::{fmt, io};

use game_env::{Seed, SimTime};
use game_project::{Information, Question, Team};
use jiff::Timestamp;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;
use tokio::time::{Instant, sleep_until, timeout};
use wire::envelope::FirstWords;
use wire::frame::Decoder;

use crate::driver::actor::Blunder;
use crate::driver::session::{End, Input, News, Output, Session, Settings};
use crate::strategy::{AsyncStrategy, Choice, Notice, Resignation, Strategy, async_trait};
use crate::view::View;

/// The default address of the communication server (specification, section 7).
pub const DEFAULT_SERVER: &str = "127.0.0.1:3727";

/// Longest time for the answer to the request to join. Communication servers admit agents before the game master is
/// there, ours for a minute, and tell them if it does not come. The clients of the other games wait as long
/// (`clients::session::ANSWER_SECONDS`).
const ANSWER: Duration = Duration::from_secs(75);

/// Time for which an agent keeps its connection after the game is over, so that the server can close it first: some
/// servers end with the first agent that leaves, and the other agents never hear who won.
const FAREWELL: Duration = Duration::from_secs(2);

/// The settings of an agent before it connects.
#[derive(Clone, Debug)]
pub struct Builder {
    server: String,
    settings: Settings,
}

/// A connected agent.
#[derive(Debug)]
pub struct Agent<S = TcpStream> {
    stream: S,
    settings: Settings,
}

/// The result of an agent's game.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The end of the game.
    pub end: End,
    /// The number of turns that the strategy lost by mistakes. Each was reported, with the view of the strategy.
    pub blunders: usize,
}

/// A report of an agent while it plays.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Report {
    /// News about the agent's game.
    News(News),
    /// A mistake of its strategy that cost it a turn.
    Blunder(Blunder),
}

/// On one line; for a blunder on several lines, with a drawing of the view.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::News(News::Joined) => f.write_str("joined"),
            Self::News(News::Began) => f.write_str("the game begins"),
            Self::News(News::Senseless(reason)) => write!(f, "ignored an invalid message: {reason}"),
            Self::Blunder(blunder) => blunder.fmt(f),
        }
    }
}

/// The reason why an agent cannot play.
#[derive(Debug, thiserror::Error)]
#[error("no communication server at {server}: {source}")]
pub struct AgentError {
    server: String,
    source: io::Error,
}

impl Agent {
    /// Returns the settings of an agent of this team, with the default server and the seed 0.
    pub fn builder(team: Team) -> Builder {
        let settings = Settings::new(team, Seed::new(0));
        Builder { server: DEFAULT_SERVER.to_owned(), settings }.answer_within(ANSWER)
    }
}

impl Builder {
    /// Sets the address of the communication server: `host:port`.
    pub fn server(self, server: impl Into<String>) -> Self {
        Self { server: server.into(), ..self }
    }

    /// Sets the seed of the random numbers of the agent's strategy.
    pub fn seed(mut self, seed: Seed) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Sets the longest body of a message that the server accepts, in bytes. Longer answers are shortened to this
    /// length.
    ///
    /// The default is [`LONGEST_MESSAGE`](crate::knowledge::LONGEST_MESSAGE): two bytes less than the specification
    /// recommends, because one existing server and one existing game master lose bodies of 8191 and 8192 bytes.
    pub fn longest_message(mut self, bytes: u16) -> Self {
        self.settings.longest_message = bytes;
        self
    }

    /// Sets the time limit for the answer to the join, counted from the connection. The default is 75 seconds. There is
    /// no limit for the start of the game.
    pub fn answer_within(mut self, time: Duration) -> Self {
        self.settings.answer_by = SimTime::from(time);
        self
    }

    /// Connects over TCP.
    ///
    /// ```no_run
    /// use sdk::agent::{Agent, AgentError};
    /// use sdk::prelude::*;
    ///
    /// struct Lookout;
    /// impl Strategy for Lookout {
    ///     fn act(&mut self, view: &mut View<'_>) -> Choice {
    ///         view.discover()
    ///     }
    /// }
    ///
    /// /// For programs that have a runtime of their own.
    /// async fn join() -> Result<(), AgentError> {
    ///     let agent = Agent::builder(Team::Blue).server("192.0.2.7:3727").connect().await?;
    ///     let played = agent.play(Lookout).await;
    ///     println!("{}", played.end);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// If no server accepts the connection within ten seconds.
    pub async fn connect(self) -> Result<Agent, AgentError> {
        match tcp::dial(&self.server).await {
            Ok(stream) => Ok(self.over(stream)),
            Err(source) => Err(AgentError { server: self.server, source }),
        }
    }

    /// Connects over TCP, plays, and returns when the game is over. For programs without a runtime of their own.
    /// Reports go to `watch`.
    ///
    /// # Errors
    ///
    /// If no server accepts the connection.
    ///
    /// # Panics
    ///
    /// If called from within a tokio runtime, because it would block that runtime.
    pub fn run(self, strategy: impl AsyncStrategy, watch: impl FnMut(Report)) -> Result<Played, AgentError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) => {
                runtime.block_on(async { Ok(self.connect().await?.play_watched(strategy, watch).await) })
            }
            Err(source) => Err(AgentError { server: self.server, source }),
        }
    }

    /// Uses an existing connection, over any kind of stream.
    pub fn over<S: AsyncRead + AsyncWrite + Unpin>(self, stream: S) -> Agent<S> {
        Agent { stream, settings: self.settings }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Agent<S> {
    /// Joins, plays, and returns when the game is over or the connection has ended. It does not reconnect. After the
    /// end of the game, it waits up to two seconds for the server to close the connection.
    ///
    /// Reports go to the log.
    pub async fn play(self, strategy: impl AsyncStrategy) -> Played {
        let log = |report| match report {
            Report::News(News::Joined | News::Began) => tracing::info!("{report}"),
            Report::News(News::Senseless(_)) | Report::Blunder(_) => tracing::warn!("{report}"),
        };
        self.play_watched(strategy, log).await
    }

    /// As [`Agent::play`], but reports go to `watch`.
    pub async fn play_watched(
        mut self,
        mut strategy: impl AsyncStrategy,
        mut watch: impl FnMut(Report),
    ) -> Played {
        let began = Instant::now();
        self.settings.epoch = Some(Timestamp::now());
        let mut session = Session::new(self.settings);
        let mut decoder = Decoder::new(u16::MAX);
        let mut inbox = vec![0; 16 * 1024];
        let mut first_words = FirstWords::default();
        let mut blunders = 0;
        let end = loop {
            match session.poll_output() {
                Some(Output::Send(frames)) => {
                    let written = timeout(tcp::WRITE_TIMEOUT, self.stream.write_all(&frames)).await;
                    if !matches!(written, Ok(Ok(()))) {
                        // A server that has gone may have said before how the game ended.
                        if written.is_ok() {
                            let hear = |body: &[u8]| session.handle(elapsed(began), Input::Body(body));
                            hear_out(&mut self.stream, &mut decoder, hear).await;
                        }
                        session.handle(elapsed(began), Input::Broken);
                    }
                    continue;
                }
                Some(Output::Decide) => {
                    let now = session.game_time(elapsed(began));
                    let Some(actor) = session.actor() else { continue };
                    let choice = actor.decide_async(now, &mut strategy).await;
                    let (choice, resignation) = actor.resigns(now, choice, || strategy.gives_up());
                    for blunder in actor.take_blunders() {
                        blunders += 1;
                        watch(Report::Blunder(blunder));
                    }
                    if let Some(note) = actor.take_note() {
                        tracing::debug!(agent = %actor.own().agent, "{}", note.text);
                    }
                    let input = match resignation {
                        Some(resignation) => Input::GiveUp(resignation.why),
                        None => Input::Choice(choice),
                    };
                    session.handle(elapsed(began), input);
                    continue;
                }
                Some(Output::Report(news)) => {
                    watch(Report::News(news));
                    continue;
                }
                Some(Output::Done(end)) => break end,
                None => {}
            }
            let wake = session.wake_at();
            tokio::select! {
                read = self.stream.read(&mut inbox) => match read {
                    Ok(0) => session.handle(elapsed(began), Input::Closed),
                    Err(_) => session.handle(elapsed(began), Input::Broken),
                    Ok(length) => {
                        let now = elapsed(began);
                        if let Err(foreign) = first_words.read(&inbox[..length]) {
                            session.handle(now, Input::Foreign(foreign));
                        }
                        let mut bytes = &inbox[..length];
                        while let Some(body) = decoder.next(&mut bytes) {
                            match body {
                                Ok(body) => session.handle(now, Input::Body(body)),
                                Err(error) => watch(Report::News(News::Senseless(error.to_string()))),
                            }
                        }
                    }
                },
                () = sleep_until(wake_instant(began, wake)), if wake.is_some() => {
                    session.handle(elapsed(began), Input::Tick);
                }
            }
        };
        let winner = match end {
            End::Over { winner } => Some(winner),
            End::Unannounced { .. }
            | End::TurnedAway { .. }
            | End::Closed
            | End::GaveUp(_)
            | End::Unplayable(_)
            | End::NoAnswer
            | End::NoServer(_) => None,
        };
        let now = session.game_time(elapsed(began));
        if let Some(actor) = session.actor() {
            actor.end_async(now, &mut strategy, winner).await;
            for blunder in actor.take_blunders() {
                blunders += 1;
                watch(Report::Blunder(blunder));
            }
        }
        if winner.is_some() {
            hear_out(&mut self.stream, &mut decoder, |_| {}).await;
        }
        Played { end, blunders }
    }
}

/// A strategy whose calls block the thread for long, e.g. a [`Program`](crate::program::Program) that waits for another
/// process. In a runtime of several threads, other tasks go on meanwhile. The agent itself reads no messages before the
/// call returns, as with any [`AsyncStrategy`].
#[derive(Clone, Debug)]
pub struct Blocking<S>(pub S);

/// Calls a function that blocks the thread.
fn block<T>(call: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => block_in_place(call),
        // There is no other thread that could go on with the other tasks.
        _ => call(),
    }
}

#[async_trait]
impl<S: Strategy + Send> AsyncStrategy for Blocking<S> {
    async fn act(&mut self, view: &mut View<'_>) -> Choice {
        block(|| self.0.act(view))
    }

    async fn begin(&mut self, view: &mut View<'_>) {
        block(|| self.0.begin(view));
    }

    async fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.0.hear(view, notice);
    }

    async fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        block(|| self.0.answer(view, question))
    }

    fn gives_up(&mut self) -> Option<Resignation> {
        self.0.gives_up()
    }

    async fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        block(|| self.0.end(view, winner));
    }
}

/// Reads until the other end has closed the connection, or for a short time.
async fn hear_out(stream: &mut (impl AsyncRead + Unpin), decoder: &mut Decoder, mut hear: impl FnMut(&[u8])) {
    let mut inbox = vec![0; 16 * 1024];
    let reading = async {
        while let Ok(length @ 1..) = stream.read(&mut inbox).await {
            let mut bytes = &inbox[..length];
            while let Some(body) = decoder.next(&mut bytes) {
                if let Ok(body) = body {
                    hear(body);
                }
            }
        }
    };
    // A server that stays is not waited for.
    let _ = timeout(FAREWELL, reading).await;
}

fn elapsed(began: Instant) -> SimTime {
    began.elapsed().into()
}

/// Returns the moment to wake at; a day ahead at the most, since the system's clock may not reach as far as ours.
fn wake_instant(began: Instant, wake: Option<SimTime>) -> Instant {
    const DAY: u64 = 86_400_000;
    let wake = wake.unwrap_or(SimTime::START).as_millis();
    began + Duration::from_millis(wake.min(elapsed(began).as_millis().saturating_add(DAY)))
}

#[cfg(test)]
mod tests {
    use socket2::SockRef;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_server_that_disappears_is_noticed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback address has ports");
        let server = listener.local_addr().expect("it is bound");
        let agent = Agent::builder(Team::Red).server(server.to_string()).connect().await.expect("it listens");
        assert!(SockRef::from(&agent.stream).keepalive().expect("a socket knows its options"));
    }
}
