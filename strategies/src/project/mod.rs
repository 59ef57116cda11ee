//! The strategies of The Project Game.
//!
//! [`registry`] names them and mixes them into teams. Each strategy's module describes its play in a few lines.

mod around;
pub mod asker;
pub mod climber;
pub mod coordinated;
pub mod greedy;
pub mod idle;
pub mod leader;
pub mod liar;
pub mod random;
pub mod registry;
#[cfg(feature = "matches")]
pub mod room;
pub mod scanner;
pub mod slip;
pub mod sweeper;
pub mod tactics;
pub mod think;
