//! Leagues on many machines.

#[path = "../cluster/mod.rs"]
mod cluster;

mod command_line;
mod faults;
#[cfg(unix)]
mod postgres;
mod processes;
mod python;
mod simulated;
