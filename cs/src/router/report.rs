//! What the router has to tell people: a value for each line of the log, and the limit on lines.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use thiserror::Error;
use wire::envelope::EnvelopeError;

use crate::router::{AgentId, Peer, Role};

/// Something worth a line in the log. Its text is what [`fmt::Display`] makes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Report {
    /// Somebody connected and was let in.
    Connected {
        /// Who it is from now on.
        peer: Peer,
        /// Its address.
        from: SocketAddr,
    },
    /// Somebody ended its connection.
    Left {
        /// Who it was.
        peer: Peer,
        /// Its address.
        from: SocketAddr,
        /// How the connection ended.
        how: End,
    },
    /// Somebody connected and was not let in.
    Refused {
        /// What it wanted to be.
        role: Role,
        /// Its address.
        from: SocketAddr,
        /// Why it cannot be that.
        why: Refusal,
    },
    /// A message was dropped.
    Invalid {
        /// Who sent it.
        peer: Peer,
        /// Its address.
        from: SocketAddr,
        /// What is wrong with it.
        why: Invalid,
        /// Its first bytes.
        start: Vec<u8>,
    },
    /// A connection was closed against its peer's will.
    Dropped {
        /// Who it was.
        peer: Peer,
        /// Its address.
        from: SocketAddr,
        /// What it did, or failed to do.
        why: Reason,
    },
    /// Lines that were not written, because there were too many in their second.
    Withheld {
        /// How many.
        lines: u64,
    },
    /// The server closes all connections.
    Ending(Ending),
}

/// How loudly a report is to be told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Of interest when looking for a fault.
    Detail,
    /// Of interest to whoever runs the server.
    Notice,
    /// Somebody did something wrong.
    Warning,
}

/// How a connection ended by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The peer closed it behind a whole message.
    Closed,
    /// The peer closed it within a message.
    ClosedInMessage,
    /// It broke.
    Broken(io::ErrorKind),
}

/// Why somebody was not let in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    /// The limit on connections is reached.
    #[error("{0} agents are connected, as many as maxConnections allows")]
    Full(usize),
    /// There is a game master already.
    #[error("there is a game master already")]
    Taken,
    /// The server ends.
    #[error("the server is ending")]
    Ending,
    /// Every number that an agent's 32 bits can hold was given out once.
    #[error("no agent id is left")]
    NoIdLeft,
}

/// Why a message was dropped.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Invalid {
    /// A frame without a body.
    #[error("the frame is empty")]
    Empty,
    /// A body over the limit.
    #[error("the body has {length} bytes, more than maxMessageBytes allows ({limit})")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: u16,
    },
    /// A body that would be over the limit with the agent's id in it.
    #[error(
        "the body would have {length} bytes with the agent's id in it, more than maxMessageBytes allows ({limit})"
    )]
    TooLongWithId {
        /// The length it would have.
        length: usize,
        /// The limit.
        limit: u16,
    },
    /// A body that is no message.
    #[error(transparent)]
    NoMessage(#[from] EnvelopeError),
    /// A message that only the communication server itself may send.
    #[error("only the communication server says that an agent is lost")]
    Reserved,
    /// A message of the game master that names no agent.
    #[error("`agentID` does not say to whom it is to go")]
    NoAddressee,
}

/// Why a connection was closed against its peer's will.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Reason {
    /// No game master came.
    #[error("no game master came within {0:?}")]
    NoGm(Duration),
    /// It said nothing.
    #[error("it sent no message within {0:?}")]
    Silent(Duration),
    /// It began a message and did not end it.
    #[error("it began a message and did not end it within {0:?}")]
    HalfSent(Duration),
    /// It sent too many invalid messages.
    #[error("it sent {0} invalid messages, as many as maxInvalidMessages allows")]
    Invalid(u32),
    /// It reads too slowly.
    #[error("it reads too slowly: {0} bytes wait for it")]
    Slow(usize),
    /// It does not read at all.
    #[error("it read nothing for {0:?}")]
    Stalled(Duration),
    /// It was asked to close its end and did not.
    #[error("it did not close its end within {0:?}")]
    Lingering(Duration),
}

/// Why the server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Somebody asked it to.
    Stopped,
    /// The game master closed its connection behind a whole message: the game is over.
    GmLeft,
    /// The game master's connection broke, or had to be closed.
    GmLost,
}

impl Report {
    /// How loudly it is to be told.
    pub fn level(&self) -> Level {
        match self {
            Self::Connected { peer: Peer::Agent(_), .. } => Level::Detail,
            // Every agent closes its connection at the end of a game; what breaks is a loss.
            Self::Left { peer: Peer::Agent(_), how, .. } => match how {
                End::Closed => Level::Detail,
                End::ClosedInMessage | End::Broken(_) => Level::Notice,
            },
            Self::Dropped { why: Reason::Lingering(_), .. } => Level::Detail,
            Self::Connected { .. } | Self::Ending(Ending::Stopped | Ending::GmLeft) => Level::Notice,
            Self::Left { how: End::Closed, .. } => Level::Notice,
            _ => Level::Warning,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected { peer, from } => write!(f, "{peer} ({from}) connected"),
            Self::Left { peer, from, how } => write!(f, "{peer} ({from}) {how}"),
            Self::Refused { role, from, why } => write!(f, "{role} ({from}) was refused: {why}"),
            Self::Invalid { peer, from, why, start } => {
                write!(
                    f,
                    "{peer} ({from}) sent an invalid message, dropped: {why}; it begins \"{}\"",
                    start.escape_ascii()
                )
            }
            Self::Dropped { peer, from, why } => write!(f, "{peer} ({from}) was closed: {why}"),
            Self::Withheld { lines } => {
                write!(f, "{lines} more lines were not written: more than maxLogLinesPerSecond")
            }
            Self::Ending(ending) => write!(f, "{ending}: closing all connections"),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("closed its connection"),
            Self::ClosedInMessage => f.write_str("closed its connection within a message"),
            Self::Broken(kind) => write!(f, "lost its connection: {kind}"),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "stopped",
            Self::GmLeft => "the game master has left",
            Self::GmLost => "the game master is lost",
        })
    }
}

/// How many lines may still be caused by peers in this second.
#[derive(Debug)]
pub(super) struct Budget {
    lines_per_second: u32,
    left: u32,
    second: u64,
    withheld: u64,
}

impl Budget {
    pub(super) fn new(lines_per_second: u32) -> Self {
        Self { lines_per_second, left: lines_per_second, second: 0, withheld: 0 }
    }

    /// Whether one more line may be written now; counts those that may not.
    pub(super) fn take(&mut self, now: Duration) -> bool {
        if now.as_secs() != self.second {
            self.second = now.as_secs();
            self.left = self.lines_per_second;
        }
        let granted = self.left > 0;
        self.left -= u32::from(granted);
        self.withheld += u64::from(!granted);
        granted
    }

    /// Whether lines were withheld that nobody has been told of.
    pub(super) fn owes(&self) -> bool {
        self.withheld > 0
    }

    /// How many lines were withheld in seconds that are over; the count starts anew.
    pub(super) fn withheld(&mut self, now: Duration) -> Option<u64> {
        if self.withheld == 0 || now.as_secs() == self.second {
            return None;
        }
        Some(std::mem::take(&mut self.withheld))
    }
}

/// The names by which reports call a peer.
impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gm => f.write_str("game master"),
            Self::Agent(id) => write!(f, "agent {id}"),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gm => "a game master",
            Self::Agent => "an agent",
        })
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
