//! The command line: the commands, and the flags that all games share.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use command_line::{Generate, LOG_HELP, LogFilter, ThinkingFlags};
use game_env::{Seed, TeamId};

use super::agent_protocol::Speaking;
use super::decisions::Deciding;
use super::rooms::{self, Room};
use super::starter::New;
use super::study::{self, Asking, Curving, Diffing, Forking, Studying};

/// Plays games between strategies: `bots greedy random`; `coordinated*3+liar` is a team of four
#[derive(Parser)]
#[command(
    name = "bots",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    override_usage = "bots [OPTIONS] [LINEUP]...    or    bots <COMMAND>",
    help_template = "{about}\n{usage-heading} {usage}\nCommands:\n{subcommands}\nOptions:\n{options}"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) playing: Playing,
}

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Join a game on a server; `--game NAME --help` shows the flags of each game
    Join(Joining),
    /// Write an agent of your own, a test and a league file; `--lang` chooses the language
    New(New),
    /// List the games and their strategies: number, name, how they play
    List {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the presets of a game and the values that they set
    Presets {
        /// The game [default: project].
        #[arg(long, value_name = "NAME")]
        game: Option<String>,
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the schema of the agent protocol, or play an agent by typing; also `decisions`
    AgentProtocol(Speaking),
    /// Print the lines that an agent's program reads in a replay, or a test of one decision
    Decisions(Deciding),
    /// Study a recorded game on a page; also `fork`, `curve`, `diff` and `why`
    Study(Studying),
    /// Play a recorded game on from a moment, many times
    Fork(Forking),
    /// Draw the course of the chances over a recorded game
    Curve(Curving),
    /// Show where another version would have decided differently in a recorded game
    Diff(Diffing),
    /// Find the decision that cost a team most in a recorded game
    Why(Asking),
    #[command(flatten)]
    Generate(Generate),
}

/// Flags of games in this process.
#[derive(Args)]
pub(crate) struct Playing {
    /// The strategies of the teams, in their order; a team without one plays as the first [default: greedy; in
    /// Conveyor hints].
    #[arg(value_name = "LINEUP", num_args = 0..=TeamId::MAX)]
    #[arg(conflicts_with_all = ["strategy", "against"])]
    line_ups: Vec<String>,
    /// The same as the first LINEUP
    #[arg(long, value_name = "LINEUP", hide = true)]
    strategy: Option<String>,
    /// The same as the second LINEUP [default: the first]
    #[arg(long, value_name = "LINEUP", requires = "strategy", hide = true)]
    against: Option<String>,
    /// The game; `bots list` shows all [default: project]
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// Play on a virtual clock: at once, and exactly repeatable
    #[arg(long = "virtual")]
    pub(crate) is_virtual: bool,
    /// Play games one after another, each with the next seed, and count the wins
    #[arg(long, value_name = "NUMBER", conflicts_with = "replay", value_parser = games)]
    pub(crate) games: Option<u32>,
    /// The seed of all random numbers [default: drawn]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) seed: Option<Seed>,
    /// The configuration by name; `bots presets` shows them [default: quick for The Project Game]
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// A JSON file of parameters, over the preset
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A parameter, over the file; again for each
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    #[command(flatten)]
    pub(crate) thinking: ThinkingFlags,
    /// The file for the replay
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// The game page of a game in real time [default: a free port, at a terminal]
    #[arg(long, value_name = "ADDR:PORT", conflicts_with = "is_virtual")]
    pub(crate) page: Option<String>,
    /// Print the record of the match as JSON, of a series all of them
    #[arg(long)]
    pub(crate) json: bool,
    #[arg(long, value_name = "LEVEL", help = "The log level, or directives as in RUST_LOG [default: warn]")]
    pub(crate) log: Option<LogFilter>,
}

/// Flags of agents that join a game on a server. Each game adds its own.
#[derive(Args, Default)]
pub(crate) struct Joining {
    /// The server.
    #[arg(value_name = "HOST:PORT")]
    pub(crate) server: Option<String>,
    /// The game [default: project].
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// The strategy [default: greedy; in Conveyor hints].
    #[arg(long, value_name = "LINEUP")]
    pub(crate) strategy: Option<String>,
    /// The seed of the strategies' random numbers [default: drawn].
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) seed: Option<Seed>,
    /// Print the result as one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    #[arg(long, value_name = "LEVEL", help = format!("{LOG_HELP} [default: warn]"))]
    pub(crate) log: Option<LogFilter>,
}

impl Playing {
    /// Returns the line-ups that are named, that of the first team first.
    pub(crate) fn line_ups(&self) -> Vec<&str> {
        let named = [&self.strategy, &self.against].into_iter().flatten();
        self.line_ups.iter().chain(named).map(String::as_str).collect()
    }
}

/// Reads these words, the program's own name first. The command `join` has the flags of the game that the words name.
///
/// # Errors
///
/// If the words are not as the command line demands, or ask for help. Also returns the flags of the command.
pub(crate) fn read(
    words: &[OsString],
    room: &dyn Room,
) -> Result<(Arguments, clap::ArgMatches), clap::Error> {
    let mut command = command(room);
    let matches = command.try_get_matches_from_mut(words)?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok((arguments, matches.subcommand().map(|(_, flags)| flags.clone()).unwrap_or_default()))
}

/// The commands that the help of another one names.
const NAMED_BY_OTHERS: [&str; 5] = ["curve", "decisions", "diff", "fork", "why"];

/// Returns the command line, with the flags of this game.
pub(crate) fn command(room: &dyn Room) -> clap::Command {
    let command = Arguments::command().mut_subcommand("join", |join| join_of(room, join));
    let command = ["fork", "curve"]
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, study::with_teams));
    // The help of another flag or command names them: all flags fit one screen.
    let command = command.mut_arg("think_charge_ms", |own| own.hide(true));
    let command = NAMED_BY_OTHERS
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |own| own.hide(true)));
    command.mut_subcommand("completions", |completions| completions.hide(true))
}

/// Returns the reference of the command line: all commands, then `join` of each other game.
pub(crate) fn reference() -> String {
    let mut rooms = rooms::all().iter();
    let shown = |command: clap::Command, name| command.mut_subcommand(name, |own| own.hide(false));
    let first = rooms.next().map(|room| NAMED_BY_OTHERS.into_iter().fold(command(*room), shown));
    let joins = rooms.map(|room| {
        let name = format!("bots join --game {}", room.game());
        let join = Arguments::command().get_subcommands().find(|own| own.get_name() == "join").cloned();
        join_of(*room, join.unwrap_or_default()).name(name.clone()).bin_name(name)
    });
    command_line::reference(first.into_iter().chain(joins))
}

/// Returns the command `join` with the flags of this game, whose description does not replace that of the command.
fn join_of(room: &dyn Room, join: clap::Command) -> clap::Command {
    let about = join.get_about().cloned().unwrap_or_default();
    room.join_flags(join).about(about)
}

/// Returns the commands that `--help` shows.
pub(crate) fn commands() -> Vec<String> {
    let command = Arguments::command();
    let shown = command.get_subcommands().filter(|own| !own.is_hide_set());
    shown.map(|own| own.get_name().to_owned()).collect()
}

/// Returns the game that these words name with `--game`, the program's own name first among them.
pub(crate) fn asked_game(words: &[OsString]) -> Option<&str> {
    // A word that is no UTF-8 may be the name of a file.
    let mut words = words.iter().skip(1).map(|word| word.to_str()).take_while(|word| *word != Some("--"));
    while let Some(word) = words.next() {
        if word == Some("--game") {
            return words.next().flatten();
        }
        if let Some(name) = word.and_then(|word| word.strip_prefix("--game=")) {
            return Some(name);
        }
    }
    None
}

fn games(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=1_000_000).contains(number));
    number.ok_or_else(|| "expected a number of games from 1 to 1000000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_flags_of_every_game_fit_together() {
        for room in rooms::all() {
            command(*room).debug_assert();
        }
    }

    /// A terminal has 24 lines.
    #[test]
    fn the_help_of_each_command_fits_one_screen() {
        for room in rooms::all() {
            let mut command = command(*room);
            command.build();
            let helps = [&mut command].map(|own| own.render_help().to_string());
            let shown: Vec<String> = helps
                .into_iter()
                .chain(command.get_subcommands_mut().map(|own| own.render_help().to_string()))
                .collect();
            for help in shown {
                assert!(help.trim_end().lines().count() <= 24, "{}: {help}", room.game());
            }
        }
    }

    #[test]
    fn the_game_is_found_among_the_words() {
        let asked = |text: &str| asked_game(&words(text)).map(str::to_owned);
        assert_eq!(asked("bots greedy --game dots --virtual").as_deref(), Some("dots"));
        assert_eq!(asked("bots join --game=dots").as_deref(), Some("dots"));
        assert_eq!(asked("bots greedy random"), None);
        assert_eq!(asked("--game dots"), None, "the first word is the program");
        assert_eq!(asked("bots -- --game dots"), None);
        assert_eq!(asked("bots --game"), None);
    }

    #[test]
    fn line_ups_may_stand_without_a_flag() {
        let read = |text: &str| {
            let (arguments, _) = read(&words(text), rooms::all()[0]).map_err(|error| error.to_string())?;
            Ok::<_, String>(arguments.playing.line_ups().into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        for text in ["bots greedy random*2", "bots --strategy greedy --against random*2"] {
            assert_eq!(read(text).unwrap(), ["greedy", "random*2"]);
        }
        assert_eq!(read("bots greedy --virtual").unwrap(), ["greedy"]);
        let told = read("bots greedy --strategy random").unwrap_err();
        assert!(told.contains("cannot be used with"), "{told}");
    }
}
