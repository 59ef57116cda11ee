//! The promises of the crate to authors and players of games, checked on games made for the purpose.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod conformance;
mod follow;
mod matches;
mod replay;
mod rollout;
mod seat;
mod vault;
mod witness;
