//! The Project Game's strategies as a [`Room`].

use std::io::Write;

use game_catalogue::Game;
use game_env::Notation as _;
use game_env::matches::{MatchRecord, MatchSpec, PlayError, play};
use game_project::State;
use sdk::local::Seat;

use crate::project::registry::{ENTRIES, Entry, Lineup, Shipped};
use crate::room::{OwnStrategyError, Room, StrategyInfo, check_name};

/// The strategies of The Project Game that are shipped.
pub(crate) static ROOM: ProjectRoom = ProjectRoom { own: Vec::new() };

/// The strategies of The Project Game: those that are shipped, and own ones.
///
/// ```
/// use sdk::prelude::*;
/// use strategies::project::registry::Entry;
/// use strategies::project::room::ProjectRoom;
/// use strategies::room::Room as _;
///
/// struct Looker;
///
/// impl Strategy for Looker {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         view.discover()
///     }
/// }
///
/// static LOOKER: Entry = Entry::new("looker", "discovers again and again", &[], |_| Box::new(Looker));
///
/// let room = ProjectRoom::shipped().with(&LOOKER)?;
/// assert_eq!(room.line_up("looker+greedy")?, ["looker", "greedy"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProjectRoom {
    own: Vec<&'static Entry>,
}

impl ProjectRoom {
    /// The strategies that are shipped.
    pub fn shipped() -> Self {
        ROOM.clone()
    }

    /// The same room with a further strategy, at the end of its list. It has no number.
    ///
    /// # Errors
    ///
    /// If a strategy of the room has the same name, or line-ups cannot contain the name.
    pub fn with(mut self, entry: &'static Entry) -> Result<Self, OwnStrategyError> {
        check_name(State::GAME, entry.name, self.entries().map(|entry| entry.name))?;
        self.own.push(entry);
        Ok(self)
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> + Clone {
        ENTRIES.iter().chain(self.own.iter().copied())
    }
}

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
        self.entries().map(info).collect()
    }

    fn line_up(&self, text: &str) -> Result<Vec<String>, String> {
        let line_up = Lineup::read(text, &self.own).map_err(|error| error.to_string())?;
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
                let strategy = Shipped::read(name, &self.own).map_err(|error| error.to_string())?;
                let seat = Seat::new(state, agent, spec.seed, strategy.construct());
                Ok(if has_notes { seat.with_notes() } else { seat })
            },
            replay,
        )
    }
}
