//! Programs that end, fail, linger, multiply and grow, as children.

#![cfg(target_os = "linux")]

mod harness;
mod python;
