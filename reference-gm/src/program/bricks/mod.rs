//! `reference-gm bricks`: duels and tournaments of Bricks between programs of players.

mod host;
mod options;
mod serve;
mod session;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Subcommand;
use reference_gm::bricks::config::{BricksConfig, parameters};
use reference_gm::bricks::entrants::{Entrant, EntrantsError, Players, same_nick};
use reference_gm::layers::Layer;

use self::host::Host;
pub(crate) use self::options::BricksMisuse;
use self::options::{Options, Rules};
use super::arguments::OWN_MACHINE;
use super::print;

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
    /// Let each player of a folder play each other twice, once as the first, on the same board.
    #[command(after_help = CODES)]
    Tournament {
        /// The players' folder: a sub-folder for each player.
        players: PathBuf,
        /// A new folder for the results.
        #[arg(long, value_name = "FOLDER", default_value = "bricks.results")]
        results: PathBuf,
        /// Leave out sub-folders with faults, say why, and play without them.
        #[arg(long)]
        leave_out_faulty: bool,
        #[command(flatten)]
        options: Options,
    },
    /// Serve a page on which an operator chooses players and settings, and starts duels and tournaments.
    ///
    /// The address that is printed has the operator's token. Without the token, people can only watch.
    #[command(after_help = serve::HELP)]
    Serve {
        /// The players' folder: a sub-folder for each player. The page can name another one.
        players: Option<PathBuf>,
        /// The folder for the results; each contest gets a new folder inside, with the next number.
        #[arg(long, value_name = "FOLDER", default_value = "bricks.results")]
        results: PathBuf,
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
                     Exit codes: 0 everything was played; 1 something could not be played, or it was stopped; \
                     2 faulty flags, configuration or players' folders";
pub(crate) fn run(task: &BricksTask) -> Result<ExitCode> {
    match task {
        BricksTask::Config { rules } => show(&rules.load()?),
        BricksTask::Serve { players, results, page, rules } => {
            serve::run(rules.choose(players.as_deref())?, results, page)
        }
        BricksTask::Duel { first, second, replay, options } => {
            let config = options.rules.load()?;
            let compat = config.settings.compat;
            let entrants = [first, second].map(|folder| Entrant::read(folder, compat));
            let faults: Vec<String> = entrants.iter().filter_map(|one| one.clone().err()).collect();
            let [Ok(first), Ok(second)] = entrants else {
                return Err(BricksMisuse(faults.join("\n")).into());
            };
            if first.nick == second.nick {
                return Err(BricksMisuse(same_nick(&first, &second)).into());
            }
            let players = Players { entrants: vec![first, second], left_out: Vec::new() };
            Host::new(config, players)?.duel(replay.as_deref(), options)
        }
        BricksTask::Tournament { players, results, leave_out_faulty, options } => {
            let config = options.rules.load()?;
            let players = Players::read(players, config.settings.compat, *leave_out_faulty);
            let players = players.map_err(|error| match error {
                EntrantsError::Folder { .. } => anyhow!(error),
                EntrantsError::Faulty(_) => {
                    let hint = "`--leave-out-faulty` plays without these folders";
                    BricksMisuse(format!("{error}\nhint: {hint}")).into()
                }
                EntrantsError::TooFew { .. } => BricksMisuse(error.to_string()).into(),
            })?;
            Host::new(config, players)?.tournament(results, options)
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
