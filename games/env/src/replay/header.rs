//! The first line of a replay: the game, its start, and its players.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{FORMAT, VERSION};
use crate::digest::hash_as_text;
use crate::environment::Environment;
use crate::ids::{AgentId, TeamId};
use crate::notation::Notation;
use crate::parameter::Parameters;
use crate::rollout::Limits;
use crate::seed::Seed;
use crate::thinking::Thinking;

/// The game of a replay, its start, and its players.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    format: String,
    version: u32,
    /// The game's name, [`Notation::GAME`].
    pub game: String,
    /// The version of its rules, [`Notation::RULES`].
    pub rules: u32,
    /// Name and version of the program that wrote the replay.
    pub program: String,
    /// The seed of the episode. (Text in the file: not every reader of JSON has 64-bit numbers.)
    #[serde(with = "seed_as_text")]
    pub seed: Seed,
    /// The hash of the first state.
    #[serde(with = "hash_as_text")]
    start: u64,
    /// The configuration of the episode.
    pub config: Parameters,
    /// The limits at which the episode was given up.
    #[serde(default = "Limits::of_matches", skip_serializing_if = "are_usual", with = "limits_as_object")]
    pub limits: Limits,
    /// The rule for the time that programs thought.
    #[serde(default, skip_serializing_if = "Thinking::is_free")]
    pub thinking: Thinking,
    /// The players, in the order of agent ids.
    pub players: Vec<Player>,
}

/// The player of one agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Player {
    /// The agent's side.
    #[serde(with = "team_as_number")]
    pub team: TeamId,
    /// The strategy's name, or another name by which a reader recognises the player.
    pub name: String,
    /// The number by which servers and their logs knew the agent's connection, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    /// The strategy or the command that plays as the agent did, where the name is another: [`Player::entrant`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entrant: Option<String>,
}

impl Player {
    /// Creates an agent of this team under this name, without a connection.
    pub fn new(team: impl Into<TeamId>, name: impl Into<String>) -> Self {
        Self { team: team.into(), name: name.into(), number: None, entrant: None }
    }

    /// Returns the players of all agents of this state, in the order of agent ids, each under the name that `name`
    /// returns for it, without connections.
    pub fn all<E: Environment, N: Into<String>>(state: &E, mut name: impl FnMut(AgentId) -> N) -> Vec<Self> {
        AgentId::all(state.agents()).map(|agent| Self::new(state.team(agent), name(agent))).collect()
    }

    /// Returns the same agent with a connection of this number.
    pub fn with_number(self, number: i64) -> Self {
        Self { number: Some(number), ..self }
    }

    /// Returns the strategy or the command that plays as the agent did, if the game was played in process.
    pub fn entrant(&self) -> &str {
        self.entrant.as_deref().unwrap_or(&self.name)
    }

    /// Shows the player under this name, and keeps its [entrant](Self::entrant).
    pub fn rename(&mut self, name: &str) {
        let entrant = self.entrant().to_owned();
        name.clone_into(&mut self.name);
        self.entrant = (entrant != name).then_some(entrant);
    }
}

impl Header {
    /// Returns the header of an episode that begins with this configuration and seed, with the usual limits, in which
    /// programs think freely.
    pub fn new<E: Notation>(config: &E::Config, seed: Seed, players: Vec<Player>, program: &str) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            game: E::GAME.to_owned(),
            rules: E::RULES,
            program: program.to_owned(),
            seed,
            start: E::new(config, seed).hash(),
            config: E::write_config(config),
            limits: Limits::of_matches(),
            thinking: Thinking::Free,
            players,
        }
    }

    /// Returns the hash of the first state.
    pub fn start(&self) -> u64 {
        self.start
    }
}

/// The fields that any replay has, whatever its version.
#[derive(Deserialize)]
pub(super) struct Claim {
    pub(super) format: String,
    pub(super) version: u32,
}

fn are_usual(limits: &Limits) -> bool {
    *limits == Limits::of_matches()
}

/// As the limits of a match; no time for [`SimTime::NEVER`].
mod limits_as_object {
    use super::{Deserialize, Deserializer, Limits, Serialize, Serializer};
    use crate::time::SimTime;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Object {
        #[serde(rename = "time_ms", with = "crate::time::as_millis")]
        time: SimTime,
        steps: u64,
        decisions: u64,
        refusals: u32,
    }

    impl From<Limits> for Object {
        fn from(limits: Limits) -> Self {
            let Limits { time, steps, decisions, refusals, decisions_per_moment: _ } = limits;
            Self { time, steps, decisions, refusals }
        }
    }

    impl Default for Object {
        fn default() -> Self {
            Limits::of_matches().into()
        }
    }

    pub(super) fn serialize<S: Serializer>(limits: &Limits, serializer: S) -> Result<S::Ok, S::Error> {
        Object::from(*limits).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Limits, D::Error> {
        let Object { time, steps, decisions, refusals } = Object::deserialize(deserializer)?;
        Ok(Limits { time, steps, decisions, refusals, ..Limits::of_matches() })
    }
}

mod seed_as_text {
    use super::{Deserialize, Deserializer, Seed, Serializer};

    pub(super) fn serialize<S: Serializer>(seed: &Seed, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(seed)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

pub(super) mod team_as_number {
    use super::{Deserialize, Deserializer, Serializer, TeamId};

    pub(crate) fn serialize<S: Serializer>(team: &TeamId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(team.index() as u64)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TeamId, D::Error> {
        match u8::deserialize(deserializer)? {
            index if usize::from(index) < TeamId::MAX => Ok(TeamId::new(index)),
            index => Err(serde::de::Error::custom(format!("team {index}: expected 0 to 3"))),
        }
    }
}
