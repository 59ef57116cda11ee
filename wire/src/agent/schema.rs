//! JSON Schemas (draft 2020-12) of the agent protocol, generated from the types that are read and written.

use game_env::Notation;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};

use super::message::{Answer, Message, Ready};
use crate::descriptions::on_one_line;

/// The game's part of the protocol, as a type.
pub trait Described {
    /// The game, whose name and version of the rules are in `hello`.
    type Game: Notation;
    /// The game's part of the beginning.
    type Begin: JsonSchema;
    /// The observation.
    type Observation: JsonSchema;
    /// An event.
    type Event: JsonSchema;
}

/// Returns the schemas of all lines of a game: `host` for those of the host, `ready` and `answer` for those of a
/// program.
///
/// A line of the host has every field that its schema requires, `null` included. A program may leave fields out.
pub fn schema<G: Described>() -> Value {
    let mut ready = schema_for!(Ready).to_value();
    if let Some(fields) = ready.get_mut("properties").and_then(Value::as_object_mut) {
        fields.insert("type".to_owned(), json!({ "const": "ready" }));
        ready["required"] = json!(["type"]);
    }
    let mut answer = schema_for!(Answer).to_value();
    answer["oneOf"] = ["do", "wait", "walk", "tell"].map(|choice| json!({ "required": [choice] })).into();
    let written = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut all = json!({
        "host": written.into_root_schema_for::<Message<G::Begin, G::Observation, G::Event>>(),
        "ready": ready,
        "answer": answer,
    });
    on_one_line(&mut all);
    all
}
