//! The server of Dots & Boxes: many games at once, over TCP, in the protocol of [`wire::dots`].
//!
//! [`master`] makes all decisions and uses neither sockets nor clocks nor files: its inputs are bytes and times, its
//! outputs bytes, records and ended games. The other modules do the I/O:
//!
//! - [`config`] has every setting, [`config_txt`] reads the file of the original,
//! - [`record`] is what must be on disk before it is answered; [`journal`] is the file of it,
//! - [`archive`] writes the replays of games that have ended,
//! - [`server`] moves bytes between sockets and the master,
//! - [`page`] is the game's room on the page of the server, where people watch and play,
//! - [`bots`] starts the programs that play against clients that wait.
//!
//! # What this module does not do
//!
//! It contains no rules: [`game_dots::State`] decides about every move.

pub mod master;

pub mod archive;
pub mod bots;
pub mod config;
pub mod config_txt;
pub mod journal;
pub mod page;
pub mod record;
pub mod server;

pub use self::config::{Config, PARAMETERS};
pub use self::master::{Ask, ConnectionId, Ended, Input, Master, Output, Settings};
pub use self::record::{GameId, Record};
