//! Dots & Boxes: its strategies.
//!
//! A strategy of this game is a [`Policy`]: observation in, edge out.

pub mod greedy;

use std::io::Write;

use game_catalogue::Game;
use game_dots::{Edge, State};
use game_env::matches::{MatchRecord, MatchSpec, PlayError, play};
use game_env::seat::Seat;
use game_env::{Chance, Notation as _, Policy, RandomPolicy};

use crate::room::{Room, StrategyInfo, unknown_strategy};

/// A strategy that can be asked for by name.
struct Entry {
    info: StrategyInfo,
    construct: fn(Chance) -> Box<dyn Policy<State>>,
}

/// All strategies.
static ENTRIES: [Entry; 2] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any edge, all equally likely" },
        construct: |chance| Box::new(RandomPolicy::<Edge>::new(chance)),
    },
    Entry {
        info: StrategyInfo { name: "greedy", summary: "completes boxes, and gives away as few as it can" },
        construct: |chance| Box::new(greedy::Greedy::new(chance)),
    },
];

/// The strategies of Dots & Boxes.
pub(crate) struct DotsRoom;

impl DotsRoom {
    fn find(name: &str) -> Result<&'static Entry, String> {
        let found = ENTRIES.iter().find(|entry| entry.info.name == name);
        found.ok_or_else(|| unknown_strategy(name, ENTRIES.iter().map(|entry| entry.info.name)))
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
        Ok(vec![Self::find(text.trim())?.info.name.to_owned()])
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
                Self::find(name).map(|entry| Seat::new((entry.construct)(spec.seed.agent(player))))
            },
            replay,
        )
    }
}
