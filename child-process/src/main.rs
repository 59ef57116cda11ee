//! The guard of child processes as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    child_process::run_if_asked().unwrap_or_else(|| {
        eprintln!("error: this program is started by others, as the guard of a child process");
        ExitCode::from(2)
    })
}
