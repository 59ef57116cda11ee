//! Frames and envelopes as their users see them.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod envelope;
mod frame;
