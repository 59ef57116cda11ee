//! The positions of the parts of the envelope in a body.

use std::ops::Range;

use serde_json::value::RawValue;

use crate::envelope::scan::{Scanner, Syntax};
use crate::envelope::{EnvelopeError, Key, SENT_AGENT_ID};

/// The value of `agentID`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentField {
    /// Nothing: there is no such key.
    Absent,
    /// `null`.
    Null,
    /// An integer, perhaps in quotes.
    Integer(i64),
    /// Any other value.
    Other,
}

/// A body that was found to be one message, with the positions of its parts.
///
/// Nothing is copied, and nothing of a payload is looked at beyond that it is JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// Its `messageID`.
    pub message_id: i64,
    /// The value of `agentID`. In messages of agents, the communication server replaces it, whatever it is.
    pub agent: AgentField,
    /// The place of the value of each known key, by [`Key`].
    values: [Option<Range<usize>>; Key::ALL.len()],
    /// The place behind the opening brace.
    open: usize,
}

impl Outline {
    /// Returns the outline of a body.
    ///
    /// # Errors
    ///
    /// Whatever breaks the rules of [`envelope`](super).
    #[inline]
    pub fn of(body: &[u8]) -> Result<Self, EnvelopeError> {
        if let Err(error) = std::str::from_utf8(body) {
            return Err(EnvelopeError::NotUtf8 { at: error.valid_up_to() });
        }
        let mut scanner = Scanner::new(body);
        scanner.white_space();
        let is_object = scanner.take(b'{');
        if !is_object {
            // A text that is no JSON at all is not reported as JSON of another kind.
            scanner.value()?;
            scanner.end()?;
            return Err(EnvelopeError::NotObject);
        }
        let open = scanner.at();
        let mut values = [const { None::<Range<usize>> }; Key::ALL.len()];
        let mut twice = None;
        let mut first = true;
        while scanner.member(first)? {
            first = false;
            let key = known(scanner.key()?);
            let value = scanner.value()?;
            if let Some(key) = key
                && values[key as usize].replace(value).is_some()
            {
                twice = Some(key);
            }
        }
        scanner.end()?;

        if let Some(key) = twice {
            return Err(EnvelopeError::Twice(key));
        }
        let text = |key: Key| values[key as usize].clone().map(|place| &body[place]);
        let message_id = text(Key::MessageId).ok_or(EnvelopeError::NoMessageId)?;
        let agent = match text(Key::AgentId) {
            None => AgentField::Absent,
            Some(b"null") => AgentField::Null,
            Some(other) => integer(other).map_or(AgentField::Other, AgentField::Integer),
        };
        let message_id = integer(message_id).ok_or(EnvelopeError::MessageIdNotInteger)?;
        Ok(Self { message_id, agent, values, open })
    }

    /// Appends `body` with `agent` under `agentID`: in place of the value that stands there, or as a first
    /// key of its own. All other bytes are those of `body`.
    ///
    /// # Panics
    ///
    /// If this is the outline of another, shorter body.
    #[inline]
    pub fn splice(&self, body: &[u8], agent: i64, out: &mut Vec<u8>) {
        self.replace(body, agent, "", out);
    }

    /// Does the same as [`splice`](Self::splice), and appends [`SENT_AGENT_ID`] with null behind the id if null was
    /// there.
    ///
    /// # Panics
    ///
    /// If this is the outline of another, shorter body.
    pub fn splice_join(&self, body: &[u8], agent: i64, out: &mut Vec<u8>) {
        let shown = format!(r#","{SENT_AGENT_ID}":null"#);
        self.replace(body, agent, if self.agent == AgentField::Null { &shown } else { "" }, out);
    }

    #[inline]
    fn replace(&self, body: &[u8], agent: i64, behind: &str, out: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(agent).as_bytes();
        match &self.values[Key::AgentId as usize] {
            Some(place) => {
                out.extend_from_slice(&body[..place.start]);
                out.extend_from_slice(digits);
                out.extend_from_slice(behind.as_bytes());
                out.extend_from_slice(&body[place.end..]);
            }
            None => {
                out.extend_from_slice(&body[..self.open]);
                out.extend_from_slice(b"\"agentID\":");
                out.extend_from_slice(digits);
                // A body without `messageID` has no outline, so another key follows.
                out.push(b',');
                out.extend_from_slice(&body[self.open..]);
            }
        }
    }

    /// Returns the value of a key as JSON text; `None` if it is absent or null.
    pub(super) fn raw<'a>(&self, body: &'a [u8], key: Key) -> Result<Option<&'a RawValue>, EnvelopeError> {
        let Some(place) = self.values[key as usize].clone() else { return Ok(None) };
        // A payload comes from a peer: should the two readers of JSON ever differ, that is its fault, not ours.
        let differ = EnvelopeError::NotJson { at: place.start, why: Syntax::Value };
        let raw: &RawValue = serde_json::from_slice(&body[place]).map_err(|_| differ)?;
        Ok(Some(raw).filter(|raw| raw.get() != "null"))
    }
}

/// Returns the key that a string in quotes spells, in any case and with any escapes.
#[inline]
fn known(quoted: &[u8]) -> Option<Key> {
    let plain = &quoted[1..quoted.len() - 1];
    if plain.contains(&b'\\') {
        // Rare, so the general reader decodes it. What does not decode (half a surrogate pair) is no known key.
        let decoded: String = serde_json::from_slice(quoted).ok()?;
        return spelt(decoded.as_bytes());
    }
    spelt(plain)
}

#[inline]
fn spelt(key: &[u8]) -> Option<Key> {
    Key::ALL.into_iter().find(|known| key.eq_ignore_ascii_case(known.name().as_bytes()))
}

/// Returns the value of a JSON number without fraction and exponent, or of one in quotes, if it fits.
#[inline]
fn integer(value: &[u8]) -> Option<i64> {
    let digits = value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value);
    // No number in JSON begins with a plus.
    std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(body: &str) -> String {
        let mut out = Vec::new();
        Outline::of(body.as_bytes()).unwrap().splice(body.as_bytes(), 42, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_id_takes_the_place_of_whatever_stands_there() {
        for value in ["0", "-7", "null", "\"12\"", "{\"agentID\":[1,2]}", "[]", "1e9", "true"] {
            let body = format!("{{\"messageID\":3, \"agentID\" : {value} ,\"payload\":{{}}}}");
            assert_eq!(spliced(&body), r#"{"messageID":3, "agentID" : 42 ,"payload":{}}"#);
        }
    }

    #[test]
    fn a_join_shows_a_null_behind_the_id() {
        let shown = |body: &str| {
            let mut out = Vec::new();
            Outline::of(body.as_bytes()).unwrap().splice_join(body.as_bytes(), 42, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            shown(r#"{"messageID":6,"agentID":null,"payload":{}}"#),
            r#"{"messageID":6,"agentID":42,"sentAgentID":null,"payload":{}}"#
        );
        assert_eq!(shown(r#"{"messageID":6,"agentID":0}"#), r#"{"messageID":6,"agentID":42}"#);
        assert_eq!(shown(r#"{"messageID":6}"#), r#"{"agentID":42,"messageID":6}"#);
    }

    #[test]
    fn an_absent_id_becomes_the_first_key() {
        assert_eq!(spliced(r#" { "messageID":3}"#), r#" {"agentID":42, "messageID":3}"#);
    }

    #[test]
    fn keys_are_known_in_any_case_and_behind_escapes() {
        for key in ["AgentID", "agentid", "AGENTID", r"agent\u0049D", r"\u0061gentId"] {
            let body = format!(r#"{{"{key}":1,"MESSAGEID":3}}"#);
            assert_eq!(spliced(&body), format!(r#"{{"{key}":42,"MESSAGEID":3}}"#));
        }
    }

    #[test]
    fn numbers_may_stand_in_quotes() {
        let outline = Outline::of(br#"{"messageID":"6","agentID":"-12"}"#).unwrap();
        assert_eq!((outline.message_id, outline.agent), (6, AgentField::Integer(-12)));
    }

    #[test]
    fn only_the_outermost_keys_count() {
        let body = r#"{"payload":{"agentID":1,"messageID":"x"},"messageID":3,"more":[{"agentID":2}]}"#;
        assert_eq!(spliced(body), format!(r#"{{"agentID":42,{}"#, &body[1..]));
    }

    #[test]
    fn a_key_that_only_resembles_another_is_unknown() {
        for key in ["agentID ", "agent_ID", "agentI", "agentID2", r"agentID\ud800", "agentıd"] {
            let body = format!(r#"{{"{key}":1,"messageID":3}}"#);
            assert_eq!(Outline::of(body.as_bytes()).unwrap().agent, AgentField::Absent, "{key}");
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_reason() {
        let deep =
            |depth| format!(r#"{{"messageID":1,"payload":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        for (body, reason) in [
            (&b"\xff{}"[..], "the body is not UTF-8 from byte 0 on"),
            (b"", "the body is not JSON: a value is missing at byte 0"),
            (b"hello", "the body is not JSON: a value is missing at byte 0"),
            (b"{\"messageID\":1", "the body is not JSON: a comma or an end is missing at byte 14"),
            (b"{\"messageID\":1}x", "the body is not JSON: something follows its end at byte 15"),
            (b"{\"messageID\":01}", "the body is not JSON: a comma or an end is missing at byte 14"),
            (b"{messageID:1}", "the body is not JSON: a key is missing at byte 1"),
            (b"{\"messageID\" 1}", "the body is not JSON: a colon is missing at byte 13"),
            (b"{\"a\":\"\\x\"}", "the body is not JSON: an escape is wrong at byte 7"),
            (b"{\"a\":\"\n\"}", "the body is not JSON: a string has a control character at byte 6"),
            (b"{\"a\":\"b", "the body is not JSON: a string has no end at byte 7"),
            (b"[1]", "the body is not an object"),
            (b"null", "the body is not an object"),
            (b"{}", "the key `messageID` is missing"),
            (b"{\"messageID\":\"one\"}", "`messageID` is not an integer"),
            (b"{\"messageID\":\"+1\"}", "`messageID` is not an integer"),
            (b"{\"messageID\":\"\"}", "`messageID` is not an integer"),
            (b"{\"messageID\":\"1.0\"}", "`messageID` is not an integer"),
            (b"{\"messageID\":1.0}", "`messageID` is not an integer"),
            (b"{\"messageID\":null}", "`messageID` is not an integer"),
            (b"{\"messageID\":9223372036854775808}", "`messageID` is not an integer"),
            (b"{\"messageID\":1,\"agentID\":1,\"AgentId\":2}", "the key `agentID` is given twice"),
            (b"{\"messageID\":1,\"message\\u0049D\":2}", "the key `messageID` is given twice"),
            (deep(128).as_bytes(), "the body is not JSON: it is nested deeper than 128 at byte 152"),
        ] {
            let error = Outline::of(body).unwrap_err();
            assert_eq!(error.to_string(), reason, "{}", String::from_utf8_lossy(body));
        }
        assert!(Outline::of(deep(127).as_bytes()).is_ok());
    }
}
