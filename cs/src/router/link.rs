//! The data that the router keeps for each connection.

use std::net::SocketAddr;

use game_env::SimTime;
use wire::foreign::{self, Start};
use wire::frame::Decoder;

use super::outbox::Outbox;
use super::peer::Role;
use super::report::{End, Reason};
use super::window::Window;

/// The parts that every peer has.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) from: SocketAddr,
    pub(super) since: SimTime,
    pub(super) decoder: Decoder,
    /// Time since which the incomplete message has been arriving.
    pub(super) half_since: Option<SimTime>,
    pub(super) invalid: u32,
    /// Whether a valid message came from it.
    pub(super) spoke: bool,
    /// Time at which it was informed that the connection ends.
    pub(super) leaving: Option<SimTime>,
}

/// The longest first message of a peer, in bytes. A request to join has about 60, the answer to it about 80; a longer
/// first message is a length in the wrong byte order, or another protocol.
const LONGEST_FIRST: u16 = 8192;

#[derive(Debug)]
pub(super) struct Agent {
    pub(super) link: Link,
    pub(super) outbox: Outbox,
    /// Whether it was reported that it has sent nothing.
    pub(super) reported: bool,
    /// Whether it has asked to join.
    pub(super) joined: bool,
    /// Whether it is told that a message of it was dropped. Agents of other implementations are not: some end when a
    /// message 905 names no position.
    pub(super) takes_refusals: bool,
    pub(super) window: Window,
    pub(super) hold: Hold,
    /// Bytes that were read from it and not handled yet; empty unless it is held.
    pub(super) unread: Vec<u8>,
}

/// Whether an agent is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hold {
    /// It is read, and its number is not among those to be read again.
    No,
    /// It is read, and its number still stands among those to be read again.
    Over,
    /// It has not been read since this moment.
    Since(SimTime),
}

/// A connection that was refused.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) link: Link,
    pub(super) outbox: Outbox,
}

impl Agent {
    pub(super) fn new(link: Link) -> Self {
        Self {
            link,
            outbox: Outbox::default(),
            reported: false,
            joined: false,
            takes_refusals: true,
            window: Window::new(),
            hold: Hold::No,
            unread: Vec::new(),
        }
    }
}

impl Link {
    pub(super) fn new(from: SocketAddr, now: SimTime, limit: u16) -> Self {
        let decoder = Decoder::new(limit);
        Self { from, since: now, decoder, half_since: None, invalid: 0, spoke: false, leaving: None }
    }

    /// Notes that bytes arrived, and whether they completed a message.
    #[inline]
    pub(super) fn arrived(&mut self, now: SimTime, complete: bool) {
        if !self.decoder.is_inside_frame() {
            self.half_since = None;
        } else if complete || self.half_since.is_none() {
            self.half_since = Some(now);
        }
    }

    /// Returns why the beginning of the first message cannot be the beginning of a valid one, if it cannot. The message
    /// is in what the decoder holds and in `bytes`; `role` is what connects to this port.
    ///
    /// It is asked only until a peer has sent a valid message. Without it, a page of another site could make a browser
    /// send messages: the head of the browser's request would be skipped as an invalid message, and what the page has
    /// put behind it would be obeyed.
    pub(super) fn stranger(&self, bytes: &[u8], limit: u16, role: Role) -> Option<Reason> {
        let limit = limit.min(LONGEST_FIRST);
        let mut start = [0; foreign::ENOUGH];
        let start = self.decoder.peek(bytes, &mut start);
        match (foreign::recognise(start), start) {
            (Start::Foreign(protocol), _) => Some(Reason::Foreign(protocol, role)),
            (Start::Own, [low, high, ..]) => {
                let announced = u16::from_le_bytes([*low, *high]);
                (announced > limit).then_some(Reason::FirstTooLong { announced, limit })
            }
            _ => None,
        }
    }

    /// Returns whether anything at all came from it.
    pub(super) fn has_sent(&self) -> bool {
        self.spoke || self.invalid > 0 || self.decoder.is_inside_frame()
    }

    pub(super) fn end(&self, error: Option<std::io::ErrorKind>) -> End {
        match error {
            Some(kind) => End::Broken(kind),
            None if self.decoder.is_inside_frame() => End::ClosedInMessage,
            None => End::Closed,
        }
    }
}
