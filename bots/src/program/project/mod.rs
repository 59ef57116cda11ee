//! The Project Game on the command line: games in this process over TCP, and agents that join a game on a server.

mod agent_file;
mod blunders;
mod hosting;
mod joining;
mod questions;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use command_line::{Failure, chain};
use game_env::replay::Playback;
use game_env::{Measured as _, Notation as _, Parameters, Value};
use game_project::State;
use reference_gm::project::config::{HostConfig, HostConfigError};
use reference_gm::project::console;

use super::arguments::{Joining, Playing};
use super::rooms::{Configured, Figures, Host, Room};
use super::screen::Screen;
use super::series::{pairs, preset};

/// The room of The Project Game.
pub(super) struct Project;

impl Room for Project {
    fn game(&self) -> &'static str {
        State::GAME
    }

    fn join_flags(&self, join: Command) -> Command {
        joining::Flags::augment_args(join)
    }

    fn join(&self, joining: &Joining, flags: &ArgMatches, screen: &Screen) -> Result<(), Failure> {
        let flags = joining::Flags::from_arg_matches(flags).unwrap_or_else(|error| error.exit());
        joining::play(joining, &flags, screen)
    }

    fn configure(&self, playing: &Playing, longest: usize) -> Result<Configured, Failure> {
        let HostConfig { game, seed, notice, .. } = host_config(playing, longest)?;
        notice.iter().for_each(|notice| eprintln!("{notice}"));
        Ok(Configured { config: State::write_config(&game), seed })
    }

    fn host(&self) -> Option<Host> {
        Some(hosting::play)
    }

    fn figures(&self) -> Option<Figures> {
        Some(table)
    }
}

/// The table of the game master's console.
fn table(replay: &[u8]) -> Option<String> {
    let mut playback = Playback::<State>::open(replay).ok()?;
    let mut meter = playback.state().meter();
    playback.run(&mut meter).ok()?;
    let seed = playback.reader().header().seed;
    Some(console::table(playback.state(), meter.statistics(), None, seed))
}

/// The configuration of a game master that hosts the game. All agents play that a line-up with this number of strategies
/// names, unless a file or a flag sets the size of the teams.
fn host_config(playing: &Playing, longest: usize) -> Result<HostConfig, Failure> {
    // A file alone is read as the game master reads it.
    let name = playing.preset.as_deref().or(playing.config.is_none().then_some("quick"));
    let mut values = name.map(|name| preset(State::GAME, name)).transpose()?.unwrap_or_default();
    if playing.config.is_none() {
        let raw = game_project::RawConfig::of(&values);
        let named = i64::try_from(longest).unwrap_or(i64::MAX);
        if named > raw.team_size {
            let size: Parameters = [(TEAM_SIZE, Value::Whole(named.into()))].into_iter().collect();
            values = size.over(&values);
        }
    }
    HostConfig::load(&values, playing.config.as_deref(), &pairs(&playing.set)?)
        .map_err(|error| faulty(&error))
}

/// The parameter for the number of agents in a team.
const TEAM_SIZE: &str = "teamSize";

fn faulty(error: &HostConfigError) -> Failure {
    if let HostConfigError::Faulty(faults) = error {
        let parameters = command_line::command("reference-gm", "config");
        let hint = format!("`{parameters}` shows every parameter with its value");
        return Failure::misuse(format!("the configuration cannot be played\n{faults}"), hint);
    }
    Failure::misuse(chain(error), "a configuration is a JSON object, e.g. {\"boardX\": 20}")
}
