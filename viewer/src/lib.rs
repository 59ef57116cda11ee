//! The game page: a web page that shows a game, its server, and the feed from which the page draws everything.
//!
//! [`feed`] writes the messages that all games have in common, [`recording`] makes all messages of a replay at once,
//! [`findings`] the message about a study of it, and [`page`] holds the files of the page and makes one self-contained
//! file of them. [`room`] lists the games that can be shown; a small game is shown by whole pictures ([`picture`]), The
//! Project Game by a feed of its own ([`games::project`]). [`study`] has the requests of a page over a replay that is
//! studied. [`mod@matches`] shows live matches of any game, as a list or one after its lobby, and lets people play in
//! them. [`server`] shows all of them to the viewers that [`guard`] lets in.
//!
//! # What this crate does not do
//!
//! Its Rust code draws nothing: the scripts in `viewer/page` do. It decides nothing about a game, and knows no game
//! master: a host tells it what happens, and takes requests from it.

pub mod event_queue;
pub mod feed;
pub mod findings;
pub mod games;
pub mod guard;
pub mod matches;
pub mod outbox;
pub mod page;
pub mod picture;
pub mod recording;
pub mod room;
pub mod server;
pub mod setting;
pub mod study;

mod course;
mod port;
