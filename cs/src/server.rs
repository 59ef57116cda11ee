//! Moves bytes between sockets and the [`Router`], and decides nothing.
//!
//! One task owns all sockets. Each socket has its own [`Waker`], which marks the socket as ready. A turn of the
//! task reads all available bytes from the marked sockets, then writes once to each peer with waiting bytes.
//! Under load many messages share a turn, and the game master receives them with one write.
//!
//! # What it deliberately does not do
//!
//! It starts no task per connection and uses no channels: passing a message of 120 bytes through a channel costs
//! more than routing it. It has no buffer per connection either: it reads all connections into the same buffer, and
//! the router keeps incomplete messages, so an idle agent costs little more than its socket.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use game_env::SimTime;
use rustc_hash::FxHashMap;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep};
use tokio_util::net::Listener;

use crate::config::Config;
use crate::crowd::capacity_after;
use crate::log;
use crate::router::{Ending, Input, Output, Peer, Role, Router, Totals};

/// The most that is read from one peer before others have their turn.
const READ_BYTES: usize = 64 * 1024;

/// The most that is read from one agent before others have their turn. Agents send small messages; one that floods is
/// to delay nobody.
const AGENT_READ_BYTES: usize = 4096;

/// Number of connections that are accepted before peers have their turn.
const ACCEPTS: usize = 64;

/// Time for which no connection is accepted when the system has no room for one. It will not have it at once.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The listeners for the two kinds of peers.
#[derive(Debug)]
pub struct Listeners<L> {
    /// For agents.
    pub agents: L,
    /// For the game master.
    pub gm: L,
}

/// A TCP listener whose connections send every message at once (specification, section 6), and end if the other end
/// disappears without closing them.
#[derive(Debug)]
pub struct TcpPort(TcpListener);

/// The totals of a running server, for others to look at.
#[derive(Clone, Debug, Default)]
pub struct Live(watch::Sender<Totals>);

/// Relays until the game master is lost or `shutdown` is ready, and all connections are closed.
///
/// Totals are shown in `live` after every turn.
pub async fn run<L>(
    listeners: Listeners<L>,
    config: &Config,
    live: Live,
    shutdown: impl Future<Output = ()> + Send,
) -> Ending
where
    L: Listener<Addr = SocketAddr>,
    L::Io: Unpin,
{
    let ready = Arc::new(ReadySources::default());
    let mut server = Server {
        router: match (listeners.agents.local_addr(), listeners.gm.local_addr()) {
            (Ok(agents), Ok(gm)) => Router::new(config.limits).with_ports(agents.port(), gm.port()),
            _ => Router::new(config.limits),
        },
        began: Instant::now(),
        now: SimTime::START,
        agents: Acceptor::new(Role::Agent, listeners.agents, &ready),
        gm: Acceptor::new(Role::Gm, listeners.gm, &ready),
        sockets: FxHashMap::default(),
        alarm: Alarm::new(&ready),
        over: None,
        to_write: VecDeque::new(),
        unread: Vec::new(),
        gm_waits: false,
        buffer: vec![0; READ_BYTES],
        live,
        ready: Arc::clone(&ready),
    };
    let mut shutdown = std::pin::pin!(shutdown);
    let shutdown_waker = ready.waker(Source::Shutdown);
    for source in [Source::Listener(Role::Agent), Source::Listener(Role::Gm), Source::Shutdown] {
        ready.mark(source);
    }
    let mut marked = Vec::new();
    let mut stopped = false;
    let turns = poll_fn(|context| {
        ready.take(context.waker(), &mut marked);
        server.now = server.began.elapsed().into();
        for source in marked.drain(..) {
            if source == Source::Shutdown {
                if !stopped && shutdown.as_mut().poll(&mut Context::from_waker(&shutdown_waker)).is_ready() {
                    stopped = true;
                    server.handle(Input::Stop);
                }
            } else {
                server.attend(source);
            }
        }
        match server.finish_turn() {
            Some(ending) => Poll::Ready(ending),
            None => Poll::Pending,
        }
    });
    // The runtime's budget is one per task and counts sockets: it would cut turns short. A turn is bounded by
    // itself, and ends with giving way to others.
    tokio::task::unconstrained(turns).await
}

impl TcpPort {
    /// Listens at this address.
    ///
    /// # Errors
    ///
    /// If the system does not let it, e.g. because the port is in use.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        tcp::listen(address).map(Self)
    }
}

impl Listener for TcpPort {
    type Io = TcpStream;
    type Addr = SocketAddr;

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        self.0.poll_accept(context).map_ok(|(stream, from)| {
            // It fails only for a connection that is gone already, which the first reading will tell.
            let _ = tcp::prepare(&stream);
            (stream, from)
        })
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Live {
    /// Returns the totals after the last turn.
    pub fn totals(&self) -> Totals {
        *self.0.borrow()
    }

    /// Waits until `wanted` accepts the totals, and returns them.
    pub async fn wait_for(&self, wanted: impl FnMut(&Totals) -> bool) -> Totals {
        *self.0.subscribe().wait_for(wanted).await.expect("the sender is `self`")
    }

    fn show(&self, totals: Totals) {
        self.0.send_if_modified(|shown| std::mem::replace(shown, totals) != totals);
    }
}

struct Server<L: Listener> {
    router: Router,
    began: Instant,
    /// The time of this turn.
    now: SimTime,
    agents: Acceptor<L>,
    gm: Acceptor<L>,
    /// The router gives out the numbers of peers, so they need no hash against collisions on purpose.
    sockets: FxHashMap<Peer, Socket<L::Io>>,
    alarm: Alarm,
    over: Option<Ending>,
    /// Peers to which bytes are to be written at the end of the turn, in the order in which the bytes came up: the peer
    /// that the game master addresses first is written to first.
    to_write: VecDeque<Peer>,
    /// Agents that are not read until the game master has caught up.
    unread: Vec<Peer>,
    /// Whether connections may wait at the game master's port until there is a place for them.
    gm_waits: bool,
    /// The buffer into which all peers are read.
    buffer: Vec<u8>,
    live: Live,
    ready: Arc<ReadySources>,
}

impl<L> Server<L>
where
    L: Listener<Addr = SocketAddr>,
    L::Io: Unpin,
{
    /// Does the work of a source that has woken.
    #[inline]
    fn attend(&mut self, source: Source) {
        match source {
            Source::Peer(peer) => self.serve(peer),
            Source::Listener(role) => self.accept(role),
            Source::Alarm => {
                if self.alarm.has_gone_off() {
                    self.handle(Input::Tick);
                    self.shrink();
                }
            }
            Source::Shutdown => {}
        }
    }

    /// Writes all new bytes, sets the timer, publishes the totals.
    fn finish_turn(&mut self) -> Option<Ending> {
        // Writing to one peer can cause bytes for another, e.g. that an agent is lost.
        while let Some(peer) = self.to_write.pop_front() {
            self.write(peer);
        }
        if !self.unread.is_empty() && self.router.takes_from_agents() {
            self.unread.drain(..).for_each(|peer| self.ready.mark(Source::Peer(peer)));
        }
        if self.gm_waits && self.router.takes_from_gm_port(self.now) {
            self.gm_waits = false;
            self.ready.mark(Source::Listener(Role::Gm));
        }
        if self.alarm.set(self.router.wake_at().map(|at| self.began + Duration::from(at))) {
            self.ready.mark(Source::Alarm);
        }
        self.live.show(self.router.totals());
        self.over
    }

    /// Passes an input to the router, and carries out its outputs.
    #[inline]
    fn handle(&mut self, input: Input<'_>) {
        self.router.handle(self.now, input);
        self.obey();
    }

    #[inline]
    fn obey(&mut self) {
        while let Some(output) = self.router.poll_output() {
            match output {
                Output::Write(peer) => self.to_write.push_back(peer),
                Output::Finish(peer) => {
                    if let Some(socket) = self.sockets.get_mut(&peer) {
                        socket.finishing = Finishing::Wanted;
                        self.to_write.push_back(peer);
                    }
                }
                Output::Drop(peer) => drop(self.sockets.remove(&peer)),
                Output::Hold(peer) => {
                    if let Some(socket) = self.sockets.get_mut(&peer) {
                        socket.held = true;
                    }
                }
                Output::Resume(peer) => {
                    if let Some(socket) = self.sockets.get_mut(&peer) {
                        socket.held = false;
                        self.ready.mark(Source::Peer(peer));
                    }
                }
                Output::Report(report) => log::write(&report),
                Output::Done(ending) => self.over = Some(ending),
                Output::Admitted(_) | Output::Refused => unreachable!("only a connection is answered so"),
            }
        }
    }

    /// Reads from a peer and writes to it: its socket does not tell which of both is possible again. An agent that is
    /// not read now still gets what waits for it.
    fn serve(&mut self, peer: Peer) {
        if matches!(peer, Peer::Agent(_)) && !self.router.takes_from_agents() {
            self.unread.push(peer);
        } else {
            self.read(peer);
        }
        if !self.router.pending(peer).is_empty() {
            self.to_write.push_back(peer);
        }
    }

    fn read(&mut self, peer: Peer) {
        let is_agent = matches!(peer, Peer::Agent(_));
        let mut left = if is_agent { AGENT_READ_BYTES } else { READ_BYTES };
        loop {
            let mut buffer = ReadBuf::new(&mut self.buffer[..left]);
            let Some(socket) = self.sockets.get_mut(&peer) else { return };
            if socket.held {
                break;
            }
            let error = match socket.poll_read(&mut buffer) {
                Poll::Pending => break,
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    let filled = buffer.filled().len();
                    self.router.handle(self.now, Input::Received { peer, bytes: &self.buffer[..filled] });
                    self.obey();
                    left -= filled;
                    if left == 0 {
                        self.ready.mark(Source::Peer(peer));
                        break;
                    }
                    continue;
                }
                Poll::Ready(Ok(())) => None,
                Poll::Ready(Err(error)) => Some(error.kind()),
            };
            self.sockets.remove(&peer);
            return self.handle(Input::Ended { peer, error });
        }
    }

    fn write(&mut self, peer: Peer) {
        loop {
            let Some(socket) = self.sockets.get_mut(&peer) else { return };
            match socket.poll_write(self.router.pending(peer)) {
                Poll::Pending | Poll::Ready(Ok(0)) => return,
                Poll::Ready(Ok(bytes)) => self.handle(Input::Written { peer, bytes }),
                Poll::Ready(Err(error)) => {
                    self.sockets.remove(&peer);
                    return self.handle(Input::Ended { peer, error: Some(error.kind()) });
                }
            }
        }
    }

    /// Frees memory that many connections needed, once they have gone.
    fn shrink(&mut self) {
        if let Some(capacity) = capacity_after(self.sockets.len(), self.sockets.capacity()) {
            self.sockets.shrink_to(capacity);
            self.to_write.shrink_to(capacity);
            self.unread.shrink_to(capacity);
        }
    }

    fn accept(&mut self, role: Role) {
        for _ in 0..ACCEPTS {
            if role == Role::Gm && !self.router.takes_from_gm_port(self.now) {
                self.gm_waits = true;
                return;
            }
            let acceptor = match role {
                Role::Agent => &mut self.agents,
                Role::Gm => &mut self.gm,
            };
            let Some((stream, from)) = acceptor.poll_accept() else { return };
            let admitted = self.introduce(role, from);
            if let Some(peer) = admitted {
                self.sockets.insert(peer, Socket::new(stream, self.ready.waker(Source::Peer(peer))));
            }
            self.obey();
            if let Some(peer) = admitted {
                self.serve(peer);
            }
        }
        self.ready.mark(Source::Listener(role));
    }

    /// Tells the router of a connection; returns its peer, if the router admits it.
    fn introduce(&mut self, role: Role, from: SocketAddr) -> Option<Peer> {
        self.router.handle(self.now, Input::Connected { role, from });
        match self.router.poll_output() {
            Some(Output::Admitted(peer)) => Some(peer),
            Some(Output::Refused) => None,
            other => unreachable!("a connection is answered first, not with {other:?}"),
        }
    }
}

/// A listener, and the waker that marks it as ready.
struct Acceptor<L> {
    role: Role,
    listener: L,
    waker: Waker,
    pause: Option<Pin<Box<Sleep>>>,
}

impl<L: Listener<Addr = SocketAddr>> Acceptor<L> {
    fn new(role: Role, listener: L, ready: &Arc<ReadySources>) -> Self {
        Self { role, listener, waker: ready.waker(Source::Listener(role)), pause: None }
    }

    /// Returns the next connection, if one is there.
    fn poll_accept(&mut self) -> Option<(L::Io, SocketAddr)> {
        let mut context = Context::from_waker(&self.waker);
        loop {
            if let Some(pause) = &mut self.pause {
                if pause.as_mut().poll(&mut context).is_pending() {
                    return None;
                }
                self.pause = None;
            }
            match self.listener.poll_accept(&mut context) {
                Poll::Pending => return None,
                Poll::Ready(Ok(arrival)) => return Some(arrival),
                Poll::Ready(Err(error)) => {
                    log::cannot_accept(self.role, &error);
                    self.pause = Some(Box::pin(tokio::time::sleep(ACCEPT_PAUSE)));
                }
            }
        }
    }
}

/// A connection, and the waker that marks it as ready.
struct Socket<S> {
    stream: S,
    waker: Waker,
    finishing: Finishing,
    /// Whether it is not to be read.
    held: bool,
}

/// Progress of a connection towards an end that is ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Finishing {
    /// It is not ending.
    No,
    /// The peer is to be informed that nothing follows, after the pending bytes.
    Wanted,
    /// The peer has been informed.
    Done,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    fn new(stream: S, waker: Waker) -> Self {
        Self { stream, waker, finishing: Finishing::No, held: false }
    }

    #[inline]
    fn poll_read(&mut self, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(&mut Context::from_waker(&self.waker), buffer)
    }

    /// Writes some of `pending`; when nothing is pending, says that nothing follows if that is wanted.
    #[inline]
    fn poll_write(&mut self, pending: &[u8]) -> Poll<io::Result<usize>> {
        let mut context = Context::from_waker(&self.waker);
        let stream = Pin::new(&mut self.stream);
        if !pending.is_empty() {
            return match stream.poll_write(&mut context, pending) {
                Poll::Ready(Ok(0)) => Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                other => other,
            };
        }
        if self.finishing == Finishing::Wanted {
            match stream.poll_shutdown(&mut context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) => self.finishing = Finishing::Done,
            }
        }
        Poll::Ready(Ok(0))
    }
}

/// The router's timer, and the waker that marks it as ready.
struct Alarm {
    at: Option<Instant>,
    sleep: Pin<Box<Sleep>>,
    waker: Waker,
}

impl Alarm {
    fn new(ready: &Arc<ReadySources>) -> Self {
        let sleep = Box::pin(tokio::time::sleep(Duration::ZERO));
        Self { at: None, sleep, waker: ready.waker(Source::Alarm) }
    }

    /// Sets the timer; returns whether it has a new time and must be polled.
    fn set(&mut self, at: Option<Instant>) -> bool {
        let new = at.filter(|_| at != self.at);
        self.at = at;
        if let Some(at) = new {
            self.sleep.as_mut().reset(at);
        }
        new.is_some()
    }

    fn has_gone_off(&mut self) -> bool {
        let gone_off = self.sleep.as_mut().poll(&mut Context::from_waker(&self.waker)).is_ready();
        let gone_off = gone_off && self.at.is_some();
        if gone_off {
            self.at = None;
        }
        gone_off
    }
}

/// A source of work for the server's task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Peer(Peer),
    Listener(Role),
    Alarm,
    Shutdown,
}

/// The sources that have woken since the last turn, and the waker of the task.
#[derive(Default)]
struct ReadySources(Mutex<(Vec<Source>, Option<Waker>)>);

/// The waker of one source.
struct SourceWaker {
    source: Source,
    ready: Arc<ReadySources>,
}

impl ReadySources {
    fn waker(self: &Arc<Self>, source: Source) -> Waker {
        Arc::new(SourceWaker { source, ready: Arc::clone(self) }).into()
    }

    /// Notes that a source has something to do, and wakes the server for the first of a turn.
    fn mark(&self, source: Source) {
        let mut marked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marked.0.push(source);
        let waker = marked.1.take();
        drop(marked);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Moves all sources that have woken into an empty list, and keeps the waker of the task for the next one.
    fn take(&self, waker: &Waker, into: &mut Vec<Source>) {
        let mut marked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut marked.0, into);
        marked.1 = Some(waker.clone());
    }
}

impl Wake for SourceWaker {
    fn wake(self: Arc<Self>) {
        self.ready.mark(self.source);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ready.mark(self.source);
    }
}

#[cfg(test)]
mod tests {
    use socket2::SockRef;

    use super::*;

    /// A waiting task is woken by the totals themselves: no later event follows that could wake it.
    #[tokio::test(start_paused = true)]
    async fn a_task_that_waits_for_totals_is_woken_when_they_change() {
        let live = Live::default();
        let wanted = Totals { agents: 1, ..Totals::default() };
        let waiting =
            tokio::time::timeout(Duration::from_secs(1), live.wait_for(|totals| totals.agents == 1));
        let (waited, ()) = tokio::join!(waiting, async { live.show(wanted) });
        assert_eq!(waited.ok(), Some(wanted));
    }

    #[tokio::test]
    async fn a_peer_that_disappears_is_noticed() {
        let mut port = TcpPort::bind(([127, 0, 0, 1], 0).into()).expect("the loopback address has ports");
        let address = port.local_addr().expect("it is bound");
        let (peer, accepted) = tokio::join!(TcpStream::connect(address), port.accept());
        peer.expect("it listens");
        let (stream, _) = accepted.expect("somebody has connected");
        assert!(stream.nodelay().expect("a socket knows its options"));
        assert!(SockRef::from(&stream).keepalive().expect("a socket knows its options"));
    }
}
