//! Lists of strategies and presets, for people and as JSON.

use command_line::{Failure, print};
use game_env::Parameters;
use game_env::parameter::Parameter;
use serde_json::{Map, Value, json};
use strategies::room::rooms;

/// Prints the games and their strategies with their numbers.
pub(crate) fn strategies(as_json: bool) -> Result<(), Failure> {
    if as_json {
        let entries = rooms().iter().flat_map(|room| {
            let game = room.game().name();
            room.strategies().into_iter().zip(1..).map(move |(entry, number)| {
                let parameters: Vec<Value> = entry.parameters.iter().map(parameter).collect();
                json!({
                    "game": game, "number": number, "name": entry.name, "summary": entry.summary,
                    "parameters": parameters,
                })
            })
        });
        return print(&format!("{:#}\n", Value::from_iter(entries)));
    }
    let mut text = String::new();
    for room in rooms() {
        let game = room.game();
        text += &format!("{} ({})\n", game.name(), game.description().title);
        for (entry, number) in room.strategies().into_iter().zip(1..) {
            text += &format!("{number:>2}  {:<12} {}\n", entry.name, entry.summary);
            for parameter in entry.parameters {
                let (name, default) = (parameter.name, parameter.default);
                let (description, range) = (parameter.description(), parameter.range);
                text += &format!("      {:<14} {description}: {range}\n", format!("{name}={default}"));
            }
        }
        text += "\n";
    }
    text += "Parameters stand after a colon, with their values: `coordinated:patience=2,slip=0.01`.\n\
             Each game but the first needs its name: `--game NAME`.\n";
    print(&text)
}

/// Returns a parameter of a strategy as JSON.
fn parameter(parameter: &Parameter) -> Value {
    let default = game_env::Value::from(parameter.default);
    json!({
        "name": parameter.name,
        "meaning": parameter.description(),
        "default": serde_json::to_value(default).unwrap_or_default(),
        "allowed": parameter.range.to_string(),
    })
}

/// Prints the presets of a game with the value of every parameter.
pub(crate) fn presets(game: &str, as_json: bool) -> Result<(), Failure> {
    let game =
        game_catalogue::find(game).map_err(|error| Failure::misuse(error.to_string(), "`bots list`"))?;
    let presets = game.presets();
    let whole = |parameters: &Parameters| game.complete(parameters).expect("a preset can be played");
    let columns: Vec<Parameters> = presets.iter().map(|preset| whole(&preset.parameters)).collect();
    if as_json {
        let presets = presets.iter().zip(&columns).map(|(preset, column)| {
            let value = |value| serde_json::to_value(value).unwrap_or_default();
            let values: Map<String, Value> =
                column.iter().map(|(name, own)| (name.to_owned(), value(own))).collect();
            json!({ "name": preset.name, "summary": preset.summary, "parameters": values })
        });
        return print(&format!("{:#}\n", Value::from_iter(presets)));
    }
    let first = presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for preset in &presets {
        text += &format!("{:<first$}  {}\n", preset.name, preset.summary);
    }
    let heads = presets.iter().map(|preset| preset.name.to_owned()).collect();
    let mut rows: Vec<(String, Vec<String>)> = vec![(String::new(), heads)];
    for (name, _) in columns.iter().take(1).flat_map(Parameters::iter) {
        let value = |column: &Parameters| column.get(name).map_or_else(String::new, ToString::to_string);
        rows.push((name.to_owned(), columns.iter().map(value).collect()));
    }
    let name_width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = |column: usize| rows.iter().map(|(_, values)| values[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..presets.len()).map(width).collect();
    for (name, values) in &rows {
        text += &format!("\n{name:<name_width$}");
        for (value, width) in values.iter().zip(&widths) {
            text += &format!("  {value:>width$}");
        }
    }
    text += "\n\n`--set NAME=VALUE` and a file of `--config` override a preset; the book's page \"Configuration\" says what \
             the parameters mean.\n";
    print(&text)
}
