//! The tests of contests.

mod compare;
mod comparison;
mod formula;
mod race;
mod strength;
mod tune;
