//! Entrants that are programs: a command in the place of the name of a strategy.
//!
//! A [`Command`] is the text of such an entrant. [`Programs`] starts it, and an agent that the program plays speaks the
//! [agent protocol](wire::agent). [`Processes`] starts programs as child processes of this one, and [`measured`] says
//! whether this machine was fast enough for a match in which the time of decisions is limited.
//!
//! # What this module does not do
//!
//! It knows no game: a room writes observations and reads actions.

mod command;
mod either;
#[cfg(feature = "programs")]
mod measured;
mod policy;
#[cfg(feature = "programs")]
mod processes;
mod recorded;

use std::fmt;

use wire::agent::Peer;

pub use self::command::{Command, has_programs};
pub(crate) use self::either::Either;
#[cfg(feature = "programs")]
pub use self::measured::measured;
pub use self::policy::{Program, ProgramMessage};
#[cfg(feature = "programs")]
pub use self::processes::Processes;
pub use self::recorded::RecordedError;
pub(crate) use self::recorded::recorded;

/// Starts programs for the agents of a match.
pub trait Programs: Send + Sync + fmt::Debug {
    /// Returns a program that nobody else uses until it is given back. If it cannot be started, its first exchange says
    /// so.
    fn start(&self, command: &Command) -> Box<dyn Peer>;

    /// Takes the report of the first program since the last call that could not begin its game, if any: its fault, and
    /// the end of its standard error. A league counts such a game as lost; an author has no use for more of them.
    fn take_unready(&self) -> Option<String> {
        None
    }
}
