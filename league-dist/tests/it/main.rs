//! Leagues on many machines.

#[path = "../cluster/mod.rs"]
mod cluster;

mod faults;
mod processes;
mod simulated;
