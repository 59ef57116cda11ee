//! The flags that every command of `bricks` takes, and the configuration that they make.

use std::path::{Path, PathBuf};

use clap::Args;
use command_line::{Failure, read_parameters, settings, shown};
use game_env::parameter::{self, Parameter};
use game_env::{ConfigError, Parameters, Value};
use reference_gm::bricks::choice::{self, Choice};
use reference_gm::bricks::config::{BricksConfig, parameters};
use reference_gm::keyboard::Keyboard;
use viewer::server::Place;

use crate::program::arguments::OWN_MACHINE;
use crate::program::{Result, take_place, tell};

/// Flags for the configuration of the referee.
#[derive(Args)]
pub(crate) struct Rules {
    /// Cells of a side of the board: an odd number from 3 to 999 [default: 11].
    #[arg(long, value_name = "NUMBER")]
    size: Option<String>,
    /// The number of cells that are filled at random.
    #[arg(long, value_name = "NUMBER")]
    filled: Option<String>,
    /// Cells that are filled, e.g. 2x3_4x5: columns and rows from 0 at the top left.
    #[arg(long, value_name = "CELLS")]
    filled_cells: Option<String>,
    /// The seed of the filled cells [default: drawn].
    #[arg(long, value_name = "NUMBER")]
    seed: Option<String>,
    /// The dialect of referee and players: 2017, 2018 or 2019 [default: 2018].
    #[arg(long, value_name = "YEAR")]
    dialect: Option<String>,
    /// Read lines, bricks and `info.txt` as the referee of this year did, with its mistakes: 2018 or 2019.
    #[arg(long, value_name = "YEAR")]
    compat: Option<String>,
    /// The start of the next move: auto, or hand for Enter, the space bar or a key on the page [default: auto].
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// The shortest time from one move to the next, in milliseconds, to watch.
    #[arg(long, value_name = "MS")]
    pace: Option<String>,
    /// Any parameter, e.g. `--set moveLimitMs=1000`; again for each.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// A JSON file of parameters; flags override it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Flags of commands that play at once.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) rules: Rules,
    /// The address of a page on which the duels are watched; port 0 for any free one. Without a keyboard there is no
    /// page unless this is given.
    #[arg(long, value_name = "ADDR:PORT")]
    page: Option<String>,
    /// Serve no page.
    #[arg(long, conflicts_with = "page")]
    no_page: bool,
    /// Keep the page until a signal comes, as with a keyboard.
    #[arg(long, conflicts_with = "no_page")]
    pub(super) stay: bool,
    /// Print the result as JSON on standard output, and everything else on standard error.
    #[arg(long)]
    pub(super) json: bool,
}

impl Options {
    /// Returns the place of the page, if there is to be one.
    pub(super) fn place(&self) -> Result<Option<Place>> {
        let address =
            self.page.as_deref().or((!self.no_page && Keyboard::is_at_hand()).then_some(OWN_MACHINE));
        address.map(take_place).transpose()
    }
}

impl Rules {
    pub(super) fn load(&self) -> Result<BricksConfig> {
        let (file, flags) = self.layers(parameters())?;
        BricksConfig::layered(file, flags).map_err(|error| unusable(&error))
    }

    /// Returns the choices of an operator on a page, with these values at first.
    pub(super) fn choose(&self, players: Option<&Path>) -> Result<Choice> {
        let table: Vec<Parameter> = choice::PARAMETERS.iter().chain(parameters()).copied().collect();
        let (file, mut flags) = self.layers(&table)?;
        if let Some(players) = players {
            let text = players.to_str().ok_or_else(|| {
                let why = format!("invalid players' folder {}: expected a path in UTF-8", shown(players));
                Failure::misuse(why, "rename the folder: the page shows its path")
            })?;
            flags.push("players", Value::Text(text.to_owned()));
        }
        Choice::layered(file, flags).map_err(|error| unusable(&error))
    }

    /// Returns the values of the file and those of flags.
    fn layers(&self, table: &[Parameter]) -> Result<(Parameters, Parameters)> {
        let mut flags = Parameters::new();
        let named = [
            ("size", &self.size),
            ("filled", &self.filled),
            ("filledCells", &self.filled_cells),
            ("seed", &self.seed),
            ("dialect", &self.dialect),
            ("compat", &self.compat),
            ("mode", &self.mode),
            ("paceMs", &self.pace),
        ];
        for (name, text) in named {
            if let Some(text) = text {
                flags.push(name, parameter::parse(table, name, text));
            }
        }
        flags.extend(settings("--set", &self.set, table, "e.g. `--set moveLimitMs=1000`")?);
        let file = self.config.as_deref().map(|path| read_parameters(path, tell)).transpose();
        Ok((file.map_err(|error| error.failure("{\"size\": 11}"))?.unwrap_or_default(), flags))
    }
}

/// A configuration that cannot be used.
pub(super) fn unusable(error: &ConfigError) -> Failure {
    let why = format!("the configuration cannot be used\n{error}");
    Failure::misuse(why, "`reference-gm bricks config` lists all parameters")
}
