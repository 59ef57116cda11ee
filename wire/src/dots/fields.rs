//! The fields of a message, one after the other.

use std::fmt;
use std::str::{FromStr, Split};

use game_env::text::fit_for_a_log;
use thiserror::Error;

use super::name::NameError;

/// A line that is no message of the protocol.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MessageError {
    /// No message begins with this word.
    #[error("unknown message `{}`: expected a word of the protocol, e.g. `login` or `queue`", fit_for_a_log(.0))]
    Unknown(String),
    /// The name of a player is none.
    #[error("{0}")]
    Name(NameError),
    /// A field is missing.
    #[error("`{message}`: the field {field} is missing")]
    Missing {
        /// The word with which the message begins.
        message: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A field has another form than it needs.
    #[error("`{message}` with {field} = `{}`: expected {expected}", fit_for_a_log(.found))]
    Field {
        /// The word with which the message begins.
        message: &'static str,
        /// The field.
        field: &'static str,
        /// The value of the field.
        found: String,
        /// The expected value.
        expected: &'static str,
    },
    /// There are more fields than the message has.
    #[error("`{message}` with another field `{}`: expected no more", fit_for_a_log(.found))]
    Further {
        /// The word with which the message begins.
        message: &'static str,
        /// The first field too many.
        found: String,
    },
}

/// Reads the fields of one message.
pub(super) struct Fields<'t> {
    pub(super) message: &'static str,
    rest: Split<'t, char>,
}

/// Returns the first field of a line, and all others.
pub(super) fn split(line: &str) -> (&str, Split<'_, char>) {
    let mut rest = line.split('|');
    (rest.next().unwrap_or_default(), rest)
}

impl<'t> Fields<'t> {
    pub(super) fn new(message: &'static str, rest: Split<'t, char>) -> Self {
        Self { message, rest }
    }

    pub(super) fn text(&mut self, field: &'static str) -> Result<&'t str, MessageError> {
        self.rest.next().ok_or(MessageError::Missing { message: self.message, field })
    }

    /// Returns the next field in this form.
    pub(super) fn read<T: FromStr>(
        &mut self,
        field: &'static str,
        expected: &'static str,
    ) -> Result<T, MessageError> {
        let text = self.text(field)?;
        self.parse(text, field, expected)
    }

    /// Returns the next field in this form, if there is one.
    pub(super) fn read_if_there<T: FromStr>(
        &mut self,
        field: &'static str,
        expected: &'static str,
    ) -> Result<Option<T>, MessageError> {
        self.rest.next().map(|text| self.parse(text, field, expected)).transpose()
    }

    fn parse<T: FromStr>(
        &self,
        text: &str,
        field: &'static str,
        expected: &'static str,
    ) -> Result<T, MessageError> {
        // `+5` is a number for Rust, and none in the protocol.
        let read = if text.starts_with('+') { None } else { text.parse().ok() };
        let message = self.message;
        read.ok_or_else(|| MessageError::Field { message, field, found: text.to_owned(), expected })
    }

    /// No field is left.
    pub(super) fn end(mut self) -> Result<(), MessageError> {
        match self.rest.next() {
            None => Ok(()),
            Some(found) => Err(MessageError::Further { message: self.message, found: found.to_owned() }),
        }
    }
}

/// Writes fields, each with a `|` before it.
pub(super) fn write_all<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    fields: impl IntoIterator<Item = T>,
) -> fmt::Result {
    fields.into_iter().try_for_each(|field| write!(f, "|{field}"))
}
