//! The rules of Bricks as a pure value.
//!
//! Two players alternately put a brick of two cells, upright or lying, on two free neighbouring cells of a square
//! board. The player without a place for a brick loses. In the literature the game is called Cram.
//!
//! [`board`] is the geometry, [`state`] the rules, [`notation`] the game as text, [`metrics`] the figures of a game.
//!
//! # What this crate does not do
//!
//! It knows no messages and no programs of players, reads no clock (a driver says when a move was made), and does not
//! choose moves.
//!
//! # Example
//!
//! ```
//! use game_bricks::{Brick, Config, State};
//! use game_env::{Environment, RandomPolicy, Rollout, Seed};
//!
//! let config = Config::new(5)?.filled(["2x2".parse()?])?; // 5×5 cells, the one in the middle is filled
//! let mut state = State::new(&config, Seed::new(7));
//! let mut players = [1, 2].map(|seed| RandomPolicy::<Brick>::new(Seed::new(seed).game()));
//! let episode = Rollout::default().play(&mut state, &mut players, &mut ());
//! assert!(episode.steps <= 12);
//! assert!(episode.outcome.winner().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arrays;
pub mod board;
pub mod metrics;
pub mod notation;
pub mod state;

#[cfg(test)]
mod conformance;

pub use crate::board::{Board, Brick, Cell, Config, ConfigError};
pub use crate::state::{Event, Observation, Refusal, State};
