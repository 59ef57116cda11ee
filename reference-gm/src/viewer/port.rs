//! The board's port, with a limit on the connections that are open at once.
//!
//! Whoever connects and says nothing keeps a place and costs nobody else anything; the game has its own connection.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A listener that accepts no more than so many connections at once; further ones wait.
#[derive(Debug)]
pub(super) struct Port {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

/// A connection, and its place.
#[derive(Debug)]
pub(super) struct Visit {
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
}

impl Port {
    pub(super) fn new(listener: TcpListener, most: u16) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(most.into())) }
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
        (Visit { stream, _place: place }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl AsyncRead for Visit {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Visit {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
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
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }
}
