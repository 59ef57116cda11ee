//! What the crate promises to those who write and play games, on games made for the purpose.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod conformance;
mod matches;
mod replay;
mod rollout;
mod vault;
mod witness;
