//! Oddities of agents of other implementations: how they write, and what they can read.
//!
//! [`habit`] identifies such agents by their way of writing. An agent written from the protocol chapter has no reason
//! for any of these habits. The value of `agentID` is not among them, because the communication server replaces it.
//!
//! What messages look like in their dialect is told by [`catalogue`](super::catalogue).

use std::fmt;

use game_project::{Geometry, GoalBelief, Information, Position, Team};
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

/// What an agent says, with beliefs about the whole board in the place of those about the goal areas, or of none:
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
