//! One line of a replay after the header, as a value and as JSON.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::LATEST;
use crate::digest::read_hash;
use crate::environment::Disruption;
use crate::ids::{AgentId, TeamId};
use crate::note::{Note, Place, Shape};
use crate::outcome::{Outcome, Termination};
use crate::seed::Seed;
use crate::text::{fit_for_a_log, parser_message};
use crate::time::SimTime;

/// The content of one line of a replay.
#[derive(Clone, PartialEq, Debug)]
pub enum Record {
    /// A request of an agent was served.
    Action {
        /// The moment at which it was served.
        at: SimTime,
        /// The agent.
        agent: AgentId,
        /// The action, in the game's notation.
        action: String,
    },
    /// An agent left a note with its next decision. The note has no effect on the game.
    Note {
        /// The moment.
        at: SimTime,
        /// The agent.
        agent: AgentId,
        /// The note.
        note: Note,
    },
    /// The game was changed from outside.
    Disruption {
        /// The moment.
        at: SimTime,
        /// The change.
        disruption: Disruption,
    },
    /// Everything after this point was drawn from another seed: the game was played on from here.
    Reseed {
        /// The moment.
        at: SimTime,
        /// The seed.
        seed: Seed,
    },
    /// The hash of the state at this point.
    Hash {
        /// The moment of the last action or disruption.
        at: SimTime,
        /// The number of actions and disruptions before it.
        count: u64,
        /// The state's hash.
        hash: u64,
    },
    /// The end of the episode.
    End {
        /// The moment at which the driver was done.
        at: SimTime,
        /// The number of actions and disruptions.
        count: u64,
        /// The last state's hash.
        hash: u64,
        /// The outcome.
        outcome: Outcome,
    },
}

impl Record {
    /// Returns the moment of the record.
    pub fn at(&self) -> SimTime {
        match self {
            Self::Action { at, .. }
            | Self::Note { at, .. }
            | Self::Disruption { at, .. }
            | Self::Reseed { at, .. }
            | Self::Hash { at, .. }
            | Self::End { at, .. } => *at,
        }
    }
}

/// A record as it stands in the file. The keys that are there decide which record it is.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Line<'a> {
    t: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<u16>,
    #[serde(rename = "do", skip_serializing_if = "Option::is_none", borrow)]
    action: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<NoteLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    late: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forfeited: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    ended: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    seed: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    hash: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteLine {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shapes: Vec<ShapeLine>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ShapeLine {
    Field(u16, u16),
    Line(u16, u16, u16, u16),
    Label(u16, u16, String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    places: Vec<u8>,
    termination: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<u16>,
    returns: Vec<i32>,
}

impl<'a> Line<'a> {
    pub(super) fn action(at: SimTime, agent: AgentId, action: &'a str) -> Self {
        Self { a: Some(number(agent)), action: Some(action.into()), ..Self::from(at) }
    }

    pub(super) fn note(at: SimTime, agent: AgentId, note: &Note) -> Self {
        Self { a: Some(number(agent)), note: Some(NoteLine::write(note)), ..Self::from(at) }
    }

    pub(super) fn disruption(at: SimTime, disruption: Disruption) -> Self {
        let line = Self::from(at);
        match disruption {
            Disruption::AgentLost(agent) => Self { lost: Some(number(agent)), ..line },
            Disruption::DeadlineMissed(agent) => Self { late: Some(number(agent)), ..line },
            Disruption::Forfeited(agent, reason) => {
                Self { forfeited: Some(number(agent)), reason: Some(reason.to_string().into()), ..line }
            }
            Disruption::Ended(reason) => Self { ended: Some(reason.to_string().into()), ..line },
        }
    }

    pub(super) fn reseed(at: SimTime, seed: Seed) -> Self {
        Self { seed: Some(seed.to_string().into()), ..Self::from(at) }
    }

    pub(super) fn hash(at: SimTime, count: u64, hash: u64) -> Self {
        Self { n: Some(count), hash: Some(format!("{hash:016x}").into()), ..Self::from(at) }
    }

    pub(super) fn end(at: SimTime, count: u64, hash: u64, outcome: Outcome) -> Self {
        let end = End {
            places: outcome.ranking.places().to_vec(),
            termination: outcome.termination.to_string(),
            fault: outcome.fault.map(number),
            returns: outcome.returns.points().to_vec(),
        };
        Self { end: Some(end), ..Self::hash(at, count, hash) }
    }

    fn from(at: SimTime) -> Self {
        Self { t: at.as_millis(), ..Self::default() }
    }

    /// Returns the moment of the record.
    pub(super) fn at(&self) -> SimTime {
        SimTime::from_millis(self.t)
    }

    /// Returns the record that these keys make.
    pub(super) fn read(text: &'a str) -> Result<Record, String> {
        let line: Self = serde_json::from_str(text).map_err(|error| reason(&error))?;
        let keys = line.keys();
        let at = line.at();
        if at > LATEST {
            return Err(format!("`t` is {}: expected at most {} ms (31 years)", line.t, LATEST.as_millis()));
        }
        let agent = AgentId::new;
        // Each record, and the number of its keys.
        let (record, used) = match line {
            Line { a: Some(id), action: Some(action), .. } => {
                (Record::Action { at, agent: agent(id), action: action.into_owned() }, 2)
            }
            Line { a: Some(id), note: Some(note), .. } => {
                (Record::Note { at, agent: agent(id), note: note.read() }, 2)
            }
            Line { lost: Some(id), .. } => {
                (Record::Disruption { at, disruption: Disruption::AgentLost(agent(id)) }, 1)
            }
            Line { late: Some(id), .. } => {
                (Record::Disruption { at, disruption: Disruption::DeadlineMissed(agent(id)) }, 1)
            }
            Line { forfeited: Some(id), reason: Some(reason), .. } => {
                let disruption = Disruption::Forfeited(agent(id), read_termination(&reason)?);
                (Record::Disruption { at, disruption }, 2)
            }
            Line { ended: Some(reason), .. } => {
                (Record::Disruption { at, disruption: Disruption::Ended(read_termination(&reason)?) }, 1)
            }
            Line { seed: Some(seed), .. } => {
                let seed = seed.parse().map_err(|error| format!("{error}"))?;
                (Record::Reseed { at, seed }, 1)
            }
            Line { n: Some(count), hash: Some(hash), end, .. } => {
                let hash = read_hash(&hash).ok_or_else(|| {
                    format!("hash `{}`: expected 16 hexadecimal digits", fit_for_a_log(&hash))
                })?;
                match end {
                    None => (Record::Hash { at, count, hash }, 2),
                    Some(end) => (Record::End { at, count, hash, outcome: end.read()? }, 3),
                }
            }
            _ => {
                return Err(
                    "no record: expected `a` and `do` or `note`, `lost`, `late`, `forfeited` and `reason`, `ended`, `seed`, or `n` \
                     and `hash`"
                        .to_owned(),
                );
            }
        };
        if keys > used { Err("several records in one line".to_owned()) } else { Ok(record) }
    }

    /// Returns the number of keys beside `t`.
    fn keys(&self) -> usize {
        let Self { t: _, a, action, note, lost, late, forfeited, reason, ended, seed, n, hash, end } = self;
        let keys = [
            a.is_some(),
            action.is_some(),
            note.is_some(),
            lost.is_some(),
            late.is_some(),
            forfeited.is_some(),
            reason.is_some(),
            ended.is_some(),
            seed.is_some(),
            n.is_some(),
            hash.is_some(),
            end.is_some(),
        ];
        keys.into_iter().filter(|there| *there).count()
    }
}

/// Returns the fault of a line that is no JSON or holds something unexpected, and its column. Only the reader of the
/// file knows the number of the line.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(what) => format!("{} (column {})", parser_message(what), error.column()),
        None => parser_message(text),
    }
}

impl NoteLine {
    fn write(note: &Note) -> Self {
        let shape = |shape: &Shape| match shape {
            Shape::Field(at) => ShapeLine::Field(at.x, at.y),
            Shape::Line(from, to) => ShapeLine::Line(from.x, from.y, to.x, to.y),
            Shape::Label(at, text) => ShapeLine::Label(at.x, at.y, text.clone()),
        };
        Self { text: note.text.clone(), shapes: note.shapes.iter().map(shape).collect() }
    }

    fn read(self) -> Note {
        let place = |x, y| Place { x, y };
        let shape = |shape| match shape {
            ShapeLine::Field(x, y) => Shape::Field(place(x, y)),
            ShapeLine::Line(x, y, to_x, to_y) => Shape::Line(place(x, y), place(to_x, to_y)),
            ShapeLine::Label(x, y, text) => Shape::Label(place(x, y), text),
        };
        Note { text: self.text, shapes: self.shapes.into_iter().map(shape).collect() }
    }
}

impl End {
    fn read(self) -> Result<Outcome, String> {
        let teams = self.returns.len();
        if teams > TeamId::MAX {
            return Err(format!("{teams} returns: expected at most {}", TeamId::MAX));
        }
        Outcome::from_parts(&self.places, &self.termination, self.fault, &self.returns)
    }
}

fn read_termination(text: &str) -> Result<Termination, String> {
    text.parse().map_err(|error| format!("{error}"))
}

fn number(agent: AgentId) -> u16 {
    u16::try_from(agent.index()).expect("ids have 16 bits")
}
