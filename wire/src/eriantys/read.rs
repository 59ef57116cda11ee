//! From bytes to messages: lines, JSON, fields.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use game_env::text::{fit_for_a_log, parser_message};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use super::message::{Fields, Message};
use crate::lines::{LineDecoder, TooLong};

/// The longest line of a client, in bytes: ten times the longest message without needless blanks.
pub const REQUEST_LIMIT: usize = 4096;

/// The longest line of a server that a client has to read, in bytes: a list of 100 matches has 40 KB.
pub const NOTICE_LIMIT: usize = 1 << 16;

/// A line that is no message.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// The line is too long. It was skipped.
    #[error("{0}")]
    TooLong(#[from] TooLong),
    /// The line is no UTF-8.
    #[error("byte {0} of the line is not UTF-8: expected UTF-8 text")]
    NotText(usize),
    /// The line is no JSON object.
    #[error("the line is no JSON object: {0}; expected e.g. {{\"type\":\"Pong\"}}")]
    NotAnObject(String),
    /// The object has no key `type`, or it has two, or it is no text.
    #[error("the key `type` of the message: {0}; expected e.g. {{\"type\":\"Pong\"}}")]
    NoType(String),
    /// There is no message of this type.
    #[error("unknown type of message `{found}`: expected {}", list(.expected))]
    UnknownType {
        /// The type that was found, fit for a log.
        found: String,
        /// The types that there are.
        expected: &'static [&'static str],
    },
    /// A field of the message is not as it has to be.
    #[error("`{message}`{place}: {why}")]
    Field {
        /// The type of the message.
        message: &'static str,
        /// The field with the fields around it, or the message as a whole.
        place: FieldPath,
        /// The fault, and the expected value.
        why: String,
    },
}

/// The place of a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldPath {
    /// In the message as a whole: a field is missing, or it is there twice.
    Whole,
    /// In a field, e.g. `colors[1]`.
    Field(String),
}

impl DecodeError {
    pub(super) fn unknown(found: &str, expected: &'static [&'static str]) -> Self {
        Self::UnknownType { found: fit_for_a_log(found), expected }
    }
}

/// The text behind the type of the message in an error.
impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Field(path) => write!(f, ", field `{path}`"),
        }
    }
}

/// Reads the messages of one direction from a stream of bytes, however it was cut into pieces.
#[derive(Clone, Debug)]
pub struct Decoder<M> {
    lines: LineDecoder,
    message: PhantomData<fn() -> M>,
}

impl<M: Message> Decoder<M> {
    /// Creates a decoder at the beginning of a stream, for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { lines: LineDecoder::new(limit), message: PhantomData }
    }

    /// Returns the next message, and `input` advanced behind it. `None` if no line is complete; then all of `input` is
    /// taken.
    ///
    /// # Errors
    ///
    /// A line that is no message; the lines behind it follow with further calls.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Result<M, DecodeError>> {
        loop {
            match self.lines.next(input)? {
                Ok(line) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(line) => return Some(message(&line)),
                Err(error) => return Some(Err(error.into())),
            }
        }
    }
}

/// Returns the message of one line without its end.
///
/// # Errors
///
/// If it is none.
fn message<M: Message>(line: &[u8]) -> Result<M, DecodeError> {
    #[derive(Deserialize)]
    struct Head<'a> {
        #[serde(rename = "type", borrow)]
        name: Cow<'a, str>,
    }

    let text = str::from_utf8(line).map_err(|error| DecodeError::NotText(error.valid_up_to() + 1))?;
    // A message that begins with its type is read once. What is none is read again, to find the fault.
    if let Some(name) = leading_type(text)
        && let Ok(message) = M::of_type(name, text)
    {
        return Ok(message);
    }
    if !text.trim_start().starts_with('{') {
        return Err(DecodeError::NotAnObject(format!("it begins with `{}`", fit_for_a_log(text))));
    }
    let head = serde_json::from_str::<Head<'_>>(text).map_err(|error| {
        if error.is_data() {
            DecodeError::NoType(reason(&error))
        } else {
            DecodeError::NotAnObject(format!("{} at byte {}", reason(&error), error.column()))
        }
    })?;
    M::of_type(&head.name, text)
}

/// Returns the type of a message that begins with it, if no other key can be `type`.
fn leading_type(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix("{\"type\":\"")?.split_once('"')?;
    // A key may be written with escapes.
    let is_only = !text.contains('\\') && !rest.contains("\"type\"");
    is_only.then_some(name)
}

/// Returns the fields of a message in a text that is a JSON object.
pub(super) fn fields<T: Fields>(message: &'static str, text: &str) -> Result<T, DecodeError> {
    // The path of a fault costs as much as the message: only a faulty one is read with it.
    if let Ok(fields) = serde_json::from_str(text) {
        return Ok(fields);
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { FieldPath::Whole } else { FieldPath::Field(fit_for_a_log(&path)) };
        DecodeError::Field { message, place, why: reason(error.inner()) }
    })
}

/// Deserializes a whole number; whether it is in range is decided by the rules.
pub(super) fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    struct Whole;

    impl Visitor<'_> for Whole {
        type Value = i64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number")
        }

        fn visit_i64<E: de::Error>(self, number: i64) -> Result<i64, E> {
            Ok(number)
        }

        fn visit_u64<E: de::Error>(self, number: u64) -> Result<i64, E> {
            i64::try_from(number)
                .map_err(|_| E::custom(format!("{number} is too large: expected a whole number")))
        }
    }

    deserializer.deserialize_i64(Whole)
}

/// Returns the message of the JSON reader without the line, which is always the first.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    parser_message(match message.rfind(" at line ") {
        Some(end) if error.line() > 0 => &message[..end],
        _ => &message,
    })
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
