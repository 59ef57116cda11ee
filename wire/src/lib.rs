//! The protocols of the games as bytes, text and JSON, sans-IO.
//!
//! Of The Project Game, [`frame`] splits a peer's byte stream into bodies, [`envelope`] reads a body: the agent, the
//! kind of message, and the payload as unchanged text, and [`project`] turns the payload into a value. [`bricks`] is
//! the protocol of Bricks, [`conveyor`] that of Conveyor, [`dots`] that of Dots & Boxes: text, which [`lines`] splits.
//! [`eriantys`] is the protocol of Eriantys, with one JSON object a line. [`agent`] is the protocol of an agent that is
//! a program, for all games. [`foreign`] recognises clients of other protocols, e.g. browsers, and [`host`] requests
//! over HTTP that are meant for another site.
//!
//! # What this crate does not do
//!
//! It opens no connection, reads no clock and waits for nothing.
//! It reads bytes from slices of any length and writes bytes into buffers of the caller.
//!
//! # Features
//!
//! None is on by default. `bricks`, `conveyor`, `dots` and `eriantys` add the protocols of these games.

#[cfg(feature = "bricks")]
pub mod bricks;

#[cfg(feature = "conveyor")]
pub mod conveyor;

#[cfg(feature = "dots")]
pub mod dots;

#[cfg(feature = "eriantys")]
pub mod eriantys;

pub mod agent;

mod descriptions;

pub mod foreign;

pub mod host;

pub mod frame;

pub mod lines;

pub mod token;

pub mod envelope;

pub mod project;
