//! The rules of Eriantys as a pure value.
//!
//! Two to four players move students of five colours to a ring of islands and to their own dining rooms. The player
//! with the most students of a colour in the dining room gets its professor. When Mother Nature comes to an island, the
//! side with the most influence there gets the island: students of its own professors and its own towers count. The
//! owner builds a tower on each island, and neighbouring islands of one owner merge. The side that has the fewest
//! towers left at the end wins. Four players are two teams of two. The expert game adds coins and three of twelve
//! characters.
//!
//! A round is a planning phase, in which each player plays an assistant in turn, and an action phase, in which each
//! player moves students, then Mother Nature, and takes the students of a cloud.
//!
//! Everything on the table is public; only the order of the bag is hidden. So an [`Observation`] is the whole
//! [`Table`], and [`State::resume`] continues from a table with another source of chance: a strategy can look ahead in
//! this way.
//!
//! # The modules
//!
//! | module | content |
//! |---|---|
//! | [`config`] | players, mode, characters |
//! | [`students`] | colours, and counts of students |
//! | [`assistant`] | the ten assistants, and hands of them |
//! | [`character`] | the twelve characters, and how they are played |
//! | [`action`] | the requests of players, and the reasons of refusals |
//! | [`table`] | the table, and the actions that are legal there |
//! | [`state`] | the rules that change the table, and their events |
//! | [`notation`] | the game as text |
//! | [`arrays`] | the game as arrays of numbers |
//! | [`metrics`] | the figures of a game |
//!
//! # What this crate does not do
//!
//! It knows no messages and no connections, neither names nor wizards, and does not choose moves. It has no clock.
//!
//! # Example
//!
//! ```
//! use game_env::{Environment, RandomPolicy, Rollout, Seed};
//! use game_eriantys::{Action, Config, State};
//!
//! let config = Config::new(2, true)?; // two players, expert
//! let mut state = State::new(&config, Seed::new(7));
//! let mut players = [1, 2].map(|seed| RandomPolicy::<Action>::new(Seed::new(seed).game()));
//! let episode = Rollout::default().play(&mut state, &mut players, &mut ());
//! let towers = state.table().towers_left;
//! assert_eq!(episode.outcome.returns.points(), [8 - i32::from(towers[0]), 8 - i32::from(towers[1])]);
//! # Ok::<(), game_eriantys::ConfigError>(())
//! ```

pub mod action;
pub mod arrays;
pub mod assistant;
pub mod character;
pub mod config;
pub mod metrics;
pub mod notation;
pub mod state;
pub mod students;
pub mod table;

#[cfg(test)]
mod conformance;

pub use crate::action::{Action, Refusal};
pub use crate::assistant::{Assistant, Hand};
pub use crate::character::{Character, Exchange, Play};
pub use crate::config::{Config, ConfigError};
pub use crate::state::{Event, Observation, State};
pub use crate::students::{Color, Students};
pub use crate::table::{Card, CloudId, Effect, Island, IslandId, Phase, School, Scoring, Table};
