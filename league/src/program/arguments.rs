//! The flags.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};
use command_line::{Generate, Jobs};
use game_env::{NotationError, Seed};

use super::compare::Comparing;
use super::export::Exporting;
use super::import::Importing;
use super::race::Racing;
use super::report::Reporting;
use super::tune::Tuning;
use crate::trust::Trust;

/// Plays leagues of agents on the same seeds, and computes standings with their uncertainty.
#[derive(Parser)]
#[command(
    name = "league",
    version,
    disable_help_subcommand = true,
    after_help = "The book's page \"Leagues\" describes the league file; league.toml among the examples is one.\n\
                  Exit codes: 0 done; 1 could not be done, or differs; 2 faulty flags or league file; 130 interrupted"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Play a league.
    Run(Running),
    /// Make a league file of a folder of players.
    Import(Importing),
    /// Check a league file, and start each program of it once for a short match.
    Check(Checking),
    /// Continue a league that was interrupted.
    Resume(Resuming),
    /// Write the report of a league: a page that opens from disk, Markdown, CSV and JSON.
    Report(Reporting),
    /// Measure which of two line-ups is stronger.
    Compare(Comparing),
    /// Find the strongest of several line-ups, dropping those that cannot be.
    Race(Racing),
    /// Find the best values of a line-up's parameters, with intervals.
    Tune(Tuning),
    /// Play one match: a match as JSON in, its record as JSON out.
    Play(Playing),
    /// Write the matches of a league as files, for a batch system.
    Plan(Planning),
    /// Read the records of planned matches, and write the standings.
    Collect(Collecting),
    /// Write the replay of a match of a league.
    Replay(Replaying),
    /// Write the games of a league as tables: events, messages, claims; or its results as another program writes them.
    Export(Exporting),
    /// Show the output of the programs of a match and how they ended, or all failures of a league.
    Log(Logging),
    /// Find the habits of an entrant that cost it most, over many matches of a league.
    Habits(Asking),
    /// Play matches of a league again and compare.
    Verify(Verifying),
    #[command(flatten)]
    Generate(Generate),
}

#[derive(Args)]
pub(crate) struct Running {
    /// The league file.
    pub(crate) file: PathBuf,
    /// The folder for the store and the standings [default: the file's name with `.results`, in this folder].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) jobs: MatchesAtATime,
    #[command(flatten)]
    pub(crate) confinement: Confinement,
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[command(flatten)]
    pub(crate) watching: Watching,
}

#[derive(Args)]
pub(crate) struct Watching {
    /// Serve a page on which the matches are watched, at this address; port 0 for any free one. For Bricks over the
    /// network.
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    pub(crate) page: Option<String>,
    /// Keep the page after the last match, until a signal comes.
    #[arg(long, requires = "page")]
    pub(crate) stay: bool,
}

#[derive(Args)]
pub(crate) struct Checking {
    /// The league file.
    pub(crate) file: PathBuf,
    /// Also let each entrant of a league in process play a whole match against itself, and time its decisions.
    #[arg(long)]
    pub(crate) times: bool,
    #[command(flatten)]
    pub(crate) confinement: Confinement,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Args)]
pub(crate) struct Resuming {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) jobs: MatchesAtATime,
    #[command(flatten)]
    pub(crate) confinement: Confinement,
    #[command(flatten)]
    pub(crate) changed: ChangedPrograms,
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[command(flatten)]
    pub(crate) watching: Watching,
}

#[derive(Args)]
pub(crate) struct ChangedPrograms {
    /// Go on although files that the commands of programs name have changed since the beginning.
    #[arg(long)]
    pub(crate) changed_programs: bool,
}

#[derive(Args)]
pub(crate) struct Confinement {
    /// Confine all programs that play over the network: each reaches its own folder, the system's programs and
    /// libraries, and the server, and nothing else; the store of a league remembers it.
    #[arg(long)]
    pub(crate) confine: bool,
}

#[derive(Args)]
pub(crate) struct MatchesAtATime {
    /// The number of matches at a time; no effect on the results, except over the network, where they share the time of
    /// the machine [default: the number of processor cores].
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<Jobs>,
}

impl MatchesAtATime {
    /// Returns the number of matches at a time.
    pub(crate) fn count(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_default().count()
    }
}

#[derive(Args)]
pub(crate) struct Playing {
    /// The match; or several, each on a line of its own. `-` reads matches from standard input, and prints the record
    /// of each at once.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: PathBuf,
    /// The file for the record, or for one record a line [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The file for the replay, if there is one match.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) confinement: Confinement,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Args)]
pub(crate) struct Planning {
    /// The league file.
    pub(crate) file: PathBuf,
    /// The folder for the store and the standings [default: the file's name with `.results`, in this folder].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The number of matches in a file.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=10_000), default_value = "1")]
    pub(crate) chunk: u16,
}

#[derive(Args)]
pub(crate) struct Collecting {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Args)]
pub(crate) struct Replaying {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The match: its number, or its id, e.g. 1-3/17/0; matches.jsonl has both.
    #[arg(value_name = "MATCH")]
    pub(crate) which: String,
    /// The file for the replay; replaced if it is there [default: match-NUMBER.replay, in this folder; another file of
    /// this name is kept].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Args)]
pub(crate) struct Logging {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The match: its number, or its id, e.g. 1-3/17/0; matches.jsonl has both [default: all matches in which an agent
    /// failed, without the output].
    #[arg(value_name = "MATCH")]
    pub(crate) which: Option<String>,
    /// Show only the agents of this entrant.
    #[arg(long, value_name = "NAME")]
    pub(crate) entrant: Option<String>,
}

#[derive(Args)]
#[command(after_help = "Example: league habits class.results --entrant mine --games 40000\n\
                        Ctrl-C ends it early; what was measured is printed.")]
pub(crate) struct Asking {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The entrant.
    #[arg(long, value_name = "NAME")]
    pub(crate) entrant: String,
    /// The strategy or program that judges the decisions [default: the best that is shipped].
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) reference: Option<String>,
    /// The most matches that are studied, drawn by the seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) matches: u32,
    /// The number of games that are played to measure the habits.
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    pub(crate) games: u64,
    /// The number of habits that are shown.
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) most: u16,
    /// The seed of the choice of matches, and of all these games.
    #[arg(long, value_name = "NUMBER", default_value = "1", allow_negative_numbers = true)]
    pub(crate) seed: Seed,
    #[command(flatten)]
    pub(crate) jobs: MatchesAtATime,
    /// Print the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Args)]
pub(crate) struct Verifying {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The share of the matches, drawn evenly over the league; at least one match.
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub(crate) sample: Percent,
    /// The seed that draws them [default: another one each time, which is printed].
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) seed: Option<Seed>,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

/// A share, more than 0 %: `5%` or `5`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Percent(f64);

impl Percent {
    /// Returns this share of a number, rounded up; at least 1.
    pub(crate) fn of(self, count: u64) -> u64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float narrows by saturating, and the number is positive"
        )]
        let share = (count as f64 * self.0 / 100.0).ceil() as u64;
        share.clamp(1, count.max(1))
    }
}

impl FromStr for Percent {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let number = text.strip_suffix('%').unwrap_or(text).trim();
        let share = number.parse().ok().filter(|share| 0.0 < *share && *share <= 100.0);
        share
            .map(Self)
            .ok_or_else(|| NotationError::new("share", text, "a percentage above 0 and up to 100, e.g. `5%`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_fit_together() {
        use clap::CommandFactory as _;

        Arguments::command().debug_assert();
    }

    #[test]
    fn shares_are_percentages() {
        let of = |text: &str, count| text.parse::<Percent>().map(|share| share.of(count));
        assert_eq!((of("5%", 100), of("5", 101), of("0.1 %", 100)), (Ok(5), Ok(6), Ok(1)));
        assert_eq!((of("100%", 7), of("50%", 0)), (Ok(7), Ok(1)));
        for text in ["0%", "-1", "101%", "nan", "", "%"] {
            assert!(
                of(text, 1)
                    .unwrap_err()
                    .to_string()
                    .ends_with("a percentage above 0 and up to 100, e.g. `5%`"),
                "{text}"
            );
        }
    }
}
