//! The loop of a server.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::time::Duration;

use game_env::SimTime;
use tokio::io::{DuplexStream, duplex};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::connections::{Client, Event, FAREWELL, WAITING_EVENTS, accept};
use super::places::Places;
use super::{ConnectionId, Input, Master, Origin, Output};
use crate::archive::Archive;
use crate::journal::Journal;

/// The time between two calls of `Journal::sync`.
const SYNC: Duration = Duration::from_secs(1);

/// The limits on what connections may do to a server; those on messages are the master's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections at once. If there are more, the oldest one that has not logged in gives way; if all have logged in,
    /// the newcomer is closed.
    pub connections: usize,
    /// Connections of one [`Origin`](super::Origin) at once, with the same rule.
    pub connections_of_origin: usize,
    /// Bytes that may wait for a client that reads slowly.
    pub buffer_bytes: usize,
}

/// The way into a running server for clients in the same process.
#[derive(Clone, Debug)]
pub struct LocalConnector(Sender<Event>);

/// An action of the client of a person on a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientAction {
    /// It connects.
    Connected,
    /// It sends these bytes.
    Bytes(Vec<u8>),
    /// It ends the connection.
    Ended,
}

/// A page that shows the changes on disk, and on which people play: each as a client whose bytes stay in this
/// process.
pub trait Page<M: Master> {
    /// A request of a person on the page.
    type Request: Send;

    /// Waits for the next request; none if there will be no more.
    fn next(&mut self) -> impl Future<Output = Option<Self::Request>> + Send;

    /// Returns the actions of people's clients that follow from a request; a new client has this number.
    fn ask(&mut self, request: Self::Request, next: ConnectionId) -> Vec<(ConnectionId, ClientAction)>;

    /// Whether this is the client of a person.
    fn has(&self, id: ConnectionId) -> bool;

    /// Shows a change that is written down.
    fn show(&mut self, record: &M::Record);

    /// Looks at the master after each turn: at things that are not on disk, e.g. players that wait.
    fn look(&mut self, _master: &M) {}

    /// Returns the actions of the client of a person that follow from these bytes.
    fn hear(&mut self, id: ConnectionId, bytes: &[u8]) -> Vec<(ConnectionId, ClientAction)>;

    /// The server has closed the connection of the client of a person.
    fn closed(&mut self, id: ConnectionId);

    /// Sends a farewell to all viewers.
    fn close(self);
}

/// The page of a server that has none.
pub type NoPage = Infallible;

impl<M: Master> Page<M> for NoPage {
    type Request = Self;

    async fn next(&mut self) -> Option<Self> {
        match *self {}
    }

    fn ask(&mut self, _request: Self, _next: ConnectionId) -> Vec<(ConnectionId, ClientAction)> {
        match *self {}
    }

    fn has(&self, _id: ConnectionId) -> bool {
        match *self {}
    }

    fn show(&mut self, _record: &M::Record) {
        match *self {}
    }

    fn hear(&mut self, _id: ConnectionId, _bytes: &[u8]) -> Vec<(ConnectionId, ClientAction)> {
        match *self {}
    }

    fn closed(&mut self, _id: ConnectionId) {
        match *self {}
    }

    fn close(self) {
        match self {}
    }
}

/// A server that is about to run.
#[derive(Debug)]
pub struct Server<M: Master, P = NoPage> {
    master: M,
    journal: Journal<M::Record>,
    archive: Archive<M::Ended>,
    limits: Limits,
    page: Option<P>,
    inbox: Receiver<Event>,
    connector: LocalConnector,
    live: watch::Sender<M::Totals>,
}

impl LocalConnector {
    /// Connects a client of this process; `None` if the server has ended.
    pub async fn connect(&self) -> Option<DuplexStream> {
        let (near, far) = duplex(1 << 16);
        self.0.send(Event::Connected(0, Box::new(far), None)).await.ok()?;
        Some(near)
    }
}

impl<M: Master, P: Page<M>> Server<M, P> {
    /// A server that goes on where this master stands.
    pub fn new(master: M, journal: Journal<M::Record>, archive: Archive<M::Ended>, limits: Limits) -> Self {
        let (sender, inbox) = mpsc::channel(WAITING_EVENTS);
        let live = watch::Sender::new(master.totals());
        Self { master, journal, archive, limits, page: None, inbox, connector: LocalConnector(sender), live }
    }

    /// The same server with a page, on which the games that go on are shown at once.
    pub fn with_page(self, mut page: P) -> Self {
        self.master.snapshot().iter().for_each(|record| page.show(record));
        page.look(&self.master);
        Self { page: Some(page), ..self }
    }

    /// The way in for clients of this process.
    pub fn connector(&self) -> LocalConnector {
        self.connector.clone()
    }

    /// The counts, after each turn.
    pub fn totals(&self) -> watch::Receiver<M::Totals> {
        self.live.subscribe()
    }

    /// Serves until `stop` is ready.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written: what cannot be written down must not be answered.
    pub async fn run(self, listener: TcpListener, stop: impl Future<Output = ()>) -> io::Result<()> {
        let Self { mut master, mut journal, archive, limits, mut page, mut inbox, connector, live } = self;
        let places = Places::new(limits.connections, limits.connections_of_origin);
        let accepting = tokio::spawn(accept(listener, 0, connector.0.clone(), places));
        let mut stop = std::pin::pin!(stop);
        let began = Instant::now();
        let mut clients: BTreeMap<ConnectionId, Client> = BTreeMap::new();
        let (mut events, mut outputs) = (Vec::new(), Vec::new());
        let (mut next_id, mut synced, mut is_over) = (0, began, false);
        // The next actions of the clients of people on the page.
        let mut said: VecDeque<(ConnectionId, ClientAction)> = VecDeque::new();
        while !is_over {
            let wake = master.wake_at().map(|at| began + Duration::from_millis(at.as_millis()));
            let mut is_stopped = false;
            tokio::select! {
                () = std::future::ready(()), if !said.is_empty() => {}
                request = asked::<M, P>(&mut page) => {
                    if let (Some(page), Some(request)) = (&mut page, request) {
                        said.extend(page.ask(request, ConnectionId(next_id)));
                        next_id += 1;
                    }
                }
                _ = inbox.recv_many(&mut events, WAITING_EVENTS) => {}
                () = sleep_until(wake.unwrap_or(began)), if wake.is_some() => {}
                () = sleep_until(synced + SYNC) => {
                    synced = Instant::now();
                    journal.sync()?;
                }
                () = &mut stop => is_stopped = true,
            }
            let now = SimTime::from_millis(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
            for event in events.drain(..) {
                match event {
                    Event::Connected(_, stream, place) => {
                        let id = ConnectionId(next_id);
                        next_id += 1;
                        let client = Client::attend(id, stream, place, connector.0.clone());
                        master.handle(now, Input::Connected(id, client.origin()));
                        clients.insert(id, client);
                    }
                    Event::Received(id, bytes, _turn) => {
                        master.handle(now, Input::Received(id, &bytes));
                        if let Some(client) = clients.get(&id) {
                            client.keep_place(|| master.has_logged_in(id));
                        }
                    }
                    Event::Ended(id) => {
                        clients.remove(&id);
                        master.handle(now, Input::Ended(id));
                    }
                }
                outputs.extend(std::iter::from_fn(|| master.poll_output()));
            }
            for (id, said) in said.drain(..) {
                match said {
                    ClientAction::Connected => master.handle(now, Input::Connected(id, Origin::Inside)),
                    ClientAction::Bytes(bytes) => master.handle(now, Input::Received(id, &bytes)),
                    ClientAction::Ended => master.handle(now, Input::Ended(id)),
                }
                outputs.extend(std::iter::from_fn(|| master.poll_output()));
            }
            master.handle(now, if is_stopped { Input::Stop } else { Input::Tick });
            outputs.extend(std::iter::from_fn(|| master.poll_output()));
            for output in &outputs {
                if let Output::Record(record) = output {
                    journal.push(record);
                }
            }
            journal.commit()?;
            let mut slow = Vec::new();
            for output in outputs.drain(..) {
                match output {
                    Output::Record(record) => {
                        if let Some(page) = &mut page {
                            page.show(&record);
                        }
                    }
                    Output::Send(id, bytes) => {
                        if let Some(page) = page.as_mut().filter(|page| page.has(id)) {
                            said.extend(page.hear(id, &bytes));
                            continue;
                        }
                        let Some(client) = clients.get(&id) else { continue };
                        if client.send(bytes).is_none_or(|waiting| waiting > limits.buffer_bytes) {
                            slow.push(id);
                        }
                    }
                    // Its task writes what it has, and ends.
                    Output::Close(id) => {
                        clients.remove(&id);
                        if let Some(page) = &mut page {
                            page.closed(id);
                        }
                    }
                    Output::Ended(game) => archive.keep(game),
                    Output::Done => is_over = true,
                }
            }
            // The journal's records of games that are over are needed until their replays are on disk.
            if journal.has_grown() && archive.is_idle() {
                journal.replace(&master.snapshot())?;
            }
            for id in slow {
                if let Some(client) = clients.remove(&id) {
                    client.abort();
                    // The next turn takes it in.
                    let connector = connector.0.clone();
                    tokio::spawn(async move { connector.send(Event::Ended(id)).await });
                }
            }
            if let Some(page) = &mut page {
                page.look(&master);
            }
            let totals = master.totals();
            live.send_if_modified(|shown| {
                let is_new = *shown != totals;
                *shown = totals;
                is_new
            });
        }
        accepting.abort();
        journal.sync()?;
        if let Some(page) = page {
            page.close();
        }
        // The last words of the server reach their readers.
        drop(clients);
        sleep(FAREWELL / 4).await;
        tokio::task::spawn_blocking(move || archive.finish()).await.map_err(io::Error::other)
    }
}

/// Waits for the next request on the page; never returns if there is no page, or no further request.
async fn asked<M: Master, P: Page<M>>(page: &mut Option<P>) -> Option<P::Request> {
    match page {
        Some(page) => match page.next().await {
            Some(request) => Some(request),
            None => pending().await,
        },
        None => pending().await,
    }
}
