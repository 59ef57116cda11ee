//! Moves bytes between connections and the [`Master`], records to the journal, and decides nothing.
//!
//! One task has the master. It takes all inputs that are there, hands them in, writes what must be on disk with one
//! write, and only then sends. Each connection has a task of its own that reads and writes.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::Duration;

use game_env::SimTime;
use tokio::io::{DuplexStream, duplex};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::archive::Archive;
use super::journal::Journal;
use super::master::{ConnectionId, Input, Master, Output, Totals};
use super::page::{Page, Said};
use crate::connections::{Client, Event, FAREWELL, WAITING_EVENTS, accept};

/// How often the disk is waited for, if the journal wants it at all.
const SYNC: Duration = Duration::from_secs(1);

/// The limits on what connections may do to the server; those on messages are the master's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections at once; others are closed at once.
    pub connections: usize,
    /// Bytes that may wait for a client that reads slowly.
    pub buffer_bytes: usize,
}

/// The way into a running server for clients in the same process.
#[derive(Clone, Debug)]
pub struct Door(Sender<Event>);

/// A server that is about to run.
#[derive(Debug)]
pub struct Server {
    master: Master,
    journal: Journal,
    archive: Archive,
    limits: Limits,
    page: Option<Page>,
    inbox: Receiver<Event>,
    door: Door,
    live: watch::Sender<Totals>,
}

impl Door {
    /// Connects a client of this process; `None` if the server has ended.
    pub async fn connect(&self) -> Option<DuplexStream> {
        let (near, far) = duplex(1 << 16);
        self.0.send(Event::Connected(0, Box::new(far), None)).await.ok()?;
        Some(near)
    }
}

impl Server {
    /// A server that goes on where this master stands.
    pub fn new(master: Master, journal: Journal, archive: Archive, limits: Limits) -> Self {
        let (sender, inbox) = mpsc::channel(WAITING_EVENTS);
        let live = watch::Sender::new(master.totals());
        Self { master, journal, archive, limits, page: None, inbox, door: Door(sender), live }
    }

    /// The same server with a page, on which the games that go on are shown at once.
    pub fn with_page(self, mut page: Page) -> Self {
        self.master.snapshot().iter().for_each(|record| page.show(record));
        Self { page: Some(page), ..self }
    }

    /// The way in for clients of this process.
    pub fn door(&self) -> Door {
        self.door.clone()
    }

    /// The counts, after each turn.
    pub fn totals(&self) -> watch::Receiver<Totals> {
        self.live.subscribe()
    }

    /// Serves until `stop` is ready.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written: what cannot be written down must not be answered.
    pub async fn run(self, listener: TcpListener, stop: impl Future<Output = ()>) -> io::Result<()> {
        let Self { mut master, mut journal, archive, limits, mut page, mut inbox, door, live } = self;
        let accepting = tokio::spawn(accept(listener, 0, door.0.clone(), limits.connections));
        let mut stop = std::pin::pin!(stop);
        let began = Instant::now();
        let mut clients: BTreeMap<ConnectionId, Client> = BTreeMap::new();
        let (mut events, mut outputs) = (Vec::new(), Vec::new());
        let (mut next_id, mut synced, mut is_over) = (0, began, false);
        // What the clients of people on the page do next.
        let mut said: VecDeque<(ConnectionId, Said)> = VecDeque::new();
        while !is_over {
            let wake = master.wake_at().map(|at| began + Duration::from_millis(at.as_millis()));
            let mut is_stopped = false;
            tokio::select! {
                () = std::future::ready(()), if !said.is_empty() => {}
                request = asked(&mut page) => {
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
                    Event::Connected(_, stream, permit) => {
                        let id = ConnectionId(next_id);
                        next_id += 1;
                        clients.insert(id, Client::attend(id, stream, permit, door.0.clone()));
                        master.handle(now, Input::Connected(id));
                    }
                    Event::Received(id, bytes, _turn) => master.handle(now, Input::Received(id, &bytes)),
                    Event::Ended(id) => {
                        clients.remove(&id);
                        master.handle(now, Input::Ended(id));
                    }
                }
                outputs.extend(std::iter::from_fn(|| master.poll_output()));
            }
            for (id, said) in said.drain(..) {
                match said {
                    Said::Connected => master.handle(now, Input::Connected(id)),
                    Said::Bytes(bytes) => master.handle(now, Input::Received(id, &bytes)),
                    Said::Ended => master.handle(now, Input::Ended(id)),
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
            for id in slow {
                if let Some(client) = clients.remove(&id) {
                    client.abort();
                    // The next turn takes it in.
                    let door = door.0.clone();
                    tokio::spawn(async move { door.send(Event::Ended(id)).await });
                }
            }
            live.send_if_modified(|shown| std::mem::replace(shown, master.totals()) != master.totals());
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

/// What the next person on the page asks for; never, if there is no page.
async fn asked(page: &mut Option<Page>) -> Option<viewer::matches::Request<game_dots::State>> {
    match page {
        Some(page) => match page.next().await {
            Some(request) => Some(request),
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}
