//! Connections of a server with one loop: accepts them, and moves bytes between them and that loop.
//!
//! Each connection has a task of its own that reads and writes. The loop takes [`Event`]s from one channel, and has all
//! connections as [`Clients`], to which it hands bytes without waiting. [`Places`] limits the number of connections.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tcp::Stream;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedReceiver, UnboundedSender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::places::{Offer, Origin, Place, Places};

/// Number of bytes that are read from a connection before others have their turn: about the longest line of a
/// protocol of text.
const READ_BYTES: usize = 256;

/// Capacity of the queue of events; connections are not read while it is full.
pub const WAITING_EVENTS: usize = 1024;

/// The time in which a connection that is closed must read the last bytes, from the moment when the loop lets go of its
/// connection, even if a write is under way then; and the time in which the other end must close as well.
pub const FAREWELL: Duration = Duration::from_secs(1);

/// Number of bytes that are still read from a connection that is closed, and dropped.
const FAREWELL_BYTES: u64 = 1 << 16;

/// Pause after a connection could not be accepted, e.g. because the system has no room for one.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A connection, by a number that its shell has chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An event of a connection.
pub enum Event {
    /// A new connection, at the listener with this number.
    Connected(usize, Box<dyn Stream>, Place),
    /// Bytes have come. The connection is read again when its turn is dropped.
    Received(ConnectionId, Vec<u8>, OwnedSemaphorePermit),
    /// A connection has ended.
    Ended(ConnectionId),
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connected(..) => "Connected",
            Self::Received(..) => "Received",
            Self::Ended(_) => "Ended",
        })
    }
}

/// The connections of a loop, each with a number that is never used again.
#[derive(Debug)]
pub struct Clients {
    events: Sender<Event>,
    clients: BTreeMap<ConnectionId, Client>,
    next: u64,
    /// Bytes that may wait for a client that reads slowly.
    buffer_bytes: usize,
    /// Clients for which more bytes wait.
    slow: Vec<ConnectionId>,
}

impl Clients {
    /// Creates the connections of a loop, without any, and the channel of their events. A client for which more than
    /// `buffer_bytes` wait is dropped.
    pub fn new(buffer_bytes: usize) -> (Self, Receiver<Event>) {
        let (events, inbox) = mpsc::channel(WAITING_EVENTS);
        (Self { events, clients: BTreeMap::new(), next: 0, buffer_bytes, slow: Vec::new() }, inbox)
    }

    /// Accepts connections of the listener with this number in a task of its own, as long as there are places.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn accept(&self, listener: TcpListener, number: usize, places: Places) -> JoinHandle<()> {
        tokio::spawn(accept(listener, number, self.events.clone(), places))
    }

    /// Returns the number of the next connection.
    pub const fn next_id(&mut self) -> ConnectionId {
        let id = ConnectionId(self.next);
        self.next += 1;
        id
    }

    /// Takes in a new connection; returns its number and its origin.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn attend(&mut self, stream: Box<dyn Stream>, place: Place) -> (ConnectionId, Origin) {
        let (id, origin) = (self.next_id(), place.origin());
        self.clients.insert(id, Client::attend(id, stream, place, self.events.clone()));
        (id, origin)
    }

    /// Keeps the place of a connection even when newcomers need places, once this is true of it.
    pub fn keep_place(&self, id: ConnectionId, has_logged_in: impl FnOnce() -> bool) {
        if let Some(client) = self.clients.get(&id) {
            client.keep_place(has_logged_in);
        }
    }

    /// Hands bytes to a client, if it is there.
    pub fn send(&mut self, id: ConnectionId, bytes: Vec<u8>) {
        let Some(client) = self.clients.get(&id) else { return };
        if client.send(bytes).is_none_or(|waiting| waiting > self.buffer_bytes) {
            self.slow.push(id);
        }
    }

    /// Lets a connection go, if it is there: its task writes the bytes that it has, and ends.
    pub fn close(&mut self, id: ConnectionId) {
        self.clients.remove(&id);
    }

    /// Drops the clients for which too many bytes wait. Their ends are events of the next turn.
    pub fn drop_slow(&mut self) {
        for id in self.slow.drain(..) {
            if let Some(client) = self.clients.remove(&id) {
                client.task.abort();
                let events = self.events.clone();
                tokio::spawn(async move { events.send(Event::Ended(id)).await });
            }
        }
    }

    /// Lets all connections go, and waits until the last bytes have reached their readers.
    pub async fn farewell(self) {
        drop(self.clients);
        sleep(FAREWELL / 4).await;
    }
}

/// The loop's handle of a connection. When the loop drops it, the task writes the bytes that it has, and ends.
#[derive(Debug)]
struct Client {
    out: UnboundedSender<Vec<u8>>,
    /// Bytes that were handed to its task and are not written.
    waiting: Arc<AtomicUsize>,
    task: AbortHandle,
    place: Arc<Place>,
    /// Tells the task that the loop has dropped this handle.
    _kept: oneshot::Sender<()>,
}

impl Client {
    /// Starts the task of a connection.
    fn attend(id: ConnectionId, stream: Box<dyn Stream>, place: Place, events: Sender<Event>) -> Self {
        let (out, inbox) = mpsc::unbounded_channel();
        let (kept, dropped) = oneshot::channel::<()>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        let place = Arc::new(place);
        let held = Arc::clone(&place);
        let task = tokio::spawn(async move {
            let (mut from, mut to) = tokio::io::split(stream);
            let is_closed = tokio::select! {
                () = read(id, &mut from, &events) => return,
                () = write(&mut to, inbox, &written) => true,
                // The deadline also covers a write that has begun before the handle was dropped.
                () = async { let _ = dropped.await; sleep(FAREWELL).await } => false,
                () = held.taken() => false,
            };
            if is_closed {
                // The other end is to see all that was written, and not a reset: it closes first.
                let _ = timeout(FAREWELL, to.shutdown()).await;
                let _ = timeout(FAREWELL, copy(&mut from.take(FAREWELL_BYTES), &mut sink())).await;
            }
            drop(held);
            let _ = events.send(Event::Ended(id)).await;
        });
        Self { out, waiting, task: task.abort_handle(), place, _kept: kept }
    }

    /// Hands bytes to the task; returns the number of bytes that wait, or none if the task has ended.
    fn send(&self, bytes: Vec<u8>) -> Option<usize> {
        let waiting = self.waiting.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        self.out.send(bytes).is_ok().then_some(waiting)
    }

    fn keep_place(&self, has_logged_in: impl FnOnce() -> bool) {
        if !self.place.is_kept() && has_logged_in() {
            self.place.keep();
        }
    }
}

/// Returns a place for a newcomer; those behind it wait until it has one.
async fn place(places: &Places, origin: Origin) -> Option<Place> {
    loop {
        match places.take(Instant::now(), origin) {
            Offer::Place(place) => return Some(place),
            Offer::Later(at) => sleep_until(at).await,
            Offer::Nothing => return None,
        }
    }
}

async fn accept(listener: TcpListener, number: usize, events: Sender<Event>, places: Places) {
    loop {
        match listener.accept().await {
            Ok((stream, from)) => {
                let Some(place) = place(&places, Origin::of(from.ip())).await else {
                    tracing::debug!("{from} is rejected: all places have clients that have logged in");
                    continue;
                };
                // It fails only for a connection that is gone already.
                let _ = tcp::prepare(&stream);
                if events.send(Event::Connected(number, Box::new(stream), place)).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!("no connection can be accepted: {error}");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Reads until the connection ends. The next bytes are read when those before have been taken in: no connection,
/// however much it sends, has more than one place in the queue.
async fn read(id: ConnectionId, from: &mut (impl AsyncRead + Unpin), events: &Sender<Event>) {
    let place = Arc::new(Semaphore::new(1));
    let mut buffer = [0; READ_BYTES];
    while let Ok(turn) = Arc::clone(&place).acquire_owned().await {
        let event = match from.read(&mut buffer).await {
            Ok(length @ 1..) => Event::Received(id, buffer[..length].to_vec(), turn),
            Ok(0) | Err(_) => Event::Ended(id),
        };
        let is_end = matches!(event, Event::Ended(_));
        if events.send(event).await.is_err() || is_end {
            return;
        }
    }
}

/// Writes what comes, until nothing more can come.
async fn write(
    to: &mut (impl AsyncWrite + Unpin),
    mut inbox: UnboundedReceiver<Vec<u8>>,
    waiting: &AtomicUsize,
) {
    let mut bytes = Vec::new();
    while let Some(first) = inbox.recv().await {
        bytes.clear();
        bytes.extend(first);
        while let Ok(further) = inbox.try_recv() {
            bytes.extend(further);
        }
        if to.write_all(&bytes).await.is_err() {
            // The task that reads finds the end of the connection.
            return;
        }
        waiting.fetch_sub(bytes.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::super::places::GRACE;
    use super::*;

    const ID: ConnectionId = ConnectionId(7);

    /// Returns a place that nobody else wants.
    fn free() -> Place {
        match Places::new(1, 1).take(Instant::now(), Origin::Unknown) {
            Offer::Place(place) => place,
            other => panic!("{other:?}"),
        }
    }

    /// Returns a client behind a buffer of this size that nobody reads.
    fn deaf(buffer: usize, place: Place) -> (Client, Receiver<Event>, tokio::io::DuplexStream) {
        let (near, far) = duplex(buffer);
        let (events, inbox) = mpsc::channel(8);
        (Client::attend(ID, Box::new(near), place, events), inbox, far)
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_client_whose_write_is_under_way_ends_in_time() {
        let (client, mut inbox, _far) = deaf(10, free());
        client.send(vec![0; 1000]);
        // The write begins, and cannot end.
        sleep(Duration::from_secs(60)).await;
        let closed = Instant::now();
        drop(client);
        assert!(matches!(inbox.recv().await, Some(Event::Ended(ID))));
        assert_eq!(closed.elapsed(), FAREWELL);
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_client_that_reads_is_told_everything() {
        let (client, mut inbox, mut far) = deaf(10, free());
        client.send(vec![1; 1000]);
        client.send(vec![2; 1000]);
        drop(client);
        let mut read = Vec::new();
        far.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, [[1; 1000], [2; 1000]].concat());
        drop(far);
        assert!(matches!(inbox.recv().await, Some(Event::Ended(ID))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_whose_place_is_taken_ends_at_once() {
        let places = Places::new(1, 1);
        let origin = Origin::of([10, 0, 0, 1].into());
        let began = Instant::now();
        let (client, mut inbox, _far) = deaf(10, place(&places, origin).await.unwrap());
        client.keep_place(|| false);
        assert!(place(&places, origin).await.is_some(), "the newcomer has the place");
        assert!(matches!(inbox.recv().await, Some(Event::Ended(ID))));
        assert_eq!(began.elapsed(), GRACE);
    }
}
