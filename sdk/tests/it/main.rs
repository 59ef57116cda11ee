//! The SDK's tests.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

#[cfg(feature = "net")]
mod agent;
mod answers;
mod blunders;
mod conversations;
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
#[cfg(feature = "net")]
mod watched;
