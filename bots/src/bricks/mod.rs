//! Bricks: its strategies.
//!
//! A strategy of this game is a [`Policy`]: observation in, brick out. [`nimbers`] computes exact values of positions.

pub mod greedy;
pub mod nimbers;
pub mod perfect;
pub mod region;

use std::fmt;
use std::io::Write;

use game_bricks::{Brick, State};
use game_catalogue::Game;
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
static ENTRIES: [Entry; 3] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any brick, all equally likely", parameters: &[] },
        construct: |_, chance| Box::new(RandomPolicy::<Brick>::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "greedy",
            summary: "leaves the opponent as few replies as it can",
            parameters: &[],
        },
        construct: |_, chance| Box::new(greedy::Greedy::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "perfect",
            summary: "wins every won position that it can compute",
            parameters: &[perfect::NODES],
        },
        construct: |values, chance| {
            let nodes = number(values, perfect::NODES.name);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within the table's range"
            )]
            Box::new(perfect::Perfect::new(chance, nodes as u64))
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

/// The strategies of Bricks.
pub(crate) struct BricksRoom;

impl BricksRoom {
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

impl Room for BricksRoom {
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

/// A board in the notation of the protocol: the size, and cells that are filled.
#[cfg(test)]
fn position(text: &str) -> State {
    use game_bricks::Config;
    use game_env::{Environment as _, Seed};

    let mut parts = text.split('_');
    let config = Config::new(parts.next().unwrap().parse().unwrap()).unwrap();
    let config = config.filled(parts.map(|cell| cell.parse().unwrap())).unwrap();
    State::new(&config, Seed::new(0))
}
