//! The loop of a server.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::time::Duration;

use game_env::SimTime;
use tokio::net::TcpListener;
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use viewer::matches::Request;

use super::connections::{Clients, Event, WAITING_EVENTS};
use super::page::{LocalInput, Page, Room};
use super::places::Places;
use super::{Input, Master as _, Output, OutputOf};
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

/// The records, the games that have ended, and the counts of the master of a room.
type RecordOf<R> = <<R as Room>::Master as super::Master>::Record;
type GameOf<R> = <<R as Room>::Master as super::Master>::Game;
type TotalsOf<R> = <<R as Room>::Master as super::Master>::Totals;

/// A server that is about to run.
#[derive(Debug)]
pub struct Server<R: Room> {
    master: R::Master,
    journal: Journal<RecordOf<R>>,
    archive: Archive<GameOf<R>>,
    limits: Limits,
    page: Option<Page<R>>,
    clients: Clients,
    inbox: Receiver<Event>,
    live: watch::Sender<TotalsOf<R>>,
}

impl<R: Room> Server<R> {
    /// Creates a server that goes on where this master stands.
    pub fn new(
        master: R::Master,
        journal: Journal<RecordOf<R>>,
        archive: Archive<GameOf<R>>,
        limits: Limits,
    ) -> Self {
        let (clients, inbox) = Clients::new(limits.buffer_bytes);
        let live = watch::Sender::new(master.totals());
        Self { master, journal, archive, limits, page: None, clients, inbox, live }
    }

    /// Returns the same server with a page, on which the games that go on are shown at once.
    pub fn with_page(self, mut page: Page<R>) -> Self {
        self.master.snapshot().iter().for_each(|record| page.show(record));
        page.look(&self.master);
        Self { page: Some(page), ..self }
    }

    /// Returns the counts, after each turn.
    pub fn totals(&self) -> watch::Receiver<TotalsOf<R>> {
        self.live.subscribe()
    }

    /// Serves until `stop` is ready.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written: what cannot be written down must not be answered.
    pub async fn run(mut self, listener: TcpListener, stop: impl Future<Output = ()>) -> io::Result<()> {
        let places = Places::new(self.limits.connections, self.limits.connections_of_origin);
        let accepting = self.clients.accept(listener, 0, places);
        let mut stop = std::pin::pin!(stop);
        let began = Instant::now();
        let (mut synced, mut is_over) = (began, false);
        let mut events = Vec::new();
        let mut outputs: Vec<OutputOf<R::Master>> = Vec::new();
        // The next inputs of the clients of people on the page.
        let mut local: VecDeque<LocalInput<R>> = VecDeque::new();
        while !is_over {
            let wake = self.master.wake_at().map(|at| began + Duration::from(at));
            let mut is_stopped = false;
            tokio::select! {
                () = std::future::ready(()), if !local.is_empty() => {}
                request = asked(&mut self.page) => {
                    if let (Some(page), Some(request)) = (&mut self.page, request) {
                        page.ask(request, self.clients.next_id(), &mut local);
                    }
                }
                _ = self.inbox.recv_many(&mut events, WAITING_EVENTS) => {}
                () = sleep_until(wake.unwrap_or(began)), if wake.is_some() => {}
                () = sleep_until(synced + SYNC) => {
                    synced = Instant::now();
                    self.journal.sync()?;
                }
                () = &mut stop => is_stopped = true,
            }
            let now = SimTime::from(began.elapsed());
            for event in events.drain(..) {
                self.take_in(now, event);
                outputs.extend(std::iter::from_fn(|| self.master.poll_output()));
            }
            for input in local.drain(..) {
                self.master.handle(now, input);
                outputs.extend(std::iter::from_fn(|| self.master.poll_output()));
            }
            self.master.handle(now, if is_stopped { Input::Stop } else { Input::Tick });
            outputs.extend(std::iter::from_fn(|| self.master.poll_output()));
            self.write_down(&outputs)?;
            is_over = self.obey(&mut outputs, &mut local);
            // The journal's records of games that are over are needed until their replays are on disk.
            if self.journal.has_grown() && self.archive.is_complete() {
                self.journal.replace(&self.master.snapshot())?;
            }
            self.clients.drop_slow();
            if let Some(page) = &mut self.page {
                page.look(&self.master);
            }
            let totals = self.master.totals();
            self.live.send_if_modified(|shown| {
                let is_new = *shown != totals;
                *shown = totals;
                is_new
            });
        }
        accepting.abort();
        self.journal.sync()?;
        let Self { archive, page, clients, .. } = self;
        if let Some(page) = page {
            page.close();
        }
        clients.farewell().await;
        tokio::task::spawn_blocking(move || archive.finish()).await.map_err(io::Error::other)
    }

    /// Hands an event of a connection to the master.
    fn take_in(&mut self, now: SimTime, event: Event) {
        match event {
            Event::Connected(_, stream, place) => {
                let (id, origin) = self.clients.attend(stream, place);
                self.master.handle(now, Input::Connected(id, origin));
            }
            Event::Received(id, bytes, _turn) => {
                self.master.handle(now, Input::Received(id, &bytes));
                self.clients.keep_place(id, || self.master.has_logged_in(id));
            }
            Event::Ended(id) => {
                self.clients.close(id);
                self.master.handle(now, Input::Ended(id));
            }
        }
    }

    /// Writes the records among these outputs into the journal.
    fn write_down(&mut self, outputs: &[OutputOf<R::Master>]) -> io::Result<()> {
        for output in outputs {
            if let Output::Record(record) = output {
                self.journal.push(record);
            }
        }
        self.journal.commit()
    }

    /// Carries out these outputs, whose records are in the journal; people on the page may react with `local` inputs.
    /// Returns whether the server has ended.
    fn obey(&mut self, outputs: &mut Vec<OutputOf<R::Master>>, local: &mut VecDeque<LocalInput<R>>) -> bool {
        let mut is_over = false;
        for output in outputs.drain(..) {
            match output {
                Output::Record(record) => {
                    if let Some(page) = &mut self.page {
                        page.show(&record);
                    }
                }
                Output::Send(id, bytes) => self.clients.send(id, bytes),
                Output::Tell(id, notice) => {
                    if let Some(page) = &mut self.page {
                        page.hear(id, notice, local);
                    }
                }
                // Its task writes what it has, and ends.
                Output::Close(id) => {
                    self.clients.close(id);
                    if let Some(page) = &mut self.page {
                        page.closed(id);
                    }
                }
                Output::Ended(game) => self.archive.keep(game),
                Output::Done => is_over = true,
            }
        }
        is_over
    }
}

/// Waits for the next request on the page; never returns if there is no page, or no further request.
async fn asked<R: Room>(page: &mut Option<Page<R>>) -> Option<Request<R::Game>> {
    match page {
        Some(page) => match page.next().await {
            Some(request) => Some(request),
            None => pending().await,
        },
        None => pending().await,
    }
}
