//! The common parts of servers: connections, the gate at which clients log in and ask, the loop that moves bytes
//! between connections and a master, and the page.
//!
//! A [`Master`] makes all decisions, and uses neither sockets nor clocks nor files. Its [`Gate`] has the connections:
//! the time that each has to log in, and the messages that each may send. The [`Protocol`] of a game reads and writes
//! its messages. [`Pings`] find players that are gone, an [`Owner`] decides whether a client may take a place again,
//! and [`Budgets`] and [`Idle`] limit the games of one address.
//!
//! [`Server::run`] takes all inputs that are there, hands them in, writes what must be on disk with one write, and only
//! then sends. Each connection has a task of its own that reads and writes, see [`connections`]; [`places`] limits the
//! number of connections. A server may have a [`Page`], on which people play: a person's client is local, and asks the
//! master with values. The [`Room`] of a game is its part of the page. [`bots`] are programs that are clients like
//! others.
//!
//! # What this module does not do
//!
//! It knows no game, no message and no rule of a protocol.

pub mod bots;
pub mod connections;
pub mod gate;
pub mod page;
pub mod places;

pub(crate) mod config;

mod allowance;
mod budgets;
mod idle;
mod owner;
mod pings;
mod run;

use std::fmt;

use game_env::{Notation, SimTime};
use thiserror::Error;
use wire::token::Token;

use crate::archive::{Archive, EndedGame, UnwrittenReplay};
use crate::journal;

pub use self::allowance::Allowance;
pub use self::budgets::{Budgets, Charge};
pub use self::config::ServerConfig;
pub use self::connections::ConnectionId;
pub use self::gate::{Delivery, Gate, Heard, Protocol};
pub use self::idle::Idle;
pub use self::owner::{NotAdmitted, Owner};
pub use self::page::{Page, Room};
pub use self::pings::{Pings, Pulse};
pub use self::places::Origin;
pub use self::run::{Limits, Server};

/// The number of games that no server comes to. Messages and replays can tell numbers up to twice this one.
const MOST_GAMES: u64 = 1 << 52;

/// The fault of a journal with a number from [`MOST_GAMES`] on.
const NO_SUCH_NUMBER: &str = "no server comes to such a number";

/// Returns the number after that of a game in a journal.
///
/// # Errors
///
/// If no server comes to such a number.
pub(crate) fn number_after(number: u64) -> Result<u64, &'static str> {
    if number < MOST_GAMES { Ok(number + 1) } else { Err(NO_SUCH_NUMBER) }
}

/// Checks the number of games of a journal, which is above those of its games: a server reserves some.
///
/// # Errors
///
/// If no server comes to such a number.
pub(crate) fn check_count(games: u64) -> Result<(), &'static str> {
    if games < 2 * MOST_GAMES { Ok(()) } else { Err(NO_SUCH_NUMBER) }
}

/// An input of a master. `A` is what a local client asks for.
#[derive(Clone, Debug)]
pub enum Input<'a, A> {
    /// A new connection of a remote client, from this origin.
    Connected(ConnectionId, Origin),
    /// Bytes come from a remote client, in pieces of any size.
    Received(ConnectionId, &'a [u8]),
    /// A new client in this process, for somebody of this origin: a person on the page. Its answers are
    /// [`Output::Tell`].
    Joined(ConnectionId, Origin),
    /// A local client asks for this.
    Asked(ConnectionId, A),
    /// A connection has ended, or was given up.
    Ended(ConnectionId),
    /// The moment of [`Master::wake_at`] has come.
    Tick,
    /// The server is to end.
    Stop,
}

/// A request of a local client: a message `R` of the protocol, or an action `A` of the game as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask<R, A> {
    /// The same as this message of a remote client.
    Request(R),
    /// The client's player does this.
    Play(A),
}

/// A request of a master to the shell, for records `R`, games `G` that have ended, and messages `N` to local clients.
#[derive(Clone, PartialEq, Debug)]
pub enum Output<R, G, N> {
    /// Write this down, before anything behind it is sent.
    Record(R),
    /// Send these bytes to a remote client.
    Send(ConnectionId, Vec<u8>),
    /// Tell a local client this.
    Tell(ConnectionId, N),
    /// Close a connection, after everything that was sent to it.
    Close(ConnectionId),
    /// Keep the replay of a game. A game that ended before its first move has nothing to show, and no replay.
    Ended(Box<G>),
    /// The server has ended. The last output.
    Done,
}

/// The inputs of a master.
pub type InputOf<'a, M> = Input<'a, <M as Master>::Ask>;

/// The outputs of a master.
pub type OutputOf<M> = Output<<M as Master>::Record, EndedGame<<M as Master>::Game>, <M as Master>::Notice>;

impl<R, G, N> From<Delivery<N>> for Output<R, G, N> {
    fn from(delivery: Delivery<N>) -> Self {
        match delivery {
            Delivery::Send(id, bytes) => Self::Send(id, bytes),
            Delivery::Tell(id, notice) => Self::Tell(id, notice),
            Delivery::Close(id) => Self::Close(id),
        }
    }
}

/// All decisions of a server.
pub trait Master {
    /// A change that must be on disk before it is answered.
    type Record: journal::Record + fmt::Debug;
    /// The game.
    type Game: Notation<Config: Send + fmt::Debug, Action: Send + fmt::Debug> + fmt::Debug + 'static;
    /// The counts of a server.
    type Totals: Clone + PartialEq + fmt::Debug;
    /// A request of a local client.
    type Ask: Send + fmt::Debug;
    /// A message to a local client.
    type Notice: fmt::Debug;

    /// Takes in what happened, `now` after the server began. Outputs are to be taken before the next input.
    fn handle(&mut self, now: SimTime, input: Input<'_, Self::Ask>);

    /// Returns the next output, or none until the next input.
    fn poll_output(&mut self) -> Option<OutputOf<Self>>;

    /// Returns when [`Input::Tick`] is due, if nothing else happens.
    fn wake_at(&self) -> Option<SimTime>;

    /// Returns whether a connection has logged in: until then, it gives its place to newcomers if there are no others.
    fn has_logged_in(&self, id: ConnectionId) -> bool;

    /// Returns the counts as they stand.
    fn totals(&self) -> Self::Totals;

    /// Returns the fewest records from which this master can be made again.
    fn snapshot(&self) -> Vec<Self::Record>;

    /// Writes the replays of games that ended when the process before could not write them any more. They are on disk
    /// when this method returns: the journal, from which they could be made again, may then be replaced.
    ///
    /// # Errors
    ///
    /// Fails at the first replay that cannot be written.
    fn archive_past(&mut self, archive: &Archive<Self::Game>) -> Result<(), UnwrittenReplay> {
        while let Some(output) = self.poll_output() {
            if let Output::Ended(game) = output {
                archive.keep_now(&game)?;
            }
        }
        Ok(())
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
