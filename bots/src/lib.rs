//! The strategies that are shipped, and what is needed to play them.
//!
//! [`registry`] names them and mixes them into teams. Each strategy's module says in a few lines how it plays.
//! [`loopback`] hosts games in this process, [`scripted`] has agents that misbehave.
//!
//! # What this crate does not do
//!
//! It knows no rules and, [`scripted`] aside, no protocol: a strategy sees what the SDK shows it. It runs no
//! tournaments.

pub mod arenas;
pub mod bound;
pub mod climber;
pub mod contest;
pub mod coordinated;
pub mod craft;
pub mod greedy;
pub mod idle;
pub mod liar;
pub mod loopback;
pub mod preset;
pub mod random;
pub mod registry;
pub mod scripted;
