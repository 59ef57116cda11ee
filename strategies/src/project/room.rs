//! The Project Game's strategies as a [`Room`].

use std::io::Write;

use game_catalogue::Game;
use game_env::Notation as _;
use game_env::matches::{MatchRecord, MatchSpec, PlayError, play};
use game_project::State;
use sdk::local::Seat;

use crate::project::registry::{ENTRIES, Entry, Lineup, Shipped};
use crate::room::{Room, StrategyInfo};

/// The strategies of The Project Game.
pub(crate) struct ProjectRoom;

impl Room for ProjectRoom {
    fn game(&self) -> &'static dyn Game {
        game_catalogue::find(State::GAME).expect("the catalogue has it")
    }

    fn strategies(&self) -> Vec<StrategyInfo> {
        let info = |Entry { name, summary, parameters, .. }: &'static Entry| StrategyInfo {
            name,
            summary,
            parameters,
        };
        ENTRIES.iter().map(info).collect()
    }

    fn line_up(&self, text: &str) -> Result<Vec<String>, String> {
        let line_up: Lineup = text.parse().map_err(|error| format!("{error}"))?;
        Ok((0..line_up.size()).map(|place| line_up.strategy(place).to_string()).collect())
    }

    fn play(
        &self,
        spec: &MatchSpec,
        program: &str,
        replay: Option<&mut dyn Write>,
    ) -> Result<MatchRecord, PlayError> {
        let has_notes = replay.is_some();
        play::<State, _>(
            spec,
            program,
            |state, agent, name| {
                let strategy: Shipped = name.parse().map_err(|error| format!("{error}"))?;
                let seat = Seat::new(state, agent, spec.seed, strategy.construct());
                Ok(if has_notes { seat.with_notes() } else { seat })
            },
            replay,
        )
    }
}
