//! The strategies' tests.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod agent_protocol;
mod arrays;
mod decisions;
mod leader;
mod meanings;
mod own_strategies;
mod parameters;
mod recorded_games;
mod solvers;
