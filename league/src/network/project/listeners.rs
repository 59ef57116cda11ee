//! Listeners with one address for each agent, so that a connection identifies its agent, independent of its messages.
//!
//! The communication server listens at all addresses as at one port. It numbers its connections in the order in which
//! it accepts them, so the number of an agent's connection is known here.
//!
//! A connection from outside that is silent for too long ([`SILENCE`]) loses its seat when another one waits: the
//! server reads its end.

use std::collections::BTreeSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use cs::server::TcpPort;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep};
use tokio_util::either::Either;
use tokio_util::net::Listener;
use wire::project::AgentNumber;

use super::delay::delayed;
use super::traffic::Traffic;

/// The longest time from a connection from outside to its first complete message, if another one waits for the seat: a
/// quarter of the time to join, at most this.
const SILENCE: Duration = Duration::from_secs(5);

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
    /// By seat: the place of its last connection in `seats`, and the time at which it was opened.
    last: Vec<Option<(usize, Instant)>>,
    /// By seat: the side that ended its last connection, and the time.
    closed: Vec<Option<(Closed, Instant)>>,
    /// The places in `seats` of connections that have lost their seats.
    evicted: BTreeSet<usize>,
    /// By seat: wakes the server's reader of the last connection.
    readers: Vec<Option<Waker>>,
    /// By seat: the bytes of its last connection.
    traffic: Vec<Traffic>,
    /// By seat: whether the agent has joined the game.
    joined: Vec<bool>,
    /// By seat: a listener in the network of the agent's program, until the server has taken it.
    inside: Vec<Option<StdListener>>,
    /// Whether no agent joins any more: the game has begun, or was called off.
    is_lobby_over: bool,
    /// Wakes the server when a seat is free again.
    waker: Option<Waker>,
}

impl Facts {
    /// Returns whether the connection at this place is the last one of the seat.
    fn has_seat(&self, place: usize, seat: usize) -> bool {
        self.last[seat].is_some_and(|(last, _)| last == place)
    }
}

impl Connections {
    fn new(seats: usize) -> Self {
        Self(Arc::new(Mutex::new(Facts {
            seats: Vec::new(),
            last: vec![None; seats],
            closed: vec![None; seats],
            evicted: BTreeSet::new(),
            readers: vec![None; seats],
            traffic: (0..seats).map(|_| Traffic::default()).collect(),
            joined: vec![false; seats],
            inside: (0..seats).map(|_| None).collect(),
            is_lobby_over: false,
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

    /// Returns when the connection of a seat ended, if it has.
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

    /// Returns the same fault after a colon; empty if there is none.
    pub(super) fn fault_behind(&self, seat: usize) -> String {
        self.fault(seat).map_or_else(String::new, |fault| format!(": {fault}"))
    }

    /// Describes an agent whose connection the communication server has closed.
    pub(super) fn disconnected(&self, seat: usize) -> String {
        format!("was disconnected by the communication server{}", self.fault_behind(seat))
    }

    /// Notes that the agent of a seat has joined the game: no other agent can take the seat any more.
    pub(super) fn join(&self, seat: usize) {
        self.facts().joined[seat] = true;
    }

    /// Ends the lobby: from now on no seat is free again, and agents that wait at queues stay there for the next match.
    pub(super) fn end_lobby(&self) {
        self.facts().is_lobby_over = true;
    }

    /// Lets the server listen for the agent of a seat there, and no longer at a port of this machine.
    pub(super) fn listen_inside(&self, seat: usize, listener: StdListener) {
        let mut facts = self.facts();
        facts.inside[seat] = Some(listener);
        if let Some(waker) = &facts.waker {
            waker.wake_by_ref();
        }
    }

    /// Notes the end of the connection at this place; that of an earlier one of the seat says nothing.
    fn close(&self, (place, seat): (usize, usize), how: Closed) {
        let mut facts = self.facts();
        if !facts.has_seat(place, seat) {
            return;
        }
        facts.closed[seat].get_or_insert_with(|| (how, Instant::now()));
        if let Some(waker) = &facts.waker {
            waker.wake_by_ref();
        }
    }

    /// Returns whether the connection of a seat has ended before its agent joined, and another agent can still join.
    fn is_free_again(&self, seat: usize) -> bool {
        let facts = self.facts();
        facts.closed[seat].is_some() && !facts.joined[seat] && !facts.is_lobby_over
    }

    /// Returns whether the last connection of a seat has been open for this long without a message.
    fn is_silent(&self, seat: usize, silence: Duration) -> bool {
        let facts = self.facts();
        let is_old = facts.last[seat].is_some_and(|(_, at)| at.elapsed() >= silence);
        is_old && !facts.is_lobby_over && !facts.traffic[seat].has_message()
    }

    /// Takes the seat from its last connection, unless that has sent a message after all; returns whether it is free.
    fn evict(&self, seat: usize) -> bool {
        let mut facts = self.facts();
        if facts.traffic[seat].has_message() {
            return false;
        }
        if let Some((place, _)) = facts.last[seat].take() {
            facts.evicted.insert(place);
        }
        if let Some(reader) = facts.readers[seat].take() {
            reader.wake();
        }
        true
    }

    /// Notes the next connection, which is of this seat; returns its place among all.
    fn open(&self, seat: usize) -> usize {
        let mut facts = self.facts();
        let place = facts.seats.len();
        facts.seats.push(seat);
        facts.last[seat] = Some((place, Instant::now()));
        facts.closed[seat] = None;
        facts.traffic[seat] = Traffic::default();
        place
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
    /// See [`SILENCE`].
    silence: Duration,
    /// Wakes the server when the connection may have been silent for too long.
    alarm: Option<Pin<Box<Sleep>>>,
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
    /// Listens for agents, each at its queue, or at a port of the loopback address that the system chooses. They have
    /// the time `join` to join.
    pub(super) fn for_agents(
        queues: Vec<Option<Arc<TcpListener>>>,
        join: Duration,
        delay: Duration,
    ) -> io::Result<(Self, Vec<SocketAddr>, Connections)> {
        let connections = Connections::new(queues.len());
        let open = |queue| SeatListener::open(queue, join);
        let listeners = queues.into_iter().map(open).collect::<io::Result<Vec<_>>>()?;
        let addresses =
            listeners.iter().map(|listener| listener.port.local_addr()).collect::<io::Result<_>>()?;
        Ok((Self { listeners, connections: Some(connections.clone()), delay }, addresses, connections))
    }

    /// Listens for the game master.
    pub(super) fn for_gm() -> io::Result<(Self, SocketAddr)> {
        let listener = SeatListener::open(None, Duration::ZERO)?;
        let address = listener.port.local_addr()?;
        Ok((Self { listeners: vec![listener], connections: None, delay: Duration::ZERO }, address))
    }
}

impl SeatListener {
    fn open(queue: Option<Arc<TcpListener>>, join: Duration) -> io::Result<Self> {
        let port = match queue {
            Some(queue) => Port::Queue(queue),
            None => Port::Own(TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into())?),
        };
        Ok(Self { port, is_taken: false, silence: SILENCE.min(join / 4), alarm: None })
    }
}

impl SeatListener {
    /// Gives the seat to a connection.
    fn seat(&mut self, stream: TcpStream, seat: usize, connections: &Connections, delay: Duration) -> Stream {
        let place = connections.open(seat);
        self.alarm = matches!(self.port, Port::Queue(_)).then(|| Box::pin(sleep(self.silence)));
        Stream::new(stream, Some((connections.clone(), (place, seat))), delay)
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
                    // After the alarm, this is asked for each agent that comes.
                    if listener.alarm.as_mut().is_some_and(|alarm| alarm.as_mut().poll(context).is_ready()) {
                        listener.alarm = None;
                    }
                    if !connections.is_silent(seat, listener.silence) {
                        continue;
                    }
                    let Poll::Ready(accepted) = listener.port.poll_accept(context) else { continue };
                    let (stream, from) = accepted?;
                    if !connections.evict(seat) {
                        continue;
                    }
                    let connections = connections.clone();
                    return Poll::Ready(Ok((listener.seat(stream, seat, &connections, self.delay), from)));
                }
                listener.is_taken = false;
            }
            let is_over = self.connections.as_ref().is_some_and(|known| known.facts().is_lobby_over);
            if is_over && matches!(listener.port, Port::Queue(_)) {
                continue;
            }
            while let Poll::Ready(accepted) = listener.port.poll_accept(context) {
                let (stream, from) = accepted?;
                // An agent has one connection. Further ones are closed.
                if std::mem::replace(&mut listener.is_taken, true) {
                    continue;
                }
                let stream = match &self.connections {
                    Some(connections) => listener.seat(stream, seat, connections, self.delay),
                    None => Stream::new(stream, None, self.delay),
                };
                return Poll::Ready(Ok((stream, from)));
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
    /// The place among all connections, and the seat; none for the game master's.
    seat: Option<(Connections, (usize, usize))>,
}

impl Stream {
    fn new(stream: TcpStream, seat: Option<(Connections, (usize, usize))>, delay: Duration) -> Self {
        let stream = match delay {
            Duration::ZERO => Either::Left(stream),
            delay => Either::Right(delayed(stream, delay)),
        };
        Self { stream, seat }
    }

    /// Returns whether the connection has lost its seat. Otherwise the reader is woken when it does.
    fn is_evicted(&self, context: &Context<'_>) -> bool {
        let Some((connections, (place, seat))) = &self.seat else { return false };
        let mut facts = connections.facts();
        let is_evicted = facts.evicted.contains(place);
        if facts.has_seat(*place, *seat) && !facts.traffic[*seat].has_message() {
            facts.readers[*seat] = Some(context.waker().clone());
        }
        is_evicted
    }

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
        if self.is_evicted(context) {
            return Poll::Ready(Ok(()));
        }
        let (before, has_room) = (buffer.filled().len(), buffer.remaining() > 0);
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let has_ended = match &read {
            Poll::Ready(Ok(())) => has_room && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if has_ended {
            self.note(Closed::ByAgent);
        } else if let Some((connections, (place, seat))) = &self.seat {
            let mut facts = connections.facts();
            if facts.evicted.contains(place) {
                // It has lost its seat meanwhile.
                buffer.set_filled(before);
            } else if let Some(bytes @ [_, ..]) = buffer.filled().get(before..)
                && facts.has_seat(*place, *seat)
            {
                facts.traffic[*seat].arrived(bytes, Instant::now());
            }
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
            (Poll::Ready(Ok(length)), Some((connections, (place, seat)))) => {
                let mut facts = connections.facts();
                if facts.has_seat(*place, *seat) {
                    facts.traffic[*seat].left(&bytes[..*length], Instant::now());
                }
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
