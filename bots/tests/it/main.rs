//! The bots' tests.

mod decisions;
mod strength;
