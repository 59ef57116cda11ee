//! The board's port, with a limit on the connections that are open at once, and on how long one may be silent.
//!
//! A connection keeps its place as long as something is written to it now and then, which happens only to those
//! that ask. Whoever connects and says nothing, or one byte now and then, has given its place up before long, so
//! that nobody keeps the operator from the board; the game has its own connection.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Duration, Instant, Sleep, sleep_until};

/// A listener that accepts no more than so many connections at once; further ones wait.
#[derive(Debug)]
pub(super) struct Port {
    listener: TcpListener,
    places: Arc<Semaphore>,
    silence: Silence,
}

/// How long a connection may go without an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    /// Until the first, from the moment it is accepted.
    pub(super) first: Duration,
    /// Until each further one, or its next part.
    pub(super) further: Duration,
}

/// A connection, and its place.
#[derive(Debug)]
pub(super) struct Visit<S = TcpStream> {
    stream: S,
    further: Duration,
    /// When it will have been silent for too long.
    due: Instant,
    /// Wakes whoever reads or writes: at that moment, or before it where it was put off since.
    alarm: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl Port {
    pub(super) fn new(listener: TcpListener, most: u16, silence: Silence) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(most.into())), silence }
    }
}

impl<S> Visit<S> {
    fn new(stream: S, place: OwnedSemaphorePermit, Silence { first, further }: Silence) -> Self {
        let due = Instant::now() + first;
        Self { stream, further, due, alarm: Box::pin(sleep_until(due)), _place: place }
    }

    /// What is written is an answer to something.
    fn answered(&mut self, written: &Poll<io::Result<usize>>) {
        if matches!(written, Poll::Ready(Ok(1..))) {
            self.due = Instant::now() + self.further;
            if self.due < self.alarm.deadline() {
                self.alarm.as_mut().reset(self.due);
            }
        }
    }

    /// Instead of waiting any longer, an error once it is too late.
    fn or_too_late<T>(
        &mut self,
        done: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if done.is_ready() {
            return done;
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

impl Listener for Port {
    type Io = Visit;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Visit, SocketAddr) {
        let place = self.places.clone().acquire_owned().await;
        let place = place.expect("the semaphore is never closed");
        // Errors of single connections, and of a system out of sockets, are dealt with there.
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // What is written is whole messages; a connection that cannot be told so is no worse otherwise.
        let _ = stream.set_nodelay(true);
        (Visit::new(stream, place, self.silence), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Visit<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.or_too_late(read, context)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Visit<S> {
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
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;

    const SILENCE: Silence = Silence { first: Duration::from_secs(5), further: Duration::from_secs(60) };

    /// A connection at the board, the other end of it, and the place that it takes.
    fn visit() -> (Visit<DuplexStream>, DuplexStream, Arc<Semaphore>) {
        let (here, there) = duplex(16);
        let places = Arc::new(Semaphore::new(1));
        let place = places.clone().try_acquire_owned().unwrap();
        (Visit::new(here, place, SILENCE), there, places)
    }

    async fn error_after(visit: &mut Visit<DuplexStream>) -> (io::ErrorKind, Duration) {
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
    async fn whoever_says_nothing_has_its_place_for_a_while_only() {
        let (mut visit, _there, places) = visit();
        let (kind, after) = error_after(&mut visit).await;
        assert_eq!(kind, io::ErrorKind::TimedOut);
        assert!(about(SILENCE.first).contains(&after), "{after:?}");
        drop(visit);
        assert_eq!(places.available_permits(), 1);
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
    async fn whoever_is_answered_may_be_silent_for_longer() {
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
    async fn whoever_does_not_take_its_answer_is_left() {
        let (mut visit, _there, _places) = visit();
        let before = Instant::now();
        let error = visit.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        // Its buffer took the first part.
        assert!(about(SILENCE.further).contains(&before.elapsed()), "{:?}", before.elapsed());
    }
}
