//! The referee of Bricks: duels and tournaments between programs of players.
//!
//! - [`config`]: every parameter, from defaults, a file and flags,
//! - [`choice`]: what an operator chooses on the page: these parameters, the players, a duel or a tournament,
//! - [`entrants`]: the players' folder: what to run, and whose it is,
//! - [`program`]: one player's program and its streams,
//! - [`duel`]: one duel, from the start of the first program to the end of the last,
//! - [`standings`]: who has won how often, and why others lost,
//! - [`scoreboard`]: the standings on the page,
//! - [`faults`]: the faults of players on the page,
//! - [`doubt`]: duels in which the machine was too slow,
//! - [`results`]: the files of a tournament,
//! - [`log`]: logs of duels, read as replays.
//!
//! # What this module does not do
//!
//! It judges no line and no move: [`wire::bricks::Referee`] does, by the rules of `game-bricks`.

pub mod choice;
pub mod config;
pub mod doubt;
pub mod duel;
pub mod entrants;
pub mod faults;
pub mod log;
pub mod program;
pub mod results;
pub mod scoreboard;
pub mod standings;
