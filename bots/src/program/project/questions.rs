//! Questions to a user, each answered with one line.

use std::io::{self, BufRead, Write};

/// Asks until the answer makes sense; an empty one is the default.
///
/// The error of `read` names the allowed answers.
///
/// # Errors
///
/// If no answer comes any more.
pub(crate) fn ask<T>(
    input: &mut impl BufRead,
    out: &mut impl Write,
    question: &str,
    default: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> io::Result<T> {
    loop {
        write!(out, "{question} [{default}]: ")?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let answer = match line.trim() {
            "" => default,
            answer => answer,
        };
        match read(answer) {
            Ok(value) => return Ok(value),
            Err(allowed) => writeln!(out, "invalid `{answer}`: expected {allowed}")?,
        }
    }
}
