//! Programs that end, fail, linger, multiply and grow, as children.

#![cfg(target_os = "linux")]

mod confined;
mod harness;
mod limits;
mod python;
mod stopping;
mod streams;
