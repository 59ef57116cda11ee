//! The descriptions in JSON Schemas that are generated from types: their comments.

use serde_json::Value;

/// Puts each description on one line: a comment's lines end where the source's lines do.
pub(crate) fn on_one_line(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "description" => {
                        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    }
                    value => on_one_line(value),
                }
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(on_one_line),
        _ => {}
    }
}
