//! The server of Dots & Boxes: many games at once, over TCP, in the protocol of [`wire::dots`].
//!
//! [`master`] makes all decisions and uses neither sockets nor clocks nor files: its inputs are bytes and times, its
//! outputs bytes, records and ended games. [`crate::server`] moves the bytes, and [`crate::archive`] writes the
//! replays. The other modules:
//!
//! - [`config`] has every setting, [`config_txt`] reads the file of the original,
//! - [`record`] is what must be on disk before it is answered,
//! - [`page`] is the game's room on the page of the server, where people watch and play,
//! - [`bots`] starts the programs that play against clients that wait.
//!
//! # What this module does not do
//!
//! It contains no rules: [`game_dots::State`] decides about every move.

pub mod master;

pub mod bots;
pub mod config;
pub mod config_txt;
pub mod page;
pub mod record;

pub use self::config::{Config, PARAMETERS};
pub use self::master::{Ask, ConnectionId, Ended, Input, Master, Output, Settings};
pub use self::record::{GameId, Record};
