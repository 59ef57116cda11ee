//! The envelope of a message: `{"messageID": 7, "agentID": 3, "payload": {…}}`.
//!
//! Two readers share one set of rules, those of [`Outline`]. A game master or an agent reads an [`Envelope`]; its
//! payload stays JSON text until it is read as a certain message. The communication server reads only the [`Outline`],
//! which holds the positions of the parts in the body, and passes the body on with [`Outline::splice`], which replaces
//! the sender's id and no other byte. In a request to join, [`Outline::splice_join`] also shows a null that was there.
//!
//! # The rules
//!
//! - The body is one JSON object in UTF-8. Nesting deeper than [`DEEPEST`] is refused: readers of payloads
//!   would refuse it later, each at another depth.
//! - Keys of the envelope are recognised in any case of ASCII letters and with any escapes: real agents write
//!   `AgentID`, hostile ones `agent\u0049D`.
//! - `messageID` must be an integer, or an integer in quotes, as all numbers in payloads may be (specification, section
//!   6, "Reading"). `agentID` and `payload` may be absent or null, keys may stand in any order, and unknown ones beside
//!   them.
//! - A body with a repeated known key is refused. Readers differ in which of the two they use, so an agent could
//!   give the communication server one id and the game master another.
//!
//! ```
//! use wire::envelope::{Envelope, Outline};
//!
//! let body = br#"{"MessageID": 7, "AgentID": 99, "Payload": {"direction": "N"}}"#;
//! let mut out = Vec::new();
//! Outline::of(body)?.splice(body, 3, &mut out);
//! assert_eq!(out, br#"{"MessageID": 7, "AgentID": 3, "Payload": {"direction": "N"}}"#);
//!
//! let envelope = Envelope::parse(&out)?;
//! assert_eq!((envelope.message_id, envelope.agent_id), (7, Some(3)));
//! assert_eq!(envelope.payload.unwrap().get(), r#"{"direction": "N"}"#);
//! # Ok::<(), wire::envelope::EnvelopeError>(())
//! ```

mod outline;
mod scan;

use serde_json::value::RawValue;
use thiserror::Error;

pub use crate::envelope::outline::{AgentField, Outline};
pub use crate::envelope::scan::{DEEPEST, Syntax};

/// The key with which the communication server tells the game master that an agent wrote null under `agentID` in its
/// request to join: agents of some implementations are recognised by it ([`project::habit`](crate::project::habit)).
pub const SENT_AGENT_ID: &str = "sentAgentID";

/// The keys of the envelope that have a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// `messageID`: the kind of the message.
    MessageId,
    /// `agentID`: the sender or the addressee.
    AgentId,
    /// `payload`: the message itself.
    Payload,
    /// `correlationID`: any mark that its sender wants to see in the answer.
    CorrelationId,
}

impl Key {
    const ALL: [Self; 4] = [Self::MessageId, Self::AgentId, Self::Payload, Self::CorrelationId];

    /// Returns the key as the specification spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MessageId => "messageID",
            Self::AgentId => "agentID",
            Self::Payload => "payload",
            Self::CorrelationId => "correlationID",
        }
    }
}

/// Reasons why a body is no message.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EnvelopeError {
    /// The bytes are no text.
    #[error("the body is not UTF-8 from byte {at} on")]
    NotUtf8 {
        /// Position of the first wrong byte.
        at: usize,
    },
    /// The text is no JSON.
    #[error("the body is not JSON: {why} at byte {at}")]
    NotJson {
        /// Position at which the text stops to be JSON.
        at: usize,
        /// The fault at this position.
        why: Syntax,
    },
    /// The JSON is something else than an object.
    #[error("the body is not an object")]
    NotObject,
    /// A known key stands there twice, perhaps in two spellings.
    #[error("the key `{}` is given twice", .0.name())]
    Twice(Key),
    /// No key says which message it is.
    #[error("the key `messageID` is missing")]
    NoMessageId,
    /// The message's number is no integer.
    #[error("`messageID` is not an integer")]
    MessageIdNotInteger,
    /// The agent's number is neither an integer nor null.
    #[error("`agentID` is not an integer")]
    AgentIdNotInteger,
}

/// A message whose payload has not been read yet.
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    /// Which message it is.
    pub message_id: i64,
    /// The agent that sent it or is to get it; `None` if absent or null.
    pub agent_id: Option<i64>,
    /// Mark of a request, which its sender wants to see in the answer: any JSON.
    pub correlation_id: Option<&'a RawValue>,
    /// The message itself, as JSON; `None` if absent or null.
    pub payload: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    /// Reads a frame's body.
    ///
    /// # Errors
    ///
    /// Whatever breaks the [rules](self), and an `agentID` that is neither an integer nor null.
    pub fn parse(body: &'a [u8]) -> Result<Self, EnvelopeError> {
        let outline = Outline::of(body)?;
        if outline.agent == AgentField::Other {
            return Err(EnvelopeError::AgentIdNotInteger);
        }
        Self::read(body, outline)
    }

    /// Reads a frame's body as an agent does.
    ///
    /// An agent knows without looking that a message is for it: any value may stand under `agentID`.
    ///
    /// ```
    /// use wire::envelope::Envelope;
    ///
    /// let body = br#"{"messageID": "109", "agentID": "me", "payload": {}}"#;
    /// let envelope = Envelope::parse_leniently(body)?;
    /// assert_eq!((envelope.message_id, envelope.agent_id), (109, None));
    /// assert!(Envelope::parse(body).is_err());
    /// # Ok::<(), wire::envelope::EnvelopeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Whatever else breaks the [rules](self).
    pub fn parse_leniently(body: &'a [u8]) -> Result<Self, EnvelopeError> {
        Self::read(body, Outline::of(body)?)
    }

    fn read(body: &'a [u8], outline: Outline) -> Result<Self, EnvelopeError> {
        Ok(Self {
            message_id: outline.message_id,
            agent_id: match outline.agent {
                AgentField::Integer(id) => Some(id),
                AgentField::Absent | AgentField::Null | AgentField::Other => None,
            },
            correlation_id: outline.raw(body, Key::CorrelationId)?,
            payload: outline.raw(body, Key::Payload)?,
        })
    }

    /// Appends the body that reads as this envelope, without white space around its own keys.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        let mut field = |key: Key, value: &[u8]| {
            out.extend_from_slice(if key == Key::MessageId { b"{\"" } else { b",\"" });
            out.extend_from_slice(key.name().as_bytes());
            out.extend_from_slice(b"\":");
            out.extend_from_slice(value);
        };
        field(Key::MessageId, digits.format(self.message_id).as_bytes());
        if let Some(id) = self.agent_id {
            field(Key::AgentId, digits.format(id).as_bytes());
        }
        if let Some(value) = self.correlation_id {
            field(Key::CorrelationId, value.get().as_bytes());
        }
        if let Some(value) = self.payload {
            field(Key::Payload, value.get().as_bytes());
        }
        out.push(b'}');
    }
}

/// The first bytes that a peer sends, which tell whether it uses the protocol.
///
/// Other protocols greet with a line of text or with a number, of which a frame's decoder makes the length of a body
/// that never comes: the byte in the place of the body's first character gives them away.
///
/// ```
/// use wire::envelope::FirstWords;
///
/// assert_eq!(FirstWords::default().read(b"\x20\x00{\"messageID\""), Ok(()));
/// let mut first_words = FirstWords::default();
/// assert_eq!(first_words.read(b"S"), Ok(()));
/// assert_eq!(first_words.read(b"SH-2.0-"), Err(&b"SSH-2.0-"[..]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FirstWords(Vec<u8>);

impl FirstWords {
    /// The number of bytes that are looked at.
    const LONGEST: usize = 64;

    /// Takes in the next bytes of the peer.
    ///
    /// # Errors
    ///
    /// The first bytes, at most 64, if no stream of framed messages begins with them.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), &[u8]> {
        let room = Self::LONGEST - self.0.len();
        if room == 0 {
            return Ok(());
        }
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if may_open(&self.0) { Ok(()) } else { Err(&self.0) }
    }
}

/// Returns whether a stream of framed messages may begin with these bytes, however few of them there are.
fn may_open(stream: &[u8]) -> bool {
    match stream {
        [0, 0, ..] => false,
        [_, _, body @ ..] => {
            let first = body.iter().find(|byte| !scan::is_white_space(**byte));
            first.is_none_or(|byte| *byte == b'{')
        }
        _ => true,
    }
}

/// Raw JSON is equal when it is the same text.
impl PartialEq for Envelope<'_> {
    fn eq(&self, other: &Self) -> bool {
        let text = |raw: Option<&RawValue>| raw.map(|raw| raw.get().to_owned());
        (self.message_id, self.agent_id) == (other.message_id, other.agent_id)
            && text(self.correlation_id) == text(other.correlation_id)
            && text(self.payload) == text(other.payload)
    }
}
