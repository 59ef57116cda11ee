//! JSON Schemas (draft 2020-12) of every message that is written, generated from the
//! [`catalogue`](super::catalogue).
//!
//! The files under `wire/schemas` hold them for implementations in other languages; a test compares the files
//! with this module.

use serde_json::{Map, Value, json};

use super::Dialect;
use super::catalogue::{Field, Kind, Message, PENALTIES, Presence};

/// Returns the schema of a whole body, envelope included.
pub fn schema(message: &Message, dialect: Dialect) -> Value {
    let fields = message.fields.iter().filter(|field| field.presence.is_in(dialect));
    let payload = object(fields.map(|field| property(field, dialect)));
    let mut body = object(
        [
            ("messageID", Presence::Always, json!({ "const": message.id })),
            ("agentID", Presence::Always, json!({ "type": "integer" })),
            ("correlationID", Presence::Sometimes, json!(true)),
            ("payload", Presence::Always, payload),
        ]
        .into_iter(),
    );
    let head = [
        ("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
        ("title", json!(format!("{} {}", message.id, message.name))),
        ("description", json!(message.meaning)),
    ];
    let own = body.as_object_mut().expect("an object's schema is an object");
    own.extend(head.map(|(key, value)| (key.to_owned(), value)));
    body
}

fn property(field: &Field, dialect: Dialect) -> (&'static str, Presence, Value) {
    let whole = || json!({ "type": "integer" });
    let count = || json!({ "type": "integer", "minimum": 0 });
    let mut value = match field.kind {
        Kind::Whole => whole(),
        Kind::Probability => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Moment => json!({ "type": "string", "format": "date-time" }),
        Kind::Pair => {
            object([("x", Presence::Always, count()), ("y", Presence::Always, count())].into_iter())
        }
        Kind::Players => object(
            [("allies", Presence::Always, count()), ("enemies", Presence::Always, count())].into_iter(),
        ),
        Kind::Penalties => penalties(dialect),
        Kind::Numbers => json!({ "type": "array", "items": whole() }),
        Kind::Beliefs => json!({ "type": "array", "items": { "type": "string", "enum": ["IDK", "N", "G"] } }),
    };
    value["description"] = json!(field.meaning);
    (field.name, field.presence, value)
}

fn penalties(dialect: Dialect) -> Value {
    let value = match dialect {
        Dialect::Spec | Dialect::Both => json!({ "type": "integer", "minimum": 0 }),
        Dialect::Union => json!({ "type": "string", "pattern": "^[0-9]+$" }),
    };
    let keys = PENALTIES.into_iter().filter(|(_, presence, _)| presence.is_in(dialect));
    object(keys.map(|(key, _, _)| (key, Presence::Always, value.clone())))
}

/// Of an object with these properties and no others.
fn object<'a>(properties: impl Iterator<Item = (&'a str, Presence, Value)>) -> Value {
    let mut described = Map::new();
    let mut required = Vec::new();
    for (name, presence, value) in properties {
        // Keys of other implementations are described only where they are written, and always there.
        if !matches!(presence, Presence::Sometimes | Presence::InSpec) {
            required.push(json!(name));
        }
        described.insert(name.to_owned(), value);
    }
    json!({ "type": "object", "properties": described, "required": required, "additionalProperties": false })
}
