//! Rooms: the strategies of each game behind one trait, for programs and leagues that serve all games.
//!
//! [`rooms`] lists them, [`find`] finds one by its game's name, and [`policy`] makes a strategy of a game whose state
//! is known by its type. A [`Room`] names its strategies, reads line-ups, and plays a match in process.
//!
//! An author adds strategies to a copy of a shipped room, and the room to [`Rooms`], which a league takes in place of
//! the shipped ones.
//!
//! ```
//! use game_env::matches::{MatchLimits, MatchSpec};
//! use game_env::{Parameters, Seed};
//!
//! let dots = strategies::room::find("dots")?;
//! let spec = MatchSpec {
//!     game: "dots".to_owned(),
//!     config: Parameters::new(),
//!     seed: Seed::new(7),
//!     entrants: vec!["greedy".to_owned(), "random".to_owned()],
//!     limits: MatchLimits::default(),
//! };
//! let record = dots.play(&spec, "docs 1.0", None)?;
//! assert_eq!(record.outcome.returns.points().iter().sum::<i32>(), 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use game_catalogue::{Game, UnknownGame};
use game_env::matches::{MatchRecord, MatchSpec, PlayError};
use game_env::names::did_you_mean;
use game_env::parameter::Parameter;
use game_env::replay::{Reader, ReplayError};
use game_env::text::fit_for_a_log;
use game_env::{AgentId, Parameters};

use crate::arrays::{ArrayGame, ArrayGameError, Sight};
pub use crate::policy_room::{Construct, Entry, PolicyGame, PolicyRoom, SendPolicy, policy};
use crate::programs::{Programs, RecordedError};
use crate::recorded_game::RecordedGame;
use crate::{bricks, conveyor, dots, eriantys, project};

/// The strategy of a team for which none is named, in every game that has it.
pub const DEFAULT_STRATEGY: &str = "greedy";

/// The strategies of one game.
pub trait Room: Send + Sync {
    /// Returns the game.
    fn game(&self) -> &'static dyn Game;

    /// Returns every strategy, in the order of their numbers, if the game numbers them.
    fn strategies(&self) -> Vec<StrategyInfo>;

    /// Returns the shipped strategy that plays best, with its default parameters: by it the decisions of others are
    /// judged.
    fn reference(&self) -> &'static str;

    /// Returns the strategy of a team for which none is named: [`DEFAULT_STRATEGY`], or the
    /// [reference](Self::reference) of a game that does not have it.
    fn default_strategy(&self) -> &'static str {
        let has_default = self.strategies().iter().any(|info| info.name == DEFAULT_STRATEGY);
        if has_default { DEFAULT_STRATEGY } else { self.reference() }
    }

    /// Returns the strategies that a line-up names for the agents of a team, each as a match names it:
    /// `coordinated:slip=0.01*3+liar` is four. If there are fewer than agents, they repeat. In the place of a strategy
    /// there may be the [command](crate::programs::Command) of a program: `"python3 mine.py"*2+greedy`.
    ///
    /// # Errors
    ///
    /// Names the fault of the text, and the expected text.
    fn line_up(&self, text: &str) -> Result<Vec<String>, String>;

    /// Plays a match in process on the virtual clock, and writes its replay to `replay`, if there is one.
    ///
    /// `program` is the name and version of the program, for the record and the replay. Equal matches give equal
    /// records.
    ///
    /// # Errors
    ///
    /// Fails if the match is none of this game, has faults, or names strategies that do not exist; and if the replay
    /// cannot be written.
    fn play(
        &self,
        spec: &MatchSpec,
        program: &str,
        replay: Option<&mut dyn Write>,
    ) -> Result<MatchRecord, PlayError>;

    /// Games of this configuration in which the decisions of some agents come from outside, as numbers: the agents
    /// without a name. The others are entrants of a match, in the order of agent ids.
    ///
    /// # Errors
    ///
    /// Names the faults of the configuration, or says that there are more or fewer names than agents.
    fn array_game(
        &self,
        config: &Parameters,
        agents: &[Option<String>],
        sight: Sight,
    ) -> Result<Box<dyn ArrayGame>, ArrayGameError>;

    /// Returns the same room, whose matches may have programs as entrants. Other rooms refuse matches that have.
    fn with_programs(&self, programs: Arc<dyn Programs>) -> Arc<dyn Room>;

    /// Returns the JSON Schemas of the [agent protocol](wire::agent) for this game.
    fn schema(&self) -> serde_json::Value;

    /// Writes the lines that a program in the place of this agent of a replay would have read: `hello`, a `decide` for
    /// each action of the agent, and `end`. A replay has no decisions to wait, so there are no lines for them. With
    /// `last`, these are the lines up to the `decide` for the agent's action of this number, counted from 0.
    ///
    /// # Errors
    ///
    /// If the replay cannot be played, has no such agent, the last action has no line, or the lines cannot be written.
    fn recorded(
        &self,
        replay: Reader<'_>,
        agent: AgentId,
        last: Option<usize>,
        out: &mut dyn Write,
    ) -> Result<(), RecordedError>;

    /// Returns the game of a replay, to be played on from any of its moments. Nothing but the header of the replay may
    /// have been read before.
    ///
    /// # Errors
    ///
    /// If the replay cannot be played.
    fn recorded_game(&self, replay: Reader<'_>) -> Result<Box<dyn RecordedGame>, ReplayError>;
}

/// Returns the reason why a room without [`Room::with_programs`] refuses a program.
pub(crate) fn no_programs() -> String {
    "it is a program, and this program starts none: expected the name of a strategy".to_owned()
}

/// A strategy, for lists.
#[derive(Clone, Copy, Debug)]
pub struct StrategyInfo {
    /// Its name.
    pub name: &'static str,
    /// Description of its play, in one line.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

static ROOMS: &[&dyn Room] =
    &[&project::room::ROOM, &dots::ROOM, &bricks::ROOM, &conveyor::ROOM, &eriantys::ROOM];

/// Returns the shipped rooms, in the order of the catalogue.
pub fn rooms() -> &'static [&'static dyn Room] {
    ROOMS
}

/// Returns the shipped room of the game with this name.
///
/// # Errors
///
/// Fails if there is no such game; the error names the nearest.
pub fn find(game: &str) -> Result<&'static dyn Room, UnknownGame> {
    let game = game_catalogue::find(game)?;
    let room = ROOMS.iter().find(|room| room.game().name() == game.name());
    Ok(*room.expect("every game of the catalogue has a room"))
}

/// A room for each game of the catalogue: the shipped ones, and rooms with own strategies in their place.
///
/// ```
/// use strategies::room::{PolicyRoom, Room as _, Rooms};
///
/// let dots = PolicyRoom::<game_dots::State>::shipped(); // `with` adds own strategies
/// let rooms = Rooms::shipped().with(dots);
/// assert_eq!(rooms.find("dots")?.line_up("greedy")?, ["greedy"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Rooms {
    /// At most one room for each game; the other games have their shipped rooms.
    own: Vec<Arc<dyn Room>>,
}

impl Rooms {
    /// Returns the shipped rooms.
    pub fn shipped() -> Self {
        Self::default()
    }

    /// Returns the same rooms, with this one in place of the room of its game.
    pub fn with(mut self, room: impl Room + 'static) -> Self {
        self.own.retain(|own| own.game().name() != room.game().name());
        self.own.push(Arc::new(room));
        self
    }

    /// Returns the same rooms, whose matches may have programs as entrants.
    pub fn with_programs(self, programs: &Arc<dyn Programs>) -> Self {
        let own = ROOMS.iter().map(|shipped| self.own(*shipped).with_programs(Arc::clone(programs)));
        Self { own: own.collect() }
    }

    /// Returns the room of the game with this name.
    ///
    /// # Errors
    ///
    /// Fails if there is no such game; the error names the nearest.
    pub fn find(&self, game: &str) -> Result<&dyn Room, UnknownGame> {
        find(game).map(|shipped| self.own(shipped))
    }

    /// Returns the room in the place of a shipped one.
    fn own<'a>(&'a self, shipped: &'a dyn Room) -> &'a dyn Room {
        let own = self.own.iter().find(|own| own.game().name() == shipped.game().name());
        own.map_or(shipped, |own| &**own)
    }
}

/// The games with own rooms, and their strategies.
impl fmt::Debug for Rooms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |room: &Arc<dyn Room>| room.strategies().iter().map(|own| own.name).collect::<Vec<_>>();
        f.debug_map().entries(self.own.iter().map(|room| (room.game().name(), names(room)))).finish()
    }
}

/// Reason why a room cannot have an own strategy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OwnStrategyError {
    /// A strategy of the room has the name.
    #[error("{game} already has a strategy `{name}`: expected another name than {taken}")]
    Taken {
        /// The game.
        game: &'static str,
        /// The name.
        name: &'static str,
        /// All names of the room.
        taken: String,
    },
    /// Line-ups cannot contain the name.
    #[error("invalid name of a strategy `{}`: expected a letter, then letters, digits, `-` or `_`", fit_for_a_log(.0))]
    Name(&'static str),
}

/// Checks that a room with strategies of these names can have one of this name.
pub(crate) fn check_name<'a>(
    game: &'static str,
    name: &'static str,
    mut taken: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), OwnStrategyError> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_part) {
        return Err(OwnStrategyError::Name(name));
    }
    let all = taken.clone();
    if taken.any(|taken| taken == name) {
        return Err(OwnStrategyError::Taken { game, name, taken: all.collect::<Vec<_>>().join(", ") });
    }
    Ok(())
}

/// Returns the message about a name that none of these strategies has.
pub(crate) fn unknown_strategy<'a>(asked: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = did_you_mean(asked, names.clone());
    let names = names.collect::<Vec<_>>().join(", ");
    format!("unknown strategy `{}`: expected one of {names}{near}", fit_for_a_log(asked))
}
