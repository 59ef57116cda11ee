//! Functions of the program `bots`, which plays the strategies of this workspace, for tests and other programs.
//!
//! [`project`] hosts games of The Project Game in this process (`loopback`), has agents that misbehave (`scripted`),
//! and the parameters of an agent's file (`parameters`). [`address`] reads names and addresses of hosts.
//!
//! # What this crate does not do
//!
//! It has no strategies: they are in the crate `strategies`. It runs no tournaments: the crate `league` does.

pub mod address;
pub mod project;
