//! The game master as a program.
//!
//! Exit codes: 0 when the game is over or was stopped, 1 when it cannot be hosted or the communication server
//! was lost, 2 for a faulty configuration; `verify` ends with 1 if a replay is not what it should be.

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run()
}
