//! Inputs of the router: everything that the shell reports to it.

use std::net::SocketAddr;

use super::peer::{Peer, Role};

/// An event at the server's sockets or clock.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A peer connected. Answered by [`Output::Admitted`](super::Output::Admitted) or
    /// [`Output::Refused`](super::Output::Refused).
    Connected {
        /// The role of the port that it connected to.
        role: Role,
        /// Its address.
        from: SocketAddr,
    },
    /// Bytes arrived.
    Received {
        /// The sender.
        peer: Peer,
        /// As they came, messages split and merged in any way.
        bytes: &'a [u8],
    },
    /// A connection took the first bytes of [`Router::pending`](super::Router::pending).
    Written {
        /// The peer of the connection.
        peer: Peer,
        /// Number of bytes.
        bytes: usize,
    },
    /// A connection ended; the shell has forgotten it.
    Ended {
        /// The peer of the connection.
        peer: Peer,
        /// The error of the connection; none if it just ended.
        error: Option<std::io::ErrorKind>,
    },
    /// Time has passed, perhaps past [`Router::wake_at`](super::Router::wake_at).
    Tick,
    /// The server is to end.
    Stop,
}
