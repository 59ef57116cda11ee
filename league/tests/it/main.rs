//! Integration tests of the league.

mod compare;
mod league_file;
mod leagues;
mod report;
mod schedule;
mod stores;
