//! The server from outside: as a program, over real sockets, and over simulated ones.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod fixture;

mod command_line;
#[cfg(unix)]
mod crowd;
mod files;
mod hostile;
mod router;
