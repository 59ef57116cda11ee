//! Leagues on many machines.

#[path = "../cluster/mod.rs"]
mod cluster;

mod faults;
#[cfg(unix)]
mod postgres;
mod processes;
mod simulated;
