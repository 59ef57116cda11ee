//! Leagues of agents: who plays whom, what came of it, and how sure that is.
//!
//! A league is a [file](file::League) that names a game, its entrants and a schedule. The [schedule](schedule::Schedule)
//! is an iterator of pairings; every pairing is played with each side, or with all rotations of the seats, on the same
//! seeds. Results are kept apart from [verdicts](verdict::Verdict), and [ratings](statistics::Ratings) are computed from
//! all games at once: neither the order of games nor the number of processor cores changes a standing.
//!
//! [`runner::run`] hands matches to an [`Executor`](executor::Executor) and writes what comes of them into a
//! [`Store`](store::Store), from which an interrupted league goes on. [`Standings`](standings::Standings) say who is
//! best.
//!
//! # What this crate does not do
//!
//! It knows no game: whatever the catalogue of games lists plays here. Nothing below this crate knows that leagues exist.

pub mod entrant;
pub mod file;
pub mod games;
pub mod schedule;

pub mod verdict;

mod hints;

pub mod executor;
pub mod in_process;
pub mod progress;
pub mod runner;
pub mod store;

pub mod standings;
pub mod statistics;

pub mod compare;
pub mod report;
