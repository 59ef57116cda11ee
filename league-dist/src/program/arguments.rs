//! The flags.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use command_line::{Generate, Jobs};
use game_env::Millis;
use league::trust::Trust;
use league_dist::origin::Address;

/// Plays a league by many processes: a coordinator, workers on any number of machines, and a queue between them.
#[derive(Parser)]
#[command(
    name = "league-dist",
    version,
    disable_help_subcommand = true,
    after_help = "The book's page \"Leagues on many machines\" shows how to use it.\n\
                  Exit codes: 0 done; 1 could not be done; 2 faulty flags or league file"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Coordinate a league, or go on with it after an interruption; workers play its matches.
    Run(Running),
    /// Play matches for all leagues of a queue, until Ctrl-C.
    Worker(Working),
    /// Show the standings of a league so far, and its workers.
    Status(Asking),
    /// Cancel a league: the coordinator ends, and workers turn to others. `run` goes on with it.
    Cancel(Asking),
    #[command(flatten)]
    Generate(Generate),
}

#[derive(Args)]
pub(crate) struct Running {
    /// The league file.
    pub(crate) file: PathBuf,
    /// The queue: `sqlite://FILE` on one machine, `postgres://USER@HOST/DATABASE` on many; a missing file or
    /// table is created.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) queue: Address,
    /// The folder for the store and the standings [default: the file's name with `.results`, in this folder].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Time that a worker plays before it asks for further matches, in seconds, from 1 to 600.
    #[arg(long, value_name = "SECONDS", value_parser = chunk, default_value = "10")]
    pub(crate) chunk: Millis,
    /// Play one result in this number again, and more of the first ones of each worker, to notice false results; 0 to
    /// verify none.
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub(crate) verify_every: u32,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Args)]
pub(crate) struct Working {
    /// The queue: `sqlite://FILE` on one machine, `postgres://USER@HOST/DATABASE` on many; a missing file or
    /// table is created.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) queue: Address,
    /// The number of matches at a time; results do not depend on it [default: the number of processor cores].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<Jobs>,
    /// End when there was nothing to play for this number of seconds.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) idle_timeout: Option<u32>,
    /// Start the commands of all leagues of the queue; a person who can write the queue can add any command.
    #[arg(long)]
    pub(crate) trust: bool,
}

#[derive(Args)]
pub(crate) struct Asking {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

fn chunk(text: &str) -> Result<Millis, String> {
    let seconds = text.parse().ok().filter(|seconds: &u32| (1..=600).contains(seconds));
    seconds.map(|seconds| Millis::new(1_000 * seconds)).ok_or_else(|| "expected 1 to 600".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_fit_together() {
        use clap::CommandFactory as _;

        Arguments::command().debug_assert();
    }
}
