//! Integration tests of the league.

mod compare;
mod league_file;
mod leagues;
mod network;
mod programs;
mod report;
mod schedule;
mod stores;
mod strength;
