//! The game from outside: rules as tables, properties of random games, and whole games as text.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod allocations;
mod characters;
mod ends;
mod lively;
mod metrics;
mod playthrough;
mod properties;
mod rules;
mod situation;
