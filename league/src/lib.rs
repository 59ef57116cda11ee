//! Leagues of agents: schedules, matches, and standings with their uncertainty.
//!
//! A league is a file (`file::League`) that names a game, its entrants and a schedule. The schedule is an iterator of
//! pairings; every pairing is played with each side, or with all rotations of the seats, on the same seeds. Results are
//! kept apart from [verdicts](verdict::Verdict), and [ratings](statistics::Ratings) are computed from all games at
//! once: neither the order of games nor the number of processor cores changes a standing.
//!
//! `runner::run` hands matches to an `executor::Executor` and writes the results into a `store::Store`, from which an
//! interrupted league goes on. `standings::Standings` rank the entrants.
//!
//! # What this crate does not do
//!
//! It knows no game, except in [`project`]: all games of the catalogue play here in process, and [`network`] plays the
//! games that have a protocol. Nothing below this crate knows that leagues exist.
//!
//! # Features
//!
//! `program` is on unless switched off: it adds leagues, the comparison of strategies by name, and the program, and
//! with them SQLite and a runtime. To compare strategies of your own, take the crate with `default-features = false`
//! and the feature `compare`, which adds `project::comparison` with compression and JSON. Without both, [`project`]
//! plays contests and [`statistics`] remain.

pub mod entrant;
#[cfg(feature = "program")]
pub mod file;
#[cfg(feature = "program")]
pub mod games;
#[cfg(feature = "program")]
pub mod schedule;

pub mod verdict;

#[cfg(feature = "program")]
mod hints;

#[cfg(feature = "program")]
pub mod executor;
#[cfg(feature = "program")]
pub mod export;
#[cfg(feature = "program")]
pub mod in_process;
#[cfg(feature = "program")]
pub mod network;
#[cfg(feature = "program")]
pub mod pace;
#[cfg(feature = "program")]
pub mod progress;
#[cfg(feature = "program")]
pub mod runner;
#[cfg(feature = "program")]
pub mod store;

#[cfg(feature = "program")]
pub mod batch;
#[cfg(feature = "program")]
pub mod standings;
pub mod statistics;

#[cfg(feature = "program")]
pub mod begin;
#[cfg(feature = "compare")]
pub mod compare;
pub mod project;
#[cfg(feature = "program")]
pub mod report;
#[cfg(feature = "compare")]
pub mod text;
