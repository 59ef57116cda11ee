//! Connections of a server with one loop: accepts them, and moves bytes between them and that loop.
//!
//! Each connection has a task of its own that reads and writes. The loop takes [`Event`]s from one channel, and has a
//! [`Client`] for each connection, to which it hands bytes without waiting.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Sender, UnboundedReceiver, UnboundedSender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

/// How much is read from a connection before others have their turn: about the longest line of a protocol of text.
const READ_BYTES: usize = 256;

/// How many events may wait; connections are not read while they do.
pub const WAITING_EVENTS: usize = 1024;

/// How long a connection that is closed may take to read the last bytes, and the other end to close as well.
pub const FAREWELL: Duration = Duration::from_secs(1);

/// How many bytes are still taken from a connection that is closed, and dropped.
const FAREWELL_BYTES: u64 = 1 << 16;

/// How long no connection is accepted when the system has no room for one.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A connection, by a number that its shell has chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A stream of bytes to a client.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// What happens at connections.
pub enum Event {
    /// Somebody connects, at the listener with this number; the permit is held as long as the connection lasts.
    Connected(usize, Box<dyn Stream>, Option<OwnedSemaphorePermit>),
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

/// What a loop has of a connection. The task writes all that it was given, and ends, when this is dropped.
#[derive(Debug)]
pub struct Client {
    out: UnboundedSender<Vec<u8>>,
    /// Bytes that were handed to its task and are not written.
    waiting: Arc<AtomicUsize>,
    task: AbortHandle,
}

impl Client {
    /// Starts the task of a connection.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn attend(
        id: ConnectionId,
        stream: Box<dyn Stream>,
        permit: Option<OwnedSemaphorePermit>,
        events: Sender<Event>,
    ) -> Self {
        let (out, inbox) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        let task = tokio::spawn(async move {
            let _permit = permit;
            let (mut from, mut to) = tokio::io::split(stream);
            tokio::select! {
                () = read(id, &mut from, &events) => return,
                () = write(&mut to, inbox, &written) => {}
            }
            // The other end is to see all that was written, and not a reset: it closes first.
            let _ = timeout(FAREWELL, to.shutdown()).await;
            let _ = timeout(FAREWELL, copy(&mut from.take(FAREWELL_BYTES), &mut sink())).await;
            let _ = events.send(Event::Ended(id)).await;
        });
        Self { out, waiting, task: task.abort_handle() }
    }

    /// Hands bytes to the task; the number of bytes that wait to be written, or nothing if the task has ended.
    pub fn send(&self, bytes: Vec<u8>) -> Option<usize> {
        let waiting = self.waiting.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        self.out.send(bytes).is_ok().then_some(waiting)
    }

    /// Ends the connection at once.
    pub fn abort(self) {
        self.task.abort();
    }
}

/// Accepts connections of the listener with this number, this many at a time.
pub async fn accept(listener: TcpListener, number: usize, events: Sender<Event>, most: usize) {
    let room = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
    loop {
        match listener.accept().await {
            Ok((stream, from)) => {
                let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
                    tracing::debug!("{from} is turned away: there are {most} connections");
                    continue;
                };
                // It fails only for a connection that is gone already.
                let _ = tcp::prepare(&stream);
                if events.send(Event::Connected(number, Box::new(stream), Some(permit))).await.is_err() {
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

/// Reads until the connection ends. The next bytes are read when those before have been taken in: no connection, however
/// much it sends, has more than one place in the queue.
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
        let written = if inbox.is_closed() {
            timeout(FAREWELL, to.write_all(&bytes))
                .await
                .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        } else {
            to.write_all(&bytes).await
        };
        if written.is_err() {
            // The task that reads finds the end of the connection.
            return;
        }
        waiting.fetch_sub(bytes.len(), Ordering::Relaxed);
    }
}
