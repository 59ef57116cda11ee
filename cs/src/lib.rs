//! The communication server: a relay between agents on one port and the game master on another.
//!
//! Every agent's connection gets a number of its own, never used again, and that number stands under
//! `agentID` in whatever the game master reads from it. What the game master writes goes to the agent whose
//! number it names.
//!
//! # What this crate does not do
//!
//! It knows nothing of the game and never reads a payload: of a message it sees that it is JSON, whose it is,
//! and nothing more. It reconnects to nobody. Nothing that arrives on a socket stops it, and nothing that
//! arrives grows its memory past the limits of its [`Config`](config::Config).
//!
//! # Where to read on
//!
//! [`router`] decides everything and touches no socket; [`server`] moves the bytes and decides nothing.

pub mod config;
pub mod router;
pub mod server;

pub mod log;
pub mod metrics;
pub mod status;
