//! The game master's port: which of its connections is the game master, and the bytes that wait for it.
//!
//! Any program can connect to this port: a port scanner, an agent with the wrong port, a forgotten program. Only a
//! message shows that a connection is the game master. But a game master has nothing to send before agents ask to
//! join, so the server must write their messages to a connection that has sent nothing yet. The first connection
//! has the seat and receives them. The server keeps them until this connection has sent a message. If the
//! connection ends or gives way before that, the next connection receives all of them from the first byte on.

use std::collections::VecDeque;
use std::net::SocketAddr;

use game_env::{Millis, SimTime};

use crate::router::link::Link;
use crate::router::outbox::Outbox;
use crate::router::peer::ConnectionId;

/// How many connections may wait for the seat.
pub(super) const WAITING: usize = 16;

/// The connections to the game master's port, and the messages for the game master.
#[derive(Debug)]
pub(super) struct GmPort {
    pub(super) seat: Option<Candidate>,
    /// Those that get the seat next, in the order in which they came.
    pub(super) waiting: VecDeque<Candidate>,
    /// What is to be written to the game master, whether it is there yet or not.
    pub(super) outbox: Outbox,
    /// Since when the seat has been taken by this connection, or by none.
    pub(super) changed: SimTime,
}

/// A connection that is, or may become, the game master. It is the game master once it has the seat and its
/// [`Link::spoke`].
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) id: ConnectionId,
    pub(super) link: Link,
    /// Since when something has been written to it.
    pub(super) given: Option<SimTime>,
    /// Whether its silence has been reported.
    pub(super) reported: bool,
}

impl Candidate {
    pub(super) fn new(id: ConnectionId, link: Link) -> Self {
        Self { id, link, given: None, reported: false }
    }

    /// Whether it has said nothing although something was written to it this long ago.
    pub(super) fn is_silent(&self, now: SimTime, answer: Millis) -> bool {
        !self.link.spoke && self.given.is_some_and(|given| now >= given + answer)
    }
}

impl GmPort {
    pub(super) fn new() -> Self {
        let mut outbox = Outbox::default();
        outbox.keep(true);
        Self { seat: None, waiting: VecDeque::new(), outbox, changed: SimTime::START }
    }

    /// The game master, if it has shown that it is one.
    pub(super) fn master(&self) -> Option<&Candidate> {
        self.seat.as_ref().filter(|seat| seat.link.spoke)
    }

    pub(super) fn has_seat(&self, id: ConnectionId) -> bool {
        self.seat.as_ref().is_some_and(|seat| seat.id == id)
    }

    pub(super) fn find(&mut self, id: ConnectionId) -> Option<&mut Candidate> {
        self.seat.iter_mut().chain(&mut self.waiting).find(|candidate| candidate.id == id)
    }

    /// Everyone who is there: the seat first.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Candidate> {
        self.seat.iter_mut().chain(&mut self.waiting)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.seat.is_none() && self.waiting.is_empty()
    }

    /// Gives the seat to a connection: everything that was kept is to be written to it.
    pub(super) fn take_seat(&mut self, now: SimTime, candidate: Candidate) {
        self.seat = Some(candidate);
        self.changed = now;
        self.outbox.rewind(now);
    }

    /// The connection with the seat has shown that it is the game master: nothing is kept any more for another.
    pub(super) fn confirm(&mut self) -> impl Iterator<Item = (ConnectionId, SocketAddr)> + use<> {
        self.outbox.keep(false);
        std::mem::take(&mut self.waiting).into_iter().map(|candidate| (candidate.id, candidate.link.from))
    }

    /// Forgets a connection; whether it had the seat.
    pub(super) fn remove(&mut self, now: SimTime, id: ConnectionId) -> Option<(Candidate, bool)> {
        if self.has_seat(id) {
            self.changed = now;
            return self.seat.take().map(|seat| (seat, true));
        }
        let place = self.waiting.iter().position(|candidate| candidate.id == id)?;
        self.waiting.remove(place).map(|candidate| (candidate, false))
    }
}
