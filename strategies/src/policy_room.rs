//! The room of a game whose strategies are policies: observation in, action out.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

use game_catalogue::Game;
use game_env::arrays::Outside;
use game_env::matches::{MatchRecord, MatchSpec, PlayError, play};
use game_env::parameter::Parameter;
use game_env::replay::{Header, Reader, RecordedEpisode, ReplayError};
use game_env::seat::{ReportsBlunders, Seat};
use game_env::{
    AgentId, Arrays, Chance, Environment, Measured, Notation, Parameters, Policy, Seed, Thinking,
};
use wire::agent::{Told, schema};

use crate::arrays::{self, ArrayGame, ArrayGameError, Sight};
use crate::budget::Budget;
use crate::notation;
use crate::programs::{Command, Either, Program, Programs, RecordedError, recorded};
use crate::recorded_game::{Recorded, RecordedGame};
use crate::room::{OwnStrategyError, Room, StrategyInfo, check_name, no_programs, unknown_strategy};

/// A strategy that can be asked for by name.
pub struct Entry<E: Notation> {
    pub(crate) info: StrategyInfo,
    pub(crate) construct: Construct<E>,
}

/// Makes a strategy with a value for each of its parameters, which draws from this source. A budget goes before the
/// parameters that limit its search.
pub type Construct<E> = fn(&Parameters, Chance, Option<Budget>) -> SendPolicy<E>;

/// A strategy that a task on another thread may play.
pub type SendPolicy<E> = Box<dyn Policy<E> + Send>;

impl<E: Notation> Entry<E> {
    /// Creates a strategy with this name, a description in one line, and these parameters.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        parameters: &'static [Parameter],
        construct: Construct<E>,
    ) -> Self {
        Self { info: StrategyInfo { name, summary, parameters }, construct }
    }
}

impl<E: Notation> Clone for Entry<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Notation> Copy for Entry<E> {}

/// The strategies of a game in which an entrant is one player: those that are shipped, and own ones.
///
/// ```
/// use game_dots::{Edge, Observation, State};
/// use game_env::{AgentId, Options as _, SimTime};
/// use strategies::room::{Entry, PolicyRoom, Room as _};
///
/// fn first_edge(_: SimTime, _: AgentId, seen: &Observation) -> Edge {
///     let mut edges = Vec::new();
///     seen.options(&mut edges);
///     edges[0]
/// }
///
/// let first = Entry::new("first", "the first edge", &[], |_, _, _| Box::new(first_edge));
/// let room = PolicyRoom::<State>::shipped().with(first)?;
/// assert_eq!(room.line_up("first")?, ["first"]);
/// assert_eq!(room.line_up("greedy")?, ["greedy"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PolicyRoom<E: Notation + 'static> {
    entries: Cow<'static, [Entry<E>]>,
    reference: &'static str,
    programs: Option<Arc<dyn Programs>>,
}

/// A game of which this crate has strategies that are policies.
pub trait PolicyGame: Notation + 'static {
    /// Returns its strategies.
    fn room() -> &'static PolicyRoom<Self>;
}

/// Returns the strategy of this text, e.g. `chains:nodes=1000`, which draws from this source.
///
/// A budget goes before the parameters that limit the search: a program that plays on a clock gives one, a match in
/// process none. Strategies that do not search need none.
///
/// # Errors
///
/// Names the fault of the text, and the expected text.
///
/// # Examples
///
/// ```
/// use strategies::budget::Budget;
/// use strategies::room::policy;
/// use game_dots::State;
/// use game_env::Seed;
///
/// let chance = Seed::new(7).game();
/// assert!(policy::<State>("chains", chance.clone(), Some(Budget::nodes(1_000))).is_ok());
/// let error = policy::<State>("chain", chance, None).err().expect("no strategy has this name");
/// assert!(error.contains("did you mean `chains`?"));
/// ```
pub fn policy<E: PolicyGame>(
    text: &str,
    chance: Chance,
    budget: Option<Budget>,
) -> Result<Box<dyn Policy<E> + Send>, String> {
    E::room().policy(text, chance, budget)
}

/// A strategy with the values of its parameters.
struct Asked<'a, E: Notation> {
    entry: &'a Entry<E>,
    values: Parameters,
}

impl<E: Notation> fmt::Display for Asked<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrategyInfo { name, parameters, .. } = self.entry.info;
        notation::write(f, name, parameters, &self.values)
    }
}

impl<E: PolicyGame> PolicyRoom<E> {
    /// Returns the strategies that are shipped.
    pub fn shipped() -> Self {
        Self { entries: E::room().entries.clone(), reference: E::room().reference, programs: None }
    }
}

impl<E: Notation> PolicyRoom<E> {
    /// Returns a room with these strategies, of which the one with this name plays best.
    pub(crate) const fn of(entries: &'static [Entry<E>], reference: &'static str) -> Self {
        Self { entries: Cow::Borrowed(entries), reference, programs: None }
    }

    /// Returns the same room with a further strategy, at the end of its list.
    ///
    /// # Errors
    ///
    /// If a strategy of the room has the same name, or line-ups cannot contain the name.
    pub fn with(mut self, entry: Entry<E>) -> Result<Self, OwnStrategyError> {
        check_name(E::GAME, entry.info.name, self.entries.iter().map(|entry| entry.info.name))?;
        self.entries.to_mut().push(entry);
        Ok(self)
    }

    /// Returns the strategy of this text with a value for each of its parameters.
    fn find(&self, text: &str) -> Result<Asked<'_, E>, String> {
        let (name, values) = notation::split(text);
        let found = self.entries.iter().find(|entry| entry.info.name == name);
        let entry =
            found.ok_or_else(|| unknown_strategy(name, self.entries.iter().map(|entry| entry.info.name)))?;
        let values = notation::read(entry.info.name, entry.info.parameters, values);
        Ok(Asked { entry, values: values.map_err(|error| error.to_string())? })
    }

    /// Returns the same room, whose entrants may be programs.
    pub fn starting(self, programs: Arc<dyn Programs>) -> Self {
        Self { programs: Some(programs), ..self }
    }

    /// Returns the player of an entrant in a game on a server: a program, or a strategy. It blocks the thread while it
    /// waits for a program.
    ///
    /// # Errors
    ///
    /// Names the fault of the text, or says that the room starts no programs.
    pub fn player(
        &self,
        name: &str,
        config: &E::Config,
        player: AgentId,
        seed: Seed,
    ) -> Result<impl Policy<E> + ReportsBlunders + Send + use<E>, String>
    where
        E: Told,
        E::Action: Send,
    {
        self.seat(config, player, name, seed, Thinking::RealTime)
    }

    /// Returns the seat of an entrant: a program, or a strategy.
    fn seat(
        &self,
        config: &E::Config,
        player: AgentId,
        name: &str,
        seed: Seed,
        thinking: Thinking,
    ) -> Result<PlayerSeat<E>, String>
    where
        E: Told,
    {
        if let Some(command) = Command::read(name) {
            let command = command.map_err(|error| error.to_string())?;
            let peer = self.programs.as_ref().ok_or_else(no_programs)?.start(&command);
            return Ok(Either::Right(Program::new(config, player, seed, peer, thinking)));
        }
        Ok(Either::Left(Seat::new(self.policy(name, seed.agent(player), None)?)))
    }

    /// Returns the policy of this text.
    pub(crate) fn policy(
        &self,
        text: &str,
        chance: Chance,
        budget: Option<Budget>,
    ) -> Result<SendPolicy<E>, String> {
        let Asked { entry, values } = self.find(text)?;
        Ok((entry.construct)(&values, chance, budget))
    }
}

/// A player of a match.
type PlayerSeat<E> = Either<Seat<SendPolicy<E>>, Program<E>>;

impl<E: Told> PlayerSeat<E> {
    /// The notes of programs are kept; strategies of these games leave none.
    fn with_notes(self) -> Self {
        match self {
            Self::Left(seat) => Self::Left(seat),
            Self::Right(program) => Self::Right(program.with_notes()),
        }
    }
}

/// The same strategies and programs.
impl<E: Notation> Clone for PolicyRoom<E> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), reference: self.reference, programs: self.programs.clone() }
    }
}

impl<E> Room for PolicyRoom<E>
where
    E: Told + Measured + Arrays + Send,
    E::Config: Clone + Send + Sync,
    E::Action: PartialEq + Send + Sync,
    <E as Environment>::Observation: Send,
{
    fn game(&self) -> &'static dyn Game {
        game_catalogue::find(E::GAME).expect("the catalogue has it")
    }

    fn strategies(&self) -> Vec<StrategyInfo> {
        self.entries.iter().map(|entry| entry.info).collect()
    }

    fn reference(&self) -> &'static str {
        self.reference
    }

    /// A team is one player.
    fn line_up(&self, text: &str) -> Result<Vec<String>, String> {
        let name = match Command::read(text) {
            Some(command) => command.map_err(|error| error.to_string())?.to_string(),
            None => self.find(text)?.to_string(),
        };
        Ok(vec![name])
    }

    fn play(
        &self,
        spec: &MatchSpec,
        program: &str,
        replay: Option<&mut dyn Write>,
    ) -> Result<MatchRecord, PlayError> {
        let has_notes = replay.is_some();
        let config = E::read_config(&spec.config).map_err(PlayError::Config)?;
        play::<E, _>(
            spec,
            program,
            |_, player, name| {
                let seat = self.seat(&config, player, name, spec.seed, spec.limits.thinking)?;
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
        if sight == Sight::Notices {
            return Err(ArrayGameError::NoNotices(E::GAME));
        }
        let config = E::read_config(config).map_err(ArrayGameError::Config)?;
        let room = self.clone();
        let inside = {
            let config = config.clone();
            move |_: &E, player, name: &str, seed| room.seat(&config, player, name, seed, Thinking::Free)
        };
        let layout = E::layout(&config);
        let outside = {
            let config = config.clone();
            move |_: &E, _, _| Outside::<E>::new(&config)
        };
        arrays::game(config, agents, layout, outside, inside, E::points)
    }

    fn with_programs(&self, programs: Arc<dyn Programs>) -> Arc<dyn Room> {
        Arc::new(self.clone().starting(programs))
    }

    fn schema(&self) -> serde_json::Value {
        schema::<E>()
    }

    fn recorded(
        &self,
        replay: Reader<'_>,
        agent: AgentId,
        last: Option<usize>,
        out: &mut dyn Write,
    ) -> Result<(), RecordedError> {
        let (seed, thinking) = (replay.header().seed, replay.header().thinking);
        let config = E::read_config(&replay.header().config).map_err(ReplayError::Config)?;
        let seat = |_: &E, peer| Program::new(&config, agent, seed, peer, thinking);
        recorded(replay, agent, last, out, seat)
    }

    fn recorded_game(&self, replay: Reader<'_>) -> Result<Box<dyn RecordedGame>, ReplayError> {
        let episode = RecordedEpisode::<E>::read(replay)?;
        let (room, config) = (self.clone(), episode.config().clone());
        let seat = move |_: &E, player, name: &str, header: &Header, has_notes: bool| {
            let seat = room.seat(&config, player, name, header.seed, header.thinking)?;
            Ok(if has_notes { seat.with_notes() } else { seat })
        };
        Ok(Box::new(Recorded { episode, seat }))
    }
}
