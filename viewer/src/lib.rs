//! The game page: a web page that shows a game, its server, and the feed from which the page draws everything.
//!
//! [`feed`] turns a game into messages, [`recording`] a replay into all of them at once, [`page`] holds the files
//! of the page and makes one self-contained file of them. [`room`] lists the games that can be shown; a small game is shown by
//! whole pictures ([`picture`]). [`mod@matches`] shows live matches of any game, and lets people play in them; of a game of The
//! Project Game with its lobby, [`event_queue`] takes over what happens without ever delaying it, and [`spectator`] makes
//! messages of that. [`server`] shows all of them to the viewers that [`guard`] lets in.
//!
//! # What this crate does not do
//!
//! Its Rust code draws nothing: the scripts in `viewer/page` do. It decides nothing about a game, and uses the game
//! master only through [`host`].

pub mod feed;
pub mod page;
pub mod recording;
pub mod room;

mod changes;
mod course;
mod figures;
mod games;
mod outbox;
pub mod picture;

pub mod document;

pub mod event_queue;
pub mod guard;
pub mod host;
pub mod matches;
mod port;
pub mod server;
pub mod spectator;
