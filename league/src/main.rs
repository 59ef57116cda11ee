//! Leagues as a program: plays them, goes on with them, and checks the matches that were played.
//!
//! Exit codes: 0 when everything was done, 1 when a task could not be done or results differ, 2 for faulty flags or a
//! faulty league file, 130 after an interruption.

use std::process::ExitCode;

use strategies::room::Rooms;

fn main() -> ExitCode {
    league::program::main(league::begin::PROGRAM, Rooms::shipped())
}
