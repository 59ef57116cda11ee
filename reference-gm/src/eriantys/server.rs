//! Moves bytes between connections and the [`Master`], records to the journal, and decides nothing.
//!
//! One task has the master. It takes all inputs that are there, hands them in, writes what must be on disk with one
//! write, and only then sends. Each connection has a task of its own that reads and writes.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use game_env::SimTime;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::archive::Archive;
use super::master::{ConnectionId, Input, Master, Output};
use super::record::Record;
use crate::connections::{Client, Event, FAREWELL, WAITING_EVENTS, accept};

/// A journal of a server of Eriantys.
pub type Journal = crate::journal::Journal<Record>;

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

/// Serves from where this master stands until `stop` is ready.
///
/// # Errors
///
/// Fails if the journal cannot be written: what cannot be written down must not be answered.
pub async fn serve(
    mut master: Master,
    mut journal: Journal,
    archive: Archive,
    limits: Limits,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let (sender, mut inbox) = mpsc::channel(WAITING_EVENTS);
    let accepting = tokio::spawn(accept(listener, 0, sender.clone(), limits.connections));
    let mut stop = std::pin::pin!(stop);
    let began = Instant::now();
    let mut clients: BTreeMap<ConnectionId, Client> = BTreeMap::new();
    let (mut events, mut outputs) = (Vec::new(), Vec::new());
    let (mut next_id, mut synced, mut is_over) = (0, began, false);
    while !is_over {
        let wake = master.wake_at().map(|at| began + Duration::from_millis(at.as_millis()));
        let mut is_stopped = false;
        tokio::select! {
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
                    clients.insert(id, Client::attend(id, stream, permit, sender.clone()));
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
                Output::Record(_) => {}
                Output::Send(id, bytes) => {
                    let Some(client) = clients.get(&id) else { continue };
                    if client.send(bytes).is_none_or(|waiting| waiting > limits.buffer_bytes) {
                        slow.push(id);
                    }
                }
                // Its task writes what it has, and ends.
                Output::Close(id) => drop(clients.remove(&id)),
                Output::Ended(game) => archive.keep(game),
                Output::Done => is_over = true,
            }
        }
        for id in slow {
            if let Some(client) = clients.remove(&id) {
                client.abort();
                // The next turn takes it in.
                let sender = sender.clone();
                tokio::spawn(async move { sender.send(Event::Ended(id)).await });
            }
        }
    }
    accepting.abort();
    journal.sync()?;
    // The last words of the server reach their readers.
    drop(clients);
    sleep(FAREWELL / 4).await;
    tokio::task::spawn_blocking(move || archive.finish()).await.map_err(io::Error::other)
}
