//! The game master of The Project Game: it admits agents, holds the true state and answers requests.
//!
//! [`master`] makes all decisions and uses neither sockets nor clocks: its inputs are messages and times, its
//! outputs are frames and events. The other modules do the I/O:
//!
//! - [`config`] holds the configuration and where each of its values comes from,
//! - [`link`] moves bytes between the master and the communication server,
//! - [`console`] writes lines for the operator,
//! - [`page`] connects the master to the crate `viewer`, which serves the game page,
//! - [`players`] names the players for replays, console and page.

pub mod agent_set;
pub mod config;
pub mod console;
pub mod link;
pub mod master;
pub mod page;
pub mod players;

pub use self::agent_set::AgentSet;
pub use self::master::{Input, Master, News, NotConfigured, Output, Settings};
