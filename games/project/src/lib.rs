//! The rules of The Project Game as a pure value.
//!
//! Two teams carry pieces from the middle of a board to hidden goals in rows at either end. Only the team that
//! owns these rows may enter them. Agents do not take turns; every action locks the agent for a while.
//! [`State`] is the true state of one game and implements [`Environment`]: the network game master, rollouts on
//! a virtual clock, replays and tests all use it.
//!
//! # What this crate does not do
//!
//! It knows no messages, ports or connections, reads no clock and writes no file. The state does not keep the knowledge
//! or the beliefs of agents: agents do that themselves, and [`beliefs`] follows them for spectators.
//!
//! # Example
//!
//! A situation is a few lines of text, so a test of one rule is short:
//!
//! ```
//! use game_env::{AgentId, Environment, Seed, SimTime};
//! use game_project::{Action, Direction, Event, State};
//!
//! let mut state = State::from_board(
//!     "g    . .
//!      R0+p . .
//!      .    . B1",
//!     Seed::new(7),
//! )?;
//! let mut events = Vec::new();
//! state.step(SimTime::from_millis(0), AgentId::new(0), Action::Move(Direction::North), &mut events);
//! state.step(SimTime::from_millis(1500), AgentId::new(0), Action::Put, &mut events);
//! let told: Vec<String> = events.iter().map(|(_, event)| event.to_string()).collect();
//! assert_eq!(told[1], "#0 put on-goal");
//! assert_eq!(told.last().map(String::as_str), Some("over red normal 1:0"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Further reading
//!
//! [`Config`] holds the parameters that a host may choose, [`Action`] lists the requests of agents, [`Event`] the
//! events, and [`notation`] describes boards as text. The book's decisions have a page for each open point of the
//! specification.

pub mod action;
pub mod arrays;
pub mod beliefs;
pub mod claims;
pub mod config;
pub mod event;
pub mod geometry;
pub mod information;
pub mod nearest;
pub mod notation;
pub mod observation;
pub mod piece;
pub mod policy;
pub mod preset;
pub mod profile;
pub mod setup;
pub mod statistics;
pub mod team;

mod board;
mod cooldown;
mod rules;
mod state;

#[cfg(test)]
mod conformance;

pub use crate::action::{Action, ActionKind};
pub use crate::config::{Config, Penalties, RawConfig};
pub use crate::event::{Event, Lock, PutResult, Refusal};
pub use crate::geometry::{Area, Direction, Distance, Geometry, Position, Surroundings};
pub use crate::information::{GoalBelief, Information};
pub use crate::observation::{Briefing, Observation, Question};
pub use crate::piece::Piece;
pub use crate::preset::Preset;
pub use crate::setup::{Placement, Setup, SetupError};
pub use crate::state::State;
pub use crate::team::Team;
pub use game_env::{ConfigError, Fault};

#[doc(no_inline)]
pub use game_env::Environment;
