//! The bots' tests.

mod decisions;
