//! Why the program cannot do what it was asked for, and what would help.

use std::fmt;
use std::path::Path;

use command_line::{GenerateError, command};
use game_env::notation::escape_hidden;
use league::runner::RunError;
use league::standings::WriteError;
use league::store::StoreError;

/// An error with a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    why: String,
    hint: String,
}

impl Failure {
    /// Something could not be done.
    pub(crate) fn undone(why: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: 1, why: why.into(), hint: hint.into() }
    }

    /// Flags or a file are faulty.
    pub(crate) fn misuse(why: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: 2, why: why.into(), hint: hint.into() }
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\nhint: {}", self.why, self.hint)
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Self {
        Self::undone(error.to_string(), error.hint())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let hint = match &error {
            StoreError::Exists(folder) => {
                let resume = command("league", &format!("resume {}", shown(folder)));
                format!("`{resume}` goes on with it; `--out` names another folder")
            }
            StoreError::Missing(_) => {
                format!("begin one with `{}`", command("league", "run FILE --out DIR"))
            }
            StoreError::InUse(_) => "wait until it has ended".to_owned(),
            StoreError::Foreign(_) => "name the folder of a league".to_owned(),
            StoreError::Newer { .. } => "use the program that made it, or a newer one".to_owned(),
            StoreError::Folder { .. } | StoreError::Database { .. } => {
                "name a folder that exists and can be written to".to_owned()
            }
            StoreError::Corrupt { .. } => "somebody has changed the store: begin the league anew".to_owned(),
        };
        Self::undone(error.to_string(), hint)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Store(error) => error.into(),
            WriteError::Unwritable { .. } => {
                Self::undone(error.to_string(), "make room, then go on: what was played is in the store")
            }
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let hint = match error {
            RunError::Store(error) => return error.into(),
            RunError::Unplayable { .. } => "the matches before it are in the store",
            RunError::Host { .. } => "close other programs, then go on with a smaller `--jobs`",
            RunError::OtherLeague { .. } => "somebody has changed the store: begin the league anew",
        };
        Self::undone(error.to_string(), hint)
    }
}

/// A path as messages have it.
pub(crate) fn shown(path: &Path) -> String {
    escape_hidden(&path.display().to_string())
}
