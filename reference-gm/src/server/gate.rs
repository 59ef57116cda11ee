//! The gate of a server, sans-IO: its connections, the time that each has to log in, and the messages that each may
//! send.
//!
//! A client is remote or local. A remote client sends bytes, which the gate reads by the [`Protocol`] of the game, and
//! receives bytes. A local client is in this process: it asks with values, and is answered with values.
//!
//! # What this module does not do
//!
//! It does not know what a login is, or what a request means: the game's master says when a connection
//! [has logged in](Gate::log_in), and answers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use game_env::{Millis, SimTime};

use super::{Allowance, ConnectionId};

/// The messages of a game, and the state that its master keeps of a connection.
pub trait Protocol {
    /// The stream of a remote client: the line that is not complete, and the form of messages to the client.
    type Stream;
    /// A message of a client.
    type Request;
    /// The reason for which a line is no message.
    type Misread;
    /// A message to a client.
    type Notice: Clone;
    /// The state that the master keeps of a connection.
    type State;
    /// An output of the master.
    type Output: From<Delivery<Self::Notice>>;

    /// Reads the next message, and advances `bytes` behind it. None if no line is complete; then all bytes are taken.
    fn read(stream: &mut Self::Stream, bytes: &mut &[u8]) -> Option<Result<Self::Request, Self::Misread>>;

    /// Appends a message in the form of this stream.
    fn write(stream: &Self::Stream, notice: &Self::Notice, out: &mut Vec<u8>);
}

/// A request of the gate to the shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Delivery<N> {
    /// Send these bytes to a remote client.
    Send(ConnectionId, Vec<u8>),
    /// Tell a local client this.
    Tell(ConnectionId, N),
    /// Close a connection, after everything that was sent to it.
    Close(ConnectionId),
}

/// A message of a remote client, as far as the gate has read it.
pub enum Heard<P: Protocol> {
    /// A message.
    Request(P::Request),
    /// A line that is no message, for this reason.
    Misread(P::Misread),
    /// A line beyond the allowance of the connection, whether it is a message or not.
    TooMany,
}

/// The connections of a server, and the outputs of its master.
pub struct Gate<P: Protocol> {
    login: Millis,
    messages_per_second: Option<u32>,
    connections: BTreeMap<ConnectionId, Connection<P>>,
    /// Connections that have to log in, by the moment until which they have time.
    arrivals: BTreeSet<(SimTime, ConnectionId)>,
    now: SimTime,
    outputs: VecDeque<P::Output>,
}

struct Connection<P: Protocol> {
    /// None of a local client.
    stream: Option<P::Stream>,
    state: P::State,
    /// The moment until which it has to log in; none once it has.
    login_until: Option<SimTime>,
    /// None if it may send any number of messages.
    allowance: Option<Allowance>,
}

impl<P: Protocol> Gate<P> {
    /// Creates a gate without connections. Each will have the time `login` to log in, and may send this number of
    /// messages in a second, and twice as many at once; with `None` any number.
    pub const fn new(login: Millis, messages_per_second: Option<u32>) -> Self {
        Self {
            login,
            messages_per_second,
            connections: BTreeMap::new(),
            arrivals: BTreeSet::new(),
            now: SimTime::START,
            outputs: VecDeque::new(),
        }
    }

    /// Sets the moment of the next input. Time never runs back.
    pub fn advance(&mut self, now: SimTime) {
        self.now = self.now.max(now);
    }

    /// Returns the moment of the input that is taken in.
    pub const fn now(&self) -> SimTime {
        self.now
    }

    /// Adds a remote client.
    pub fn connect(&mut self, id: ConnectionId, stream: P::Stream, state: P::State) {
        self.add(id, Some(stream), state);
    }

    /// Adds a local client.
    pub fn connect_local(&mut self, id: ConnectionId, state: P::State) {
        self.add(id, None, state);
    }

    fn add(&mut self, id: ConnectionId, stream: Option<P::Stream>, state: P::State) {
        let allowance = self.messages_per_second.map(|per_second| Allowance::new(self.now, per_second));
        self.connections.insert(id, Connection { stream, state, login_until: None, allowance });
        self.log_in_anew(id);
    }

    /// Returns the next message in bytes that a remote client has sent; none if no further one is complete.
    pub fn read(&mut self, id: ConnectionId, bytes: &mut &[u8]) -> Option<Heard<P>> {
        let connection = self.connections.get_mut(&id)?;
        let read = P::read(connection.stream.as_mut()?, bytes)?;
        if !connection.spend(self.now) {
            return Some(Heard::TooMany);
        }
        Some(match read {
            Ok(request) => Heard::Request(request),
            Err(misread) => Heard::Misread(misread),
        })
    }

    /// Takes a request of a local client from its allowance. Returns false if the allowance is used up.
    pub fn spend(&mut self, id: ConnectionId) -> bool {
        let now = self.now;
        self.connections.get_mut(&id).is_some_and(|connection| connection.spend(now))
    }

    /// Gives a message back to the allowance of a connection: others decide how many like it there can be.
    pub fn give_back(&mut self, id: ConnectionId) {
        let connection = self.connections.get_mut(&id);
        if let Some(allowance) = connection.and_then(|connection| connection.allowance.as_mut()) {
            allowance.give_back();
        }
    }

    /// Marks a connection as logged in.
    pub fn log_in(&mut self, id: ConnectionId) {
        if let Some(until) =
            self.connections.get_mut(&id).and_then(|connection| connection.login_until.take())
        {
            self.arrivals.remove(&(until, id));
        }
    }

    /// Requires a connection to log in again, with the time limit of a new one.
    pub fn log_in_anew(&mut self, id: ConnectionId) {
        self.log_in(id);
        if let Some(connection) = self.connections.get_mut(&id) {
            let until = self.now + self.login;
            connection.login_until = Some(until);
            self.arrivals.insert((until, id));
        }
    }

    /// Returns whether a connection has logged in.
    pub fn has_logged_in(&self, id: ConnectionId) -> bool {
        self.connections.get(&id).is_some_and(|connection| connection.login_until.is_none())
    }

    /// Returns the next connection that has not logged in in time; each is returned once.
    pub fn next_late(&mut self) -> Option<ConnectionId> {
        let (_, id) = self.arrivals.first().copied().filter(|(until, _)| *until <= self.now)?;
        self.arrivals.pop_first();
        Some(id)
    }

    /// Returns the moment until which the next connection has to log in.
    pub fn wake_at(&self) -> Option<SimTime> {
        self.arrivals.first().map(|(until, _)| *until)
    }

    /// Returns the state that the master keeps of a connection.
    pub fn state(&self, id: ConnectionId) -> Option<&P::State> {
        self.connections.get(&id).map(|connection| &connection.state)
    }

    /// Returns the same, to be changed.
    pub fn state_mut(&mut self, id: ConnectionId) -> Option<&mut P::State> {
        self.connections.get_mut(&id).map(|connection| &mut connection.state)
    }

    /// Returns the states that the master keeps of all connections.
    pub fn states(&self) -> impl Iterator<Item = (ConnectionId, &P::State)> {
        self.connections.iter().map(|(id, connection)| (*id, &connection.state))
    }

    /// Returns the same, to be changed.
    pub fn states_mut(&mut self) -> impl Iterator<Item = (ConnectionId, &mut P::State)> {
        self.connections.iter_mut().map(|(id, connection)| (*id, &mut connection.state))
    }

    /// Returns the connections, in the order of their numbers.
    pub fn ids(&self) -> Vec<ConnectionId> {
        self.connections.keys().copied().collect()
    }

    /// Returns the number of connections.
    pub fn count(&self) -> usize {
        self.connections.len()
    }

    /// Returns whether this is a local client. It needs no pings: it ends with this process.
    pub fn is_local(&self, id: ConnectionId) -> bool {
        self.connections.get(&id).is_some_and(|connection| connection.stream.is_none())
    }

    /// Tells a client something, if it is there.
    pub fn tell(&mut self, id: ConnectionId, notice: &P::Notice) {
        self.tell_all([id], notice);
    }

    /// Tells clients the same, each if it is there. The message is written once, for the stream of the first: all have
    /// the same form.
    pub fn tell_all(&mut self, ids: impl IntoIterator<Item = ConnectionId>, notice: &P::Notice) {
        let mut written: Option<Vec<u8>> = None;
        let mut ids = ids.into_iter().peekable();
        while let Some(id) = ids.next() {
            let Some(connection) = self.connections.get(&id) else { continue };
            let delivery = match &connection.stream {
                Some(stream) => {
                    let bytes = written.take().unwrap_or_else(|| {
                        let mut bytes = Vec::new();
                        P::write(stream, notice, &mut bytes);
                        bytes
                    });
                    // Only for those that follow: most messages have one receiver.
                    written = ids.peek().map(|_| bytes.clone());
                    Delivery::Send(id, bytes)
                }
                None => Delivery::Tell(id, notice.clone()),
            };
            self.push(delivery.into());
        }
    }

    /// Removes a connection that has ended, and returns the state that the master kept of it.
    pub fn remove(&mut self, id: ConnectionId) -> Option<P::State> {
        self.log_in(id);
        self.connections.remove(&id).map(|connection| connection.state)
    }

    /// Closes a connection after everything that was sent to it, and returns the state that the master kept of it.
    pub fn close(&mut self, id: ConnectionId) -> Option<P::State> {
        let state = self.remove(id)?;
        self.push(Delivery::Close(id).into());
        Some(state)
    }

    /// Adds an output of the master, behind those before it.
    pub fn push(&mut self, output: P::Output) {
        self.outputs.push_back(output);
    }

    /// Returns the next output, or none until the next input.
    pub fn poll_output(&mut self) -> Option<P::Output> {
        self.outputs.pop_front()
    }
}

impl<P: Protocol> Connection<P> {
    fn spend(&mut self, now: SimTime) -> bool {
        self.allowance.as_mut().is_none_or(|allowance| allowance.take(now))
    }
}

impl<P: Protocol> fmt::Debug for Gate<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("connections", &self.count())
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes are messages, those below `a` are none.
    struct Bytes;

    impl Protocol for Bytes {
        type Stream = ();
        type Request = u8;
        type Misread = u8;
        type Notice = u8;
        type State = &'static str;
        type Output = Delivery<u8>;

        fn read(_: &mut (), bytes: &mut &[u8]) -> Option<Result<u8, u8>> {
            let (first, rest) = bytes.split_first()?;
            *bytes = rest;
            Some(if *first < b'a' { Err(*first) } else { Ok(*first) })
        }

        fn write(_: &(), notice: &u8, out: &mut Vec<u8>) {
            out.push(*notice);
        }
    }

    const REMOTE: ConnectionId = ConnectionId(1);
    const LOCAL: ConnectionId = ConnectionId(2);

    fn at(ms: u32) -> SimTime {
        SimTime::START + Millis::new(ms)
    }

    fn gate() -> Gate<Bytes> {
        let mut gate = Gate::new(Millis::new(100), Some(2));
        gate.connect(REMOTE, (), "remote");
        gate.connect_local(LOCAL, "local");
        gate
    }

    #[test]
    fn a_remote_client_is_sent_bytes_and_a_local_one_is_told_values() {
        let mut gate = gate();
        gate.tell_all([REMOTE, LOCAL], &7);
        assert_eq!((gate.is_local(REMOTE), gate.is_local(LOCAL)), (false, true));
        assert_eq!([gate.close(LOCAL), gate.close(LOCAL)], [Some("local"), None]);
        gate.tell_all([LOCAL, REMOTE], &8);
        let outputs: Vec<_> = std::iter::from_fn(|| gate.poll_output()).collect();
        assert_eq!(
            outputs,
            [
                Delivery::Send(REMOTE, vec![7]),
                Delivery::Tell(LOCAL, 7),
                Delivery::Close(LOCAL),
                Delivery::Send(REMOTE, vec![8])
            ]
        );
    }

    #[test]
    fn messages_of_both_kinds_of_clients_are_counted() {
        let mut gate = gate();
        let mut bytes = &b"aXcdef"[..];
        let mut heard = || match gate.read(REMOTE, &mut bytes) {
            Some(Heard::Request(byte)) => char::from(byte),
            Some(Heard::Misread(_)) => '?',
            Some(Heard::TooMany) => '!',
            None => '.',
        };
        assert_eq!([heard(), heard(), heard(), heard(), heard()], ['a', '?', 'c', 'd', '!']);
        assert_eq!([(); 5].map(|()| gate.spend(LOCAL)), [true, true, true, true, false]);
        gate.give_back(LOCAL);
        assert_eq!([gate.spend(LOCAL), gate.spend(LOCAL)], [true, false]);
        gate.advance(at(500));
        assert_eq!([gate.spend(LOCAL), gate.spend(LOCAL)], [true, false]);
        assert!(!gate.spend(ConnectionId(3)), "there is no such client");
    }

    #[test]
    fn a_connection_has_to_log_in_in_time() {
        let mut gate = gate();
        assert_eq!(gate.wake_at(), Some(at(100)));
        gate.log_in(LOCAL);
        assert_eq!([REMOTE, LOCAL].map(|id| gate.has_logged_in(id)), [false, true]);
        gate.advance(at(99));
        assert_eq!(gate.next_late(), None);
        gate.log_in_anew(LOCAL);
        gate.advance(at(100));
        gate.advance(at(1));
        assert_eq!([gate.next_late(), gate.next_late()], [Some(REMOTE), None]);
        assert_eq!((gate.wake_at(), gate.has_logged_in(LOCAL)), (Some(at(199)), false));
        assert_eq!((gate.remove(LOCAL), gate.wake_at()), (Some("local"), None));
    }
}
