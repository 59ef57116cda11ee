//! The board that people look at: the page, and the feed from which it draws everything.
//!
//! [`feed`] turns a game into messages, [`recording`] a replay into all of them at once, [`page`] holds the files
//! of the page and makes one self-contained file of them. Of a game that is hosted, [`event_queue`] takes over what
//! happens without ever delaying it, [`spectator`] makes messages of that, and [`server`] shows them to whoever
//! [`guard`] lets in.
//!
//! # What this crate does not do
//!
//! It draws nothing: that is the page's business, in `viewer/page`. It decides nothing about a game, and knows
//! of the game master only what [`host`] asks for.

pub mod feed;
pub mod page;
pub mod recording;

pub mod document;
pub mod names;

pub mod event_queue;
pub mod guard;
pub mod host;
mod port;
pub mod server;
pub mod spectator;
