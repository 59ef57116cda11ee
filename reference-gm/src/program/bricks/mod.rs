//! `reference-gm bricks`: duels of Bricks between programs of players.

mod host;
mod options;
mod serve;
mod session;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use command_line::{Failure, command};
use reference_gm::bricks::config::{BricksConfig, parameters};
use reference_gm::bricks::entrants::{Entrant, same_nick};
use reference_gm::layers::Layer;

use self::host::Host;
use self::options::{Options, Rules};
use super::arguments::OWN_MACHINE;
use super::{Result, print};

#[derive(Subcommand)]
pub(crate) enum BricksTask {
    /// Let two programs play one game.
    #[command(after_help = CODES)]
    Duel {
        /// The folder of the player who begins: its program, and `info.txt` with the command and the player's name.
        first: PathBuf,
        /// The folder of the other player.
        second: PathBuf,
        /// The file for the replay.
        #[arg(long, value_name = "FILE")]
        replay: Option<PathBuf>,
        #[command(flatten)]
        options: Options,
    },
    /// Tournaments are leagues: `league import bricks` makes one of a players' folder.
    #[command(hide = true, disable_help_flag = true)]
    Tournament {
        /// Whatever the command was given.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// Serve a page on which an operator chooses players and settings, and starts duels.
    ///
    /// The address that is printed has the operator's token. Without the token, people can only watch.
    #[command(after_help = serve::HELP)]
    Serve {
        /// The players' folder: a sub-folder for each player. The page can name another one.
        players: Option<PathBuf>,
        /// The folder for the replays: `1.replay`, `2.replay` and so on; files that are there are kept.
        #[arg(long, value_name = "FOLDER")]
        replays: Option<PathBuf>,
        /// The address of the page; port 0 for any free one.
        #[arg(long, value_name = "ADDR:PORT", default_value = OWN_MACHINE)]
        page: String,
        #[command(flatten)]
        rules: Rules,
    },
    /// Print the parameters in force, and where each value comes from.
    Config {
        #[command(flatten)]
        rules: Rules,
    },
}

const CODES: &str = "`reference-gm bricks config` lists all parameters for --set and --config.\n\
                     Exit codes: 0 the duel was played; 1 it could not be played, or it was stopped; \
                     2 faulty flags, configuration or players' folders";

/// The hint on the faults of a player's folder.
const PLAYERS_FOLDER: &str =
    "the folder of a player has its program, and `info.txt` with the command and the name";

pub(crate) fn run(task: &BricksTask) -> Result<ExitCode> {
    match task {
        BricksTask::Config { rules } => show(&rules.load()?),
        BricksTask::Serve { players, replays, page, rules } => {
            serve::run(rules.choose(players.as_deref())?, replays.as_deref(), page)
        }
        BricksTask::Tournament { .. } => {
            let import = command("league", "import bricks FOLDER");
            let run = command("league", "run FOLDER.toml");
            let hint = format!("`{import}` makes a league of a players' folder, and `{run}` plays it");
            Err(Failure::misuse("a tournament is a league", hint))
        }
        BricksTask::Duel { first, second, replay, options } => {
            let config = options.rules.load()?;
            let compat = config.settings.compat;
            let entrants = [first, second].map(|folder| Entrant::read(folder, compat));
            let faults: Vec<String> = entrants.iter().filter_map(|one| one.clone().err()).collect();
            let [Ok(first), Ok(second)] = entrants else {
                return Err(Failure::misuse(faults.join("\n"), PLAYERS_FOLDER));
            };
            if first.nick == second.nick {
                return Err(Failure::misuse(same_nick(&first, &second), PLAYERS_FOLDER));
            }
            Host::new(config, [first, second])?.duel(replay.as_deref(), options)
        }
    }
}

fn show(config: &BricksConfig) -> Result<ExitCode> {
    let lines = config.origins.iter().zip(parameters());
    let shown = |origin: &Layer| match origin {
        Layer::Dialect => "dialect".to_owned(),
        origin => origin.to_string(),
    };
    let rows: Vec<[String; 4]> = lines
        .map(|((name, value, origin), known)| {
            [name.clone(), value.to_string(), shown(origin), known.description()]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (a, b, c) = (width(0), width(1), width(2));
    let line = |[name, value, origin, meaning]: &[String; 4]| {
        format!("{name:<a$}  {value:<b$}  {origin:<c$}  {meaning}\n")
    };
    print(&rows.iter().map(line).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}
