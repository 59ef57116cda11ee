//! The tests of contests.

mod compare;
mod strength;
