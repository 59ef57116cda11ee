//! Habits that identify agents of other implementations.
//!
//! An agent written from the protocol chapter has no reason for any of these habits.
//! The value of `agentID` is not among them, because the communication server replaces it.

use std::fmt;

use serde_json::value::RawValue;

use super::fields::object;

/// How an agent writes differently from ours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Habit {
    /// A known key in another case, `MessageID` or `TeamID`.
    OtherCase,
    /// `payload` before `messageID`.
    PayloadFirst,
    /// `correlationID` with nothing in it.
    NullCorrelation,
}

impl fmt::Display for Habit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OtherCase => "keys in another case, like MessageID",
            Self::PayloadFirst => "payload before messageID",
            Self::NullCorrelation => "a correlationID that is null",
        })
    }
}

/// The keys of an envelope.
const ENVELOPE: [&str; 4] = ["messageID", "agentID", "payload", "correlationID"];

/// The keys of requests.
const REQUESTS: [&str; 4] = ["teamID", "direction", "askedAgentID", "respondToID"];

/// The habit that a body of an agent's request shows, if it shows one.
///
/// ```
/// use wire::project::{Habit, habit};
///
/// assert_eq!(habit(br#"{"messageID":6,"agentID":0,"payload":{"teamID":"red"}}"#), None);
/// assert_eq!(habit(br#"{"MessageID":6,"AgentID":3,"Payload":{"TeamID":"red"}}"#), Some(Habit::OtherCase));
/// ```
pub fn habit(body: &[u8]) -> Option<Habit> {
    let envelope = object(std::str::from_utf8(body).ok()?)?;
    let place = |name: &str| envelope.iter().position(|(key, _)| key.eq_ignore_ascii_case(name));
    let value = |name: &str| place(name).map(|place| envelope[place].1.get());
    let payload = value("payload").and_then(object).unwrap_or_default();
    if is_in_other_case(&envelope, &ENVELOPE) || is_in_other_case(&payload, &REQUESTS) {
        return Some(Habit::OtherCase);
    }
    if let (Some(payload), Some(id)) = (place("payload"), place("messageID"))
        && payload < id
    {
        return Some(Habit::PayloadFirst);
    }
    (value("correlationID") == Some("null")).then_some(Habit::NullCorrelation)
}

/// Whether one of these keys stands there in another case.
fn is_in_other_case<K: AsRef<str>>(fields: &[(K, &RawValue)], known: &[&str]) -> bool {
    fields.iter().any(|(key, _)| {
        let key = key.as_ref();
        known.iter().any(|known| key.eq_ignore_ascii_case(known) && key != *known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_of_others_are_recognised_and_ours_are_none() {
        for (body, expected) in [
            (r#"{"messageID":6,"agentID":0,"payload":{"teamID":"red"}}"#, None),
            (r#"{"agentID":4,"messageID":6,"payload":{"teamID":"Red"}}"#, None),
            (r#"{"messageID":6,"payload":{"teamID":"red"},"correlationID":"a","timeSent":null}"#, None),
            (r#"{"messageID":6,"agentID":4,"payload":{"TeamID":"red"}}"#, Some(Habit::OtherCase)),
            (r#"{"AgentID":4,"messageID":6,"payload":{"teamID":"red"}}"#, Some(Habit::OtherCase)),
            (r#"{"payload":{"teamID":"red"},"messageID":6}"#, Some(Habit::PayloadFirst)),
            (r#"{"messageID":6,"correlationID":null,"payload":{}}"#, Some(Habit::NullCorrelation)),
            ("[]", None),
            ("{", None),
        ] {
            assert_eq!(habit(body.as_bytes()), expected, "{body}");
        }
        assert_eq!(habit(b"\xff"), None);
    }
}
