//! The strategies as a program: plays them against each other, or on a server.
//!
//! Exit codes: 0 if the games were played to the end or their user has stopped them, 1 if not (no server, a lost
//! connection, a rejected agent), 2 if a flag or the configuration is invalid, 130 if a series or a study was
//! interrupted.

// `command_line::tell` does not panic where standard error is closed.
#![warn(clippy::print_stderr)]

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run()
}
