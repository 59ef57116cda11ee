//! The game from outside: rules as tables, a whole game as text, and exact values of small boards.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod allocations;
mod metrics;
mod playthrough;
mod rules;
mod values;
