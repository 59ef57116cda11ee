//! The hosts of games as a program.
//!
//! Exit codes: 0 if the game is over or was stopped, 1 if it cannot be hosted or the communication server was
//! lost, 2 if the configuration is invalid; `verify` ends with 1 if a replay is invalid or plays differently.

// `command_line::tell` does not panic where standard error is closed.
#![warn(clippy::print_stderr)]

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run()
}
