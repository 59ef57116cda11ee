//! The flags for games of The Project Game, in this process and on a server.

use std::path::PathBuf;

use clap::Args;
use command_line::{LOG_HELP, LogFilter};
use game_env::Seed;
use game_project::Team;
use game_project::preset::Preset;
use strategies::project::registry::{Lineup, LineupError, likeliest};

#[derive(Args)]
pub(crate) struct Playing {
    /// The strategies of red, or of the agents that connect; then those of blue [default: greedy].
    #[arg(value_name = "LINEUP", num_args = 0..=2, value_parser = lineup)]
    #[arg(conflicts_with_all = ["strategy", "against", "red", "blue"])]
    pub(crate) lineups: Vec<Lineup>,
    /// The same as the first LINEUP.
    #[arg(long, value_name = "LINEUP")]
    pub(crate) strategy: Option<Lineup>,
    /// The game: `bots list` shows them, `bots --game NAME --help` the flags of each other game [default: project].
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// The seed of all random numbers [default: taken from the system clock].
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) seed: Option<Seed>,
    /// Print the result as one JSON document, and everything else on standard error.
    #[arg(long)]
    pub(crate) json: bool,
    #[arg(long, value_name = "LEVEL", help = format!("{LOG_HELP} [default: warn]"))]
    pub(crate) log: Option<LogFilter>,

    /// The strategies of blue, the same as the second LINEUP [default: those of red].
    #[arg(long, value_name = "LINEUP", help_heading = HERE, conflicts_with = "network")]
    pub(crate) against: Option<Lineup>,
    /// The same as --strategy.
    #[arg(long, value_name = "LINEUP", help_heading = HERE, conflicts_with_all = ["strategy", "network"])]
    pub(crate) red: Option<Lineup>,
    /// The same as --against.
    #[arg(long, value_name = "LINEUP", help_heading = HERE, conflicts_with_all = ["against", "network"])]
    pub(crate) blue: Option<Lineup>,
    /// Play on a virtual clock: at once, and the same seed repeats the game exactly.
    #[arg(long = "virtual", help_heading = HERE, conflicts_with = "network")]
    pub(crate) r#virtual: bool,
    /// Play this number of games one after another, with seeds from the first on, and count the wins.
    #[arg(long, value_name = "NUMBER", help_heading = HERE, conflicts_with_all = ["network", "replay"])]
    #[arg(value_parser = games)]
    pub(crate) games: Option<u32>,
    /// The game by name: quick, spec or large; `bots presets` shows their values [default: quick].
    #[arg(long, value_name = "NAME", help_heading = HERE, conflicts_with = "network")]
    pub(crate) preset: Option<Preset>,
    /// A game master's configuration file; overrides the preset, which is spec here unless --preset names one.
    #[arg(long, value_name = "FILE", help_heading = HERE, conflicts_with = "network")]
    pub(crate) config: Option<PathBuf>,
    /// The number of agents in a team.
    #[arg(long, value_name = "NUMBER", help_heading = HERE, conflicts_with = "network")]
    pub(crate) team_size: Option<u32>,
    /// The file for the replay.
    #[arg(long, value_name = "FILE", help_heading = HERE, conflicts_with = "network")]
    pub(crate) replay: Option<PathBuf>,
    /// The address of the game page [default: any free port of this machine, if there is a terminal].
    #[arg(long, value_name = "ADDR:PORT", help_heading = HERE, conflicts_with_all = ["network", "virtual"])]
    pub(crate) page: Option<String>,

    /// Send agents to this communication server.
    #[arg(long, value_name = "HOST:PORT", help_heading = THERE)]
    pub(crate) connect: Option<String>,
    /// The server's port for agents; its host is CsIP, or 127.0.0.1 if no file names one.
    #[arg(long, help_heading = THERE, conflicts_with = "connect")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// The team that they ask to play for: red or blue [default: red].
    #[arg(long, help_heading = THERE, requires = "network", conflicts_with = "script")]
    pub(crate) team: Option<Team>,
    /// The number of agents [default: as many as the line-up names].
    #[arg(long, value_name = "NUMBER", help_heading = THERE, requires = "network")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=3000))]
    pub(crate) agents: Option<u16>,
    /// The longest body of a message that the server takes [default: 8190].
    #[arg(long, value_name = "NUMBER", help_heading = THERE, requires = "network", conflicts_with = "script")]
    #[arg(value_parser = clap::value_parser!(u16).range(256..))]
    pub(crate) max_message_bytes: Option<u16>,
    /// A JSON file with CsIP, CsPort, teamID, strategy; asks if it is missing; flags override it.
    #[arg(long, value_name = "FILE", help_heading = THERE)]
    pub(crate) agent_config: Option<PathBuf>,
    /// Follow this script instead of a strategy.
    #[arg(long, value_name = "FILE", help_heading = THERE, requires = "network")]
    #[arg(conflicts_with_all = ["strategy", "lineups"])]
    pub(crate) script: Option<PathBuf>,
}

/// Flags of agents that join a game on a server.
#[derive(Args, Default)]
pub(crate) struct Joining {
    /// The communication server; overrides CsIP and CsPort.
    #[arg(value_name = "HOST:PORT", conflicts_with_all = ["connect", "port"])]
    pub(crate) server: Option<String>,
    /// A JSON file with CsIP, CsPort, teamID, strategy [default: agent.json, if there is one].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The same as HOST:PORT.
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "port")]
    pub(crate) connect: Option<String>,
    /// The server's port for agents; its host is CsIP, or 127.0.0.1 if no file names one.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// The team to ask for, red or blue; overrides teamID.
    #[arg(long, conflicts_with = "script")]
    pub(crate) team: Option<Team>,
    /// The strategy, or a line-up of several agents; overrides strategy.
    #[arg(long, value_name = "LINEUP", conflicts_with = "script")]
    pub(crate) strategy: Option<Lineup>,
    /// The number of agents [default: as many as the line-up names].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=3000))]
    pub(crate) agents: Option<u16>,
    /// The longest body of a message that the server takes [default: 8190].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(256..))]
    #[arg(conflicts_with = "script")]
    pub(crate) max_message_bytes: Option<u16>,
    /// Follow this script instead of a strategy.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// The seed of the agents' random numbers [default: taken from the system clock].
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) seed: Option<Seed>,
    /// Print the result as one JSON document, and everything else on standard error.
    #[arg(long)]
    pub(crate) json: bool,
    #[arg(long, value_name = "LEVEL", help = format!("{LOG_HELP} [default: warn]"))]
    pub(crate) log: Option<LogFilter>,
}

/// Reads a line-up without a flag, which may be a misspelt command.
fn games(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=1_000_000).contains(number));
    number.ok_or_else(|| "expected a number of games from 1 to 1000000".to_owned())
}

fn lineup(text: &str) -> Result<Lineup, String> {
    const COMMANDS: [&str; 5] = ["join", "new", "list", "presets", "completions"];
    text.parse().map_err(|error: LineupError| {
        let told = error.to_string();
        match likeliest(text, COMMANDS.into_iter()) {
            Some(command) if !told.contains("did you mean") => {
                format!("{told}; did you mean the command `{command}`?")
            }
            _ => told,
        }
    })
}

const HERE: &str = "Games in this process";
const THERE: &str = "Games on a server";

impl Playing {
    /// Whether agents are sent to a server.
    pub(crate) fn is_networked(&self) -> bool {
        self.connect.is_some() || self.port.is_some() || self.agent_config.is_some()
    }

    /// The line-up of red, or of the agents that connect.
    pub(crate) fn first(&self) -> Option<&Lineup> {
        self.lineups.first().or(self.strategy.as_ref()).or(self.red.as_ref())
    }

    /// The line-up of blue.
    pub(crate) fn second(&self) -> Option<&Lineup> {
        self.lineups.get(1).or(self.against.as_ref()).or(self.blue.as_ref())
    }

    /// The same agents as guests on a server.
    pub(crate) fn joining(&self) -> Joining {
        Joining {
            config: self.agent_config.clone(),
            server: None,
            connect: self.connect.clone(),
            port: self.port,
            team: self.team,
            strategy: self.first().cloned(),
            agents: self.agents,
            max_message_bytes: self.max_message_bytes,
            script: self.script.clone(),
            seed: self.seed,
            json: self.json,
            log: self.log.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::program::arguments::Arguments;

    #[test]
    fn line_ups_may_stand_without_a_flag() {
        let playing = |words: &[&str]| {
            let words = ["bots"].iter().chain(words);
            Arguments::try_parse_from(words)
                .map(|arguments| arguments.playing)
                .map_err(|error| error.to_string())
        };
        let lineups =
            |playing: &Playing| [playing.first(), playing.second()].map(|one| one.map(ToString::to_string));
        for words in [
            &["greedy", "random*2"][..],
            &["--strategy", "greedy", "--against", "random*2"],
            &["--red", "greedy", "--blue", "random*2"],
        ] {
            let playing = playing(words).unwrap();
            assert_eq!(lineups(&playing), [Some("greedy".to_owned()), Some("random*2".to_owned())]);
        }
        assert_eq!(lineups(&playing(&["greedy", "--virtual"]).unwrap()), [Some("greedy".to_owned()), None]);
        let told = playing(&["greedy", "--strategy", "random"]).err().unwrap();
        assert!(told.contains("cannot be used with"), "{told}");
        let told = playing(&["greedy", "random", "idle"]).err().unwrap();
        assert!(told.contains("'idle'"), "{told}");
        let told = playing(&["lst"]).err().unwrap();
        assert!(told.contains("did you mean the command `list`?"), "{told}");
    }
}
