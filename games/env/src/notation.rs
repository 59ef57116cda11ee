//! A game as text, for replays, playthroughs, tests and people.

use std::fmt;
use std::str::FromStr;

use crate::environment::Environment;
use crate::parameter::{ConfigError, Parameter, Parameters};
use crate::scene::Scene;
use crate::text::NotationError;

/// A game whose configurations and actions can be written and read back, whose events can be written, and whose states
/// can be drawn.
///
/// Actions and events take one line each, and an action reads as it is written. Nothing reads events: a replay holds
/// actions, and its events are computed again.
pub trait Notation:
    Environment<Action: fmt::Display + FromStr<Err = NotationError>, Event: fmt::Display>
{
    /// The game's name in files, e.g. `dots`.
    const GAME: &'static str;

    /// The version of the rules: raised by every change that lets an old replay run differently.
    const RULES: u32;

    /// The names of the teams, in the order of their ids; empty if the teams of this game have no names.
    const TEAM_NAMES: &'static [&'static str] = &[];

    /// Returns the parameters of a configuration, for people and for programs that ask for values; empty if they have
    /// no table.
    fn parameters() -> &'static [Parameter] {
        &[]
    }

    /// Configurations with names, so that the game can be played without a file.
    fn presets() -> Vec<Preset> {
        Vec::new()
    }

    /// Returns the configuration as names and values.
    fn write_config(config: &Self::Config) -> Parameters;

    /// Returns the configuration with these values.
    ///
    /// # Errors
    ///
    /// Names every faulty, missing or unknown parameter.
    fn read_config(parameters: &Parameters) -> Result<Self::Config, ConfigError>;

    /// Returns the whole state as a picture. For referees and spectators, never for agents.
    fn scene(&self) -> Scene;
}

/// A configuration with a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its purpose, in one line.
    pub summary: &'static str,
    /// The parameters that it sets; all others keep their defaults.
    pub parameters: Parameters,
}
