//! Listeners with one address for each agent, so that a connection identifies its agent, independent of its messages.
//!
//! The communication server listens at all addresses as at one port. It numbers its connections in the order in which
//! it accepts them, so the number of an agent's connection is known here.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use cs::server::TcpPort;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_util::either::Either;
use tokio_util::net::Listener;
use wire::project::AgentNumber;

use super::delay::delayed;
use super::traffic::Traffic;

/// The side that ended a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Closed {
    /// The agent, or the end of its program.
    ByAgent,
    /// The communication server.
    ByServer,
}

/// Facts about the connections, for the judgement of a match.
#[derive(Clone, Debug)]
pub(super) struct Connections(Arc<Mutex<Facts>>);

#[derive(Debug)]
struct Facts {
    /// The seat of each connection, in the order of their numbers.
    seats: Vec<usize>,
    /// By seat: the side that ended its connection, and the time.
    closed: Vec<Option<(Closed, Instant)>>,
    /// By seat: the bytes of its last connection.
    traffic: Vec<Traffic>,
    /// By seat: whether the agent has joined the game.
    joined: Vec<bool>,
    /// By seat: a listener in the network of the agent's program, until the server has taken it.
    inside: Vec<Option<StdListener>>,
    /// Wakes the server when a seat is free again.
    waker: Option<Waker>,
}

impl Connections {
    fn new(seats: usize) -> Self {
        Self(Arc::new(Mutex::new(Facts {
            seats: Vec::new(),
            closed: vec![None; seats],
            traffic: (0..seats).map(|_| Traffic::default()).collect(),
            joined: vec![false; seats],
            inside: (0..seats).map(|_| None).collect(),
            waker: None,
        })))
    }

    /// Returns the seat of the connection with this number.
    pub(super) fn seat(&self, number: AgentNumber) -> Option<usize> {
        let place = usize::try_from(number.0).ok()?.checked_sub(1)?;
        self.facts().seats.get(place).copied()
    }

    /// Returns the side that ended the connection of a seat; none if it is open, or never existed.
    pub(super) fn closed(&self, seat: usize) -> Option<Closed> {
        self.facts().closed[seat].map(|(how, _)| how)
    }

    /// When the connection of a seat ended, if it has.
    pub(super) fn closed_at(&self, seat: usize) -> Option<Instant> {
        self.facts().closed[seat].map(|(_, at)| at)
    }

    /// Returns the numbers of messages of a seat and the last ones, see [`Traffic::describe`].
    pub(super) fn traffic(&self, seat: usize, moment: &dyn Fn(Instant) -> String) -> String {
        self.facts().traffic[seat].describe(moment)
    }

    /// Returns the fault in the bytes of a seat that has sent no message, see [`Traffic::fault`].
    pub(super) fn fault(&self, seat: usize) -> Option<String> {
        self.facts().traffic[seat].fault()
    }

    /// Notes that the agent of a seat has joined the game: no other agent can take the seat any more.
    pub(super) fn join(&self, seat: usize) {
        self.facts().joined[seat] = true;
    }

    /// Lets the server listen for the agent of a seat there, and no longer at a port of this machine.
    pub(super) fn listen_inside(&self, seat: usize, listener: StdListener) {
        let mut facts = self.facts();
        facts.inside[seat] = Some(listener);
        if let Some(waker) = &facts.waker {
            waker.wake_by_ref();
        }
    }

    fn close(&self, seat: usize, how: Closed) {
        let mut facts = self.facts();
        facts.closed[seat].get_or_insert_with(|| (how, Instant::now()));
        if let Some(waker) = &facts.waker {
            waker.wake_by_ref();
        }
    }

    /// Returns whether the connection of a seat has ended before its agent joined.
    fn is_free_again(&self, seat: usize) -> bool {
        let facts = self.facts();
        facts.closed[seat].is_some() && !facts.joined[seat]
    }

    /// Notes the next connection, which is of this seat.
    fn open(&self, seat: usize) {
        let mut facts = self.facts();
        facts.seats.push(seat);
        facts.closed[seat] = None;
        facts.traffic[seat] = Traffic::default();
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Listeners of a communication server.
#[derive(Debug)]
pub(super) struct SeatListeners {
    listeners: Vec<SeatListener>,
    /// None for the game master's.
    connections: Option<Connections>,
    /// Delay of each message.
    delay: Duration,
}

#[derive(Debug)]
struct SeatListener {
    port: Port,
    is_taken: bool,
}

#[derive(Debug)]
enum Port {
    /// That of one agent. It has one connection; further ones are closed.
    Own(TcpPort),
    /// That of one agent in the network of its program, which no other program reaches.
    Inside(TcpListener),
    /// One at which agents wait for their turn: those that are not needed stay in the queue.
    Queue(Arc<TcpListener>),
}

impl SeatListeners {
    /// For agents, each at its queue, or at a port of the loopback address that the system chooses.
    pub(super) fn for_agents(
        queues: Vec<Option<Arc<TcpListener>>>,
        delay: Duration,
    ) -> io::Result<(Self, Vec<SocketAddr>, Connections)> {
        let connections = Connections::new(queues.len());
        let listeners = queues.into_iter().map(SeatListener::open).collect::<io::Result<Vec<_>>>()?;
        let addresses =
            listeners.iter().map(|listener| listener.port.local_addr()).collect::<io::Result<_>>()?;
        Ok((Self { listeners, connections: Some(connections.clone()), delay }, addresses, connections))
    }

    /// For the game master.
    pub(super) fn for_gm() -> io::Result<(Self, SocketAddr)> {
        let listener = SeatListener::open(None)?;
        let address = listener.port.local_addr()?;
        Ok((Self { listeners: vec![listener], connections: None, delay: Duration::ZERO }, address))
    }
}

impl SeatListener {
    fn open(queue: Option<Arc<TcpListener>>) -> io::Result<Self> {
        let port = match queue {
            Some(queue) => Port::Queue(queue),
            None => Port::Own(TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into())?),
        };
        Ok(Self { port, is_taken: false })
    }
}

impl Port {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Own(port) => port.local_addr(),
            Self::Inside(listener) => listener.local_addr(),
            Self::Queue(queue) => queue.local_addr(),
        }
    }

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        let queue = match self {
            Self::Own(port) => return port.poll_accept(context),
            Self::Inside(listener) => {
                let accepted = ready!(listener.poll_accept(context))?;
                // As below.
                let _ = tcp::prepare(&accepted.0);
                return Poll::Ready(Ok(accepted));
            }
            Self::Queue(queue) => queue,
        };
        while let Poll::Ready(accepted) = queue.poll_accept(context) {
            let (stream, from) = accepted?;
            // An agent that has given up waiting has closed its connection already.
            let mut first = [0];
            let peeked = stream.poll_peek(context, &mut ReadBuf::new(&mut first));
            if matches!(peeked, Poll::Ready(Ok(0) | Err(_))) {
                continue;
            }
            // It fails only for a connection that is closed already, which the first read reports.
            let _ = tcp::prepare(&stream);
            return Poll::Ready(Ok((stream, from)));
        }
        Poll::Pending
    }
}

impl Listener for SeatListeners {
    type Io = Stream;
    type Addr = SocketAddr;

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(Stream, SocketAddr)>> {
        if let Some(connections) = &self.connections {
            connections.facts().waker = Some(context.waker().clone());
        }
        for (seat, listener) in self.listeners.iter_mut().enumerate() {
            let inside = self.connections.as_ref().and_then(|known| known.facts().inside[seat].take());
            if let Some(own) = inside {
                own.set_nonblocking(true)?;
                listener.port = Port::Inside(TcpListener::from_std(own)?);
            }
            if let (Port::Queue(_), true, Some(connections)) =
                (&listener.port, listener.is_taken, &self.connections)
            {
                if !connections.is_free_again(seat) {
                    continue;
                }
                listener.is_taken = false;
            }
            while let Poll::Ready(accepted) = listener.port.poll_accept(context) {
                let (stream, from) = accepted?;
                // An agent has one connection. Further ones are closed.
                if std::mem::replace(&mut listener.is_taken, true) {
                    continue;
                }
                let seat = self.connections.clone().map(|connections| {
                    connections.open(seat);
                    (connections, seat)
                });
                let stream = match self.delay {
                    Duration::ZERO => Either::Left(stream),
                    delay => Either::Right(delayed(stream, delay)),
                };
                return Poll::Ready(Ok((Stream { stream, seat }, from)));
            }
        }
        Poll::Pending
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        let first = self.listeners.first().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        first.port.local_addr()
    }
}

/// A connection whose end is noted.
#[derive(Debug)]
pub(super) struct Stream {
    stream: Either<TcpStream, DuplexStream>,
    seat: Option<(Connections, usize)>,
}

impl Stream {
    fn note(&self, how: Closed) {
        if let Some((connections, seat)) = &self.seat {
            connections.close(*seat, how);
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, has_room) = (buffer.filled().len(), buffer.remaining() > 0);
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let has_ended = match &read {
            Poll::Ready(Ok(())) => has_room && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if has_ended {
            self.note(Closed::ByAgent);
        } else if let Some((connections, seat)) = &self.seat
            && let Some(bytes @ [_, ..]) = buffer.filled().get(before..)
        {
            connections.facts().traffic[*seat].arrived(bytes, Instant::now());
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        match (&written, &self.seat) {
            (Poll::Ready(Ok(length)), Some((connections, seat))) => {
                connections.facts().traffic[*seat].left(&bytes[..*length], Instant::now());
            }
            (Poll::Ready(Err(_)), _) => self.note(Closed::ByAgent),
            _ => {}
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.note(Closed::ByServer);
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.note(Closed::ByServer);
    }
}
