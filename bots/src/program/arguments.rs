//! The flags.

use clap::{ArgGroup, Parser, Subcommand};
use command_line::Generate;

use super::project::arguments::{Joining, Playing};
use super::starter::New;

/// Plays games between strategies, and joins games of The Project Game on a server.
#[derive(Parser)]
#[command(
    name = "bots",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    group = ArgGroup::new("network").args(["connect", "port", "agent_config"]).multiple(true),
    after_help = "A LINEUP names the strategies of a team: `greedy`, or `coordinated*3+liar` for four agents.\n\
                  Two of them play against each other: `bots greedy random`.\n\
                  The scripts' notation is described in bots/src/project/scripted/mod.rs; bots/scripts has examples.\n\
                  Exit codes: 0 played to an end; 1 could not be played; 2 faulty flags or configuration"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) playing: Playing,
}

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Join a game on a server: reads agent.json, and asks for what is missing.
    Join(Joining),
    /// Write a crate with an agent of your own, a test and a league file.
    New(New),
    /// List the games and their strategies: number, name, how they play.
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
    #[command(flatten)]
    Generate(Generate),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_flags_fit_together() {
        Arguments::command().debug_assert();
    }
}
