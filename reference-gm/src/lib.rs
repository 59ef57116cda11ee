//! The reference game master of The Project Game: it seats agents, owns the truth, and answers every request.
//!
//! [`master`] is all of it that decides anything, and touches neither sockets nor clocks: messages and
//! moments go in, frames and news come out. [`link`] moves the bytes between it and the communication
//! server, [`recorder`] writes the replay, [`console`] tells whoever watches and [`printer`] waits for them, [`keyboard`] reads what an
//! operator presses, [`signals`] hears that the program is to end, [`board`] joins it to
//! `viewer`, which shows the board.
//!
//! # What this crate does not do
//!
//! It knows no rules: those are `game-project`'s, and every request goes through them.
//! It reads and writes no message by itself: that is `wire`'s business.

pub mod master;

pub mod agent_set;
pub mod board;
pub mod config;
pub mod console;
pub mod keyboard;
pub mod link;
pub mod printer;
pub mod recorder;
pub mod signals;
pub mod whole_file;

pub use crate::agent_set::AgentSet;
pub use crate::master::{Input, Master, News, NotConfigured, Output, Settings};
