//! JSON Schemas (draft 2020-12) of every message, and the book's reference, both derived from the types that are read
//! and written.
//!
//! The files under `wire/schemas/eriantys` hold the schemas for implementations in other languages; a test compares the
//! files with this module.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::message::Message;
use crate::descriptions::on_one_line;

/// Returns the schema of each message of one direction, with the type of the message, in the order of
/// [`Message::TYPES`].
pub fn schemas<M: Message>() -> Vec<(&'static str, Value)> {
    let made = M::TYPES.iter().zip(M::schemas());
    made.map(|(name, schema)| (*name, with_type(name, schema.to_value()))).collect()
}

/// Adds the key `type` to the schema of a message's fields.
fn with_type(name: &str, mut schema: Value) -> Value {
    let fields = schema.as_object_mut().expect("the schema of a struct is an object");
    let described = fields.entry("properties").or_insert_with(|| json!({}));
    let described = described.as_object_mut().expect("properties are an object");
    described.insert("type".to_owned(), json!({ "const": name }));
    let required = fields.entry("required").or_insert_with(|| json!([]));
    required.as_array_mut().expect("the required keys are a list").insert(0, json!("type"));
    on_one_line(&mut schema);
    schema
}

/// Returns the book's reference of all messages, as Markdown.
///
/// `examples` has messages of both directions, one a line; the first of each type is shown.
///
/// # Panics
///
/// If a type of message has no example.
pub fn reference<C: Message, S: Message>(examples: &str) -> String {
    let mut text = "# Messages of Eriantys\n\n\
        This page is generated from the types of `wire::eriantys`; a test compares them.\n\
        [The protocol of Eriantys](eriantys-protocol.md) explains how the messages follow each other.\n\
        Each message is one JSON object on one line; its key `type` is the name below.\n\
        A reader ignores keys that it does not know.\n\
        The folder `wire/schemas/eriantys` has a JSON Schema for each message.\n"
        .to_owned();
    let mut parts = BTreeMap::new();
    for (title, schemas) in
        [("From the client to the server", schemas::<C>()), ("From the server to the client", schemas::<S>())]
    {
        write!(text, "\n## {title}\n").expect("a string takes all that is written");
        for (name, schema) in schemas {
            let begin = format!("{{\"type\":\"{name}\"");
            let is_one =
                |line: &&str| line.strip_prefix(&begin).is_some_and(|rest| rest.starts_with([',', '}']));
            let example = examples.lines().find(is_one);
            let example = example.unwrap_or_else(|| panic!("there is no example of {name}"));
            write!(text, "\n### `{name}`\n\n{}\n", sentences(&schema)).expect("likewise");
            text += &fields(&schema);
            write!(text, "\n```json\n{}\n```\n", folded(example)).expect("likewise");
            if let Some(Value::Object(own)) = schema.get("$defs") {
                parts.extend(own.iter().map(|(name, part)| (name.clone(), part.clone())));
            }
        }
    }
    text += "\n## Values in messages\n";
    for (name, part) in &parts {
        write!(text, "\n### {name}\n\n{}\n", sentences(part)).expect("likewise");
        text += &fields(part);
        for choice in choices(part) {
            let told = description(choice);
            match (choice.get("const"), choice.pointer("/properties/type/const")) {
                (Some(word), _) => writeln!(text, "- `{word}`: {told}").expect("likewise"),
                (None, Some(kind)) => {
                    let own = fields(choice).replace("\n- ", "\n  - ");
                    write!(text, "- With the `type` `{kind}`: {told}{own}").expect("likewise");
                    text += if own.is_empty() { "\n" } else { "" };
                }
                (None, None) => {}
            }
        }
    }
    text
}

/// Returns the description of a schema, one sentence a line.
fn sentences(schema: &Value) -> String {
    description(schema).replace(". ", ".\n")
}

/// Returns a line for each field but `type`.
fn fields(schema: &Value) -> String {
    let empty = Map::new();
    let described = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut text = String::new();
    for (name, field) in described.iter().filter(|(name, _)| *name != "type") {
        let meaning = description(field);
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        write!(text, "\n- `{name}` ({}{optional}): {meaning}", kind(field)).expect("a string takes all");
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Returns the values that a schema allows, in words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(some) = choices(schema).find(|choice| choice.get("type") != Some(&json!("null"))) {
        return kind(some);
    }
    let name = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        Some(Value::String(name)) => Some(name.as_str()),
        _ => None,
    };
    match name {
        Some("integer") => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(least), _) if *least == 0 => "a whole number".to_owned(),
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
            (Some(least), None) => format!("a whole number from {least} on"),
            _ => "a whole number".to_owned(),
        },
        Some("array") => format!("a list, each {}", schema.get("items").map(kind).unwrap_or_default()),
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("string") => match schema.get("pattern") {
            Some(_) => "32 hexadecimal digits as text".to_owned(),
            None => "text".to_owned(),
        },
        _ => "an object".to_owned(),
    }
}

/// Returns the schemas one of which applies.
fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key)).filter_map(Value::as_array).flatten()
}

/// Returns the description of a schema; empty if it has none.
fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// Returns a long example on several lines, for people: a line for each field, and for each object in a list.
fn folded(example: &str) -> String {
    const LONG: usize = 110;
    if example.len() <= LONG {
        return example.to_owned();
    }
    let (mut text, mut open, mut is_in_string, mut is_escaped) = (String::new(), Vec::new(), false, false);
    for letter in example.chars() {
        let is_quoted = is_in_string;
        match letter {
            '"' if !is_escaped => is_in_string = !is_in_string,
            '{' | '[' if !is_quoted => open.push(letter),
            '}' | ']' if !is_quoted => {
                open.pop();
            }
            _ => {}
        }
        is_escaped = letter == '\\' && !is_escaped;
        let breaks_before = letter == '}' && open.is_empty() && !is_quoted;
        text += if breaks_before { "\n" } else { "" };
        text.push(letter);
        let is_object_in_list = open == ['{', '['] && text.ends_with("},");
        match (letter, &open[..]) {
            _ if is_quoted => {}
            ('{', ['{']) | (',', ['{']) => text += "\n  ",
            (',', ['{', '[']) if is_object_in_list => text += "\n    ",
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_examples_are_folded_without_any_other_change() {
        let long = format!(
            r#"{{"a":"{}, {{\"","list":[{{"b":1,"c":[1,2]}},{{"b":2}}],"d":{{"e":[],"f":0}}}}"#,
            "x".repeat(100)
        );
        let shown = folded(&long);
        assert_eq!(
            shown,
            format!(
                "{{\n  \"a\":\"{}, {{\\\"\",\n  \"list\":[{{\"b\":1,\"c\":[1,2]}},\n    {{\"b\":2}}],\n  \"d\":{{\"e\":[],\"f\":0}}\n}}",
                "x".repeat(100)
            )
        );
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(read(&shown), read(&long));
        assert_eq!(folded("{\"type\":\"Pong\"}"), "{\"type\":\"Pong\"}");
    }
}
