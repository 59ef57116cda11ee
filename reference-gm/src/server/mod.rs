//! The common parts of servers of games of turns: the surface of their masters, and the loop that moves bytes between
//! connections and a master.
//!
//! A [`Master`] makes all decisions, and uses neither sockets nor clocks nor files. [`Server::run`] takes all inputs that
//! are there, hands them in, writes what must be on disk with one write, and only then sends. Each connection has a task
//! of its own that reads and writes, see [`connections`]. A server may have a [`Page`], on which
//! people play who are clients like others, and [`bots`], programs that are clients like others too.
//!
//! # What this module does not do
//!
//! It knows no game, no message and no rule of a protocol.

pub mod bots;
pub mod connections;
pub mod places;

mod allowance;
mod budgets;
mod forms;
mod idle;
mod run;

use std::fmt;

use game_env::SimTime;
use thiserror::Error;
use wire::token::Token;

use crate::archive::{Archive, Replayable};
use crate::journal;

pub use self::allowance::Allowance;
pub use self::budgets::Budgets;
pub use self::connections::ConnectionId;
pub(crate) use self::forms::{ADDRESS, ANY, CONNECTIONS_OF_ADDRESS, FOLDER, LOG, SEED};
pub use self::idle::Idle;
pub use self::places::Origin;
pub use self::run::{ClientAction, Limits, LocalConnector, NoPage, Page, Server};

/// An input of a master.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A new connection from this origin.
    Connected(ConnectionId, Origin),
    /// Bytes come from a connection, in pieces of any size.
    Received(ConnectionId, &'a [u8]),
    /// A connection has ended, or was given up.
    Ended(ConnectionId),
    /// The moment of [`Master::wake_at`] has come.
    Tick,
    /// The server is to end.
    Stop,
}

/// A request of a master to the shell, for records `R` and games `G` that have ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Output<R, G> {
    /// Write this down, before anything behind it is sent.
    Record(R),
    /// Send these bytes.
    Send(ConnectionId, Vec<u8>),
    /// Close a connection, after everything that was sent to it.
    Close(ConnectionId),
    /// Keep the replay of a game. A game that ended before its first move has nothing to show, and no replay.
    Ended(Box<G>),
    /// The server has ended. The last output.
    Done,
}

/// All decisions of a server.
pub trait Master {
    /// A change that must be on disk before it is answered.
    type Record: journal::Record + fmt::Debug;
    /// A game that has ended: all that a replay needs.
    type Ended: Replayable + fmt::Debug;
    /// The counts of a server.
    type Totals: Clone + PartialEq + fmt::Debug;

    /// Takes in what happened, `now` after the server began. Outputs are to be taken before the next input.
    fn handle(&mut self, now: SimTime, input: Input<'_>);

    /// The next thing to do.
    fn poll_output(&mut self) -> Option<Output<Self::Record, Self::Ended>>;

    /// When [`Input::Tick`] is due, if nothing else happens.
    fn wake_at(&self) -> Option<SimTime>;

    /// Whether a connection has logged in: until then, it gives its place to newcomers if there are no others.
    fn has_logged_in(&self, id: ConnectionId) -> bool;

    /// The counts as they stand.
    fn totals(&self) -> Self::Totals;

    /// The fewest records from which this master can be made again.
    fn snapshot(&self) -> Vec<Self::Record>;

    /// Writes the replays of games that ended when the process before could not write them any more. They are on disk when
    /// this method returns: the journal, from which they could be made again, may then be replaced.
    fn archive_past(&mut self, archive: &Archive<Self::Ended>) {
        while let Some(output) = self.poll_output() {
            if let Output::Ended(game) = output {
                archive.keep_now(&game);
            }
        }
    }
}

/// Draws tokens that nobody can guess.
pub type DrawToken = Box<dyn FnMut() -> Token + Send>;

/// A record that does not follow from those before it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("record {number}, `{record}`: {why}")]
pub struct RestoreError<R> {
    /// Its number, from 1.
    pub number: usize,
    /// The record.
    pub record: R,
    /// The fault.
    pub why: &'static str,
}
