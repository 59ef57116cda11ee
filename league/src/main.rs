//! Leagues as a program: plays them, goes on with them, and checks the matches that were played.
//!
//! Exit codes: 0 when everything was done, 1 when a task could not be done or results differ, 2 for faulty flags or a
//! faulty league file.

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The guard of an agent's program is this program as well.
    child_process::run_if_asked().unwrap_or_else(program::run)
}
