//! The Project Game: contests of line-ups and of strategies that have no name.
//!
//! [`contest`] compares two makers of strategies, so also those of an author's own crate. [`arenas`] are the boards on
//! which the shipped strategies are measured, [`bound`] computes the least time in which a team can win.

pub mod arenas;
pub mod bound;
pub mod contest;
