//! The connection to the communication server: moves bytes, reads the clock, and decides nothing.

use std::io;
use std::pin::pin;
use std::time::Duration;

use game_env::text::escape_hidden;
use game_env::{SimTime, Termination, Witness};
use game_project::State;
use jiff::Timestamp;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until, timeout};
use wire::envelope::{Envelope, FirstWords};
use wire::frame::{self, Decoder};
use wire::project::{Notice, read_notice, shown_reason};

use crate::keyboard::Key;
use crate::project::master::{Input, Master, News, Output, Settings};

/// Commands of an operator that are possible at any time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Start the game.
    Start,
    /// Stop it.
    Stop,
    /// End it for this reason, not by the operator: a limit was reached, the host is at fault.
    End(Termination),
}

/// Commands of an operator, those before the start with their data.
#[derive(Clone, PartialEq, Debug)]
pub enum Order {
    /// A command, e.g. of a key.
    Command(Command),
    /// Host the game in another way.
    Settings(Box<Settings>),
    /// Connect to the communication server at this host and port, where there is no connection.
    Connect(String, u16),
}

impl From<Key> for Order {
    fn from(key: Key) -> Self {
        match key {
            Key::Start => Command::Start.into(),
            Key::Stop => Command::Stop.into(),
        }
    }
}

impl From<Command> for Order {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

/// An observer of a hosted game, e.g. the console or the page.
pub trait Observer: Witness<State> {
    /// The game master has something to report.
    fn news(&mut self, master: &Master, news: &News);

    /// The server has sent bytes that are no frame of the protocol.
    fn nonsense(&mut self, reason: &str);

    /// A second has passed.
    fn second(&mut self, master: &Master);
}

/// The reason for which the hosting of a game ended.
#[derive(Debug)]
pub enum Ending {
    /// The game is over, or was called off.
    Done,
    /// The communication server was lost; the system's error, if there is one.
    ServerLost(Option<io::Error>),
    /// The peer does not speak the protocol; the first bytes that it sent.
    NoServer(Vec<u8>),
    /// The communication server closed the connection before a game began, and said why.
    Refused(String),
}

/// The smallest buffer that any known communication server reads into, bytes: it reads the beginning of what it
/// has read as the beginning of a frame, and loses what a larger write would leave for the next time.
const SMALLEST_BUFFER: usize = 8 * 1024;

/// Time that the communication server has to accept the bytes that are written.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Time that the communication server has to close its end after ours.
const FAREWELL: Duration = Duration::from_secs(2);

/// The time between two calls of `Observer::second`.
const SECOND: Duration = Duration::from_secs(1);

/// Hosts a game over this connection, from the lobby to the end.
///
/// If the first bytes that come are none of the protocol, the connection is closed and nothing is sent: a
/// communication server passes on nothing but JSON objects, whatever its agents send. The clock of the game master's
/// inputs stands at its start when this is called.
pub async fn host<S>(
    stream: S,
    master: Master,
    mut orders: mpsc::Receiver<Order>,
    observer: &mut impl Observer,
) -> (Master, Ending)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    host_with(stream, master, &mut orders, observer).await
}

/// Waits until something is ready, usually a connection, and serves the orders of a lobby meanwhile: settings are
/// changed, any other order is returned.
///
/// # Errors
///
/// Returns the order that came first. If nobody orders anything any more, it waits for `ready` alone.
pub async fn prepare<T>(
    ready: impl Future<Output = T>,
    master: &mut Master,
    orders: &mut mpsc::Receiver<Order>,
    observer: &mut impl Observer,
) -> Result<T, Order> {
    let mut ready = pin!(ready);
    loop {
        let order = tokio::select! {
            value = &mut ready => return Ok(value),
            order = orders.recv() => order,
        };
        match order {
            Some(Order::Settings(settings)) => {
                master.handle(SimTime::START, Input::Settings(&settings), observer);
                // No agent has joined, so there is nothing to send.
                settle(master, observer, &mut Vec::new());
            }
            Some(order) => return Err(order),
            None => return Ok(ready.await),
        }
    }
}

/// [`host`] with orders that others go on to serve.
pub async fn host_with<S>(
    mut stream: S,
    mut master: Master,
    orders: &mut mpsc::Receiver<Order>,
    observer: &mut impl Observer,
) -> (Master, Ending)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let began = Instant::now();
    // Read here, next to the clock: how long it took to come to this connection is no part of the game's time.
    master.clock_starts(Timestamp::now());
    let mut seconds = every_second();
    let mut decoder = Decoder::new(u16::MAX);
    let mut inbox = vec![0; 64 * 1024];
    let mut frames = Vec::new();
    let mut ending = Ending::Done;
    let mut is_done = false;
    let mut has_operator = true;
    let mut first_words = FirstWords::default();
    let mut refused = None;
    loop {
        is_done |= settle(&mut master, observer, &mut frames);
        if let Err(error) = write(&mut stream, &mut frames).await {
            ending = Ending::ServerLost(Some(error));
            master.handle(elapsed(began), Input::ServerLost, observer);
            // Nothing can be sent any more; reports still can.
            settle(&mut master, observer, &mut frames);
            return (master, ending);
        }
        if is_done {
            // Some agents read the last messages later: if the connection closed before, they would lose these
            // messages.
            if let Some(span) = master.farewell().filter(|_| matches!(ending, Ending::Done)) {
                let _ = timeout(span.into(), drain(&mut stream, &mut inbox)).await;
            }
            // Ignores errors: the server may have closed the connection already.
            let _ = timeout(FAREWELL, say_goodbye(&mut stream, &mut inbox)).await;
            return (master, ending);
        }
        let wake = master.wake_at();
        tokio::select! {
            read = stream.read(&mut inbox) => match read {
                lost @ (Ok(0) | Err(_)) => {
                    ending = match refused.take() {
                        Some(reason) if master.game().is_none() => Ending::Refused(reason),
                        _ => Ending::ServerLost(lost.err()),
                    };
                    master.handle(elapsed(began), Input::ServerLost, observer);
                }
                Ok(length) => {
                    if let Err(foreign) = first_words.read(&inbox[..length]) {
                        return (master, Ending::NoServer(foreign.to_owned()));
                    }
                    let now = elapsed(began);
                    let mut bytes = &inbox[..length];
                    while let Some(body) = decoder.next(&mut bytes) {
                        match body {
                            Ok(body) => {
                                tracing::debug!("received {}", shown(body));
                                refused = if master.game().is_none() { refusal(body) } else { None };
                                if refused.is_none() {
                                    master.handle(now, Input::Body(body), observer);
                                }
                            }
                            Err(error) => observer.nonsense(&error.to_string()),
                        }
                        // At once, and not after the last of them: the observer must get the beginning of the game
                        // before the first request.
                        is_done |= settle(&mut master, observer, &mut frames);
                    }
                }
            },
            order = orders.recv(), if has_operator => {
                let input = match &order {
                    Some(Order::Command(Command::Start)) => Input::Start,
                    Some(Order::Command(Command::Stop)) => Input::Stop,
                    Some(Order::Command(Command::End(termination))) => Input::End(*termination),
                    Some(Order::Settings(settings)) => Input::Settings(settings),
                    // There is a connection.
                    Some(Order::Connect(..)) => continue,
                    None => {
                        has_operator = false;
                        continue;
                    }
                };
                master.handle(elapsed(began), input, observer);
            }
            () = sleep_until(wake_instant(began, wake)), if wake.is_some() => {
                master.handle(elapsed(began), Input::Tick, observer);
            }
            _ = seconds.tick() => observer.second(&master),
        }
    }
}

/// Two observers that get the same, the first one first.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn news(&mut self, master: &Master, news: &News) {
        self.0.news(master, news);
        self.1.news(master, news);
    }

    fn nonsense(&mut self, reason: &str) {
        self.0.nonsense(reason);
        self.1.nonsense(reason);
    }

    fn second(&mut self, master: &Master) {
        self.0.second(master);
        self.1.second(master);
    }
}

impl<O: Observer> Observer for Option<O> {
    fn news(&mut self, master: &Master, news: &News) {
        if let Some(observer) = self {
            observer.news(master, news);
        }
    }

    fn nonsense(&mut self, reason: &str) {
        if let Some(observer) = self {
            observer.nonsense(reason);
        }
    }

    fn second(&mut self, master: &Master) {
        if let Some(observer) = self {
            observer.second(master);
        }
    }
}

impl<O: Observer> Observer for &mut O {
    fn news(&mut self, master: &Master, news: &News) {
        (**self).news(master, news);
    }

    fn nonsense(&mut self, reason: &str) {
        (**self).nonsense(reason);
    }

    fn second(&mut self, master: &Master) {
        (**self).second(master);
    }
}

/// Passes on all reports of the game master, and collects the frames that it sends; returns whether it is done.
fn settle(master: &mut Master, observer: &mut impl Observer, frames: &mut Vec<u8>) -> bool {
    let mut is_done = false;
    while let Some(output) = master.poll_output() {
        match output {
            Output::Send(mut more) => {
                log_sent(&more);
                frames.append(&mut more);
            }
            Output::Report(news) => observer.news(master, &news),
            Output::Done => is_done = true,
        }
    }
    is_done
}

/// Returns the reason for which a communication server refuses a connection, if this is its refusal. The refusal has
/// the form of an answer to an agent: the server does not know who has come to the wrong port.
fn refusal(body: &[u8]) -> Option<String> {
    let envelope = Envelope::parse(body).ok().filter(|envelope| envelope.agent_id == Some(0))?;
    let Ok(Notice::Joined { accepted: false, reason: Some(reason), .. }) =
        read_notice(envelope.message_id, envelope.payload)
    else {
        return None;
    };
    Some(shown_reason(&reason).unwrap_or_default())
}

/// Logs every message of these frames.
fn log_sent(frames: &[u8]) {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let mut decoder = Decoder::new(u16::MAX);
    let mut rest = frames;
    while let Some(body) = decoder.next(&mut rest) {
        if let Ok(body) = body {
            tracing::debug!("sent {}", shown(body));
        }
    }
}

/// Returns a message as text that a terminal shows as it is.
fn shown(body: &[u8]) -> String {
    escape_hidden(&String::from_utf8_lossy(body))
}

/// Sends the frames that were collected, as many with one write as fit into the smallest buffer that any known server
/// reads into.
async fn write<S: AsyncWrite + Unpin>(stream: &mut S, frames: &mut Vec<u8>) -> io::Result<()> {
    if frames.is_empty() {
        return Ok(());
    }
    let written = timeout(TIMEOUT, async {
        for part in frame::parts(frames, SMALLEST_BUFFER) {
            stream.write_all(part).await?;
        }
        stream.flush().await
    });
    written.await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    frames.clear();
    Ok(())
}

/// Closes this end and reads on until the server has closed its own: a connection that is dropped with
/// something unread is reset, and what was written last would be lost with it.
async fn say_goodbye<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, inbox: &mut [u8]) -> io::Result<()> {
    stream.shutdown().await?;
    drain(stream, inbox).await
}

/// Reads and drops everything until the other end is closed.
async fn drain<S: AsyncRead + Unpin>(stream: &mut S, inbox: &mut [u8]) -> io::Result<()> {
    while stream.read(inbox).await? > 0 {}
    Ok(())
}

fn elapsed(began: Instant) -> SimTime {
    began.elapsed().into()
}

/// Returns the moment to wake at; one in the past if it has passed while something else was done.
fn wake_instant(began: Instant, wake: Option<SimTime>) -> Instant {
    let wake = wake.unwrap_or(SimTime::START);
    began + Duration::from(wake)
}

fn every_second() -> Interval {
    let mut seconds = interval(SECOND);
    seconds.set_missed_tick_behavior(MissedTickBehavior::Skip);
    seconds
}
