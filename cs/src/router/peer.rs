//! The ends of connections, and their numbers.

/// The number of an agent's connection: from 1 on, never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentNumber(pub(super) i32);

impl AgentNumber {
    /// Returns the number itself. It fits into the signed 32 bits in which real agents keep it.
    pub const fn get(self) -> i32 {
        self.0
    }
}

/// The number of a connection that is not, or not known to be, an agent's: from 1 on, never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub(super) u32);

/// One end of a connection that was let in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Peer {
    /// A connection to the game master's port.
    Gm(ConnectionId),
    /// An agent.
    Agent(AgentNumber),
    /// An agent that is refused. It receives the reason, and is to close its connection.
    Refused(ConnectionId),
}

/// The role that a peer wants, by the port it connected to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The game master.
    Gm,
    /// An agent.
    Agent,
}
