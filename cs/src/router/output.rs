//! Outputs of the router: requests to the shell, and counts.

use super::peer::Peer;
use super::report::{Ending, Report};

/// A request to the shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// The connection that was just reported is this peer's.
    Admitted(Peer),
    /// The connection that was just reported is to be closed.
    Refused,
    /// Bytes wait for this peer: write them, until [`Router::pending`](super::Router::pending) is empty.
    Write(Peer),
    /// Nothing will be written to this peer after the pending bytes: write them, close this end, and wait for the peer
    /// to close its end, so that nothing on the way to it is lost.
    Finish(Peer),
    /// This peer's connection is to be closed at once.
    Drop(Peer),
    /// This peer is not to be read until [`Output::Resume`].
    Hold(Peer),
    /// This peer is to be read again.
    Resume(Peer),
    /// A report for people.
    Report(Report),
    /// Every connection has ended, and so does the server.
    Done(Ending),
}

/// Counts for people and for monitoring.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Agents connected now.
    pub agents: usize,
    /// Whether a game master is connected now.
    pub gm: bool,
    /// Bytes that wait now, to be written or to become whole messages; looked at with the deadlines.
    pub held_bytes: usize,
    /// Messages passed from agents to the game master.
    pub to_gm: u64,
    /// Messages passed from the game master to agents.
    pub to_agents: u64,
    /// Messages to agents that were not there (any more).
    pub undeliverable: u64,
    /// Invalid messages dropped.
    pub invalid: u64,
    /// Connections that were let in.
    pub admitted: u64,
    /// Connections that were not let in.
    pub refused: u64,
    /// Connections closed against their peer's will.
    pub dropped: u64,
}
