//! Contests of strategies, and the statistics that say which is the stronger.
//!
//! [`comparison`] asks whether your policy is stronger than another one, with the sequential test of `league compare`,
//! and where the two differ; [`project::comparison`] asks it of strategies, and [`project::contest`] plays a given
//! number of pairs of games. All take policies and strategies of any crate. [`compare`] is that test for any game.
//! [`race`] asks which of several variants is the strongest, and [`tune`] which values of its parameters make a
//! strategy the strongest. [`statistics`] computes ratings from all games at once, so that the order of games changes
//! no rating. A [`verdict`](verdict::Verdict) is kept apart from a result.
//!
//! # What this crate does not do
//!
//! It stores nothing, starts no program and knows no schedule: the crate `league` does.

pub mod compare;
pub mod comparison;
pub mod entrant;
pub mod in_order;
pub mod incidents;
pub mod project;
pub mod race;
pub mod setup;
pub mod statistics;
pub mod text;
pub mod tune;
pub mod verdict;
