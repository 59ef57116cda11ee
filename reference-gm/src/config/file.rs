//! Reads a configuration file: whatever is wrong with one value keeps no other from being looked at.

use std::fmt;

use game_env::{Parameters, Value};
use game_project::{Fault, RawConfig};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;

use super::own::{Kind, Own};

/// How much of a value that is none is shown.
const SHOWN: usize = 40;

/// The values of this text, and the faults of those that are none of any parameter.
pub(super) fn read(text: &str) -> Result<(Parameters, Vec<Fault>), serde_json::Error> {
    // Some editors put this mark before whatever they write.
    let Object(pairs) = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    let mut parameters = Parameters::new();
    let mut faults = Vec::new();
    for (name, json) in pairs {
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
    Ok((parameters, faults))
}

fn value(name: &str, json: &Json) -> Option<Value> {
    match json {
        Json::Bool(flag) => Some(Value::Flag(*flag)),
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Number(number) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            whole.map(Value::Whole).or_else(|| number.as_f64().map(Value::Real))
        }
        // A list of agents may be a list.
        Json::Array(words) if Own::find(name).is_some_and(|own| matches!(own.kind, Kind::Agents)) => {
            let word = |word: &Json| match word {
                Json::String(text) => Some(text.clone()),
                Json::Number(number) => Some(number.to_string()),
                _ => None,
            };
            words.iter().map(word).collect::<Option<Vec<_>>>().map(|words| Value::Text(words.join(",")))
        }
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// What a parameter may be; none if there is none of this name.
fn allowed(name: &str) -> Option<String> {
    let own = || Own::find(name).map(Own::allowed);
    let rules = RawConfig::descriptions().find(|known| known.name == name || known.aliases.contains(&name));
    rules.map(|known| known.range.to_string()).or_else(own)
}

fn shown(json: &Json) -> String {
    let text = json.to_string();
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The members of an object in their order; a name may be there twice.
struct Object(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of numbers, flags and texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}
