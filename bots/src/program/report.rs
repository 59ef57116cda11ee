//! The result of a game in this process.

use game_env::{Environment, Turn};
use game_project::{State, Team};
use reference_gm::Statistics;
use reference_gm::console::{document, table, told_outcome};
use serde_json::json;
use wire::project::Seats;

use super::game::Game;

/// The result for people: who played, the game master's statistics, and what plays it again.
pub(crate) fn text(
    game: &Game,
    state: &State,
    statistics: &Statistics,
    seats: Option<&Seats>,
    blunders: u64,
) -> String {
    let [red, blue] = Team::ALL.map(|team| &game.lineups[team]);
    let table = table(state, statistics, seats, game.seed);
    let outcome = match state.turn() {
        Turn::Over(outcome) => told_outcome(&outcome),
        Turn::Act { .. } => "not over".to_owned(),
    };
    let blunders = match blunders {
        0 => String::new(),
        1 => "1 blunder of a strategy cost a turn\n".to_owned(),
        count => format!("{count} blunders of strategies cost turns\n"),
    };
    format!("red: {red}, blue: {blue}\n{outcome}\n{table}\n{blunders}{}\n", game.again())
}

/// The same as one JSON document.
pub(crate) fn json(
    game: &Game,
    state: &State,
    statistics: &Statistics,
    seats: Option<&Seats>,
    blunders: u64,
) -> String {
    let mut document = document(state, statistics, seats, game.seed);
    let [red, blue] = Team::ALL.map(|team| game.lineups[team].to_string());
    document["strategies"] = json!({ "red": red, "blue": blue });
    document["blunders"] = blunders.into();
    document["command"] = game.command.as_str().into();
    document["virtualCommand"] = game.virtual_command().into();
    format!("{document:#}\n")
}
