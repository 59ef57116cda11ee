//! Messages of other implementations: each way in which they differ from ours has a file under `tests/peers` with their
//! messages, our message instead, and the reason. Both read the same.

use std::fmt::Write as _;
use std::fs;

use insta::assert_snapshot;
use serde::Deserialize;
use serde_json::value::RawValue;
use wire::envelope::Envelope;
use wire::project::{DecodeError, Notice, Request, lost_agent, read_notice, read_request};

use crate::messages::folder;

#[derive(Deserialize)]
struct Deviation<'a> {
    why: String,
    #[serde(borrow)]
    theirs: Vec<&'a RawValue>,
    #[serde(borrow)]
    ours: &'a RawValue,
}

#[derive(PartialEq, Debug)]
enum Read {
    Request(Request),
    Notice(Notice),
}

/// Reads a body in the direction that its id belongs to; a forwarded 4 goes to an agent like a 111.
fn read(body: &str, to_agent: bool) -> Result<Read, DecodeError> {
    let envelope = Envelope::parse(body.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{body}"));
    assert!(matches!(envelope.agent_id, None | Some(3)), "{body}");
    if to_agent {
        read_notice(envelope.message_id, envelope.payload).map(Read::Notice)
    } else {
        read_request(envelope.message_id, envelope.payload).map(Read::Request)
    }
}

#[test]
fn what_others_write_reads_like_ours() {
    let mut files: Vec<_> =
        fs::read_dir(folder("tests/peers")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 30, "only {} deviations were found", files.len());
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let deviation: Deviation<'_> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let to_agent = Envelope::parse(deviation.ours.get().as_bytes()).unwrap().message_id > 100;
        let ours = read(deviation.ours.get(), to_agent);
        assert!(ours.is_ok(), "{}: {ours:?}", path.display());
        for theirs in &deviation.theirs {
            assert_eq!(read(theirs.get(), to_agent), ours, "{}: {}\n{theirs}", path.display(), deviation.why);
        }
    }
}

/// Errors name the message, the field and the value.
#[test]
fn senseless_messages_are_told_apart() {
    let requests = [
        (7, r#"{"direction":"up"}"#),
        (7, r#"{"direction":null}"#),
        (7, "{}"),
        (7, "[]"),
        (7, "\"N\""),
        (6, r#"{"teamID":"green"}"#),
        (5, r#"{"askedAgentID":"four"}"#),
        (5, r#"{"askedAgentID":1.5}"#),
        (5, r#"{"askedAgentID":99999999999999999999}"#),
        (4, r#"{"respondToID":1,"distances":{}}"#),
        (4, r#"{"respondToID":1,"distances":"far"}"#),
        (4, r#"{"respondToID":1,"redTeamGoalAreaInformations":{"0":"G"}}"#),
        (0, "{}"),
        (101, "{}"),
        (-1, "{}"),
    ];
    let notices = [
        (101, r#"{"sham":"perhaps"}"#),
        (104, r#"{"winner":null}"#),
        (105, r#"{"agentID":1}"#),
        (105, r#"{"agentID":1,"boardSize":{"x":3,"y":2},"goalAreaSize":1}"#),
        (105, r#"{"agentID":1,"boardSize":{"x":3,"y":"many"}}"#),
        (108, r#"{"madeMove":true}"#),
        (108, r#"{"madeMove":true,"currentPosition":{"x":-1,"y":0}}"#),
        (110, "[]"),
        (902, "\"Cold\""),
        (904, "[]"),
        (905, "7"),
        (108, r#"{"madeMove":true,"currentPosition":{"x":1,"y":0},"closestPiece":1e999}"#),
        (906, "{}"),
    ];
    let mut told = String::new();
    let raw = |payload: &str| RawValue::from_string(payload.to_owned()).unwrap();
    for (id, payload) in requests {
        writeln!(told, "{id} {payload}\n    {}", read_request(id, Some(&raw(payload))).unwrap_err()).unwrap();
    }
    for (id, payload) in notices {
        writeln!(told, "{id} {payload}\n    {}", read_notice(id, Some(&raw(payload))).unwrap_err()).unwrap();
    }
    for (id, payload) in [(905, "{}"), (906, "{}")] {
        writeln!(told, "{id} {payload}\n    {}", lost_agent(id, Some(&raw(payload))).unwrap_err()).unwrap();
    }
    assert_snapshot!(told);
}

/// A value is cut where it is long and escaped where it would disturb a log.
#[test]
fn errors_are_fit_for_a_log() {
    let long =
        RawValue::from_string(format!("{{\"direction\":\"\\u001b[31m{}\"}}", "x".repeat(10_000))).unwrap();
    let error = read_request(7, Some(&long)).unwrap_err().to_string();
    assert!(error.len() < 250 && error.chars().all(|letter| !letter.is_control()), "{error}");
}
