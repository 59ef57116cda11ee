//! Dots & Boxes: its strategies.
//!
//! A strategy of this game is a [`Policy`]: observation in, edge out.

pub mod greedy;

use std::fmt;
use std::io::Write;

use game_catalogue::Game;
use game_dots::{Edge, State};
use game_env::matches::{MatchRecord, MatchSpec, PlayError, play};
use game_env::seat::Seat;
use game_env::{Chance, Notation as _, Parameters, Policy, RandomPolicy};

use crate::notation::{self, number};
use crate::room::{Room, StrategyInfo, unknown_strategy};

/// A strategy that can be asked for by name.
struct Entry {
    info: StrategyInfo,
    construct: fn(&Parameters, Chance) -> Box<dyn Policy<State>>,
}

/// All strategies.
static ENTRIES: [Entry; 2] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any edge, all equally likely", parameters: &[] },
        construct: |_, chance| Box::new(RandomPolicy::<Edge>::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "greedy",
            summary: "completes boxes, and gives away as few as it can",
            parameters: &[greedy::SLIP],
        },
        construct: |values, chance| {
            Box::new(greedy::Greedy::slipping(chance, number(values, greedy::SLIP.name)))
        },
    },
];

/// A strategy with the values of its parameters.
struct Asked {
    entry: &'static Entry,
    values: Parameters,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrategyInfo { name, parameters, .. } = self.entry.info;
        notation::write(f, name, parameters, &self.values)
    }
}

/// The strategies of Dots & Boxes.
pub(crate) struct DotsRoom;

impl DotsRoom {
    /// The strategy of this text with a value for each of its parameters.
    fn find(text: &str) -> Result<Asked, String> {
        let (name, values) = notation::split(text);
        let found = ENTRIES.iter().find(|entry| entry.info.name == name);
        let entry =
            found.ok_or_else(|| unknown_strategy(name, ENTRIES.iter().map(|entry| entry.info.name)))?;
        let values = notation::read(entry.info.name, entry.info.parameters, values);
        Ok(Asked { entry, values: values.map_err(|error| error.to_string())? })
    }
}

impl Room for DotsRoom {
    fn game(&self) -> &'static dyn Game {
        game_catalogue::find(State::GAME).expect("the catalogue has it")
    }

    fn strategies(&self) -> Vec<StrategyInfo> {
        ENTRIES.iter().map(|entry| entry.info).collect()
    }

    /// A team is one player.
    fn line_up(&self, text: &str) -> Result<Vec<String>, String> {
        Ok(vec![Self::find(text)?.to_string()])
    }

    fn play(
        &self,
        spec: &MatchSpec,
        program: &str,
        replay: Option<&mut dyn Write>,
    ) -> Result<MatchRecord, PlayError> {
        play::<State, _>(
            spec,
            program,
            |_, player, name| {
                let Asked { entry, values } = Self::find(name)?;
                Ok(Seat::new((entry.construct)(&values, spec.seed.agent(player))))
            },
            replay,
        )
    }
}
