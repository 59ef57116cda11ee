//! Leagues on many machines as a program: coordinator, worker, and queries about a league.
//!
//! Exit codes: 0 when everything was done, 1 when a task could not be done, 2 for faulty flags or a faulty league file.

// `command_line::tell` does not panic where standard error is closed.
#![warn(clippy::print_stderr)]

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run()
}
