//! The bots' tests.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod command_line;
mod dots_server;
mod eriantys_server;
mod files;
mod fixture;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(unix)]
mod replays;
mod run;
mod scripts;
mod starter;
mod starters;
mod study;
