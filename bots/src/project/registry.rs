//! Names and numbers of the strategies.

use std::fmt;
use std::str::FromStr;

use game_env::NotationError;
use game_env::names::nearest;
use sdk::strategy::Strategy;

use crate::project::{climber, coordinated, greedy, idle, liar, random};

/// A strategy on a pointer, as line-ups hold it.
pub type BoxedStrategy = Box<dyn Strategy + Send>;

/// A strategy that can be asked for by name or number.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// How it plays, in one line.
    pub summary: &'static str,
    /// A fresh one.
    pub construct: fn() -> BoxedStrategy,
}

/// All strategies. The place in this list, from 1 on, is the number by which configuration files may ask for
/// one (specification, section 7): new ones are added at the end.
pub const ENTRIES: [Entry; 6] = [
    Entry {
        name: "random",
        summary: "a random sensible action, all equally likely",
        construct: || Box::new(random::Random),
    },
    Entry { name: "idle", summary: "does nothing but answer its leader", construct: || Box::new(idle::Idle) },
    Entry {
        name: "greedy",
        summary: "nearest piece, nearest untried goal field, nobody asked",
        construct: || Box::<greedy::Greedy>::default(),
    },
    Entry {
        name: "climber",
        summary: "climbs the distances of its moves, tries goal columns of its own first",
        construct: || Box::<climber::Climber>::default(),
    },
    Entry {
        name: "coordinated",
        summary: "deals out goal columns; with no own field left, asks the owner of the next",
        construct: || Box::<coordinated::Coordinated>::default(),
    },
    Entry {
        name: "liar",
        summary: "plays as coordinated, and tells plausible lies to agents that ask",
        construct: || Box::<liar::Liar>::default(),
    },
];

/// A name or number that no strategy has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown strategy `{asked}`: expected one of {}{}", names(), likely(.asked))]
pub struct UnknownStrategy {
    asked: String,
}

impl Entry {
    /// The strategy of this name or number.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn find(asked: &str) -> Result<&'static Self, UnknownStrategy> {
        let number = asked.parse::<usize>().ok();
        let numbered = number.and_then(|number| ENTRIES.get(number.checked_sub(1)?));
        numbered
            .or_else(|| ENTRIES.iter().find(|entry| entry.name == asked))
            .ok_or_else(|| UnknownStrategy { asked: asked.to_owned() })
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Entry {}

/// The names of all strategies with their numbers: `1 random, 2 idle`.
pub fn names() -> String {
    let named = ENTRIES.iter().zip(1..).map(|(entry, number)| format!("{number} {}", entry.name));
    named.collect::<Vec<_>>().join(", ")
}

fn likely(asked: &str) -> String {
    if asked.eq_ignore_ascii_case("scripted") {
        return "; a script is obeyed with `--connect HOST:PORT --script FILE`".to_owned();
    }
    let near = likeliest(asked, ENTRIES.iter().map(|entry| entry.name));
    let near = near.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    format!("{near}; examples/e04_compare_strategies.rs plays a strategy of your own")
}

/// Which of some names may be meant by a misspelt one, if any is like it.
pub fn likeliest<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest(asked, names).filter(|near| near.is_meant).map(|near| near.name)
}

/// The strategies of a team, in the order of its agents: `coordinated*3+liar`.
///
/// A line-up shorter than its team is repeated: `greedy` alone is a team of greedy agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lineup(Vec<&'static Entry>);

/// A line-up that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineupError {
    /// There is no such strategy.
    #[error(transparent)]
    Unknown(#[from] UnknownStrategy),
    /// The text is no line-up.
    #[error(transparent)]
    Notation(#[from] NotationError),
}

/// The most agents that a line-up names: as many as a team can have.
const LONGEST: usize = 3_000;

impl Lineup {
    /// A team of nothing but this strategy.
    pub fn of(entry: &'static Entry) -> Self {
        Self(vec![entry])
    }

    /// The strategy of the agent that is this many places from the first of its team.
    pub fn entry(&self, place: usize) -> &'static Entry {
        self.0[place % self.0.len()]
    }

    /// A fresh strategy for that agent.
    pub fn construct(&self, place: usize) -> BoxedStrategy {
        (self.entry(place).construct)()
    }

    /// How many agents it names; one for a team of one strategy.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Lineup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, run) in self.0.chunk_by(|a, b| a == b).enumerate() {
            let plus = if place > 0 { "+" } else { "" };
            write!(f, "{plus}{}", run[0].name)?;
            if run.len() > 1 {
                write!(f, "*{}", run.len())?;
            }
        }
        Ok(())
    }
}

impl FromStr for Lineup {
    type Err = LineupError;

    fn from_str(text: &str) -> Result<Self, LineupError> {
        let mut entries = Vec::new();
        for part in text.split('+') {
            let (name, count) = part.split_once('*').unwrap_or((part, "1"));
            if name.trim().is_empty() && part.len() < text.len() {
                return Err(
                    NotationError::new("line-up", text, "a strategy before and after each `+`").into()
                );
            }
            let room = LONGEST - entries.len();
            let count: usize =
                count.trim().parse().ok().filter(|count| (1..=room).contains(count)).ok_or_else(|| {
                    NotationError::new("line-up", text, "e.g. `greedy` or `greedy*3+random`")
                })?;
            let entry = Entry::find(name.trim())?;
            entries.extend(std::iter::repeat_n(entry, count));
        }
        Ok(Self(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ups_read_as_they_are_written() {
        for text in ["greedy", "greedy*3+random", "idle+greedy*2+idle"] {
            assert_eq!(text.parse::<Lineup>().unwrap().to_string(), text);
        }
        let mixed: Lineup = "greedy*2 + random".parse().unwrap();
        let names: Vec<_> = (0..4).map(|place| mixed.entry(place).name).collect();
        assert_eq!(names, ["greedy", "greedy", "random", "greedy"]);
        assert_eq!("1".parse::<Lineup>().unwrap().entry(0).name, "random");
    }

    #[test]
    fn what_is_no_line_up_is_refused_with_what_would_be_right() {
        for (text, expected) in [
            ("", "unknown strategy ``: expected one of 1 random, 2 idle, 3 greedy"),
            ("greedy+", "a strategy before and after each `+`"),
            ("+greedy", "a strategy before and after each `+`"),
            ("*3", "unknown strategy ``"),
            ("scripted", "--script FILE"),
            ("7", "unknown strategy `7`: expected one of 1 random"),
            (
                "gredy",
                "did you mean `greedy`?; examples/e04_compare_strategies.rs plays a strategy of your own",
            ),
            ("mine", "examples/e04_compare_strategies.rs plays a strategy of your own"),
            ("0", "unknown strategy `0`"),
            ("greedy*0", "e.g. `greedy` or `greedy*3+random`"),
            ("greedy*many", "e.g. `greedy` or `greedy*3+random`"),
            ("greedy*99999999999", "e.g. `greedy` or `greedy*3+random`"),
            ("greedy*3000+random", "e.g. `greedy` or `greedy*3+random`"),
        ] {
            let error = text.parse::<Lineup>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
