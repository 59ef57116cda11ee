//! The rules of Conveyor as a pure value.
//!
//! Two players look for their homes on a board that they do not see. Player 0 (KITTEH in the protocol) steps one field
//! up, down, left or right; player 1 (SUPERCAT) turns, or goes one to three fields ahead. If a player lands on a hint
//! field, it learns the direction of its home. A conveyor carries a player that lands on its start to its end, and
//! turns player 1 to a random direction; the player is not informed. The first player on its own home wins. Requests
//! are served as they come; there are no turns.
//!
//! [`board`] is the geometry and the set-up, [`state`] the rules, [`notation`] the game as text, [`metrics`] the
//! figures of a game. [`known`] is a game as its controller knows it.
//!
//! # What this crate does not do
//!
//! It knows no messages and no connections, and does not choose moves.
//!
//! # Example
//!
//! ```
//! use game_conveyor::{Action, Config, State};
//! use game_env::{Environment, RandomPolicy, Rollout, Seed};
//!
//! let config = Config::new(4, 3)?; // as few hints as the rules allow, no conveyor
//! let mut state = State::new(&config, Seed::new(7));
//! let mut players = [1, 2].map(|seed| RandomPolicy::<Action>::new(Seed::new(seed).game()));
//! let episode = Rollout::default().play(&mut state, &mut players, &mut ());
//! let winner = episode.outcome.winner().expect("somebody comes home");
//! assert_eq!(state.place(winner.index()), state.board().home(winner.index()));
//! # Ok::<(), game_conveyor::ConfigError>(())
//! ```

pub mod arrays;
pub mod board;
pub mod known;
pub mod metrics;
pub mod notation;
pub mod state;

#[cfg(test)]
mod conformance;

pub use crate::board::{Board, Config, ConfigError, Direction, Field, Place};
pub use crate::state::{Action, Answer, Event, Observation, Refusal, State, Steps};
