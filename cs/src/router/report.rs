//! Reports of the router to people: one value for each line of the log.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use game_env::Millis;
use thiserror::Error;
use wire::envelope::EnvelopeError;
use wire::foreign::Foreign;

use crate::router::{AgentNumber, Role};

/// An event that is worth a line in the log. [`fmt::Display`] makes the text of the line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Report {
    /// A peer connected and was admitted.
    Connected {
        /// The peer.
        name: Name,
        /// Its address.
        from: SocketAddr,
    },
    /// A peer ended its connection.
    Left {
        /// The peer.
        name: Name,
        /// Its address.
        from: SocketAddr,
        /// The end of the connection.
        how: End,
    },
    /// A peer connected and was refused.
    Refused {
        /// The role that it wanted.
        role: Role,
        /// Its address.
        from: SocketAddr,
        /// The reason for the refusal.
        why: Refusal,
    },
    /// A message was dropped.
    Invalid {
        /// The sender.
        name: Name,
        /// Its address.
        from: SocketAddr,
        /// The fault of the message.
        why: Invalid,
        /// Its first bytes.
        start: Vec<u8>,
    },
    /// A connection was closed against its peer's will.
    Dropped {
        /// The peer.
        name: Name,
        /// Its address.
        from: SocketAddr,
        /// The act or omission for which it was closed.
        why: Reason,
    },
    /// A connection to the game master's port waits behind another that may be the game master.
    Waits {
        /// Its address.
        from: SocketAddr,
        /// The address of the other.
        behind: SocketAddr,
    },
    /// A connection to the game master's port has been given messages of agents and has said nothing.
    Silent {
        /// Its address.
        from: SocketAddr,
        /// The time since it was given the messages.
        span: Millis,
    },
    /// A connection to the port for agents has sent nothing, and no game master is connected: it may be the game
    /// master.
    Mute {
        /// The peer.
        name: Name,
        /// Its address.
        from: SocketAddr,
        /// The time for which it has sent nothing.
        span: Millis,
        /// The port for the game master.
        gm_port: Option<u16>,
    },
    /// A connection to the game master's port has sent its first message: it is the game master.
    Confirmed {
        /// Its address.
        from: SocketAddr,
    },
    /// Lines that were not written, because there were too many in their second.
    Withheld {
        /// Number of lines.
        lines: u64,
    },
    /// The server closes all connections.
    Ending(Ending),
}

/// Name of a peer in a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// The game master.
    Gm,
    /// A connection to the game master's port that is not known to be the game master.
    Candidate,
    /// An agent.
    Agent(AgentNumber),
}

/// Level of a report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Of interest when looking for a fault.
    Detail,
    /// Of interest to the operator of the server.
    Notice,
    /// A peer did something wrong.
    Warning,
}

/// End of a connection by its peer or by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The peer closed it behind a whole message.
    Closed,
    /// The peer closed it within a message.
    ClosedInMessage,
    /// It broke.
    Broken(io::ErrorKind),
}

/// Reason why a peer was not admitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    /// The limit on connections is reached.
    #[error("{0} agents are connected, as many as maxConnections allows")]
    Full(usize),
    /// There is a game master already.
    #[error("there is a game master already")]
    Taken,
    /// As many connections as allowed wait to be the game master.
    #[error("{0} connections to the game master's port wait already")]
    TooManyWait(usize),
    /// The server ends.
    #[error("the server is ending")]
    Ending,
    /// Every number that an agent's 32 bits can hold was given out once.
    #[error("no agent id is left")]
    NoIdLeft,
}

/// Reason why a message was dropped.
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

/// Reason why a connection was closed against its peer's will.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Reason {
    /// No game master came.
    #[error("no game master came within {:?}", Duration::from(*.0))]
    NoGm(Millis),
    /// A connection to the game master's port got its message and did not answer.
    #[error("the game master said nothing within {:?}", Duration::from(*.0))]
    SilentGm(Millis),
    /// It sent nothing at all, as a game master does that waits for agents. The number is that of the port for the game
    /// master.
    #[error("it sent nothing within {:?}; {hint}", Duration::from(*.0), hint = gm_port(*.1))]
    SentNothing(Millis, Option<u16>),
    /// It did not ask to join.
    #[error("it sent no request to join within {:?}", Duration::from(*.0))]
    Silent(Millis),
    /// It said nothing, and another connection waits to be the game master.
    #[error(
        "it said nothing within {:?} after it was given messages of agents, and another connection waits",
        Duration::from(*.0)
    )]
    NoAnswer(Millis),
    /// Another connection is the game master.
    #[error("there is a game master already")]
    Taken,
    /// It is an agent, and this is the port of the game master. The number is that of the port for agents.
    #[error("it asks to join, as agents do, and this is the game master's port; {hint}", hint = agents_port(*.0))]
    IsAgent(Option<u16>),
    /// It began a message and did not end it.
    #[error("it began a message and did not end it within {:?}", Duration::from(*.0))]
    HalfSent(Millis),
    /// It began a message and did not end it, and the message is whole if the bytes of its length are swapped.
    #[error(
        "it announced a message of {announced} bytes and did not end it within {:?}; with the two bytes of its length \
         swapped it has {swapped} bytes: the length is little-endian, the low byte first",
        Duration::from(*.within)
    )]
    ByteOrder {
        /// The time within which it had to end.
        within: Millis,
        /// The announced length.
        announced: u16,
        /// The length with swapped bytes.
        swapped: u16,
    },
    /// It speaks another protocol, at the port for this role.
    #[error("it {}", .0.at(port_of(*.1)))]
    Foreign(Foreign, Role),
    /// Its first message is too long. Later messages that are too long are skipped.
    #[error(
        "its first message has {announced} bytes, and a first message has at most {limit}; hint: a message begins with \
         its length in two bytes, the low byte first{}",
        swapped(*announced, *limit)
    )]
    FirstTooLong {
        /// The announced length.
        announced: u16,
        /// The limit.
        limit: u16,
    },
    /// Its first message is invalid. Later invalid messages are dropped, up to the limit.
    #[error("its first message is invalid")]
    FirstInvalid,
    /// It sent too many invalid messages.
    #[error("it sent {0} invalid messages, as many as maxInvalidMessages allows")]
    Invalid(u32),
    /// It reads too slowly.
    #[error("it reads too slowly: {0} bytes wait for it")]
    Slow(usize),
    /// It does not read at all.
    #[error("it read nothing for {:?}", Duration::from(*.0))]
    Stalled(Millis),
    /// It was asked to close its end and did not.
    #[error("it did not close its end within {:?}", Duration::from(*.0))]
    Lingering(Millis),
}

/// Reason why the server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The operator asked the server to stop.
    Stopped,
    /// The game master closed its connection behind a whole message, after the end of the game (message 104), or when
    /// no agent was left.
    GmLeft,
    /// The game master closed its connection behind a whole message, agents were connected, and no message had said
    /// that the game is over. A game master that was killed looks like this too.
    GmLeftEarly,
    /// The game master's connection broke, or had to be closed.
    GmLost,
}

impl Report {
    /// Returns the level at which the report is logged.
    pub fn level(&self) -> Level {
        match self {
            Self::Connected { name: Name::Agent(_), .. } => Level::Detail,
            // Every agent closes its connection at the end of a game; a connection that breaks is a loss.
            Self::Left { name: Name::Agent(_), how, .. } => match how {
                End::Closed => Level::Detail,
                End::ClosedInMessage | End::Broken(_) => Level::Notice,
            },
            Self::Dropped { why: Reason::Lingering(_), .. } => Level::Detail,
            Self::Connected { .. } | Self::Waits { .. } | Self::Confirmed { .. } => Level::Notice,
            Self::Ending(Ending::Stopped | Ending::GmLeft) => Level::Notice,
            Self::Left { how: End::Closed, .. } => Level::Notice,
            _ => Level::Warning,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected { name, from } => write!(f, "{name} ({from}) connected"),
            Self::Left { name, from, how } => write!(f, "{name} ({from}) {how}"),
            Self::Refused { role, from, why } => write!(f, "{role} ({from}) was refused: {why}"),
            Self::Invalid { name, from, why, start } => {
                write!(
                    f,
                    "{name} ({from}) sent an invalid message, dropped: {why}; it begins \"{}\"",
                    start.escape_ascii()
                )
            }
            Self::Dropped { name, from, why } => write!(f, "{name} ({from}) was closed: {why}"),
            Self::Waits { from, behind } => write!(
                f,
                "a connection to the game master's port ({from}) waits: {behind} came first and may be the game master"
            ),
            Self::Silent { from, span } => write!(
                f,
                "a connection to the game master's port ({from}) has said nothing for {:?} after it was given \
                 messages of agents; is it a game master?",
                Duration::from(*span)
            ),
            Self::Mute { name, from, span, gm_port: port } => write!(
                f,
                "{name} ({from}) has sent nothing for {:?}, and no game master is connected; {}",
                Duration::from(*span),
                gm_port(*port)
            ),
            Self::Confirmed { from } => write!(f, "game master ({from}) has sent its first message"),
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
            Self::GmLeftEarly => "the game master has left, or was killed, before the game had ended",
            Self::GmLost => "the game master is lost",
        })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gm => f.write_str("game master"),
            Self::Candidate => f.write_str("a connection to the game master's port"),
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

impl fmt::Display for AgentNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// Returns the port that is for this role.
fn port_of(role: Role) -> &'static str {
    match role {
        Role::Agent => "the port for agents",
        Role::Gm => "the game master's port",
    }
}

/// Returns the length with its two bytes in the other order, if it may be meant.
fn swapped(announced: u16, limit: u16) -> String {
    match announced.swap_bytes() {
        length if length <= limit => format!("; in the other order they say {length}"),
        _ => String::new(),
    }
}

/// Returns the hint that names the port for game masters.
fn gm_port(port: Option<u16>) -> String {
    port_hint("a game master connects", port)
}

/// Returns the hint that names the port for agents.
pub(super) fn agents_port(port: Option<u16>) -> String {
    port_hint("agents connect", port)
}

/// `clause` is a subject and its verb, as in "agents connect".
fn port_hint(clause: &str, port: Option<u16>) -> String {
    match port {
        Some(port) => format!("hint: {clause} to port {port}"),
        None => format!("hint: {clause} to another port"),
    }
}
