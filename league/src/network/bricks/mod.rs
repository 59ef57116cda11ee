//! Duels of Bricks: two programs that speak with a referee in this process on their standard input and output.
//!
//! [`match_of_two`] plays one duel, and [`duels_page`] shows all of them. Their conversation is that of the table
//! `[referee]` of the league file, whose parameters are those of `reference-gm bricks`.

mod duels_page;
mod match_of_two;

use game_bricks::State;
use game_env::parameter::Checked;
use game_env::{ConfigError, Metrics, Notation as _, Parameters};
use reference_gm::bricks::config::{CONVERSATION, conversation};
use wire::bricks::Settings;

use self::match_of_two::MatchOfTwo;
use super::{NetworkRoom, SettingsTable, run};

pub(super) const ROOM: NetworkRoom = NetworkRoom {
    game: State::GAME,
    play: |network, spec, with_replay| run(MatchOfTwo::new(network, spec)?.play(with_replay)),
    // A player that does not move loses by its time.
    idle_times: |_| Ok(Vec::new()),
    has_server: false,
    settings: Some(SettingsTable { key: "referee", name: "[referee]", complete }),
    activity,
    page: Some(duels_page::open),
};

/// Returns the values of all parameters of the conversation.
fn complete(config: &Parameters, values: &Parameters) -> Result<Parameters, ConfigError> {
    let game = State::read_config(config)?;
    let read = Checked::read(&CONVERSATION, values)?;
    conversation(&read, &game)?;
    Ok(read.values().clone())
}

/// Returns the conversation with these values.
fn settings(config: &game_bricks::Config, values: &Parameters) -> Result<Settings, ConfigError> {
    conversation(&Checked::read(&CONVERSATION, values)?, config)
}

fn activity(metrics: &Metrics, side: usize) -> Option<String> {
    let bricks = metrics.get("bricks")?.get(side).copied().filter(|bricks| *bricks > 0.0)?;
    Some(if bricks == 1.0 { "1 brick".to_owned() } else { format!("{bricks} bricks") })
}
