//! Leagues of agents: schedules, matches, and standings with their uncertainty.
//!
//! A league is a file (`file::League`) that names a game, its entrants and a schedule. The schedule is an iterator of
//! pairings; every pairing is played with each side, or with all rotations of the seats, on the same seeds. Results are
//! kept apart from [verdicts](contests::verdict::Verdict), and [ratings](contests::statistics::Ratings) are computed
//! from all games at once: neither the order of games nor the number of processor cores changes a standing.
//!
//! `runner::run` hands matches to an `executor::Executor` and writes the results into a `store::Store`, from which an
//! interrupted league goes on. `standings::Standings` rank the entrants. [`program::main`] is the whole program; an
//! author's own program calls it with its name and own strategies.
//!
//! # What this crate does not do
//!
//! It knows no game, except in rooms: all games of the catalogue play here in process, and [`network`] plays the games
//! of its rooms. Statistics and comparisons are in the crate `contests`. Nothing below this crate knows that
//! leagues exist.

// `command_line::tell` does not panic where standard error is closed.
#![warn(clippy::print_stderr)]

pub mod alone;
pub mod batch;
pub mod begin;
mod bricks;
pub mod executor;
pub mod export;
pub mod file;
pub mod games;
mod hints;
pub mod import;
pub mod in_process;
mod invocation;
pub mod network;
pub mod pace;
pub mod program;
pub mod program_files;
pub mod progress;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod search;
pub mod standings;
pub mod store;
pub mod suitable;
pub mod trust;
