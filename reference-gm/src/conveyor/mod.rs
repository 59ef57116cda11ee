//! Both sides of Conveyor on a network.
//!
//! - [`board`] holds the truth: it is a client of a controller, and answers what the controller asks,
//! - [`controller`] passes on what two players want, and tells its shell what it sees of the game,
//! - [`follower`] makes a game of this that a page can show,
//! - [`ini`] reads `BORD.INI`, which tells a board where its controller is,
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
