//! Leagues of agents: who plays whom, what came of it, and how sure that is.
//!
//! A league is a file that names a game, its entrants and a schedule. The schedule is an iterator of pairings; every
//! pairing is played with each side, or with all rotations of the seats, on the same seeds. Results are kept apart from
//! verdicts, and ratings are computed from all games at once: neither the order of games nor the number of processor
//! cores changes a standing.
//!
//! # What this crate does not do
//!
//! It knows no game: whatever the catalogue of games lists plays here. Nothing below this crate knows that leagues exist.

pub mod entrant;
pub mod schedule;
pub mod statistics;
pub mod verdict;
