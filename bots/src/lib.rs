//! The strategies of this workspace, and programs and functions that play them.
//!
//! Each game has a module: [`project`] has strategies and registry of The Project Game, `dots`, `bricks`, `conveyor`
//! and `eriantys` those of the other games. `room` plays any of them by name, `budget` limits the cost of a decision.
//!
//! # Features
//!
//! `program` is on unless switched off: it adds the program, `project::loopback`, which hosts games in this process,
//! and `project::scripted`, which has agents that misbehave, and with them a runtime and a web server. `matches`
//! (likewise) adds `room`, `budget`, `dots`, `bricks`, `conveyor` and `eriantys`, and with them JSON and compression.
//! For strategies alone, take the crate with `default-features = false`; the crate `league` compares them with your
//! own.
//!
//! # What this crate does not do
//!
//! It knows no rules and, `project::scripted` aside, no protocol: a strategy sees what the SDK or the rules show it. It
//! runs no tournaments.

pub mod address;
pub mod notation;
pub mod project;

#[cfg(feature = "matches")]
pub mod bricks;
#[cfg(feature = "matches")]
pub mod budget;
#[cfg(feature = "matches")]
pub mod conveyor;
#[cfg(feature = "matches")]
pub mod dots;
#[cfg(feature = "matches")]
pub mod eriantys;
#[cfg(feature = "matches")]
mod policy_room;
#[cfg(feature = "matches")]
pub mod room;
