//! The SDK's tests.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

#[cfg(feature = "net")]
mod agent;
mod answers;
mod arrays;
mod blunders;
mod conversations;
mod forwarding;
mod knowing;
mod local;
mod nonsense;
mod paths;
mod piece_search;
mod pieces;
mod program;
mod refusals;
mod served;
mod situations;
mod talk;
#[cfg(feature = "net")]
mod watched;
