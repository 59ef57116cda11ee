//! The output of a program: its result on standard output, everything else on standard error, and an exit code.

use std::io::{self, Write as _};
use std::process::ExitCode;

use game_env::text::escape_hidden_in_lines;

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

/// Writes lines for people to standard error, without characters that a terminal obeys: they may have text of others.
///
/// Ignores errors: no work ends because standard error is closed.
pub fn tell(lines: &str) {
    let _ = writeln!(io::stderr(), "{}", escape_hidden_in_lines(lines));
}

/// Returns the exit code of a program, after writing its failure to standard error.
#[must_use]
pub fn exit_code(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}
