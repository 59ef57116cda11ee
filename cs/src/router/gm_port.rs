//! The game master's port: which of its connections is the game master, and the messages that wait for it.
//!
//! Any program can connect to this port: a port scanner, an agent with the wrong port, a forgotten program, a stranger
//! that connects again and again. Only a message shows that a connection is the game master. But a game master has
//! nothing to send before agents ask to join, so the server must write their messages to connections that have sent
//! nothing yet. A connection to which they are written is *asked*.
//!
//! - The first connection is asked alone, for `gmAnswerMs` from the moment on at which a connection is asked for the
//!   first time. In this time nobody can take the place of a game master that came first.
//! - If no answer has come by then, no matter of how many connections, every connection is asked at once, and the first
//!   answer decides. A connection that has not answered for `gmAnswerMs` is closed if another one has still time.
//! - At most [`PLACES`] connections are here. Further ones wait in the system's queue, in the order in which they came,
//!   until one of these has ended. While all are asked, one that has not answered for [`GRACE`] gives way.
//!
//! So nothing that only stays silent keeps the game master out: no connection is closed before it is asked, and each
//! has at least [`GRACE`] to answer. Connections that come in a loop stand behind it in the system's queue. As long as
//! there is no message of an agent, nothing distinguishes a game master from a stranger: none of them gives way.
//! `book/src/decisions/relay.md` says why no simpler rule does it.
//!
//! The kept messages are the same bytes for all connections; each connection has its own place in them.

use std::collections::VecDeque;
use std::net::SocketAddr;

use game_env::{Millis, SimTime};

use crate::router::SWEEP;
use crate::router::link::Link;
use crate::router::outbox::Outbox;
use crate::router::peer::ConnectionId;

/// Largest number of connections that may be the game master at once.
pub(super) const PLACES: usize = 256;

/// The time for which an asked connection keeps its place although another one needs it. Game masters
/// answer at once; deadlines are not looked at more often.
pub(super) const GRACE: Millis = SWEEP;

/// The connections to the game master's port, and the messages for the game master.
#[derive(Debug)]
pub(super) struct GmPort {
    /// In the order in which they came. Once one of them is the game master, it is the only one.
    candidates: VecDeque<Candidate>,
    /// The bytes for the game master. All messages are kept until there is one.
    pub(super) outbox: Outbox,
    /// Number of bytes of the kept messages that have been written to any connection.
    reached: usize,
    /// Time at which a connection was asked for the first time.
    asked: Option<SimTime>,
    /// Time since which there are connections, or there are none; or since which the game master has been connected.
    pub(super) changed: SimTime,
}

/// A connection that is, or may become, the game master. It is the game master if its [`Link::spoke`].
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) id: ConnectionId,
    pub(super) link: Link,
    /// Number of bytes of the kept messages that have been written to it; 0 for the game master.
    pub(super) written: usize,
    /// Time at which it was asked.
    asked: Option<SimTime>,
    /// Whether its silence has been reported.
    reported: bool,
}

impl Candidate {
    /// Returns whether messages of agents are written to it.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some() || self.link.spoke
    }

    /// Returns whether it was asked this long ago and has said nothing.
    fn is_silent(&self, now: SimTime, span: Millis) -> bool {
        !self.link.spoke && self.asked.is_some_and(|asked| now >= asked + span)
    }
}

impl GmPort {
    pub(super) fn new() -> Self {
        Self {
            candidates: VecDeque::new(),
            outbox: Outbox::default(),
            reached: 0,
            asked: None,
            changed: SimTime::START,
        }
    }

    /// Returns the game master, if it has shown that it is one.
    pub(super) fn master(&self) -> Option<&Candidate> {
        self.first().filter(|first| first.link.spoke)
    }

    /// Returns the game master, or the connection that came first.
    pub(super) fn first(&self) -> Option<&Candidate> {
        self.candidates.front()
    }

    pub(super) fn find(&self, id: ConnectionId) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.id == id)
    }

    pub(super) fn find_mut(&mut self, id: ConnectionId) -> Option<&mut Candidate> {
        self.candidates.iter_mut().find(|candidate| candidate.id == id)
    }

    /// Returns every connection, in the order in which they came.
    pub(super) fn all(&self) -> impl Iterator<Item = &Candidate> {
        self.candidates.iter()
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Candidate> {
        self.candidates.iter_mut()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Returns whether a message from this connection makes it the game master.
    pub(super) fn may_answer(&self, id: ConnectionId) -> bool {
        self.first().is_some_and(|first| first.id == id)
            || self.find(id).is_some_and(|candidate| candidate.asked.is_some())
    }

    /// Returns the bytes that are to be written to a connection, if it is here.
    pub(super) fn pending(&self, id: ConnectionId) -> Option<&[u8]> {
        let candidate = self.find(id)?;
        Some(if candidate.is_asked() { &self.outbox.pending()[candidate.written..] } else { &[] })
    }

    /// Returns the bytes that have been written to no connection.
    pub(super) fn unwritten(&self) -> &[u8] {
        &self.outbox.pending()[self.reached..]
    }

    /// Notes that a connection has accepted these bytes.
    pub(super) fn took(&mut self, now: SimTime, id: ConnectionId, bytes: usize) {
        let Some(candidate) = self.candidates.iter_mut().find(|candidate| candidate.id == id) else { return };
        if candidate.link.spoke {
            self.outbox.advance(now, bytes);
        } else {
            candidate.written += bytes;
            self.reached = self.reached.max(candidate.written);
        }
    }

    /// Returns whether one more connection can be let in: there is a place, or one gives way.
    pub(super) fn has_place(&self, now: SimTime, answer: Millis) -> bool {
        self.candidates.len() < PLACES || self.giving_way(now, answer).is_some()
    }

    /// Returns the connection that gives way to one more, if all places are taken.
    pub(super) fn giving_way(&self, now: SimTime, answer: Millis) -> Option<ConnectionId> {
        let is_full = self.candidates.len() >= PLACES && self.asks_all(now, answer);
        let mut silent = self.candidates.iter().filter(|candidate| candidate.is_silent(now, GRACE));
        is_full.then(|| silent.next().map(|candidate| candidate.id)).flatten()
    }

    /// Adds a connection behind the others.
    pub(super) fn push(&mut self, now: SimTime, id: ConnectionId, link: Link) {
        if self.candidates.is_empty() {
            self.changed = now;
        }
        self.candidates.push_back(Candidate { id, link, written: 0, asked: None, reported: false });
    }

    /// Asks the connections whose turn it is, and returns those that were not asked before.
    pub(super) fn ask(&mut self, now: SimTime, answer: Millis) -> Vec<ConnectionId> {
        let turn = match self.candidates.len() {
            _ if self.outbox.is_empty() => 0,
            all if self.asks_all(now, answer) => all,
            all => all.min(1),
        };
        let mut asked = Vec::new();
        for candidate in self.candidates.iter_mut().take(turn).filter(|candidate| candidate.asked.is_none()) {
            candidate.asked = Some(now);
            asked.push(candidate.id);
        }
        if !asked.is_empty() {
            self.asked.get_or_insert(now);
        }
        asked
    }

    /// Returns whether the first connections have had their time.
    fn asks_all(&self, now: SimTime, answer: Millis) -> bool {
        self.asked.is_some_and(|asked| now >= asked + answer)
    }

    /// Returns the connections that have not answered in time. If no other one has still time, the last of them stays:
    /// it may be a slow game master.
    pub(super) fn silent(&self, now: SimTime, answer: Millis) -> Vec<ConnectionId> {
        let silent = self.candidates.iter().filter(|candidate| candidate.is_silent(now, answer));
        let mut silent: Vec<_> = silent.map(|candidate| candidate.id).collect();
        if silent.len() == self.candidates.len() {
            silent.pop();
        }
        silent
    }

    /// Returns the address of a connection that stays although it has not answered in time, once.
    pub(super) fn newly_silent(&mut self, now: SimTime, answer: Millis) -> Option<SocketAddr> {
        let candidate = self.candidates.iter_mut().find(|candidate| candidate.is_silent(now, answer))?;
        (!std::mem::replace(&mut candidate.reported, true)).then_some(candidate.link.from)
    }

    /// This connection has shown that it is the game master: nothing is kept any more for another. Returns the others.
    pub(super) fn confirm(&mut self, now: SimTime, id: ConnectionId) -> VecDeque<Candidate> {
        let mut others = std::mem::take(&mut self.candidates);
        let place = others.iter().position(|candidate| candidate.id == id);
        if let Some(mut master) = place.and_then(|place| others.remove(place)) {
            self.changed = master.link.since;
            self.outbox.advance(now, std::mem::take(&mut master.written));
            self.candidates.push_back(master);
        }
        self.reached = 0;
        others
    }

    /// Forgets a connection.
    pub(super) fn remove(&mut self, now: SimTime, id: ConnectionId) -> Option<Candidate> {
        let place = self.candidates.iter().position(|candidate| candidate.id == id)?;
        let removed = self.candidates.remove(place);
        if self.candidates.is_empty() {
            self.changed = now;
        }
        removed
    }
}
