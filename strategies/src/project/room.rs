//! The Project Game's strategies as a [`Room`].

use std::io::Write;
use std::sync::Arc;

use game_catalogue::Game;
use game_env::matches::{MatchRecord, MatchSpec, PlayError, play};
use game_env::replay::{Header, Reader, RecordedEpisode, ReplayError};
use game_env::{AgentId, Notation as _, Parameters, Seed, Thinking};
use game_project::arrays::{Reader as OwnReadings, Scope, layout};
use game_project::{State, Team};
use sdk::local::Seat;
use sdk::program;
use wire::agent::schema;
use wire::project::agent::ProjectAgent;

use crate::arrays::{self, ArrayGame, ArrayGameError, Sight};
use crate::notation;
use crate::programs::{Command, Either, Programs, RecordedError, recorded};
use crate::project::registry::{BoxedStrategy, ENTRIES, Entry, Shipped};
use crate::recorded_game::{Recorded, RecordedGame};
use crate::room::{OwnStrategyError, Room, StrategyInfo, check_name, no_programs};

/// The strategies of The Project Game that are shipped.
pub(crate) static ROOM: ProjectRoom = ProjectRoom { own: Vec::new(), programs: None };

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
    programs: Option<Arc<dyn Programs>>,
}

impl ProjectRoom {
    /// Returns the strategies that are shipped.
    pub fn shipped() -> Self {
        ROOM.clone()
    }

    /// Returns the same room with a further strategy, at the end of its list. It has no number.
    ///
    /// # Errors
    ///
    /// If a strategy of the room has the same name, or line-ups cannot contain the name.
    pub fn with(mut self, entry: &'static Entry) -> Result<Self, OwnStrategyError> {
        check_name(State::GAME, entry.name, self.entries().map(|entry| entry.name))?;
        self.own.push(entry);
        Ok(self)
    }

    /// Returns the same room, whose entrants may be programs.
    pub fn starting(self, programs: Arc<dyn Programs>) -> Self {
        Self { programs: Some(programs), ..self }
    }

    /// Returns the strategy of an entrant for an agent on a server: a program, whose random choices follow from the
    /// seed, or a strategy. It blocks the thread while it waits for a program.
    ///
    /// # Errors
    ///
    /// Names the fault of the text, or says that the room starts no programs.
    pub fn strategy(&self, name: &str, seed: Seed) -> Result<BoxedStrategy, String> {
        if let Some(command) = Command::read(name) {
            let command = command.map_err(|error| error.to_string())?;
            let peer = self.programs.as_ref().ok_or_else(no_programs)?.start(&command);
            return Ok(Box::new(program::Program::new(peer, seed, Thinking::RealTime)));
        }
        let strategy = Shipped::read(name, &self.own).map_err(|error| error.to_string())?;
        Ok(strategy.construct())
    }

    /// Returns the seat of an entrant: a program, or a strategy.
    fn seat(
        &self,
        game: &State,
        agent: AgentId,
        name: &str,
        seed: Seed,
        thinking: Thinking,
    ) -> Result<AgentSeat, String> {
        if let Some(command) = Command::read(name) {
            let command = command.map_err(|error| error.to_string())?;
            let peer = self.programs.as_ref().ok_or_else(no_programs)?.start(&command);
            return Ok(Either::Right(program::Seat::new(game, agent, seed, peer, thinking)));
        }
        let strategy = Shipped::read(name, &self.own).map_err(|error| error.to_string())?;
        Ok(Either::Left(Seat::new(game, agent, seed, strategy.construct())))
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> + Clone {
        ENTRIES.iter().chain(self.own.iter().copied())
    }
}

/// An agent of a match.
type AgentSeat = Either<Seat<BoxedStrategy>, program::Seat>;

impl AgentSeat {
    /// The notes of the agent are kept.
    fn with_notes(self) -> Self {
        match self {
            Self::Left(seat) => Self::Left(seat.with_notes()),
            Self::Right(program) => Self::Right(program.with_notes()),
        }
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

    fn reference(&self) -> &'static str {
        "coordinated"
    }

    fn line_up(&self, text: &str) -> Result<Vec<String>, String> {
        let mut strategies = Vec::new();
        for (part, count) in notation::line_up(text).map_err(|error| error.to_string())? {
            let name = match Command::read(part) {
                Some(command) => command.map_err(|error| error.to_string())?.to_string(),
                None => Shipped::read(part, &self.own).map_err(|error| error.to_string())?.to_string(),
            };
            strategies.extend(std::iter::repeat_n(name, count));
        }
        Ok(strategies)
    }

    fn with_programs(&self, programs: Arc<dyn Programs>) -> Arc<dyn Room> {
        Arc::new(self.clone().starting(programs))
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
                let seat = self.seat(state, agent, name, spec.seed, spec.limits.thinking)?;
                Ok(if has_notes { seat.with_notes() } else { seat })
            },
            replay,
        )
    }

    fn array_game(
        &self,
        config: &Parameters,
        agents: &[Option<String>],
        sight: Sight,
    ) -> Result<Box<dyn ArrayGame>, ArrayGameError> {
        let config = State::read_config(config).map_err(ArrayGameError::Config)?;
        let room = self.clone();
        let inside =
            move |game: &State, agent, name: &str, seed| room.seat(game, agent, name, seed, Thinking::Free);
        let points = |game: &State, team| {
            let points = Team::try_from(team).map_or(0, |team| game.points()[team]);
            i32::try_from(points).expect("goals fit on a board")
        };
        let scope = match sight {
            Sight::Knowledge | Sight::Readings => Scope::Window,
            Sight::Board => Scope::Board,
            Sight::Notices => Scope::Nothing,
        };
        let layout = layout(&config, scope);
        if sight == Sight::Readings {
            let reader = |game: &State, agent, _| OwnReadings::new(game, agent);
            return arrays::game(config, agents, layout, reader, inside, points);
        }
        let seat = move |game: &State, agent, seed| sdk::arrays::Seat::new(game, agent, seed, scope);
        arrays::game(config, agents, layout, seat, inside, points)
    }

    fn schema(&self) -> serde_json::Value {
        schema::<ProjectAgent>()
    }

    fn recorded(
        &self,
        replay: Reader<'_>,
        agent: AgentId,
        last: Option<usize>,
        out: &mut dyn Write,
    ) -> Result<(), RecordedError> {
        let (seed, thinking) = (replay.header().seed, replay.header().thinking);
        let seat = |game: &State, peer| program::Seat::new(game, agent, seed, peer, thinking);
        recorded(replay, agent, last, out, seat)
    }

    fn recorded_game(&self, replay: Reader<'_>) -> Result<Box<dyn RecordedGame>, ReplayError> {
        let room = self.clone();
        let seat = move |game: &State, agent, name: &str, header: &Header, has_notes: bool| {
            let seat = room.seat(game, agent, name, header.seed, header.thinking)?;
            Ok(if has_notes { seat.with_notes() } else { seat })
        };
        Ok(Box::new(Recorded { episode: RecordedEpisode::read(replay)?, seat }))
    }
}
