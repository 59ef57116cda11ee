//! The rules from outside: tables of situations, properties of random games, a golden playthrough.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod allocations;
mod config;
mod metrics;
mod playthrough;
mod properties;
mod questions;
mod replay;
mod setup;
mod tables;
