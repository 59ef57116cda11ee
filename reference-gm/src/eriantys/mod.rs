//! The server of Eriantys: many matches at once, over TCP, in the protocol of [`wire::eriantys`].
//!
//! [`master`] makes all decisions and uses neither sockets nor clocks nor files: its inputs are bytes and times, its
//! outputs bytes, records and ended matches. [`crate::server`] moves the bytes, and [`crate::archive`] writes the
//! replays. The other modules:
//!
//! - [`config`] has every setting,
//! - [`record`] is what must be on disk before it is answered,
//! - [`page`] is the game's room on the page of the server, where people watch and play,
//! - [`bots`] starts the programs that take free seats.
//!
//! # What this module does not do
//!
//! It contains no rules: [`game_eriantys::State`] decides about every choice.

pub mod master;

pub mod bots;
pub mod config;
pub mod page;
pub mod record;

pub use self::config::{Config, PARAMETERS};
pub use self::master::{Ask, ConnectionId, Ended, Input, Master, Output, Settings};
pub use self::record::{MatchId, Record};
