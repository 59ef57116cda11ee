//! The server of Eriantys: many matches at once, over TCP, in the protocol of [`wire::eriantys`].
//!
//! [`master`] makes all decisions and uses neither sockets nor clocks nor files: its inputs are bytes and times, its
//! outputs bytes, records and ended matches. The other modules do the I/O:
//!
//! - [`config`] has every setting,
//! - [`record`] is what must be on disk before it is answered,
//! - [`archive`] writes the replays of matches that have ended,
//! - [`server`] moves bytes between sockets and the master,
//! - [`page`] is the game's room on the page of the server, where people watch and play,
//! - [`bots`] starts the programs that take free seats.
//!
//! # What this module does not do
//!
//! It contains no rules: [`game_eriantys::State`] decides about every choice.

pub mod master;

pub mod archive;
pub mod bots;
pub mod config;
pub mod page;
pub mod record;
pub mod server;

pub use self::config::{Config, PARAMETERS};
pub use self::master::{Ask, ConnectionId, Ended, Input, Master, Output, Settings};
pub use self::record::{MatchId, Record};
