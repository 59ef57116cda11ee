//! Tests of the workspace as a whole.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod parity;
mod simulation;
mod tidy;
