//! Why the program cannot do what the user wants, and a hint.

use std::error::Error;
use std::fmt;

use command_line::GenerateError;
use reference_gm::config::HostConfigError;

/// An error with a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    why: String,
    hint: String,
}

impl Failure {
    /// Something could not be played.
    pub(crate) fn unplayable(why: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: 1, why: why.into(), hint: hint.into() }
    }

    /// Flags or a configuration are faulty.
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

impl From<HostConfigError> for Failure {
    fn from(error: HostConfigError) -> Self {
        let hint = format!(
            "`{}` shows every parameter with its value",
            command_line::command("reference-gm", "config")
        );
        match &error {
            HostConfigError::Faulty(faults) => {
                Self::misuse(format!("the configuration cannot be played\n{faults}"), hint)
            }
            other => Self::misuse(chain(other), "a configuration is a JSON object, e.g. {\"boardX\": 20}"),
        }
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Self {
        Self::unplayable(error.to_string(), error.hint())
    }
}

/// An error with its causes.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}
