//! The Project Game: contests of line-ups and of strategies that have no name.
//!
//! [`contest`] plays a given number of pairs between two makers of strategies, so also those of an author's own crate.
//! [`comparison`] asks with the sequential test of `league compare` which of them is the stronger, and says where they
//! differ. [`arenas`] are the boards on which the shipped strategies are measured, [`bound`] computes the least time in
//! which a team can win.

pub mod arenas;
pub mod bound;
pub mod comparison;
pub mod contest;
