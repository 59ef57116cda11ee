//! Interface between a league and its caller for games, configurations and strategies.

use game_env::{ConfigError, Fault, Parameters, TeamId};

/// Knows games, their configurations and their strategies.
pub trait Games {
    /// Returns the names of all games.
    fn games(&self) -> Vec<&str>;

    /// Returns the names of a game's presets.
    fn presets(&self, game: &str) -> Vec<&str>;

    /// Completes a configuration: the values of the preset, those given here before them, and defaults for all others.
    ///
    /// # Errors
    ///
    /// Names every fault; with the parameter, if it is one parameter's.
    fn configure(
        &self,
        game: &str,
        preset: Option<&str>,
        values: &Parameters,
    ) -> Result<Configured, Vec<ConfigFault>>;

    /// Returns the strategies that a line-up names for the agents of a team, each as a match names it:
    /// `coordinated*3+liar` is four.
    ///
    /// # Errors
    ///
    /// Names the fault of the text, and the expected text.
    fn line_up(&self, game: &str, text: &str) -> Result<Vec<String>, String>;

    /// Returns the first of these strategies, as a match names them, that plays only in process: an author has added
    /// it, and the agents of a match over the network are shipped strategies. None if all of them are shipped.
    fn own_strategy<'n>(&self, game: &str, strategies: &'n [String]) -> Option<&'n str>;
}

/// A configuration that can be played.
#[derive(Clone, PartialEq, Debug)]
pub struct Configured {
    /// The values of all parameters.
    pub config: Parameters,
    /// The team of each agent, in the order of agent ids.
    pub teams: Vec<TeamId>,
}

/// A fault of a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigFault {
    /// The parameter; none if the fault is no single parameter's.
    pub parameter: Option<String>,
    /// The fault, and the expected value.
    pub text: String,
}

impl ConfigFault {
    /// Returns the faults of this error, each with its parameter.
    pub fn of(error: &ConfigError) -> Vec<Self> {
        let fault = |fault: &Fault| Self { parameter: Some(fault.field.clone()), text: fault.to_string() };
        error.faults().iter().map(fault).collect()
    }
}

/// Returns the name of a team of this game: that of the game, or its number if the game names no teams.
pub fn team_name(game: &str, team: usize) -> String {
    let names = game_catalogue::find(game).map_or(&[][..], |game| game.team_names());
    names.get(team).map_or_else(|| format!("side {}", team + 1), |name| (*name).to_owned())
}
