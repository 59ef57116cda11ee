//! Bytes and JSON of the game protocol, without a socket in sight.
//!
//! A peer's byte stream is cut into bodies by [`frame`], a body is read as an [`envelope`]: who, which
//! message, and a payload that stays the text it came as. [`project`] makes the payload a value.
//!
//! # What this crate does not do
//!
//! It opens no connection, reads no clock and waits for nothing.
//! Bytes go in as slices in whatever pieces they came, bytes come out in buffers of the caller.

pub mod frame;

pub mod envelope;

pub mod project;
