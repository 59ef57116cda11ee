//! Integration tests of the league.

#[cfg(unix)]
mod batch;
mod compare;
mod league_file;
mod leagues;
mod network;
mod programs;
mod report;
mod schedule;
mod stores;
mod strength;
