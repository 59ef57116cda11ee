//! The rules of The Project Game as a pure value.
//!
//! Two teams carry pieces from the middle of a board to goals that nobody sees, in rows at either end that
//! only the own team may enter. Everybody acts at once; every action locks the agent for a while.
//! [`State`] holds the truth of one game and implements [`Environment`]: the network game master, rollouts
//! on a virtual clock, replays and tests all play by it.
//!
//! # What this crate does not do
//!
//! It knows no messages, ports or connections, reads no clock and writes no file, and it keeps no agent's
//! memory: what an agent makes of what it is told is the agent's business.
//!
//! # Example
//!
//! A situation is a few lines of text, so that one rule is one short test:
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
//! # Where to read on
//!
//! [`Config`] is what a host may choose, [`Action`] what an agent may ask, [`Event`] all that can happen,
//! [`notation`] how a board is written. The specification's open points and how they are decided have a
//! page each under the book's decisions.

pub mod action;
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
pub use crate::config::{Config, ConfigError, Fault, Penalties, RawConfig};
pub use crate::event::{Event, PutResult, Refusal};
pub use crate::geometry::{Area, Direction, Distance, Geometry, Position, Surroundings};
pub use crate::information::{GoalBelief, Information};
pub use crate::observation::{Briefing, Observation, Question};
pub use crate::piece::Piece;
pub use crate::preset::Preset;
pub use crate::setup::{Placement, Setup, SetupError};
pub use crate::state::State;
pub use crate::team::Team;

#[doc(no_inline)]
pub use game_env::Environment;
