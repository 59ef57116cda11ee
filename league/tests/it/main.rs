//! Integration tests of the league.

#[cfg(unix)]
mod batch;
mod bricks;
#[cfg(unix)]
mod habits;
mod hostile_files;
mod league_file;
mod leagues;
mod own_strategies;
mod programs;
mod python;
mod race;
mod report;
mod run;
mod schedule;
mod stores;
mod tune;
mod workers;
