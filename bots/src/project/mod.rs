//! The Project Game: its strategies.
//!
//! [`registry`] names them and mixes them into teams. Each strategy's module says in a few lines how it plays.
//! The crate `league` compares them with each other, and with your own.

mod around;
pub mod asker;
pub mod climber;
pub mod coordinated;
pub mod greedy;
pub mod idle;
pub mod leader;
pub mod liar;
pub mod preset;
pub mod random;
pub mod registry;
pub mod scanner;
pub mod slip;
pub mod sweeper;
pub mod tactics;
pub mod think;

#[cfg(feature = "program")]
pub mod loopback;
pub mod parameters;
#[cfg(feature = "matches")]
pub(crate) mod room;
#[cfg(feature = "program")]
pub mod scripted;
