//! The messages of a feed that are the same for every game, sans-IO: each message is one JSON object.
//!
//! [`GameFeed`](crate::room::GameFeed) writes the messages of a game. The content of each message is described on the
//! book's page "The feed of the game page".

use std::time::Duration;

use game_env::parameter::Range;
use game_env::{Fault, Note, Shape, SimTime};
use serde_json::{Value, json};

use crate::matches::MatchId;
use crate::setting::Setting;

/// Returns the first message of every feed; `game` is the game's name in replays. A reader that receives nothing for
/// `timeout` can consider the connection lost.
pub fn hello(game: &str, mode: Mode<'_>, is_operator: bool, timeout: Option<Duration>) -> String {
    let (name, file) = match mode {
        Mode::Live | Mode::Matches { .. } => ("live", None),
        Mode::Replay { file } => ("replay", Some(file)),
    };
    let mut hello = json!({ "kind": "hello", "feed": VERSION, "game": game, "mode": name, "program": PROGRAM, "operator": is_operator, "file": file });
    if let Mode::Matches { id, has_seat } = mode {
        hello["match"] = json!(id.map(MatchId::number));
        hello["seat"] = json!(has_seat);
    }
    if let Some(timeout) = timeout {
        hello["timeoutMs"] = json!(timeout.as_millis());
    }
    hello.to_string()
}

/// The version of the feed's format.
pub const VERSION: u32 = 1;

/// The kinds of feeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode<'a> {
    /// A game that is hosted.
    Live,
    /// The matches of a host.
    Matches {
        /// The one whose feed it is; none for the list alone.
        id: Option<MatchId>,
        /// Whether the reader is a person who plays.
        has_seat: bool,
    },
    /// A replay.
    Replay {
        /// The name of its file.
        file: &'a str,
    },
}

/// Name and version of the program that hosts games, as feeds and replays of matches on the page name it, also if
/// another program serves the page. All crates of the workspace have the same version.
pub const PROGRAM: &str = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));

/// Returns the settings: every parameter with its value, and the faults of the values that were asked for; after the
/// start they are locked.
pub fn settings(settings: &[Setting], is_locked: bool, faults: &[Fault]) -> String {
    let setting = |Setting { parameter, value, origin }: &Setting| {
        let shown = match parameter.range {
            Range::Whole(least, most) => json!({ "type": "whole", "least": least, "most": most }),
            Range::Real(least, most) => json!({ "type": "real", "least": least, "most": most }),
            Range::Flag => json!({ "type": "flag" }),
            Range::OneOf(values) => json!({ "type": "text", "values": values }),
            Range::Text(_) | Range::List(_) => json!({ "type": "text", "values": null }),
        };
        // A text may have been written as a number; not every number of 64 bits is one to a page.
        let value = match parameter.range {
            Range::OneOf(_) | Range::Text(_) | Range::List(_) => json!(value.text()),
            Range::Whole(..) | Range::Real(..) | Range::Flag => json!(value),
        };
        json!({
            "name": parameter.name,
            "meaning": parameter.description(),
            "value": value,
            "default": game_env::Value::from(parameter.default),
            "origin": origin,
            "range": shown,
        })
    };
    let fault = |Fault { field, value, why, allowed }: &Fault| json!({ "field": field, "value": value, "why": why, "allowed": allowed });
    json!({
        "kind": "settings",
        "locked": is_locked,
        "parameters": settings.iter().map(setting).collect::<Value>(),
        "faults": faults.iter().map(fault).collect::<Value>(),
    })
    .to_string()
}

/// Statistics as a message; and that there is no replay, if there is none.
pub fn statistics(document: &Value, has_replay: bool) -> String {
    let mut message = json!({ "kind": "statistics", "document": document });
    if !has_replay {
        message["replay"] = json!(false);
    }
    message.to_string()
}

/// Returns the clock of a game in which nothing happens.
pub fn clock(now: SimTime) -> String {
    json!({ "kind": "clock", "t": now.as_millis() }).to_string()
}

/// Returns the message that keeps a reader from considering the connection lost when there is nothing else to send.
pub fn heartbeat() -> String {
    json!({ "kind": "heartbeat" }).to_string()
}

/// Returns the message that a recording breaks off, and why; the feed has all before the break.
pub fn truncated(why: &str) -> String {
    json!({ "kind": "truncated", "why": why }).to_string()
}

/// Returns the message of a warning: a person has to set something right.
pub fn warning(text: &str) -> String {
    json!({ "kind": "warning", "text": text }).to_string()
}

/// Returns the last message of a game master that ends.
pub fn gone(why: &str) -> String {
    json!({ "kind": "gone", "why": why }).to_string()
}

pub(crate) fn drawn(note: &Note) -> Value {
    let shape = |shape: &Shape| match shape {
        Shape::Field(at) => json!({ "field": [at.x, at.y] }),
        Shape::Line(from, to) => json!({ "line": [from.x, from.y, to.x, to.y] }),
        Shape::Label(at, text) => json!({ "label": [at.x, at.y, text] }),
    };
    json!({ "text": note.text, "shapes": note.shapes.iter().map(shape).collect::<Value>() })
}

/// Takes all entries, each with a comma behind it, as one message; none if there are none.
pub(crate) fn events_message(entries: &mut String) -> Option<String> {
    entries.pop()?; // the last comma
    let message = format!(r#"{{"kind":"events","events":[{entries}]}}"#);
    entries.clear();
    Some(message)
}
