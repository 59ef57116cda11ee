//! The Project Game on the command line: games in this process over TCP, and agents that join a game on a server.

mod agent_file;
mod blunders;
mod hosting;
mod joining;
mod questions;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use command_line::{Failure, read_configuration, tell};
use contests::text::columns;
use game_env::messages::{ClaimCounts, Message};
use game_env::replay::{Playback, Reader};
use game_env::text::escape_hidden;
use game_env::{AgentId, ConfigError, Environment as _, Measured as _, Notation as _, Parameters, Value};
use game_project::profile::{Meter, Profile};
use game_project::{State, Team};
use reference_gm::project::config::{HostConfig, parameters};
use reference_gm::project::console;

use super::arguments::{Joining, Playing};
use super::decisions::Decision;
use super::rooms::{Configured, DecisionTest, Figures, Host, Room};
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
        let HostConfig { game, seed, .. } = host_config(playing, longest)?;
        Ok(Configured { config: State::write_config(&game), seed })
    }

    fn host(&self) -> Option<Host> {
        Some(hosting::play)
    }

    fn figures(&self) -> Option<Figures> {
        Some(table)
    }

    fn review(&self) -> Option<Figures> {
        Some(review)
    }

    fn decision_test(&self) -> Option<DecisionTest> {
        Some(decision_test)
    }
}

/// Returns a test that fails while the strategy decides as the agent did; for the crate that `bots new` writes.
fn decision_test(decision: &Decision) -> String {
    let Decision { file, agent, number, at, action } = decision;
    let name: String = at.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect();
    let (agent, name_of_file) = (agent.index(), escape_hidden(file));
    format!(
        r#"/// Agent #{agent} of {name_of_file} at {at}, where it asked for `{action}`.
#[test]
fn agent_{agent}_at_{name}() {{
    // The replay is beside this file.
    let replay = include_bytes!({file:?});
    let lost = sdk::testing::Situation::recorded(&replay[..], AgentId::new({agent}), {number}).unwrap();
    let wrong = Choice::Act({action:?}.parse().unwrap());
    assert_ne!(lost.choose(&mut Mine::default()), wrong, "{{}}", lost.decide(&mut Mine::default()));
}}
"#
    )
}

/// Returns the last state of a replay, and what was measured.
fn measured(replay: &[u8]) -> Option<(Playback<'_, State>, Meter)> {
    let mut playback = Playback::<State>::open(replay).ok()?;
    let mut meter = playback.state().meter();
    playback.run(&mut meter).ok()?;
    Some((playback, meter))
}

/// Returns the table of the game master's console.
fn table(replay: &[u8]) -> Option<String> {
    let (playback, meter) = measured(replay)?;
    Some(table_of(&playback, &meter))
}

fn table_of(playback: &Playback<'_, State>, meter: &Meter) -> String {
    console::table(playback.state(), meter.statistics(), None, playback.reader().header().seed)
}

/// Returns the same table, then the time that the teams spent on each kind of activity, and the claims of answers by
/// agents.
fn review(replay: &[u8]) -> Option<String> {
    let (playback, meter) = measured(replay)?;
    let mut text = table_of(&playback, &meter);
    let seconds = |millis: u64| format!("{:.1}", millis as f64 / 1_000.0);
    let row = |first: String, shares: [String; 9], tries: [String; 2]| {
        let mut cells = std::iter::once(first).chain(shares).chain(tries);
        std::array::from_fn::<_, 12, _>(|_| cells.next().unwrap_or_default())
    };
    let profile = meter.profile_now(playback.state());
    let rows = Team::ALL.map(|team| {
        let profile = &profile[team];
        let tries = [profile.tries, profile.repeated].map(|number| number.to_string());
        row(team.to_string(), profile.shares().map(|(_, millis)| seconds(millis)), tries)
    });
    let kinds = Profile::default().shares().map(|(name, _)| name.to_owned());
    let heading = row(String::new(), kinds, ["tries", "repeated"].map(str::to_owned));
    let times = columns(&[&[heading][..], &rows[..]].concat());
    text += &format!(
        "\nseconds of the teams' agents; pieces tried in the goal area, and tries that were repeated\n{times}"
    );
    text += &claims(replay, playback.state().agents())?;
    Some(text)
}

/// Returns the claims in the answers of each agent, and those that it believed; empty if nobody answered.
fn claims(replay: &[u8], agents: usize) -> Option<String> {
    let mut counts = vec![[ClaimCounts::default(); 2]; agents];
    let mut add = |message: Message, _| {
        counts[message.from.index()][0] += message.made();
        counts[message.to.index()][1] += message.believed();
    };
    game_catalogue::find(State::GAME).ok()?.messages(Reader::open(replay).ok()?, &mut add).ok()?;
    let is_heard = |counts: &[ClaimCounts; 2]| counts.iter().any(|own| own.total() > 0);
    let rows = AgentId::all(agents).zip(&counts).filter(|(_, counts)| is_heard(counts));
    let rows: Vec<[String; 5]> = rows
        .map(|(agent, counts)| {
            let [made, believed] =
                counts.map(|own| [own.total(), own.false_ones()].map(|own| own.to_string()));
            let ([made, false_ones], [believed, believed_false]) = (made, believed);
            [agent.to_string(), made, false_ones, believed, believed_false]
        })
        .collect();
    if rows.is_empty() {
        return Some(String::new());
    }
    let heading = ["", "claims", "false", "believed", "false"].map(str::to_owned);
    Some(format!("\nclaims in answers\n{}", columns(&[&[heading][..], &rows[..]].concat())))
}

/// Returns the configuration of a game master that hosts the game. All agents play that a line-up with this number of
/// strategies names, unless a file or a flag sets the size of the teams.
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
    let file = playing.config.as_deref().map(|path| read_configuration(path, tell));
    let file = file.transpose().map_err(|error| error.failure("{\"boardX\": 20}"))?.unwrap_or_default();
    HostConfig::over_preset(&values, &file, &pairs(&playing.set, parameters())?)
        .map_err(|error| faulty(&error))
}

/// The parameter for the number of agents in a team.
const TEAM_SIZE: &str = "teamSize";

fn faulty(error: &ConfigError) -> Failure {
    let parameters = command_line::command("reference-gm", "config");
    let hint = format!("`{parameters}` shows every parameter with its value");
    Failure::misuse(format!("the configuration cannot be played\n{error}"), hint)
}
