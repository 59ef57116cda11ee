//! The parameters beside those of the rules, with all that is known of each in one table.

use game_env::Value;
use game_project::config::Range as Rules;

use super::{Description, Range};

/// The table; an empty text is no value.
pub(super) const TABLE: [Own; 8] = [
    own("CsIP", &[], "the communication server's name or address", Kind::Name("127.0.0.1")),
    own("CsPort", &[], "its port for the game master", Kind::Whole(3728, 1, 65_535)),
    own(
        "dialect",
        &[],
        "the dialect of what agents are told; auto: union for agents that write like other implementations, spec for all others",
        Kind::OneOf(&["spec", "union", "auto"]),
    ),
    own(
        "ackAgents",
        &["acknowledge"],
        "who waits for messages 112 and 113: teams and numbers of agents, joined by commas",
        Kind::Agents,
    ),
    own(
        "longAnswerAgents",
        &[],
        "who can read answers up to maxMessageBytes in the union dialect, where others get at most 8190 bytes: teams and numbers of agents, joined by commas",
        Kind::Agents,
    ),
    own(
        "neverAskedAgents",
        &["neverAsked"],
        "who is never asked, and said to know nothing: teams and numbers of agents, joined by commas",
        Kind::Agents,
    ),
    own("maxMessageBytes", &[], "the longest message, bytes", Kind::Whole(8192, 1024, 65_535)),
    own("seed", &[], "what decides all chance of the game; drawn if there is none", Kind::Seed),
];

/// A parameter beside those of the rules.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub(super) name: &'static str,
    /// Other names under which it is read.
    pub(super) aliases: &'static [&'static str],
    meaning: &'static str,
    pub(super) kind: Kind,
}

/// What such a parameter may be, and what it is if nothing is said.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// The first number unless it is said, and a number between the other two.
    Whole(i64, i64, i64),
    /// A name, this one unless it is said.
    Name(&'static str),
    /// One of these texts, the first unless it is said.
    OneOf(&'static [&'static str]),
    /// Teams and agents, nobody unless it is said.
    Agents,
    /// A number of 64 bits, none unless it is said.
    Seed,
}

const fn own(name: &'static str, aliases: &'static [&'static str], meaning: &'static str, kind: Kind) -> Own {
    Own { name, aliases, meaning, kind }
}

impl Own {
    /// The parameter that may be called so.
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|own| own.names().any(|known| known == name))
    }

    /// All that it may be called.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    pub(super) fn default(&self) -> Value {
        match self.kind {
            Kind::Whole(number, ..) => Value::Whole(number.into()),
            Kind::Name(text) => Value::Text(text.to_owned()),
            Kind::OneOf(texts) => Value::Text(texts.first().copied().unwrap_or_default().to_owned()),
            Kind::Agents | Kind::Seed => Value::Text(String::new()),
        }
    }

    pub(super) fn description(&self) -> Description {
        let range = match self.kind {
            Kind::Whole(_, least, most) => Range::Rules(Rules::Whole(least, most)),
            Kind::Name(_) | Kind::Agents | Kind::Seed => Range::Text(&[]),
            Kind::OneOf(texts) => Range::Text(texts),
        };
        Description { name: self.name, meaning: self.meaning, default: self.default(), range }
    }

    /// What it may be, for people.
    pub(super) fn allowed(&self) -> String {
        match self.kind {
            Kind::Whole(_, least, most) => Rules::Whole(least, most).to_string(),
            Kind::Name(_) => "a name or an address".to_owned(),
            Kind::OneOf([texts @ .., last]) if !texts.is_empty() => {
                format!("{} or {last}", texts.join(", "))
            }
            Kind::OneOf(texts) => texts.concat(),
            Kind::Agents => "teams and numbers of agents joined by commas, or nothing".to_owned(),
            Kind::Seed => format!("a whole number from 0 to {}, or nothing", u64::MAX),
        }
    }

    /// What is wrong with a value, if anything is. Numbers may be written as text and the other way round.
    pub(super) fn check(&self, value: &Value) -> Result<String, &'static str> {
        let text = match value {
            Value::Text(text) => text.trim().to_owned(),
            Value::Whole(number) => number.to_string(),
            Value::Real(_) | Value::Flag(_) => return Err("a value of another kind is needed"),
        };
        let whole = |least: i128, most: i128| match text.parse::<i128>() {
            Err(_) => Err("it is no whole number"),
            Ok(number) if number < least => Err("it is too small"),
            Ok(number) if number > most => Err("it is too large"),
            Ok(_) => Ok(()),
        };
        match self.kind {
            Kind::Whole(_, least, most) => whole(least.into(), most.into())?,
            Kind::Name(_) if text.is_empty() => return Err("it is empty"),
            Kind::OneOf(texts) if !texts.contains(&text.as_str()) => return Err("there is no such thing"),
            Kind::Agents if text.parse::<crate::AgentSet>().is_err() => {
                return Err("it names neither teams nor agents");
            }
            Kind::Seed if !text.is_empty() => whole(0, u64::MAX.into())?,
            Kind::Name(_) | Kind::OneOf(_) | Kind::Agents | Kind::Seed => {}
        }
        Ok(text)
    }
}
