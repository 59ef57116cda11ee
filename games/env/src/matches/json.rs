//! The common parts of the two formats: the claim at their beginning, bounds, and errors.

use std::io::{self, Read};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::VERSION;
use crate::text::{fit_for_a_log, parser_message};

/// The longest file that is read, in bytes: room for the entrants of the largest game.
pub const LONGEST_FILE: usize = 16 << 20;

/// The reason why a text is neither a match nor the record of one.
#[derive(Debug, thiserror::Error)]
pub enum MatchFileError {
    /// It cannot be read.
    #[error("cannot read the {what}: {error}")]
    Unreadable {
        /// The expected document.
        what: &'static str,
        /// The cause.
        error: io::Error,
    },
    /// It is too long.
    #[error("the {what} is longer than {LONGEST_FILE} bytes")]
    TooLong {
        /// The expected document.
        what: &'static str,
    },
    /// It is something else.
    #[error("this is not a {what}: expected a JSON object with \"format\":\"{expected}\", found {found}")]
    Foreign {
        /// The expected document.
        what: &'static str,
        /// The name of its format.
        expected: &'static str,
        /// The content that was found instead.
        found: String,
    },
    /// It comes from another release.
    #[error("the {what} has format version {found}: expected {VERSION}; the program that wrote it reads it")]
    OtherVersion {
        /// The expected document.
        what: &'static str,
        /// The version it claims.
        found: u32,
    },
    /// It has a fault.
    #[error("the {what} is faulty: {reason}")]
    Faulty {
        /// The expected document.
        what: &'static str,
        /// The fault and its place.
        reason: String,
    },
}

/// The claim that every file of this family makes about itself, whatever its version.
#[derive(Deserialize)]
struct Claim {
    format: String,
    version: u32,
}

/// Reads a document of this format.
pub(super) fn parse<T: DeserializeOwned>(
    text: &str,
    what: &'static str,
    format: &'static str,
) -> Result<T, MatchFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let claim: Claim = serde_json::from_str(text).map_err(|error| MatchFileError::Foreign {
        what,
        expected: format,
        found: parser_message(error),
    })?;
    if claim.format != format {
        let found = format!("the format `{}`", fit_for_a_log(&claim.format));
        return Err(MatchFileError::Foreign { what, expected: format, found });
    }
    if claim.version != VERSION {
        return Err(MatchFileError::OtherVersion { what, found: claim.version });
    }
    serde_json::from_str(text).map_err(|error| MatchFileError::Faulty { what, reason: parser_message(error) })
}

/// Reads a file of bounded length as text.
pub(super) fn text(file: impl Read, what: &'static str) -> Result<String, MatchFileError> {
    let mut bytes = Vec::new();
    let read = file.take(LONGEST_FILE as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| MatchFileError::Unreadable { what, error })?;
    if bytes.len() > LONGEST_FILE {
        return Err(MatchFileError::TooLong { what });
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        MatchFileError::Faulty { what, reason: format!("byte {at} is not UTF-8: save it as UTF-8") }
    })
}
