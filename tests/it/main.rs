//! Tests of the workspace as a whole.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes for tests only what is below a package's folder `tests`"
)]

mod book;
mod command_lines;
mod configuration;
mod console;
mod examples;
mod listings;
mod parity;
mod python;
mod registries;
mod rooms;
mod starter;
mod tidy;

/// The random agent that the game master's own tests play with.
#[path = "../../reference-gm/tests/it/agent.rs"]
#[allow(dead_code, reason = "its other manners are for the tests of the game master")]
mod random;
