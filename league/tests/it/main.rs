//! Integration tests of the league.

mod schedule;
