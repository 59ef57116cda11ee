//! Integration tests of the league.

mod compare;
mod league_file;
mod report;
mod schedule;
mod stores;
