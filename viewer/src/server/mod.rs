//! Serves viewers: the page, the feed over a WebSocket, and answers to the operator's requests.
//!
//! It has a thread and a runtime of its own, so that no viewer is in the game's way. All viewers read the same
//! messages, which are written once; each viewer has only a position in them, so that one that does not read costs no
//! memory, and is dropped when it has not taken a message for a while.

mod answer;
mod channel;
mod client;
mod files;
mod hosted;
mod log;
mod matches;
mod operating;
mod people;
mod place;
mod playing;
mod routes;
mod settings;
mod show;
mod single;
mod studying;
mod watching;

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use tokio::runtime::Builder;
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};
use wire::token::Token;

use self::channel::{Channel, End};
use self::hosted::{HostLink, Hosted};
use self::matches::ShownMatches;
pub use self::place::Place;
use self::routes::routes;
use self::show::{Content, Show, lock};
use self::single::ShownSingle;
use self::studying::Studied;
pub use self::studying::StudyPage;
use crate::event_queue::EventQueue;
use crate::guard::{Guard, draw_token};
use crate::matches::{Matches, Request, SinglePage};
use crate::outbox::Limits;
use crate::port::{Connection, IdleTimeout, Port};
use crate::recording::Recording;
use crate::room::Shown;
use crate::study::{Offer, StudyRequest};

/// A game page with its server, until this value is dropped.
#[derive(Debug)]
pub struct ViewerServer {
    url: String,
    stop: Option<oneshot::Sender<String>>,
    /// Is closed when the server's thread has ended. In a mutex, since a `Receiver` is not `Sync`, and servers
    /// are shared between threads.
    ended: Mutex<Receiver<()>>,
    longest_end: Duration,
}

/// The limits of a page server for its viewers, and of the messages that it keeps for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerLimits {
    /// The time that a viewer has to accept a message, and that the page of a live game waits for one until it connects
    /// again.
    pub patience: Duration,
    /// The time for which events are collected before they are sent.
    pub pace: Duration,
    /// The most viewers.
    pub viewers: u16,
    /// Further seats, for holders of the token.
    pub operators: u16,
    /// The most connections, those that ask for a file included; of more of them, those that were answered least
    /// recently are closed. There is always room for all viewers, all operators and one connection more.
    pub connections: u16,
    /// The time that a connection has until the answer to its first request.
    pub first_request: Duration,
    /// The time that it has until each further answer. Viewers receive something more often than that.
    pub idle: Duration,
    /// The limits of the messages and of the replay that are kept for later viewers.
    pub limits: Limits,
    /// The most people who play, or wait to.
    pub people: u16,
    /// The time for which a player may have no connection before its seat is free.
    pub absence: Duration,
    /// The most matches that are kept when they are over.
    pub kept: u16,
    /// About the most bytes that these matches keep together: their inputs, and for those that somebody has watched the
    /// messages and the replay instead. Beyond them, those that ended first are forgotten.
    pub kept_bytes: usize,
    /// The longest time that the end of a host waits for the server's thread, which sends the last messages to viewers.
    pub longest_end: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(10),
            // Two frames of a screen.
            pace: Duration::from_millis(33),
            viewers: 64,
            operators: 4,
            // Browsers open a handful each.
            connections: 256,
            // A request is one packet; browsers that open connections in advance open them again.
            first_request: Duration::from_secs(5),
            idle: Duration::from_secs(60),
            limits: Limits::default(),
            people: 256,
            // A page that is loaded again, a train in a tunnel.
            absence: Duration::from_secs(60),
            kept: 200,
            // Three of the longest matches.
            kept_bytes: 1 << 30,
            // The server's thread gives way to others: on a busy machine a moment's work takes it seconds.
            longest_end: Duration::from_secs(10),
        }
    }
}

impl ViewerServer {
    /// Shows a replay; `file` is the replay file, if viewers may download it.
    ///
    /// # Errors
    ///
    /// If the system has no thread, no socket or no random bits left.
    pub fn replay(place: Place, name: &str, recording: Recording, file: Option<Vec<u8>>) -> io::Result<Self> {
        Self::recorded(place, name, recording, file, None)
    }

    /// Shows a replay that the program studies on request. The receiver yields the operator's requests, which `offer`
    /// limits.
    ///
    /// # Errors
    ///
    /// As [`ViewerServer::replay`].
    pub fn studied(
        place: Place,
        name: &str,
        recording: Recording,
        file: Vec<u8>,
        offer: Offer,
    ) -> io::Result<StudyServer> {
        let (page, studied, requests) = StudyPage::new(recording.room(), offer);
        let token = draw_token().map_err(io::Error::other)?;
        let server = Self::recorded(place, name, recording, Some(file), Some((studied, token)))?;
        Ok((server, page, requests))
    }

    fn recorded(
        place: Place,
        name: &str,
        recording: Recording,
        file: Option<Vec<u8>>,
        studied: Option<(Studied, Token)>,
    ) -> io::Result<Self> {
        let channel = Channel::default();
        // The first message is the greeting, which every viewer receives by itself.
        let messages = recording.messages.into_iter().skip(1).map(Utf8Bytes::from);
        lock(&channel.log).messages.extend(messages);
        *lock(&channel.end) =
            End { statistics: Some(recording.statistics.to_string().into()), replay: file.map(Bytes::from) };
        let (studied, token) = studied.unzip();
        let content = Content::Replay { file: name.to_owned(), channel: Arc::new(channel), studied };
        let server_limits = ServerLimits { people: 0, ..ServerLimits::default() };
        Self::open(place, recording.game, content, Arc::default(), token, server_limits)
    }

    /// Shows the matches of a host, those of people who play on the page included: see [`matches`](crate::matches).
    /// Requests of people come out of the receiver. They wait for the host; if too many wait already, further ones
    /// are refused.
    ///
    /// # Errors
    ///
    /// As [`ViewerServer::replay`].
    pub fn matches<E>(place: Place, server_limits: ServerLimits) -> io::Result<MatchServer<E>>
    where
        E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
    {
        let shown = |link| Box::new(ShownMatches::new(link, server_limits)) as Box<dyn Hosted>;
        Self::hosted(place, server_limits, draw_token().map_err(io::Error::other)?, shown)
    }

    /// Shows the only match of a host, from its lobby on: see [`SinglePage`]. What the operator asks for comes out of
    /// the receiver.
    ///
    /// # Errors
    ///
    /// As [`ViewerServer::replay`].
    pub fn single<E>(place: Place, server_limits: ServerLimits) -> io::Result<SingleServer<E>>
    where
        E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
    {
        Self::single_with(place, server_limits, draw_token().map_err(io::Error::other)?)
    }

    /// Returns the same with this token.
    fn single_with<E>(place: Place, server_limits: ServerLimits, token: Token) -> io::Result<SingleServer<E>>
    where
        E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
    {
        // Nobody plays on this page.
        let server_limits = ServerLimits { people: 0, ..server_limits };
        let shown = |link| Box::new(ShownSingle::new(link, server_limits.limits)) as Box<dyn Hosted>;
        let (server, matches, requests) = Self::hosted(place, server_limits, token, shown)?;
        Ok((server, SinglePage::new(matches), requests))
    }

    fn hosted<E: Shown>(
        place: Place,
        server_limits: ServerLimits,
        token: Token,
        shown: impl FnOnce(HostLink<E>) -> Box<dyn Hosted>,
    ) -> io::Result<MatchServer<E>> {
        /// Requests that wait for the host.
        const WAITING: usize = 1024;
        let queue = Arc::new(EventQueue::default());
        let (sender, requests) = mpsc::channel(WAITING);
        let content = Content::Hosted(Mutex::new(shown(HostLink::new(queue.clone(), sender))));
        let server = Self::open(place, E::ROOM, content, queue.arrived(), Some(token), server_limits)?;
        Ok((server, Matches::new(queue), requests))
    }

    /// `arrived` is notified when the host has said something.
    fn open(
        place: Place,
        game: &'static str,
        content: Content,
        arrived: Arc<Notify>,
        token: Option<Token>,
        server_limits: ServerLimits,
    ) -> io::Result<Self> {
        let url = place.url(token);
        let show = Arc::new(Show {
            guard: Guard::new(&place.host, place.address, token),
            game,
            content,
            viewers: Arc::new(Semaphore::new(server_limits.viewers.into())),
            operators: Arc::new(Semaphore::new(server_limits.operators.into())),
            people: Arc::new(Semaphore::new(server_limits.people.into())),
            server_limits,
        });
        let longest_end = server_limits.longest_end;
        let (stop, stopped) = oneshot::channel();
        let (ending, ended) = channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let _entered = runtime.enter();
            tokio::net::TcpListener::from_std(place.listener)?
        };
        let run = run(show, arrived, listener, stopped);
        thread::Builder::new().name("board".to_owned()).spawn(move || {
            // Dropped last: when the host goes on, no socket is open any more.
            let _ending: Sender<()> = ending;
            let runtime = runtime;
            give_way();
            runtime.block_on(run);
        })?;
        Ok(Self { url, stop: Some(stop), ended: Mutex::new(ended), longest_end })
    }

    /// Returns the page's address, with the operator's token if there is one.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sends all viewers a last message with the reason, and waits until the server's thread has ended. Returns after
    /// [`ServerLimits::longest_end`] even if the thread still runs; the thread then ends in the background.
    pub fn close(mut self, why: &str) {
        self.end(why);
    }

    fn end(&mut self, why: &str) {
        if let Some(stop) = self.stop.take() {
            // Ignores errors: the thread may have ended.
            let _ = stop.send(why.to_owned());
            let _ = self.ended.get_mut().map(|ended| ended.recv_timeout(self.longest_end));
        }
    }
}

impl Drop for ViewerServer {
    fn drop(&mut self) {
        self.end("the game master has ended");
    }
}

/// A page for the matches of a host, the host's handle of them, and what people ask for.
pub type MatchServer<E> = (ViewerServer, Matches<E>, mpsc::Receiver<Request<E>>);

/// A page for the only match of a host, the host's handle of it, and what the operator asks for.
pub type SingleServer<E> = (ViewerServer, SinglePage<E>, mpsc::Receiver<Request<E>>);

/// A page for a replay that is studied, the program's handle of it, and what the operator asks for.
pub type StudyServer = (ViewerServer, StudyPage, mpsc::Receiver<StudyRequest>);

/// Lets the game's thread go first wherever both want the same core.
#[cfg(target_os = "linux")]
fn give_way() {
    /// A tenth of the share of a thread of usual priority.
    const NICENESS: i32 = 10;
    // Of this thread alone. Where the system does not let it, the two share as they would.
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

/// Elsewhere priorities are those of a whole process.
#[cfg(not(target_os = "linux"))]
fn give_way() {}

/// The time that viewers have to receive the closing message.
const FAREWELL: Duration = Duration::from_millis(400);

/// The time in which events are still sent that were left when the game ended.
const LAST_EVENTS: Duration = Duration::from_millis(400);

async fn run(
    show: Arc<Show>,
    arrived: Arc<Notify>,
    listener: tokio::net::TcpListener,
    mut stopped: oneshot::Receiver<String>,
) {
    while show.tell_some() {}
    let ServerLimits { connections, viewers, operators, people, first_request, idle, .. } =
        show.server_limits;
    let kept = viewers.saturating_add(operators).saturating_add(people);
    let connections = connections.max(kept.saturating_add(1));
    let port = Port::new(listener, connections, IdleTimeout { first: first_request, further: idle });
    let service = routes(show.clone()).into_make_service_with_connect_info::<Connection>();
    let serving = tokio::spawn(axum::serve(port, service).into_future());
    let why = loop {
        if show.has_backlog() {
            show.tell_some();
            tokio::select! {
                biased;
                why = &mut stopped => break why.unwrap_or_default(),
                () = yield_now() => {}
            }
        } else {
            tokio::select! {
                () = arrived.notified() => {
                    // The events of this time are sent together.
                    sleep(show.server_limits.pace).await;
                    show.tell_some();
                }
                () = show.list_due() => show.tell_list(),
                why = &mut stopped => break why.unwrap_or_default(),
            }
        }
    };
    // A flood may have left more than can be sent in seconds, and the program is to end.
    let last = Instant::now() + LAST_EVENTS;
    while show.tell_some() && Instant::now() <= last {
        yield_now().await;
    }
    show.close(&why);
    let everyone = async {
        let _ = show.viewers.acquire_many(show.server_limits.viewers.into()).await;
        let _ = show.operators.acquire_many(show.server_limits.operators.into()).await;
        let _ = show.people.acquire_many(show.server_limits.people.into()).await;
    };
    let _ = timeout(FAREWELL, everyone).await;
    serving.abort();
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::*;
    use crate::room::Tested;

    #[test]
    fn the_end_of_a_host_does_not_wait_for_a_page_that_has_no_time() {
        let channel = Arc::new(Channel::default());
        let content = Content::Replay { file: String::new(), channel: channel.clone(), studied: None };
        let limits = ServerLimits { longest_end: Duration::ZERO, ..ServerLimits::default() };
        let place = Place::take("127.0.0.1:0").unwrap();
        let board = ViewerServer::open(place, Tested::ROOM, content, Arc::default(), None, limits).unwrap();
        // The server's thread waits for this lock before it can write the last message.
        let log = lock(&channel.log);
        board.close("the game master has ended");
        drop(log);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_order_is_obeyed_only_while_its_client_waits() {
        let place = Place::take("127.0.0.1:0").unwrap();
        let address = place.address;
        let token = draw_token().unwrap();
        let ask = |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            let line = format!("POST {path}?token={token} HTTP/1.1\r\n");
            let headers = format!("Host: {address}\r\nContent-Length: 2\r\nConnection: close\r\n");
            stream.write_all(format!("{line}{headers}\r\n{{}}").as_bytes()).unwrap();
            stream
        };
        // These clients have given up before the server takes any connection.
        for path in ["/stop", "/stop", "/settings/check", "/stop"] {
            drop(ask(path));
        }
        let (board, _page, mut requests) =
            ViewerServer::single_with::<Tested>(place, ServerLimits::default(), token).unwrap();
        let obeying = tokio::spawn(async move {
            let mut obeyed = 0;
            while let Some(request) = requests.recv().await {
                let Request::Stop { answer } = request else { panic!("{request:?}") };
                answer.accept();
                obeyed += 1;
            }
            obeyed
        });
        let mut half_closed = ask("/stop");
        half_closed.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        ask("/stop").read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
        half_closed.read_to_string(&mut String::new()).unwrap();
        drop(board);
        assert_eq!(obeying.await.unwrap(), 1, "an order of a client that is gone was obeyed");
    }
}
