//! The hosts of games: the reference game master of The Project Game, which admits agents, holds the true state and
//! answers requests, the referee of Bricks ([`bricks`]), board and controller of Conveyor ([`conveyor`]), and the servers of Dots
//! & Boxes ([`dots`]) and of Eriantys ([`eriantys`]).
//!
//! [`master`] makes all decisions and uses neither sockets nor clocks: its inputs are messages and times, its
//! outputs are frames and events. The other modules do the I/O:
//!
//! - [`link`] moves bytes between the master and the communication server,
//! - [`connections`] moves bytes between clients and a server with one loop, [`server`] is that of servers of games of turns,
//! - [`places`] limits the number of connections, also those of one address,
//! - [`journal`] is the file of what such a server has answered, [`archive`] writes its replays,
//! - [`recorder`] writes the replay of any game; [`players`] says who plays,
//! - [`console`] writes lines for the operator, and [`printer`] prints them without delaying the game,
//! - [`keyboard`] reads the operator's keys, and [`signals`] the signals that end the program,
//! - [`page`] connects the master to the crate `viewer`, which serves the game page.
//!
//! # What this crate does not do
//!
//! It contains no rules: the crates of the games decide about every request.
//! It contains no message formats: the crate `wire` reads and writes all messages.

pub mod master;

pub mod agent_set;
pub mod archive;
pub mod bricks;
pub mod config;
pub mod connections;
pub mod console;
pub mod conveyor;
pub mod dots;
pub mod eriantys;
pub mod journal;
pub mod keyboard;
pub mod link;
pub mod page;
pub mod places;
pub mod players;
pub mod printer;
pub mod recorder;
pub mod server;
pub mod signals;

pub use crate::agent_set::AgentSet;
pub use crate::master::{Input, Master, News, NotConfigured, Output, Settings};
