//! The Project Game: its strategies, and what is needed to compare them.
//!
//! [`registry`] names them and mixes them into teams. Each strategy's module says in a few lines how it plays.
//! [`contest`] compares two of them, or one of them with your own.

pub mod arenas;
pub mod bound;
pub mod climber;
pub mod contest;
pub mod coordinated;
pub mod greedy;
pub mod idle;
pub mod liar;
pub mod preset;
pub mod random;
pub mod registry;
pub mod tactics;

#[cfg(feature = "matches")]
pub(crate) mod room;
