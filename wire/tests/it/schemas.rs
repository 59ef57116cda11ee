//! Schemas: every message that is written obeys ours, and the source's own where they do not contradict
//! themselves; the book's reference is the catalogue.

use std::collections::BTreeSet;
use std::fs;

use jsonschema::Validator;
use serde_json::Value;
use wire::project::catalogue::{self, Kind, MESSAGES, Presence};
use wire::project::{AgentNumber, Dialect, schema};

use crate::messages::{bodies, check_file, folder, variants, writer};

#[test]
fn the_schemas_are_in_the_crate() {
    for dialect in Dialect::ALL {
        for message in MESSAGES {
            let name = message.name.replace(' ', "-");
            let path =
                folder("schemas").join(dialect.to_string()).join(format!("{:03}-{name}.json", message.id));
            let text = serde_json::to_string_pretty(&schema::schema(message, dialect)).unwrap();
            check_file(&path, &format!("{text}\n"));
        }
    }
}

#[test]
fn every_message_obeys_its_schema() {
    for dialect in Dialect::ALL {
        for ((id, body), message) in bodies(dialect).iter().zip(MESSAGES) {
            let validator = jsonschema::draft202012::new(&schema::schema(message, dialect)).unwrap();
            let body: Value = serde_json::from_str(body).unwrap();
            let faults: Vec<String> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
            assert!(faults.is_empty(), "{id} in {dialect}: {faults:?}");
            let keys =
                |value: &Value| -> BTreeSet<String> { value.as_object().unwrap().keys().cloned().collect() };
            let written = keys(&body["payload"]);
            let always = message.fields.iter().filter(|field| match field.presence {
                Presence::Always => true,
                Presence::InUnion => dialect != Dialect::Spec,
                Presence::Sometimes | Presence::InSpec => false,
            });
            assert!(
                always.clone().all(|field| written.contains(field.name)),
                "{id} in {dialect} lacks a field"
            );
        }
    }
}

#[test]
fn every_variant_obeys_its_schema() {
    for dialect in Dialect::ALL {
        for notice in variants() {
            let message = MESSAGES.iter().find(|message| message.id == notice.id()).unwrap();
            let validator = jsonschema::draft202012::new(&schema::schema(message, dialect)).unwrap();
            let mut body = Vec::new();
            writer(dialect).notice(&mut body, AgentNumber(3), None, &notice);
            let body: Value = serde_json::from_slice(&body).unwrap();
            let faults: Vec<String> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
            assert!(faults.is_empty(), "{notice:?} in {dialect}: {faults:?}");
        }
    }
}

/// A schema that accepts anything would pass the test above.
#[test]
fn schemas_refuse_what_is_no_message() {
    for message in MESSAGES.iter().filter(|message| !message.fields.is_empty()) {
        let validator = jsonschema::draft202012::new(&schema::schema(message, Dialect::Spec)).unwrap();
        let (_, body) = bodies(Dialect::Spec).into_iter().find(|(id, _)| *id == message.id).unwrap();
        let body: Value = serde_json::from_str(&body).unwrap();
        assert!(validator.is_valid(&body));
        let mut foreign = body.clone();
        foreign["payload"]["unheardOf"] = Value::Null;
        assert!(!validator.is_valid(&foreign), "{}: an unknown field", message.id);
        for field in message.fields.iter().filter(|field| body["payload"].get(field.name).is_some()) {
            let mut wrong = body.clone();
            wrong["payload"][field.name] = Value::Array(vec![Value::Null]);
            assert!(!validator.is_valid(&wrong), "{}: {} may be anything", message.id, field.name);
        }
    }
}

/// The source's draft-04 schemas, corrected only where they are no JSON; what is left out of each and why is
/// in the book's protocol page.
#[test]
fn the_spec_dialect_obeys_the_schemas_of_the_source() {
    let bodies = bodies(Dialect::Spec);
    let mut checked = 0;
    for (id, body) in bodies {
        let path = folder("schemas/source").join(format!("{id:03}.json"));
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let source: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let validator: Validator = jsonschema::draft4::new(&source).unwrap();
        let body: Value = serde_json::from_str(&body).unwrap();
        let faults: Vec<String> =
            validator.iter_errors(&body["payload"]).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{id}: {faults:?}");
        checked += 1;
    }
    // The messages that the source has a schema for: 1 to 9, 101 to 111, 901 to 905.
    assert_eq!(checked, 9 + 11 + 5);
}

#[test]
fn the_reference_in_the_book_is_the_catalogue() {
    let page = folder("../book/src/protocol-messages.md");
    check_file(
        &page,
        &format!(
            "# Messages\n\nThis page is generated from the catalogue of the crate `wire`; tests compare all written messages with it.\n[The protocol](protocol.md) explains how the messages follow each other.\n\n{}",
            catalogue::reference()
        ),
    );
}

/// The chapter on the protocol is read first: it names every message of an agent, and every word that one of them may
/// hold.
#[test]
fn the_protocol_chapter_names_every_message_and_word() {
    let page = fs::read_to_string(folder("../book/src/protocol.md")).unwrap();
    let numbers: BTreeSet<i64> =
        page.split(|letter: char| !letter.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    for message in MESSAGES.iter().filter(|message| message.id != catalogue::LOST_AGENT) {
        assert!(numbers.contains(&message.id), "message {} ({}) is not named", message.id, message.name);
        for field in message.fields.iter().filter(|field| field.presence != Presence::InUnion) {
            let Kind::Word(words) = field.kind else { continue };
            // Directions are explained by their coordinates, teams by their goal areas.
            for word in words.iter().filter(|word| word.len() > 4) {
                assert!(page.contains(&format!("`{word}`")), "{}: {word} is not named", message.id);
            }
        }
    }
}
