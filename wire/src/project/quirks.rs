//! Oddities of agents of other implementations: their ways of writing, and the messages that they can read.
//!
//! [`habit`] recognises such agents by the request to join. Four implementations of 2020 are known; each has a habit of
//! its own, or shares one with an implementation that reads the same. A new agent may have such a habit by chance, so
//! no habit may change anything that such an agent cannot read.
//!
//! The messages in their dialect are described by [`catalogue`](super::catalogue).

use std::fmt;

use game_project::{Geometry, GoalBelief, Information, Position, Team};
use serde_json::value::RawValue;

use super::fields::object;
use crate::envelope::SENT_AGENT_ID;

/// A way of writing the request to join that our agents do not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Habit {
    /// A known key in another case, `MessageID` or `TeamID`.
    OtherCase,
    /// `payload` before `messageID`.
    PayloadFirst,
    /// `agentID` with nothing in it, as the communication server [passes it on](crate::envelope::SENT_AGENT_ID).
    NullAgent,
    /// `correlationID` with nothing in it.
    NullCorrelation,
    /// A whole number as `correlationID` that is too large for a counter: it was drawn by chance.
    DrawnCorrelation,
}

impl Habit {
    /// All habits.
    pub const ALL: [Self; 5] =
        [Self::OtherCase, Self::PayloadFirst, Self::NullAgent, Self::NullCorrelation, Self::DrawnCorrelation];

    /// Returns the word for it in lists of agents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::OtherCase => "other-case",
            Self::PayloadFirst => "payload-first",
            Self::NullAgent => "null-agent",
            Self::NullCorrelation => "null-correlation",
            Self::DrawnCorrelation => "drawn-correlation",
        }
    }

    /// Returns whether agents with this habit wait for messages 112 and 113.
    pub const fn waits_for_acknowledgements(self) -> bool {
        matches!(self, Self::NullAgent)
    }

    /// Returns whether a question leads agents with this habit astray: some read one message for each of their
    /// decisions, take the question for the answer, and end when they are several answers behind.
    pub const fn is_confused_by_questions(self) -> bool {
        matches!(self, Self::NullAgent)
    }

    /// Returns whether agents with this habit read penalties only as decimal strings.
    pub const fn reads_numbers_as_strings(self) -> bool {
        matches!(self, Self::PayloadFirst)
    }
}

impl fmt::Display for Habit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OtherCase => "keys in another case, like MessageID",
            Self::PayloadFirst => "payload before messageID",
            Self::NullAgent => "an agentID that is null",
            Self::NullCorrelation => "a correlationID that is null",
            Self::DrawnCorrelation => "a correlationID by chance",
        })
    }
}

/// The smallest `correlationID` that counts as drawn. An agent that counts its requests begins at 0 or 1.
const SMALLEST_DRAWN: i64 = 1 << 16;

/// The keys of an envelope.
const ENVELOPE: [&str; 4] = ["messageID", "agentID", "payload", "correlationID"];

/// The keys of requests.
const REQUESTS: [&str; 4] = ["teamID", "direction", "askedAgentID", "respondToID"];

/// Returns the habit that the body of an agent's request to join shows, if it shows one.
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
    if value(SENT_AGENT_ID) == Some("null") {
        return Some(Habit::NullAgent);
    }
    match value("correlationID")? {
        "null" => Some(Habit::NullCorrelation),
        other => other.parse().is_ok_and(|id: i64| id >= SMALLEST_DRAWN).then_some(Habit::DrawnCorrelation),
    }
}

/// Returns whether one of these keys stands there in another case.
fn is_in_other_case<K: AsRef<str>>(fields: &[(K, &RawValue)], known: &[&str]) -> bool {
    fields.iter().any(|(key, _)| {
        let key = key.as_ref();
        known.iter().any(|known| key.eq_ignore_ascii_case(known) && key != *known)
    })
}

/// Returns the information with beliefs about the whole board in the place of those about the goal areas, or of none:
/// some agents look them up by the field. Beliefs of other lengths are left as they are.
pub fn on_whole_board(information: &Information, geometry: Geometry) -> Information {
    let mut whole = information.clone();
    for team in Team::ALL {
        let beliefs = &mut whole.goals[team];
        if beliefs.is_empty() || beliefs.len() == geometry.goal_fields() as usize {
            let start = geometry.index(Position::new(0, geometry.goal_area_start(team)));
            let mut everywhere = vec![GoalBelief::Unknown; geometry.fields() as usize];
            everywhere[start..][..beliefs.len()].copy_from_slice(beliefs);
            *beliefs = everywhere;
        }
    }
    whole
}

/// Some implementations read a whole frame, its two bytes of length included, into a buffer of 8 KiB.
pub const BUFFER_OF_8_KIB: u16 = 8190;

/// An implementation whose agents wait for acknowledgements reads the length of a frame as a signed number of 16 bits;
/// the other one such implementation does not read answers at all.
pub const SIGNED_LENGTH: u16 = 32_767;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_habits_are_all_different() {
        let words: std::collections::BTreeSet<_> = Habit::ALL.into_iter().map(Habit::word).collect();
        assert_eq!(words.len(), Habit::ALL.len());
    }

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
            (r#"{"messageID":6,"agentID":4,"sentAgentID":null,"payload":{}}"#, Some(Habit::NullAgent)),
            (r#"{"payload":{},"messageID":6,"agentID":4,"sentAgentID":null}"#, Some(Habit::PayloadFirst)),
            (r#"{"messageID":6,"agentID":4,"sentAgentID":0,"payload":{}}"#, None),
            (r#"{"messageID":6,"agentID":4,"correlationID":1804289383}"#, Some(Habit::DrawnCorrelation)),
            (r#"{"messageID":6,"agentID":4,"correlationID":65536}"#, Some(Habit::DrawnCorrelation)),
            (r#"{"messageID":6,"agentID":4,"correlationID":65535}"#, None),
            (r#"{"messageID":6,"agentID":4,"correlationID":"1804289383"}"#, None),
            ("[]", None),
            ("{", None),
        ] {
            assert_eq!(habit(body.as_bytes()), expected, "{body}");
        }
        assert_eq!(habit(b"\xff"), None);
    }
}
