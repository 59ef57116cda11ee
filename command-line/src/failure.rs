//! The error that a program prints when it cannot do what the user asked for.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{self, Path};

use game_env::text::{escape_hidden, escape_hidden_in_lines};

use crate::generate::GenerateError;

/// An error for the user, with a hint and the program's exit code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    code: u8,
    why: String,
    hint: String,
}

/// An error with a hint. Programs turn it into a [`Failure`] with `?`.
pub trait Hinted: Error {
    /// Returns the hint for the user, as a line.
    fn hint(&self) -> String;
}

impl Failure {
    /// The program could not do what was asked for: exit code 1.
    pub fn undone(why: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: 1, why: why.into(), hint: hint.into() }
    }

    /// Flags or a file are faulty: exit code 2.
    pub fn misuse(why: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: 2, why: why.into(), hint: hint.into() }
    }

    /// The program cannot start itself again, as it does for child processes.
    pub fn without_own_path(error: &io::Error) -> Self {
        Self::undone(format!("the system does not say where this program is: {error}"), "try again")
    }

    /// The system does not let the program listen to the signals that end it.
    pub fn without_signals(error: &io::Error) -> Self {
        Self::undone(format!("cannot install signal handlers: {error}"), "try again")
    }

    /// A command of an entrant, which would run in this folder, names no program that is there; `why` says so.
    pub fn without_program(why: impl Into<String>, folder: &Path) -> Self {
        let folder = path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let command = "a command is a program and its arguments, e.g. \"python3 agent.py\"";
        Self::misuse(why, format!("{command}; relative paths begin in {}", shown(&folder)))
    }

    /// A file or folder cannot be written.
    pub fn unwritable(path: &Path, error: &io::Error, hint: &str) -> Self {
        Self::undone(format!("cannot write {}: {error}", shown(path)), hint)
    }

    /// Returns the reason, without the hint.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Returns the exit code of the program.
    pub fn code(&self) -> u8 {
        self.code
    }
}

/// Two lines: the error and the hint. Hidden characters but line ends and tabs are escaped, so that no text from
/// outside controls a terminal, even if an error shows it unchanged.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [why, hint] = [&self.why, &self.hint].map(|text| escape_hidden_in_lines(text));
        write!(f, "error: {why}\nhint: {hint}")
    }
}

impl<E: Hinted> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::undone(error.to_string(), error.hint())
    }
}

impl Hinted for GenerateError {
    fn hint(&self) -> String {
        GenerateError::hint(self).to_owned()
    }
}

/// Returns an error with its causes, separated by colons. A cause that ends a line of the text so far is left out: some
/// errors write their cause themselves.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let told = cause.to_string();
        if !text.lines().any(|line| line.ends_with(&told)) {
            text += &format!(": {told}");
        }
        source = cause.source();
    }
    text
}

/// Returns a path for a message, with control characters escaped.
pub fn shown(path: &Path) -> String {
    escape_hidden(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_an_error_a_hint_and_a_code() {
        let closed = Failure::from(GenerateError::Closed(io::ErrorKind::BrokenPipe.into()));
        assert_eq!(
            closed.to_string(),
            "error: cannot write to standard output: broken pipe\n\
             hint: write to a file, e.g. `… completions bash > FILE`"
        );
        assert_eq!((closed.code(), Failure::misuse("no file", "name one").code()), (1, 2));
        let raw = Failure::misuse("a\u{1b}[2J\n  b", "c\u{202e}");
        assert_eq!(raw.to_string(), "error: a\\u{1b}[2J\n  b\nhint: c\\u{202e}");
    }

    #[test]
    fn causes_follow_an_error() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot start")]
        struct Outer(#[source] io::Error);
        assert_eq!(chain(&Outer(io::Error::other("no room"))), "cannot start: no room");
        // The cause is written once, also if the error writes it itself.
        #[derive(Debug, thiserror::Error)]
        #[error("cannot read a: {0}{1}")]
        struct Telling(#[source] io::Error, &'static str);
        for hint in ["", "\nhint: name another"] {
            let told = chain(&Telling(io::Error::other("no such file"), hint));
            assert_eq!(told, format!("cannot read a: no such file{hint}"));
        }
    }

    #[test]
    fn paths_hide_nothing() {
        assert_eq!(shown(Path::new("games/a.replay")), "games/a.replay");
        assert!(!shown(Path::new("a\u{1b}[2Jb")).contains('\u{1b}'));
    }
}
