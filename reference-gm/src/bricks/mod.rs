//! The referee of Bricks: duels between programs of players.
//!
//! - [`config`]: every parameter, from defaults, a file and flags,
//! - [`choice`]: what an operator chooses on the page: these parameters, and the players of a duel,
//! - [`entrants`]: the players' folder: what to run, and whose it is,
//! - [`program`]: one player's program and its streams,
//! - [`duel`]: one duel, from the start of the first program to the end of the last,
//! - [`report`]: the end of a duel in words,
//! - [`faults`]: the faults of players on the page,
//! - [`doubt`]: duels in which the machine was too slow,
//! - [`log`]: logs of duels, written, and read as replays.
//!
//! # What this module does not do
//!
//! It judges no line and no move: [`wire::bricks::Referee`] does, by the rules of `game-bricks`. It plays no
//! tournaments: they are leagues.

pub mod choice;
pub mod config;
pub mod doubt;
pub mod duel;
pub mod entrants;
pub mod faults;
pub mod log;
pub mod program;
pub mod report;
