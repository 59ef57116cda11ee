//! Reads a configuration file: whatever is wrong with one value keeps no other from being looked at.

use game_env::configuration::{File, scalar};
use game_env::notation::fit_for_a_log;
use game_env::{Parameters, Value};
use game_project::{Fault, RawConfig};
use serde_json::Value as Json;

use super::own::{Kind, Own};

/// How much of a value that is none is shown.
const SHOWN: usize = 40;

/// The values of this file, and the faults of those that are none of any parameter.
pub(super) fn read(file: File) -> (Parameters, Vec<Fault>) {
    let mut parameters = Parameters::new();
    let mut faults = Vec::new();
    for (name, json) in file.members {
        match value(&name, &json) {
            Some(value) => parameters.push(name, value),
            None => match allowed(&name) {
                Some(allowed) => faults.push(Fault {
                    field: name,
                    value: shown(&json),
                    why: "a value of another kind is needed".to_owned(),
                    allowed,
                }),
                // That there is no such parameter is all there is to say, and said with the others.
                None => parameters.push(name, Value::Text(shown(&json))),
            },
        }
    }
    (parameters, faults)
}

fn value(name: &str, json: &Json) -> Option<Value> {
    match json {
        // A list of agents may be a list.
        Json::Array(words) if Own::find(name).is_some_and(|own| matches!(own.kind, Kind::Agents)) => {
            let word = |word: &Json| match word {
                Json::String(text) => Some(text.clone()),
                Json::Number(number) => Some(number.to_string()),
                _ => None,
            };
            words.iter().map(word).collect::<Option<Vec<_>>>().map(|words| Value::Text(words.join(",")))
        }
        json => scalar(json),
    }
}

/// What a parameter may be; none if there is none of this name.
fn allowed(name: &str) -> Option<String> {
    let own = || Own::find(name).map(Own::allowed);
    let rules = RawConfig::descriptions().find(|known| known.name == name || known.aliases.contains(&name));
    rules.map(|known| known.range.to_string()).or_else(own)
}

fn shown(json: &Json) -> String {
    let text = fit_for_a_log(&json.to_string());
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
