//! The flags.

use std::path::PathBuf;

use bots::preset::Preset;
use bots::registry::Lineup;
use clap::{ArgGroup, Args, Parser, Subcommand};
use game_env::Seed;
use game_project::Team;

/// Plays The Project Game: strategies against each other, or on somebody's server.
#[derive(Parser)]
#[command(
    name = "bots",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    group = ArgGroup::new("network").args(["connect", "agent_config"]).multiple(true),
    after_help = "A LINEUP names the strategies of a team: `greedy`, or `coordinated*3+liar` for four agents.\n\
                  The scripts' notation is described in bots/src/scripted/mod.rs; bots/scripts has examples.\n\
                  Exit codes: 0 played to an end; 1 could not be played; 2 faulty flags or configuration"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) playing: Playing,
}

#[derive(Clone, Copy, Subcommand)]
pub(crate) enum Task {
    /// List the strategies: number, name, how they play.
    List {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the presets and the values that they set.
    Presets {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
pub(crate) struct Playing {
    /// The strategies of red, or of the agents that connect [default: greedy].
    #[arg(long, value_name = "LINEUP")]
    pub(crate) strategy: Option<Lineup>,
    /// What decides all chance; drawn from the calendar if not given.
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) seed: Option<Seed>,
    /// Print the result as one JSON document, and everything else on standard error.
    #[arg(long)]
    pub(crate) json: bool,
    /// What is logged: error, warn, info, debug, trace, or as in RUST_LOG [default: warn].
    #[arg(long, value_name = "LEVEL")]
    pub(crate) log: Option<String>,

    /// The strategies of blue [default: those of red].
    #[arg(long, value_name = "LINEUP", help_heading = HERE, conflicts_with = "network")]
    pub(crate) against: Option<Lineup>,
    /// The same as --strategy.
    #[arg(long, value_name = "LINEUP", help_heading = HERE, conflicts_with_all = ["strategy", "network"])]
    pub(crate) red: Option<Lineup>,
    /// The same as --against.
    #[arg(long, value_name = "LINEUP", help_heading = HERE, conflicts_with_all = ["against", "network"])]
    pub(crate) blue: Option<Lineup>,
    /// Play on a virtual clock: at once, and the same seed is the same game to the letter.
    #[arg(long = "virtual", help_heading = HERE, conflicts_with = "network")]
    pub(crate) r#virtual: bool,
    /// The game by name: quick, spec or large; `bots presets` shows their values [default: quick].
    #[arg(long, value_name = "NAME", help_heading = HERE, conflicts_with = "network")]
    pub(crate) preset: Option<Preset>,
    /// A game master's configuration; its values go before those of the preset, which then is spec unless named.
    #[arg(long, value_name = "FILE", help_heading = HERE, conflicts_with = "network")]
    pub(crate) config: Option<PathBuf>,
    /// How many agents a team has.
    #[arg(long, value_name = "NUMBER", help_heading = HERE, conflicts_with = "network")]
    pub(crate) team_size: Option<u32>,
    /// Where to write the replay.
    #[arg(long, value_name = "FILE", help_heading = HERE, conflicts_with = "network")]
    pub(crate) replay: Option<PathBuf>,
    /// Where the board is to be seen [default: any free port of this machine, if there is a terminal].
    #[arg(long, value_name = "ADDR:PORT", help_heading = HERE, conflicts_with_all = ["network", "virtual"])]
    pub(crate) board: Option<String>,

    /// Send agents to this communication server.
    #[arg(long, value_name = "HOST:PORT", help_heading = THERE)]
    pub(crate) connect: Option<String>,
    /// The team that they ask to play for: red or blue [default: red].
    #[arg(long, help_heading = THERE, requires = "network", conflicts_with = "script")]
    pub(crate) team: Option<Team>,
    /// How many agents [default: as many as the line-up names].
    #[arg(long, value_name = "NUMBER", help_heading = THERE, requires = "network")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=3000))]
    pub(crate) agents: Option<u16>,
    /// The longest body of a message that the server takes [default: 8190].
    #[arg(long, value_name = "NUMBER", help_heading = THERE, requires = "network", conflicts_with = "script")]
    #[arg(value_parser = clap::value_parser!(u16).range(256..))]
    pub(crate) max_message_bytes: Option<u16>,
    /// A JSON file with CsIP, CsPort, teamID, strategy; asks if it is missing; flags go before.
    #[arg(long, value_name = "FILE", help_heading = THERE)]
    pub(crate) agent_config: Option<PathBuf>,
    /// Obey this script instead of a strategy.
    #[arg(long, value_name = "FILE", help_heading = THERE, requires = "network", conflicts_with = "strategy")]
    pub(crate) script: Option<PathBuf>,
}

const HERE: &str = "Games in this process";
const THERE: &str = "Games on a server";

impl Playing {
    /// Whether agents are sent to somebody's server.
    pub(crate) fn is_networked(&self) -> bool {
        self.connect.is_some() || self.agent_config.is_some()
    }
}
