//! Lists of strategies and presets, for people and as JSON.

use command_line::Failure;
use game_env::parameter::Parameter;
use game_project::preset::Preset;
use serde_json::{Map, Value, json};
use strategies::room::rooms;

use super::print;

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
             To play another game than project: `--game NAME --virtual`.\n\
             Agents on a server may obey a script instead: `--connect HOST:PORT --script FILE`; bots/scripts has some.\n";
    print(&text)
}

/// A parameter of a strategy as JSON.
fn parameter(parameter: &Parameter) -> Value {
    let default = game_env::Value::from(parameter.default);
    json!({
        "name": parameter.name,
        "meaning": parameter.description(),
        "default": serde_json::to_value(default).unwrap_or_default(),
        "allowed": parameter.range.to_string(),
    })
}

/// Prints the presets with the value of every parameter.
pub(crate) fn presets(as_json: bool) -> Result<(), Failure> {
    if as_json {
        let presets = Preset::ALL.map(|preset| {
            let values: Map<String, Value> = preset
                .raw()
                .parameters()
                .iter()
                .map(|(name, value)| (name.to_owned(), serde_json::to_value(value).unwrap_or_default()))
                .collect();
            json!({ "name": preset.name(), "summary": preset.summary(), "parameters": values })
        });
        return print(&format!("{:#}\n", Value::from_iter(presets)));
    }
    let mut text = String::new();
    for preset in Preset::ALL {
        text += &format!("{:<6} {}\n", preset.name(), preset.summary());
    }
    let row = |name: &str, values: [String; 3]| {
        let [quick, spec, large] = values;
        format!("{name:<27} {quick:>6} {spec:>6} {large:>6}\n")
    };
    text += &format!("\n{}", row("", Preset::ALL.map(|preset| preset.to_string())));
    let columns = Preset::ALL.map(|preset| preset.raw().parameters());
    for (name, _) in columns[0].iter() {
        let values =
            columns.each_ref().map(|column| column.get(name).map_or_else(String::new, ToString::to_string));
        text += &row(name, values);
    }
    text += "\nPenalties are in milliseconds. A configuration file and flags override a preset.\n";
    print(&text)
}
