//! The SDK's tests.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

#[cfg(feature = "net")]
mod agent;
mod answers;
mod blunders;
mod conversations;
mod dots;
mod eriantys;
mod forwarding;
mod hunting;
mod knowing;
mod local;
mod nav;
mod nonsense;
mod pieces;
mod refusals;
mod situations;
mod talk;
mod trying;
#[cfg(feature = "net")]
mod watched;
