//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use command_line::Generate;

use super::bricks::BricksTask;
use super::conveyor::ConveyorTask;
use super::dots::DotsTask;
use super::eriantys::EriantysTask;
use super::project::arguments::{Hosting, Sources};

/// Hosts games: the game master of The Project Game, and the hosts of the other games.
#[derive(Parser)]
#[command(
    name = "reference-gm",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Exit codes: 0 the game is over or was stopped; 1 it cannot be hosted, or the server was lost; 2 faulty configuration"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) hosting: Hosting,
}

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Play a replay again and compare it with its hashes.
    Verify {
        /// The replay.
        file: PathBuf,
    },
    /// Show a replay on a page, until q or Ctrl-C.
    View {
        /// The replay, or the log of a duel of Bricks (`duels/N.txt`).
        file: PathBuf,
        /// The address of the page; port 0 for any free one.
        #[arg(long, value_name = "ADDR:PORT", default_value = OWN_MACHINE)]
        page: String,
        /// The same as --page 127.0.0.1:PORT.
        #[arg(long, conflicts_with = "page")]
        port: Option<u16>,
    },
    /// Export a replay: as a page that opens from disk without a server, or as JSON.
    Export {
        /// The replay, or the log of a duel of Bricks (`duels/N.txt`).
        file: PathBuf,
        /// The file for the page with the game in it.
        #[arg(long, value_name = "OUT", required_unless_present = "feed")]
        html: Option<PathBuf>,
        /// The file for the data from which the page draws the game, as JSON.
        #[arg(long, value_name = "OUT")]
        feed: Option<PathBuf>,
    },
    /// Print the configuration in force, and where each value comes from.
    Config {
        #[command(flatten)]
        sources: Sources,
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Referee duels of Bricks between programs of players.
    #[command(disable_help_subcommand = true)]
    Bricks {
        #[command(subcommand)]
        task: Box<BricksTask>,
    },
    /// The two sides of Conveyor: a board, and a controller between it and two players.
    #[command(disable_help_subcommand = true)]
    Conveyor {
        #[command(subcommand)]
        task: ConveyorTask,
    },
    /// The server of Dots & Boxes.
    #[command(disable_help_subcommand = true)]
    Dots {
        #[command(subcommand)]
        task: DotsTask,
    },
    /// The server of Eriantys.
    #[command(disable_help_subcommand = true)]
    Eriantys {
        #[command(subcommand)]
        task: EriantysTask,
    },
    #[command(flatten)]
    Generate(Generate),
}

/// Any free port, for nobody but this machine.
pub(crate) const OWN_MACHINE: &str = "127.0.0.1:0";
