//! Sessions with servers that are only messages.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

#[cfg(feature = "net")]
mod agent;
mod dots;
mod eriantys;
mod invalid;
mod trying;
