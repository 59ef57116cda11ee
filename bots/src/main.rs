//! The strategies as a program: plays them against each other, or sends them to somebody's server.
//!
//! Exit codes: 0 when everything was played to an end, 1 when it could not be (no server, a lost connection,
//! turned away), 2 for faulty flags or a faulty configuration.

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run()
}
