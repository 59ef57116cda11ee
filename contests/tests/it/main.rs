//! The tests of contests.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod compare;
mod strength;
