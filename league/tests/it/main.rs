//! Integration tests of the league.

mod league_file;
mod schedule;
mod stores;
