//! What the shell reports to the router.

use std::net::SocketAddr;

use super::peer::{Peer, Role};

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Somebody connected. Answered by [`Output::Admitted`](super::Output::Admitted) or [`Output::Refused`](super::Output::Refused).
    Connected {
        /// To the port of whom.
        role: Role,
        /// From where.
        from: SocketAddr,
    },
    /// Bytes arrived.
    Received {
        /// From whom.
        peer: Peer,
        /// As they came, messages split and merged in any way.
        bytes: &'a [u8],
    },
    /// A connection took the first bytes of [`Router::pending`](super::Router::pending).
    Written {
        /// Whose connection.
        peer: Peer,
        /// How many bytes.
        bytes: usize,
    },
    /// A connection ended; the shell has forgotten it.
    Ended {
        /// Whose connection.
        peer: Peer,
        /// What the connection reported, if it did not just end.
        error: Option<std::io::ErrorKind>,
    },
    /// Time has passed, perhaps past [`Router::wake_at`](super::Router::wake_at).
    Tick,
    /// The server is to end.
    Stop,
}
