//! The rules of Dots & Boxes as a pure value.
//!
//! Two players draw edges between neighbouring dots of a grid, in turn. A player that draws the last edge around a box
//! owns it, and moves again. When all edges are drawn, the player with more boxes wins.
//!
//! This is the smallest whole game of the workspace: [`grid`] is the geometry, [`state`] the rules, [`notation`] the
//! game as text, [`metrics`] the figures of a game. A new game begins as a copy of these files.
//!
//! # What this crate does not do
//!
//! It knows no messages and no connections, keeps no clock (the game is one of turns without time), and does not choose
//! moves.
//!
//! # Example
//!
//! ```
//! use game_dots::{Config, Edge, State};
//! use game_env::{Environment, RandomPolicy, Rollout, Seed};
//!
//! let config = Config::new(3, 3)?; // 3×3 dots are 4 boxes
//! let mut state = State::new(&config, Seed::new(7));
//! let mut players = [1, 2].map(|seed| RandomPolicy::<Edge>::new(Seed::new(seed).game()));
//! let episode = Rollout::default().play(&mut state, &mut players, &mut ());
//! assert_eq!(episode.steps, 12);
//! assert_eq!(episode.outcome.returns.points().iter().sum::<i32>(), 4);
//! # Ok::<(), game_dots::ConfigError>(())
//! ```

pub mod arrays;
pub mod grid;
pub mod metrics;
pub mod notation;
pub mod state;

#[cfg(test)]
mod conformance;

pub use crate::grid::{Config, ConfigError, Dot, Edge};
pub use crate::state::{Event, Observation, Position, PositionError, Refusal, State};
