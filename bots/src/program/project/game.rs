//! A game in this process, as the flags describe it.

use command_line::{Failure, chain, shown};
use game_env::{AgentId, ByTeam, Environment, Parameters, Seed, Value};
use game_project::preset::Preset;
use game_project::{State, Team};
use reference_gm::project::config::{HostConfig, HostConfigError};
use strategies::project::registry::{Entry, Lineup, Shipped};

use super::arguments::Playing;
use crate::program::repetition::{drawn_seed, shell};

/// A game to play: the teams, the board and the seed.
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) lineups: ByTeam<Lineup>,
    pub(crate) host: HostConfig,
    pub(crate) seed: Seed,
    /// Command that plays the same board again.
    pub(crate) command: String,
    /// Whether it is played on the virtual clock, so that the command plays the same game.
    pub(crate) is_virtual: bool,
}

impl Game {
    pub(crate) fn new(playing: &Playing) -> Result<Self, Failure> {
        let red = playing.first().cloned().unwrap_or_else(default_lineup);
        let blue = playing.second().unwrap_or(&red).clone();
        let lineups = ByTeam::new([red, blue]);
        let host = host_config(playing, &lineups)?;
        let size = usize::from(host.game.team_size());
        for team in Team::ALL {
            let named = lineups[team].size();
            if named > size {
                return Err(Failure::misuse(
                    format!(
                        "{team}'s line-up `{}` names {named} agents, and a team has {size}",
                        lineups[team]
                    ),
                    format!("play with `--team-size {named}`, or name fewer"),
                ));
            }
        }
        let seed = playing.seed.or(host.seed).unwrap_or_else(drawn_seed);
        let command = command(playing, &lineups, seed);
        Ok(Self { lineups, host, seed, command, is_virtual: playing.r#virtual })
    }

    /// The game with the seed that is this number of places from this game's.
    pub(crate) fn nth(&self, playing: &Playing, place: u32) -> Self {
        let seed = Seed::new(self.seed.get().wrapping_add(place.into()));
        let command = command(playing, &self.lineups, seed);
        Self { seed, command, ..self.clone() }
    }

    /// The command that plays this board on the virtual clock, where a seed is the same game every time.
    pub(crate) fn virtual_command(&self) -> String {
        if self.is_virtual { self.command.clone() } else { format!("{} --virtual", self.command) }
    }

    /// Returns the hint that tells the reader of the result how to play the game again. Over TCP timing decides as well
    /// as the seed.
    pub(crate) fn again(&self) -> String {
        if self.is_virtual {
            return format!("play it again: {}", self.command);
        }
        format!(
            "play the same board again: {}\n\
             TCP games depend on timing; for an exactly repeatable game: {}",
            self.command,
            self.virtual_command()
        )
    }

    /// Returns the commands that may repeat a blunder.
    pub(crate) fn repetition(&self) -> String {
        if self.is_virtual {
            return self.command.clone();
        }
        format!("{}\nor over TCP, where timing decides too: {}", self.virtual_command(), self.command)
    }

    /// The names of each team's strategies, in the order in which its agents join.
    pub(crate) fn strategies(&self) -> ByTeam<Vec<String>> {
        let size = usize::from(self.host.game.team_size());
        let of = |team: Team| (0..size).map(|place| self.lineups[team].strategy(place).to_string()).collect();
        ByTeam::new(Team::ALL.map(of))
    }

    /// The strategy of each agent, by id.
    pub(crate) fn shipped(&self, state: &State) -> Vec<&Shipped> {
        let mut next = ByTeam::new([0, 0]);
        AgentId::all(state.agents())
            .map(|agent| {
                let team = state.briefing(agent).team;
                next[team] += 1;
                self.lineups[team].strategy(next[team] - 1)
            })
            .collect()
    }
}

/// A team of `greedy` agents alone, the strategy that every newcomer meets first.
pub(crate) fn default_lineup() -> Lineup {
    Lineup::of(Entry::find("greedy").expect("the registry has it"))
}

fn host_config(playing: &Playing, lineups: &ByTeam<Lineup>) -> Result<HostConfig, Failure> {
    let mut flags = Parameters::new();
    if let Some(size) = playing.team_size {
        flags.push("teamSize", Value::Whole(size.into()));
    }
    let preset = match (playing.preset, &playing.config) {
        // A file alone is read as the game master reads it.
        (None, Some(_)) => Preset::Spec,
        (preset, _) => preset.unwrap_or_default(),
    };
    let mut preset = preset.raw();
    if playing.config.is_none() {
        // All agents that a line-up names play.
        let named = lineups.iter().map(|lineup| i64::try_from(lineup.size()).unwrap_or(i64::MAX)).max();
        preset.team_size = preset.team_size.max(named.unwrap_or_default());
    }
    let host = HostConfig::load(&preset.changes(), playing.config.as_deref(), &flags)
        .map_err(|error| faulty(&error))?;
    host.notice.iter().for_each(|notice| eprintln!("{notice}"));
    Ok(host)
}

fn faulty(error: &HostConfigError) -> Failure {
    if let HostConfigError::Faulty(faults) = error {
        let parameters = command_line::command("reference-gm", "config");
        let hint = format!("`{parameters}` shows every parameter with its value");
        return Failure::misuse(format!("the configuration cannot be played\n{faults}"), hint);
    }
    Failure::misuse(chain(error), "a configuration is a JSON object, e.g. {\"boardX\": 20}")
}

/// The command that plays the same game.
fn command(playing: &Playing, lineups: &ByTeam<Lineup>, seed: Seed) -> String {
    let mut words = vec!["--strategy".to_owned(), lineups[Team::Red].to_string()];
    let mut flag = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| [name.to_owned(), value]).into_iter().flatten());
    };
    let is_mirrored = lineups[Team::Red] == lineups[Team::Blue];
    flag("--against", (!is_mirrored).then(|| lineups[Team::Blue].to_string()));
    flag("--preset", playing.preset.map(|preset| preset.to_string()));
    flag("--config", playing.config.as_deref().map(shown));
    flag("--team-size", playing.team_size.map(|size| size.to_string()));
    flag("--seed", Some(seed.to_string()));
    words.extend(playing.r#virtual.then(|| "--virtual".to_owned()));
    shell(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        let words = ["--strategy", "coordinated*3+liar", "it's here/gm.json", ""].map(str::to_owned);
        assert_eq!(
            shell(&words),
            r"cargo run -p bots -- --strategy 'coordinated*3+liar' 'it'\''s here/gm.json' ''"
        );
    }
}
