//! The operations that every game of the workspace offers.

use std::fmt;

use game_env::messages::Message;
use game_env::parameter::Parameter;
use game_env::replay::{Completeness, Reader, ReplayError};
use game_env::{ConfigError, Description, Outcome, Parameters, Preset, Seed, SimTime, TeamId};

/// A game of the workspace.
pub trait Game: Sync {
    /// Returns its name in files and flags, e.g. `dots`.
    fn name(&self) -> &'static str;

    /// Returns the version of its rules: replays of other versions are not played back.
    fn rules(&self) -> u32;

    /// Returns the kind and the properties of the game.
    fn description(&self) -> Description;

    /// Returns the names of the teams, in the order of their ids; empty if the teams of this game have no names.
    fn team_names(&self) -> &'static [&'static str];

    /// Returns the meaning of the metric of this name, as reports explain it; none if the game has no such metric.
    fn meaning(&self, metric: &str) -> Option<&'static str>;

    /// Returns the parameters of a configuration.
    fn parameters(&self) -> &'static [Parameter];

    /// Configurations with names.
    fn presets(&self) -> Vec<Preset>;

    /// Checks a configuration and gives every missing parameter its default.
    ///
    /// # Errors
    ///
    /// Names every fault.
    fn complete(&self, config: &Parameters) -> Result<Parameters, ConfigError>;

    /// Returns the team of each agent with this configuration, in the order of agent ids.
    ///
    /// # Errors
    ///
    /// As [`Game::complete`].
    fn teams(&self, config: &Parameters) -> Result<Vec<TeamId>, ConfigError>;

    /// Plays a replay back and compares every hash. Nothing but the header of the replay may have been read before.
    ///
    /// # Errors
    ///
    /// Fails if it is no replay of this game, cannot be read, or takes another course than recorded.
    fn verify(&self, replay: Reader<'_>) -> Result<PlayedBack, ReplayError>;

    /// Plays a replay back, and calls `each` for each event with its time, its text, and whether it is a refusal.
    /// Nothing but the header of the replay may have been read before.
    ///
    /// # Errors
    ///
    /// As [`Game::verify`]; `each` has had the events before.
    fn events(
        &self,
        replay: Reader<'_>,
        each: &mut dyn FnMut(SimTime, &dyn fmt::Display, bool),
    ) -> Result<(), ReplayError>;

    /// Returns whether agents of this game talk to each other.
    fn has_messages(&self) -> bool;

    /// Plays a replay to its end, and calls `each` for each message of an agent to another one, with the teams of its
    /// sender and of its receiver.
    ///
    /// # Errors
    ///
    /// As [`Game::verify`].
    fn messages(
        &self,
        replay: Reader<'_>,
        each: &mut dyn FnMut(Message, [TeamId; 2]),
    ) -> Result<(), ReplayError>;
}

/// The result of playing a replay back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedBack {
    /// The seed of the episode.
    pub seed: Seed,
    /// The number of actions.
    pub actions: u64,
    /// The number of agents that are gone: that were lost, or gave the game up.
    pub gone: usize,
    /// The moment of the last record that was played: an action, a disruption, a note, a new seed, or the end.
    pub time: SimTime,
    /// The outcome of the episode, if it was played to its end.
    pub outcome: Option<Outcome>,
    /// The number of hashes that were compared.
    pub hashes: u64,
    /// Whether the file has its end.
    pub completeness: Completeness,
    /// Whether more data follows the end of the episode.
    pub has_more: bool,
}
