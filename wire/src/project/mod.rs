//! The messages of The Project Game (specification, section 6), typed.
//!
//! An agent sends [`Request`]s and receives [`Notice`]s; the communication server reports lost agents to the game
//! master ([`lost_agent`]).
//! Output has three [`Dialect`]s. Input has none: [`from_wire`] reads the messages of all known implementations.
//! [`catalogue`] describes every message once; the book's reference and the JSON Schemas are generated from it.
//!
//! [`envelope`](crate::envelope) reads the parts around a payload. Here the ids of agents are the communication
//! server's ([`AgentNumber`]), in a game they are the game's. [`Action`](game_project::Action) and [`Notice`] are
//! generic over them; [`convert`] makes notices of events and turns numbers into a game's agents.

pub mod agent;
pub mod catalogue;
pub mod convert;
pub mod from_wire;
pub mod notice;
pub mod quirks;
pub mod request;
pub mod schema;
pub mod to_wire;

mod fields;

use std::fmt;

pub use self::convert::Seats;
pub use self::from_wire::{AsWritten, DecodeError, lost_agent, read_notice, read_request};
pub use self::notice::{GameStart, Notice, OffBoard, PickUpFailure, Players, PutFailure, shown_reason};
pub use self::quirks::{Habit, habit};
pub use self::request::Request;
pub use self::to_wire::{Writer, write_lost_agent};

/// The number by which the communication server knows an agent's connection: `agentID` on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentNumber(pub i64);

impl fmt::Display for AgentNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Form of messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// As the specification has it.
    #[default]
    Spec,
    /// The form that four implementations of 2020 accept at once: more keys, and penalties as decimal strings.
    Union,
    /// The keys of both, and penalties as whole numbers: readers of either one that ignore unknown keys understand it,
    /// unless they need strings.
    Both,
}

game_env::words! { Dialect, "dialect": Spec = "spec", Union = "union", Both = "both" }

impl Dialect {
    /// Returns whether messages have the keys that only other implementations read.
    pub const fn has_keys_of_others(self) -> bool {
        !matches!(self, Self::Spec)
    }

    /// Returns whether refusals give a reason.
    pub const fn gives_reasons(self) -> bool {
        !matches!(self, Self::Union)
    }
}
