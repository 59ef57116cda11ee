//! Integration tests of the league.

mod compare;
mod league_file;
mod schedule;
mod stores;
