//! Frames, envelopes and messages as their users see them.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod agent_conversation;
mod agent_program;
mod agent_protocol;
mod bricks;
mod convert;
mod conveyor;
mod dots;
mod envelope;
mod eriantys;
mod frame;
mod messages;
mod peers;
mod schemas;
