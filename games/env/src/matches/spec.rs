//! The specification of a match.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::json::{self, MatchFileError};
use super::{MOST_ENTRANTS, VERSION};
use crate::digest::{Digest, read_hash};
use crate::ids::TeamId;
use crate::parameter::{Parameters, Value};
use crate::rollout::Limits;
use crate::seed::Seed;
use crate::text::{NotationError, counted, fit_for_a_log};
use crate::thinking::Thinking;
use crate::time::SimTime;

/// The name of the format of matches.
pub const SPEC_FORMAT: &str = "match";

pub(super) const WHAT: &str = "match";

/// The longest name of an entrant, in bytes: a strategy with its parameters.
const LONGEST_ENTRANT: usize = 10_000;

/// Everything that decides a match.
///
/// Equal values give equal matches wherever they are played with the same rules and strategies. As text it is one line
/// of JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "File", into = "File")]
pub struct MatchSpec {
    /// The game's name in files, e.g. `dots`.
    pub game: String,
    /// The configuration by the names of the game's own parameters, each there once. A parameter that is left out has
    /// its default.
    pub config: Parameters,
    /// The seed of all chance, that of the game and of the entrants.
    pub seed: Seed,
    /// The strategy of each agent with its parameters, as the registry writes it; in the order of agent ids.
    pub entrants: Vec<String>,
    /// The limits at which the match is given up.
    pub limits: MatchLimits,
}

/// A line-up that names more agents than a team has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the line-up names {}: a team has {size}", counted(*.named as u64, "agent", "agents"))]
pub struct TooManyAgents {
    /// The number of agents that it names.
    pub named: usize,
    /// The number of agents of the smallest team.
    pub size: usize,
}

/// Checks that a line-up fits into each team: of a longer one, some strategies would not play.
///
/// # Errors
///
/// If it names more agents than the smallest team has.
pub fn check_line_up<N>(teams: &[TeamId], line_up: &[N]) -> Result<(), TooManyAgents> {
    let sizes = (0..TeamId::count(teams)).map(|team| teams.iter().filter(|own| own.index() == team).count());
    let (named, size) = (line_up.len(), sizes.min().unwrap_or(0));
    if named > size { Err(TooManyAgents { named, size }) } else { Ok(()) }
}

/// Returns the entrants of a match: the name of each agent's strategy, from the line-up of its team; the first line-up
/// is that of the first team. A line-up that names fewer agents than the team has begins again.
///
/// # Panics
///
/// Panics if a team has no line-up, or an empty one.
pub fn entrants<N: Clone>(teams: &[TeamId], line_ups: &[Vec<N>]) -> Vec<N> {
    let mut next = vec![0; line_ups.len()];
    let entrant = |team: &TeamId| {
        let line_up = &line_ups[team.index()];
        let place = &mut next[team.index()];
        *place += 1;
        line_up[(*place - 1) % line_up.len()].clone()
    };
    teams.iter().map(entrant).collect()
}

/// The limits at which a match is given up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchLimits {
    /// The last moment of game time at which an action is served; [`SimTime::NEVER`] for none.
    #[serde(rename = "time_ms", with = "crate::time::as_millis")]
    pub time: SimTime,
    /// The most actions.
    pub steps: u64,
    /// The most decisions of all agents together, those to wait included.
    pub decisions: u64,
    /// In turns: the most refused requests of a mover in a row; one more, and it forfeits.
    pub refusals: u32,
    /// The rule for the time that programs think.
    #[serde(skip_serializing_if = "Thinking::is_free")]
    pub thinking: Thinking,
}

/// Those of [`Limits::of_matches`], and free thinking.
impl Default for MatchLimits {
    fn default() -> Self {
        let Limits { time, steps, decisions, refusals, decisions_per_moment: _ } = Limits::of_matches();
        Self { time, steps, decisions, refusals, thinking: Thinking::Free }
    }
}

/// Identifies a match: a hash of all that decides it.
///
/// It is XXH64 with seed 0 over the canonical form of the match: its JSON without white space, without `format` and
/// `version`, with the parameters sorted by name. Written as 16 hexadecimal digits. It is the same on all machines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MatchKey(u64);

impl MatchSpec {
    /// Reads a match from a file of at most [`LONGEST_FILE`](super::LONGEST_FILE) bytes.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is something else, or has a fault.
    pub fn read(file: impl Read) -> Result<Self, MatchFileError> {
        json::text(file, WHAT)?.parse()
    }

    /// Returns the hash of all that decides this match.
    ///
    /// The order of parameters does not matter. A parameter that is given its default differs from one that is left
    /// out. If they are to be the same match, let the game complete the configuration first.
    pub fn key(&self) -> MatchKey {
        let Self { game, config, seed, entrants, limits } = self;
        let config = config.iter().collect();
        let canonical = Canonical { game, config, seed: seed.to_string(), entrants, limits };
        let mut digest = Digest::new();
        digest.bytes(&serde_json::to_vec(&canonical).expect("names and values can be written"));
        MatchKey(digest.finish())
    }
}

/// One line of JSON.
impl fmt::Display for MatchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for MatchSpec {
    type Err = MatchFileError;

    fn from_str(text: &str) -> Result<Self, MatchFileError> {
        json::parse(text, WHAT, SPEC_FORMAT)
    }
}

impl MatchKey {
    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for MatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for MatchKey {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let key = read_hash(text).map(Self);
        key.ok_or_else(|| NotationError::new("match key", text, "16 hexadecimal digits"))
    }
}

#[derive(Serialize)]
struct Canonical<'a> {
    game: &'a str,
    config: BTreeMap<&'a str, &'a Value>,
    seed: String,
    entrants: &'a [String],
    limits: &'a MatchLimits,
}

/// A match as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    game: String,
    #[serde(default)]
    config: Parameters,
    seed: String,
    entrants: Vec<String>,
    #[serde(default)]
    limits: MatchLimits,
}

impl From<MatchSpec> for File {
    fn from(spec: MatchSpec) -> Self {
        let MatchSpec { game, config, seed, entrants, limits } = spec;
        let (format, version) = (SPEC_FORMAT.to_owned(), VERSION);
        Self { format, version, game, config, seed: seed.to_string(), entrants, limits }
    }
}

impl TryFrom<File> for MatchSpec {
    type Error = String;

    fn try_from(file: File) -> Result<Self, String> {
        let File { format, version, game, config, seed, entrants, limits } = file;
        if format != SPEC_FORMAT {
            return Err(format!("format `{}`: expected `{SPEC_FORMAT}`", fit_for_a_log(&format)));
        }
        if version != VERSION {
            return Err(format!("version {version} of the match: expected {VERSION}"));
        }
        let mut names: Vec<&str> = config.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("parameter `{}` is there twice", fit_for_a_log(twice[0])));
        }
        if !(1..=MOST_ENTRANTS).contains(&entrants.len()) {
            return Err(format!("{} entrants: expected 1 to {MOST_ENTRANTS}", entrants.len()));
        }
        let is_name = |entrant: &String| (1..=LONGEST_ENTRANT).contains(&entrant.len());
        if let Some(place) = entrants.iter().position(|entrant| !is_name(entrant)) {
            let length = entrants[place].len();
            return Err(format!(
                "entrant {} has a name of {length} bytes: expected 1 to {LONGEST_ENTRANT}",
                place + 1
            ));
        }
        let seed = seed.parse().map_err(|error: NotationError| error.to_string())?;
        Ok(Self { game, config, seed, entrants, limits })
    }
}
