//! The end of a program: a text on standard output, an exit code.

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::failure::Failure;

/// Writes a text to standard output.
///
/// # Errors
///
/// If standard output takes nothing.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
        Failure::undone(format!("cannot write to standard output: {error}"), "write to a file instead")
    })
}

/// Returns the exit code of a program, after writing its failure to standard error.
#[must_use]
pub fn exit_code(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A standard error that is closed changes no exit code.
            let _ = writeln!(io::stderr(), "{failure}");
            ExitCode::from(failure.code())
        }
    }
}
