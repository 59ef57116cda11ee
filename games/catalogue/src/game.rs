//! What every game can do, whichever it is.

use std::fmt;

use game_env::replay::{Completeness, Reader, ReplayError};
use game_env::{ConfigError, Description, Outcome, Parameters, Seed, SimTime, TeamId};

/// A game of the workspace.
pub trait Game: Sync {
    /// Its name in files and flags, e.g. `dots`.
    fn name(&self) -> &'static str;

    /// The version of its rules: replays of other versions are not played back.
    fn rules(&self) -> u32;

    /// What kind of game it is.
    fn description(&self) -> Description;

    /// The names of the teams, in the order of their ids; empty if the teams of this game have no names.
    fn team_names(&self) -> &'static [&'static str];

    /// Configurations with names.
    fn presets(&self) -> Vec<Preset>;

    /// Checks a configuration and gives every parameter that is not there its default.
    ///
    /// # Errors
    ///
    /// Names every fault.
    fn complete(&self, config: &Parameters) -> Result<Parameters, ConfigError>;

    /// The team of each agent with this configuration, in the order of agent ids.
    ///
    /// # Errors
    ///
    /// As [`Game::complete`].
    fn teams(&self, config: &Parameters) -> Result<Vec<TeamId>, ConfigError>;

    /// Plays a replay back, of which nothing but the header was read, and compares every hash.
    ///
    /// # Errors
    ///
    /// Fails if it is no replay of this game, cannot be read, or takes another course than recorded.
    fn verify(&self, replay: Reader<'_>) -> Result<PlayedBack, ReplayError>;

    /// Plays a replay back, of which nothing but the header was read, and calls `each` for each event with its time: its
    /// text, and whether it is a refusal.
    ///
    /// # Errors
    ///
    /// As [`Game::verify`]; `each` has had the events before.
    fn events(
        &self,
        replay: Reader<'_>,
        each: &mut dyn FnMut(SimTime, &dyn fmt::Display, bool),
    ) -> Result<(), ReplayError>;
}

/// A configuration with a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in one line.
    pub summary: &'static str,
    /// The parameters that it sets; all others keep their defaults.
    pub parameters: Parameters,
}

/// What a replay came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedBack {
    /// The seed of the episode.
    pub seed: Seed,
    /// The number of actions.
    pub actions: u64,
    /// The number of agents that were lost.
    pub lost: u64,
    /// The moment of the last action or disruption.
    pub time: SimTime,
    /// How the episode ended, as far as the file has it.
    pub outcome: Option<Outcome>,
    /// The number of hashes that were compared.
    pub hashes: u64,
    /// Whether the file has its end.
    pub completeness: Completeness,
    /// Whether something stands behind the end of the episode.
    pub has_more: bool,
}
