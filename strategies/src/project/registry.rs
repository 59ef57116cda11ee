//! Names and numbers of the strategies.

use std::fmt;
use std::str::FromStr;

use game_env::names::did_you_mean;
use game_env::parameter::Parameter;
use game_env::text::fit_for_a_log;
use game_env::{NotationError, Parameters};
use sdk::strategy::Strategy;

use crate::notation::{self, ParametersError, number};
use crate::project::coordinated::{self, Coordinated};
use crate::project::slip::{SLIP, slipping};
use crate::project::think::{think_ms, thinking};
use crate::project::{asker, climber, greedy, idle, leader, liar, random, scanner, sweeper};

/// A strategy on a pointer, as line-ups hold it.
pub type BoxedStrategy = Box<dyn Strategy + Send>;

/// A strategy that can be asked for by name or number.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Description of its play, in one line.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// A fresh one with these values, of which there is one for each parameter.
    make: fn(&Parameters) -> BoxedStrategy,
}

// Decision times of the agents of 2020 for which the sparring partners stand: the time in which they were idle, divided
// by the number of their actions, as measured over the network with short penalties.
const CLIMBER_THINKS: Parameter = think_ms(8);
const SCANNER_THINKS: Parameter = think_ms(6);
const SWEEPER_THINKS: Parameter = think_ms(13);
const ASKER_THINKS: Parameter = think_ms(23);

/// All strategies. The place in this list, from 1 on, is the number by which configuration files may ask for
/// one (specification, section 7): new ones are added at the end.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "random",
        summary: "a random action that may succeed, all equally likely",
        parameters: &[],
        make: |_| Box::new(random::Random),
    },
    Entry {
        name: "idle",
        summary: "does nothing but answer its team",
        parameters: &[],
        make: |_| Box::new(idle::Idle),
    },
    Entry {
        name: "greedy",
        summary: "nearest piece, nearest of its own goal fields, nobody asked",
        parameters: &[SLIP],
        make: |values| slipping(greedy::Greedy::default(), number(values, SLIP.name)),
    },
    Entry {
        name: "climber",
        summary: "climbs the distances of its moves, tries goal columns of its own first",
        parameters: &[CLIMBER_THINKS],
        make: |values| thinking(climber::Climber::default(), number(values, CLIMBER_THINKS.name)),
    },
    Entry {
        name: "coordinated",
        summary: "deals out goal fields, weighs all pieces; with no own field left, asks the owner of the next",
        parameters: &coordinated::PARAMETERS,
        make: |values| {
            let strategy = Coordinated::with(coordinated::Options::of(values));
            slipping(strategy, number(values, SLIP.name))
        },
    },
    Entry {
        name: "liar",
        summary: "plays as coordinated, and tells plausible lies to agents that ask",
        parameters: &[],
        make: |_| Box::<liar::Liar>::default(),
    },
    Entry {
        name: "scanner",
        summary: "discovers before each step to a piece, tries goal columns of its own first",
        parameters: &[SCANNER_THINKS],
        make: |values| thinking(scanner::Scanner::default(), number(values, SCANNER_THINKS.name)),
    },
    Entry {
        name: "sweeper",
        summary: "sweeps a strip of columns, checks no piece, tries its strip's goal fields row by row",
        parameters: &[SWEEPER_THINKS],
        make: |values| thinking(sweeper::Sweeper::default(), number(values, SWEEPER_THINKS.name)),
    },
    Entry {
        name: "asker",
        summary: "asks its leader with each piece which goal fields have been tried",
        parameters: &[ASKER_THINKS],
        make: |values| thinking(asker::Asker::default(), number(values, ASKER_THINKS.name)),
    },
    Entry {
        name: "leader",
        summary: "plays as coordinated, and its leader deals out goal fields anew by messages",
        parameters: &[leader::BRIEFED, leader::REPORTS],
        make: |values| Box::new(leader::Leader::of(values)),
    },
];

impl Entry {
    /// Creates a strategy with this name, a description in one line, and these parameters. `make` makes a fresh one
    /// with a value for each parameter.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        parameters: &'static [Parameter],
        make: fn(&Parameters) -> BoxedStrategy,
    ) -> Self {
        Self { name, summary, parameters, make }
    }

    /// Returns the strategy of this name or number.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn find(asked: &str) -> Result<&'static Self, StrategyError> {
        Self::find_with(asked, &[])
    }

    /// As [`find`](Self::find); own strategies have a name and no number.
    fn find_with(asked: &str, own: &[&'static Self]) -> Result<&'static Self, StrategyError> {
        let number = asked.parse::<usize>().ok();
        let numbered = number.and_then(|number| ENTRIES.get(number.checked_sub(1)?));
        numbered
            .or_else(|| ENTRIES.iter().chain(own.iter().copied()).find(|entry| entry.name == asked))
            .ok_or_else(|| StrategyError::Unknown {
                asked: fit_for_a_log(asked),
                own: own.iter().map(|entry| entry.name).collect(),
            })
    }

    /// Returns a fresh one with the default of every parameter.
    pub fn construct(&'static self) -> BoxedStrategy {
        Shipped::of(self).construct()
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

/// A strategy of the registry with the values of its parameters: `coordinated:slip=0.01`.
#[derive(Clone, PartialEq, Debug)]
pub struct Shipped {
    entry: &'static Entry,
    /// A value for each parameter.
    values: Parameters,
}

impl Shipped {
    /// This strategy with the default of every parameter.
    pub fn of(entry: &'static Entry) -> Self {
        let defaults = entry.parameters.iter().map(|parameter| (parameter.name, parameter.default.into()));
        Self { entry, values: defaults.collect() }
    }

    /// Returns the strategy of this text, from those that are shipped and these own ones.
    ///
    /// # Errors
    ///
    /// If there is no such strategy, or its parameters have faults.
    pub fn read(text: &str, own: &[&'static Entry]) -> Result<Self, StrategyError> {
        let (name, values) = notation::split(text);
        let entry = Entry::find_with(name, own)?;
        Ok(Self { entry, values: notation::read(entry.name, entry.parameters, values)? })
    }

    /// Returns the strategy without the values of its parameters.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Returns a fresh one.
    pub fn construct(&self) -> BoxedStrategy {
        (self.entry.make)(&self.values)
    }
}

/// The name, and the values that differ from their defaults.
impl fmt::Display for Shipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write(f, self.entry.name, self.entry.parameters, &self.values)
    }
}

impl FromStr for Shipped {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Self, StrategyError> {
        Self::read(text, &[])
    }
}

/// A strategy or a line-up that cannot be read.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum StrategyError {
    /// No strategy has this name or number.
    #[error("unknown strategy `{asked}`: expected one of {}{}{}", names(), also(.own), likely(.asked, .own))]
    Unknown {
        /// The name or number, fit for a log.
        asked: String,
        /// The names of the own strategies.
        own: Vec<&'static str>,
    },
    /// The parameters of a strategy have faults.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// The text is no line-up.
    #[error(transparent)]
    Notation(#[from] NotationError),
}

/// Returns the names of all strategies with their numbers: `1 random, 2 idle`.
pub fn names() -> String {
    let named = ENTRIES.iter().zip(1..).map(|(entry, number)| format!("{number} {}", entry.name));
    named.collect::<Vec<_>>().join(", ")
}

/// Returns the own names, after those that are shipped.
fn also(own: &[&'static str]) -> String {
    own.iter().map(|name| format!(", {name}")).collect()
}

fn likely(asked: &str, own: &[&'static str]) -> String {
    if asked.eq_ignore_ascii_case("scripted") {
        return "; a script is obeyed with `bots join HOST:PORT --script FILE`".to_owned();
    }
    let near = did_you_mean(asked, ENTRIES.iter().map(|entry| entry.name).chain(own.iter().copied()));
    format!("{near}; examples/e04_compare_strategies.rs plays a strategy of your own")
}

/// The strategies of a team, in the order of its agents: `coordinated:slip=0.01*3+liar`.
///
/// A line-up shorter than its team is repeated: `greedy` alone is a team of greedy agents.
#[derive(Clone, PartialEq, Debug)]
pub struct LineUp(Vec<Shipped>);

impl LineUp {
    /// Returns a team of nothing but this strategy.
    pub fn of(entry: &'static Entry) -> Self {
        Self(vec![Shipped::of(entry)])
    }

    /// Returns the line-up of this text, of strategies that are shipped and these own ones.
    ///
    /// # Errors
    ///
    /// Names the fault of the text, and the expected text.
    pub fn read(text: &str, own: &[&'static Entry]) -> Result<Self, StrategyError> {
        let mut strategies = Vec::new();
        for (name, count) in notation::line_up(text)? {
            let strategy = Shipped::read(name, own)?;
            strategies.extend(std::iter::repeat_n(strategy, count));
        }
        Ok(Self(strategies))
    }

    /// Returns the strategy of the agent that is this many places from the first of its team.
    pub fn strategy(&self, place: usize) -> &Shipped {
        &self.0[place % self.0.len()]
    }

    /// Returns a fresh strategy for that agent.
    pub fn construct(&self, place: usize) -> BoxedStrategy {
        self.strategy(place).construct()
    }

    /// Returns the number of agents that it names; one for a team of one strategy.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for LineUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_line_up(f, &self.0)
    }
}

impl FromStr for LineUp {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Self, StrategyError> {
        Self::read(text, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ups_read_as_they_are_written() {
        for text in [
            "greedy",
            "greedy*3+random",
            "idle+greedy*2+idle",
            "coordinated:patience=2.0,slip=0.01*3+greedy:slip=0.5",
        ] {
            assert_eq!(text.parse::<LineUp>().unwrap().to_string(), text);
        }
        let mixed: LineUp = "greedy*2 + random".parse().unwrap();
        let names: Vec<_> = (0..4).map(|place| mixed.strategy(place).entry().name).collect();
        assert_eq!(names, ["greedy", "greedy", "random", "greedy"]);
        assert_eq!("1".parse::<LineUp>().unwrap().to_string(), "random");
    }

    #[test]
    fn what_is_no_line_up_is_refused_with_what_would_be_right() {
        for (text, expected) in [
            ("", "unknown strategy ``: expected one of 1 random, 2 idle, 3 greedy"),
            ("greedy+", "a strategy before and after each `+`"),
            ("+greedy", "a strategy before and after each `+`"),
            ("*3", "unknown strategy ``"),
            ("scripted", "--script FILE"),
            ("999", "unknown strategy `999`: expected one of 1 random"),
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
            ("gredy:slip=0.1", "did you mean `greedy`?"),
            (
                "random*2+greedy:slip=2*2",
                "greedy: slip = 2.0: it is too large; allowed: a number from 0 to 1",
            ),
            (
                "coordinated:patence=2",
                "coordinated: patence = 2: unknown parameter; allowed: perhaps `patience`",
            ),
            ("liar:slip=0.1", "`liar` has no parameters"),
            // Only spaces may stand around a name: standings show the text of a line-up.
            ("greedy\u{2028}", "unknown strategy `greedy\\u{2028}`"),
            ("\u{b}greedy*2", "unknown strategy `\\u{b}greedy`"),
            ("greedy*2\u{85}", "`greedy*2\\u{85}` is no line-up"),
        ] {
            let error = text.parse::<LineUp>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
