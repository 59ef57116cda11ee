//! The hosts of games. Each game has a module; the other modules are common to several hosts.
//!
//! - [`project`]: the reference game master of The Project Game,
//! - [`bricks`]: the referee of Bricks: duels of programs,
//! - [`conveyor`]: board and controller of Conveyor,
//! - [`dots`], [`eriantys`]: the servers of Dots & Boxes and of Eriantys.
//!
//! Common modules:
//!
//! - [`server`] has the common parts of servers: connections, their places, and the loop of the servers of games of
//!   turns,
//! - [`journal`] is the file of all changes of such a server, [`archive`] writes its replays,
//! - [`layers`] are the layers of a configuration: default, preset, file, flag, page,
//! - [`recorder`] writes the replay of any game,
//! - [`printer`] prints lines without delaying a game,
//! - [`keyboard`] reads the operator's keys.
//!
//! # What this crate does not do
//!
//! It contains no rules: the crates of the games decide about every request.
//! It contains no message formats: the crate `wire` reads and writes all messages.

pub mod archive;
pub mod bricks;
pub mod conveyor;
pub mod dots;
pub mod eriantys;
pub mod journal;
pub mod keyboard;
pub mod layers;
pub mod printer;
pub mod project;
pub mod recorder;
pub mod server;

pub use viewer::feed::PROGRAM;
