//! The port of the game page: limits the open connections, and the time without data on each.
//!
//! A connection stays open as long as the server writes to it now and then. If the limit is reached, the server still
//! accepts a new connection, and closes the one that it answered least recently: a client that keeps connections open
//! cannot keep the operator from the page. The server never closes the connection of a viewer or of an operator's
//! request in progress for another one ([`Connection::keep`]).

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Duration, Instant, Sleep, sleep_until};

/// A listener that keeps at most a fixed number of connections open.
#[derive(Debug)]
pub(super) struct Port {
    listener: TcpListener,
    places: Places,
    idle_timeout: IdleTimeout,
}

/// The time that a connection may go without an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdleTimeout {
    /// Until the first, from the moment it is accepted.
    pub(super) first: Duration,
    /// Until each further one, or its next part.
    pub(super) further: Duration,
}

/// The places for connections, and who has them.
#[derive(Clone, Debug)]
struct Places {
    free: Arc<Semaphore>,
    taken: Arc<Taken>,
}

/// All open connections.
#[derive(Debug, Default)]
struct Taken {
    register: Mutex<Register>,
    /// Notified when a connection need not be kept any longer.
    released: Notify,
}

#[derive(Debug, Default)]
struct Register {
    next: u64,
    /// By number.
    open: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    /// When something was written to it last; before that, when it was accepted.
    answered: Instant,
    /// The number of reasons to keep it.
    kept: u32,
    /// Whether its client has closed its end.
    is_abandoned: bool,
    /// The connection closes when this is dropped.
    _open: oneshot::Sender<Infallible>,
}

/// One open connection, as request handlers know it.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    number: u64,
    from: IpAddr,
    taken: Arc<Taken>,
}

/// While this value exists, a connection is not closed for another one.
#[derive(Debug)]
pub(super) struct Kept(Connection);

/// A connection's stream, and its place.
#[derive(Debug)]
pub(super) struct TrackedStream<S = TcpStream> {
    stream: S,
    connection: Connection,
    /// Ready when the connection is closed for another one.
    closed: oneshot::Receiver<Infallible>,
    further: Duration,
    /// When it will have been silent for too long.
    due: Instant,
    /// Wakes the reader or writer: at that moment, or before it if the moment was put off since.
    alarm: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl Port {
    pub(super) fn new(listener: TcpListener, most: u16, idle_timeout: IdleTimeout) -> Self {
        Self { listener, places: Places::new(most), idle_timeout }
    }
}

impl Places {
    fn new(most: u16) -> Self {
        Self { free: Arc::new(Semaphore::new(most.into())), taken: Arc::default() }
    }

    /// Takes a place; closes the connection that was answered least recently if there is none.
    async fn take(&self) -> OwnedSemaphorePermit {
        loop {
            if let Ok(place) = self.free.clone().try_acquire_owned() {
                return place;
            }
            let is_one_closed = self.taken.close_one();
            tokio::select! {
                place = self.free.clone().acquire_owned() => return place.expect("the semaphore is never closed"),
                // None could be closed before.
                () = self.taken.released.notified(), if !is_one_closed => {}
            }
        }
    }

    fn seat<S>(
        &self,
        from: IpAddr,
        stream: S,
        place: OwnedSemaphorePermit,
        IdleTimeout { first, further }: IdleTimeout,
    ) -> TrackedStream<S> {
        let (open, closed) = oneshot::channel();
        let answered = Instant::now();
        let number = {
            let mut register = self.taken.lock();
            let number = register.next;
            register.next += 1;
            register.open.insert(number, Entry { answered, kept: 0, is_abandoned: false, _open: open });
            number
        };
        let connection = Connection { number, from, taken: self.taken.clone() };
        let due = answered + first;
        let alarm = Box::pin(sleep_until(due));
        TrackedStream { stream, connection, closed, further, due, alarm, _place: place }
    }
}

impl Taken {
    fn lock(&self) -> MutexGuard<'_, Register> {
        // Nothing that is done under the lock can panic half-way.
        self.register.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connection that was answered least recently; returns whether there is one that is not kept. Its place
    /// is free as soon as its task has noticed.
    fn close_one(&self) -> bool {
        let mut register = self.lock();
        let idle = register.open.iter().filter(|(_, entry)| entry.kept == 0);
        let longest = idle.min_by_key(|(_, entry)| entry.answered).map(|(number, _)| *number);
        longest.is_some_and(|number| register.open.remove(&number).is_some())
    }
}

impl Connection {
    /// Keeps the connection from being closed for another one, until the result is dropped.
    pub(super) fn keep(&self) -> Kept {
        self.change(|entry| entry.kept += 1);
        Kept(self.clone())
    }

    /// Returns the address of the client.
    pub(super) const fn from(&self) -> IpAddr {
        self.from
    }

    /// Returns whether the client has gone while its request was being answered. It is looked up whenever the
    /// connection is polled, so the caller has to yield before it asks.
    pub(super) fn is_abandoned(&self) -> bool {
        self.taken.lock().open.get(&self.number).is_none_or(|entry| entry.is_abandoned)
    }

    fn change(&self, change: impl FnOnce(&mut Entry)) {
        // One that was closed for another has no entry any more.
        if let Some(entry) = self.taken.lock().open.get_mut(&self.number) {
            change(entry);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.change(|entry| entry.kept -= 1);
        self.0.taken.released.notify_one();
    }
}

impl Connected<IncomingStream<'_, Port>> for Connection {
    fn connect_info(stream: IncomingStream<'_, Port>) -> Self {
        stream.io().connection.clone()
    }
}

impl<S> TrackedStream<S> {
    /// Notes that an answer was written, if one was.
    fn answered(&mut self, written: &Poll<io::Result<usize>>) {
        if matches!(written, Poll::Ready(Ok(1..))) {
            let now = Instant::now();
            self.connection.change(|entry| entry.answered = now);
            self.due = now + self.further;
            if self.due < self.alarm.deadline() {
                self.alarm.as_mut().reset(self.due);
            }
        }
    }

    /// Instead of waiting any longer, an error once it is too late or the place is another connection's.
    fn or_too_late<T>(
        &mut self,
        done: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if done.is_ready() {
            return done;
        }
        if Pin::new(&mut self.closed).poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        while self.alarm.as_mut().poll(context).is_ready() {
            if self.due <= Instant::now() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            let due = self.due;
            self.alarm.as_mut().reset(due);
        }
        Poll::Pending
    }
}

impl<S> Drop for TrackedStream<S> {
    fn drop(&mut self) {
        self.connection.taken.lock().open.remove(&self.connection.number);
    }
}

impl Listener for Port {
    type Io = TrackedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TrackedStream, SocketAddr) {
        // Errors of single connections, and of a system out of sockets, are dealt with there.
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Only whole messages are written. Errors are ignored: `TCP_NODELAY` is only an optimisation.
        let _ = stream.set_nodelay(true);
        let place = self.places.take().await;
        (self.places.seat(address.ip(), stream, place, self.idle_timeout), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// The other end of a connection.
trait Peer {
    /// Returns whether it has closed its side, or is gone. The task is woken when that changes.
    fn is_gone(&self, context: &mut Context<'_>) -> bool;
}

impl Peer for TcpStream {
    fn is_gone(&self, context: &mut Context<'_>) -> bool {
        let mut byte = [0];
        matches!(self.poll_peek(context, &mut ReadBuf::new(&mut byte)), Poll::Ready(Ok(0) | Err(_)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TrackedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.or_too_late(read, context)
    }
}

impl<S: AsyncWrite + Peer + Unpin> AsyncWrite for TrackedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.answered(&written);
        self.or_too_late(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Called whenever the connection is polled, even where nothing is left to read or to write.
        if self.stream.is_gone(context) {
            self.connection.change(|entry| entry.is_abandoned = true);
        }
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.or_too_late(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.answered(&written);
        self.or_too_late(written, context)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;

    const SILENCE: IdleTimeout =
        IdleTimeout { first: Duration::from_secs(5), further: Duration::from_secs(60) };

    impl Peer for DuplexStream {
        fn is_gone(&self, _: &mut Context<'_>) -> bool {
            false
        }
    }

    /// Returns a connection at the board, the other end of it, and the places, of which it takes the only one.
    fn visit() -> (TrackedStream<DuplexStream>, DuplexStream, Places) {
        let places = Places::new(1);
        let (visit, there) = visit_at(&places);
        (visit, there, places)
    }

    fn visit_at(places: &Places) -> (TrackedStream<DuplexStream>, DuplexStream) {
        let (here, there) = duplex(16);
        let place = places.free.clone().try_acquire_owned().unwrap();
        (places.seat(Ipv4Addr::LOCALHOST.into(), here, place, SILENCE), there)
    }

    async fn error_after(visit: &mut TrackedStream<DuplexStream>) -> (io::ErrorKind, Duration) {
        let before = Instant::now();
        let error = loop {
            if let Err(error) = visit.read_u8().await {
                break error;
            }
        };
        (error.kind(), before.elapsed())
    }

    fn about(duration: Duration) -> std::ops::Range<Duration> {
        duration..duration + Duration::from_millis(10)
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_connection_has_its_place_for_a_limited_time() {
        let (mut visit, _there, places) = visit();
        let (kind, after) = error_after(&mut visit).await;
        assert_eq!(kind, io::ErrorKind::TimedOut);
        assert!(about(SILENCE.first).contains(&after), "{after:?}");
        drop(visit);
        assert_eq!(places.free.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_byte_now_and_then_is_no_request() {
        let (mut visit, mut there, _places) = visit();
        let drip = tokio::spawn(async move {
            while there.write_u8(b'G').await.is_ok() {
                tokio::time::sleep(Duration::from_millis(900)).await;
            }
        });
        let (kind, after) = error_after(&mut visit).await;
        assert_eq!(kind, io::ErrorKind::TimedOut);
        assert!(about(SILENCE.first).contains(&after), "{after:?}");
        drop(visit);
        drip.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_answered_may_be_silent_for_longer() {
        let (mut visit, mut there, _places) = visit();
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_secs(4)).await;
            visit.write_all(b"answer").await.unwrap();
            there.read_exact(&mut [0; 6]).await.unwrap();
        }
        let (kind, after) = error_after(&mut visit).await;
        assert_eq!(kind, io::ErrorKind::TimedOut);
        assert!(about(SILENCE.further).contains(&after), "{after:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_does_not_take_its_answer_is_closed() {
        let (mut visit, _there, _places) = visit();
        let before = Instant::now();
        let error = visit.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        // Its buffer took the first part.
        assert!(about(SILENCE.further).contains(&before.elapsed()), "{:?}", before.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn one_connection_closes_one() {
        let places = Places::new(3);
        let visits = [0; 3].map(|_| visit_at(&places));
        drop(visits[0].0.connection.keep());
        let taking = tokio::time::timeout(Duration::from_secs(1), places.take());
        assert!(taking.await.is_err(), "no task has noticed that its connection is closed");
        assert_eq!(places.taken.lock().open.len(), 2);
        drop(visits);
    }

    #[tokio::test(start_paused = true)]
    async fn the_connection_that_was_answered_least_recently_gives_its_place_up() {
        let places = Places::new(3);
        let (mut kept, _kept_client) = visit_at(&places);
        let keep = kept.connection.keep();
        let (mut older, _older_client) = visit_at(&places);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (mut newer, _newer_client) = visit_at(&places);
        tokio::time::sleep(Duration::from_secs(1)).await;
        older.write_all(b"answer").await.unwrap();
        // Now the newer one is the one whose last sign is older.
        let closed = tokio::spawn(async move { error_after(&mut newer).await });
        let place = places.take().await;
        assert_eq!(closed.await.unwrap(), (io::ErrorKind::ConnectionAborted, Duration::ZERO));
        let closed = tokio::spawn(async move { error_after(&mut older).await });
        let other_place = places.take().await;
        assert_eq!(closed.await.unwrap(), (io::ErrorKind::ConnectionAborted, Duration::ZERO));
        // The last one gives way only when there is no reason any more to keep it.
        let taken = tokio::spawn(async move { places.take().await });
        let closed = tokio::spawn(async move { error_after(&mut kept).await });
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!taken.is_finished() && !closed.is_finished());
        drop(keep);
        assert_eq!(closed.await.unwrap().0, io::ErrorKind::ConnectionAborted);
        drop(taken.await.unwrap());
        drop((place, other_place));
    }
}
