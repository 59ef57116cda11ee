//! Both sides of Conveyor on a network.
//!
//! - [`board`] holds the game: it is a client of a controller, and answers the controller's requests,
//! - [`controller`] passes on the requests of two players, and reports its view of the game to its shell,
//! - [`follower`] makes a game of these reports that a page can show,
//! - [`ini`] reads `BORD.INI`, the address of a board's controller,
//! - [`shells`] moves the bytes of both.
//!
//! # What this module does not do
//!
//! It has no rules: `game-conveyor` decides every request. It has no line formats: [`wire::conveyor`] has them.

pub mod board;
pub mod controller;
pub mod follower;
pub mod ini;
pub mod shells;
