//! The strategies of this workspace, and programs and functions that play them.
//!
//! [`registry`] names them and mixes them into teams. Each strategy's module says in a few lines how it plays.
//! [`contest`] compares two of them, or one of them with your own. `loopback` hosts games in this process, `scripted`
//! has agents that misbehave.
//!
//! # Features
//!
//! `program` is on unless switched off: it adds the program, `loopback` and `scripted`, and with them a runtime and a
//! web server. To compare strategies of your own, take the crate with `default-features = false`.
//!
//! # What this crate does not do
//!
//! It knows no rules and, `scripted` aside, no protocol: a strategy sees what the SDK shows it. It runs no
//! tournaments.

pub mod arenas;
pub mod bound;
pub mod climber;
pub mod contest;
pub mod coordinated;
pub mod greedy;
pub mod idle;
pub mod liar;
#[cfg(feature = "program")]
pub mod loopback;
pub mod preset;
pub mod random;
pub mod registry;
#[cfg(feature = "program")]
pub mod scripted;
pub mod tactics;
