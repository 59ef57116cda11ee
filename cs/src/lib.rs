//! The communication server: passes messages between agents on one port and the game master on another.
//!
//! Each connection of an agent gets its own number, which the server never uses again. The server writes this
//! number as `agentID` into every message from the agent to the game master. It sends each message of the game
//! master to the agent that the message's `agentID` names.
//!
//! # What this crate does not do
//!
//! It does not know the game and never reads a payload: it checks that a message is JSON, and which agent it
//! belongs to. It does not reconnect. No bytes from a socket stop it, or let its memory grow past the limits of
//! its [`Config`](config::Config).
//!
//! # Where to read on
//!
//! [`router`] makes all decisions and uses no socket; [`server`] moves the bytes and makes no decisions.

pub mod config;
pub mod router;
pub mod server;

mod crowd;

pub mod log;
pub mod metrics;
pub mod status;
