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
            Err(fault) => writeln!(out, "{fault}")?,
        }
    }
}

/// Reads by `read`, whose errors say what would be allowed.
pub(crate) fn expecting<T>(read: impl Fn(&str) -> Result<T, String>) -> impl Fn(&str) -> Result<T, String> {
    move |answer| read(answer).map_err(|allowed| format!("invalid `{answer}`: expected {allowed}"))
}
