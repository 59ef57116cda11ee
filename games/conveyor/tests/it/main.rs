//! The game from outside: rules as tables, and a whole game as text.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod allocations;
mod known;
mod playthrough;
mod rules;
