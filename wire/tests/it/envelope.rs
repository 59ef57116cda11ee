//! The envelope against `serde_json`, which reads JSON independently of it.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use wire::envelope::{AgentField, DEEPEST, Envelope, EnvelopeError, FirstWords, Outline, Syntax};
use wire::frame;

/// Returns whether a key is one of the envelope's, by the rule in the documentation.
fn is(key: &str, name: &str) -> bool {
    key.eq_ignore_ascii_case(name)
}

/// The integer that a value is. `serde_json` makes a fraction of `-0`, to keep its sign.
fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| is_minus_zero(value).then_some(0))
}

fn is_minus_zero(value: &Value) -> bool {
    value.is_f64() && value.as_f64() == Some(0.0) && value.to_string().starts_with('-')
}

/// Compares the outline of a body with the result of `serde_json`. Returns whether it is a message.
fn check(body: &[u8]) -> bool {
    let outline = Outline::of(body);
    let Ok(raw) = serde_json::from_slice::<&RawValue>(body) else {
        assert!(
            matches!(outline, Err(EnvelopeError::NotUtf8 { .. } | EnvelopeError::NotJson { .. })),
            "{outline:?} of {:?}",
            String::from_utf8_lossy(body)
        );
        return false;
    };
    if let Err(EnvelopeError::NotJson { why: Syntax::Depth, .. }) = outline {
        let brackets = body.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
        assert!(brackets > DEEPEST as usize);
        return false;
    }
    // Numbers that no type holds are JSON, but no `Value`; their meaning to their reader is not our concern.
    let Ok(value) = serde_json::from_str::<Value>(raw.get()) else { return outline.is_ok() };
    let outline = match outline {
        Ok(outline) => outline,
        Err(EnvelopeError::NotObject) => {
            assert!(!value.is_object());
            return false;
        }
        Err(EnvelopeError::NoMessageId) => {
            assert!(!value.as_object().unwrap().keys().any(|key| is(key, "messageID")));
            return false;
        }
        Err(EnvelopeError::MessageIdNotInteger) => {
            let object = value.as_object().unwrap();
            assert!(object.iter().any(|(key, value)| is(key, "messageID") && value.as_i64().is_none()));
            return false;
        }
        Err(EnvelopeError::Twice(key)) => {
            let text = String::from_utf8_lossy(body).to_ascii_lowercase();
            assert!(
                text.contains('\\') || text.matches(&key.name().to_ascii_lowercase()).count() > 1,
                "{text}"
            );
            return false;
        }
        Err(error) => panic!("{error:?} of {value}"),
    };

    let Value::Object(object) = value else { panic!("{outline:?} of {value}") };
    let field = |name: &str| object.iter().find(|(key, _)| is(key, name)).map(|(_, value)| value);
    assert_eq!(Some(outline.message_id), field("messageID").and_then(integer));
    match field("agentID") {
        None => assert_eq!(outline.agent, AgentField::Absent),
        Some(Value::Null) => assert_eq!(outline.agent, AgentField::Null),
        Some(value) if is_minus_zero(value) => {} // `-0` is an integer, `-0.0` is none
        Some(value) => {
            assert_eq!(outline.agent, value.as_i64().map_or(AgentField::Other, AgentField::Integer));
        }
    }

    // The spliced body is the same value but for one.
    let mut spliced = Vec::new();
    outline.splice(body, 77, &mut spliced);
    let after: Map<String, Value> = serde_json::from_slice(&spliced).unwrap();
    let mut wanted = object.clone();
    let name = object.keys().find(|key| is(key, "agentID")).map_or("agentID", String::as_str).to_owned();
    wanted.insert(name, json!(77));
    assert_eq!(after, wanted);
    assert_eq!(Outline::of(&spliced).unwrap().agent, AgentField::Integer(77));

    // The typed envelope agrees, and reads as it is written.
    assert_eq!(Envelope::parse_leniently(body).unwrap().message_id, outline.message_id);
    match Envelope::parse(body) {
        Ok(envelope) => {
            assert_eq!(envelope.message_id, outline.message_id);
            let payload = envelope.payload.map(|raw| serde_json::from_str::<Value>(raw.get()).unwrap());
            assert_eq!(payload.as_ref(), field("payload").filter(|value| !value.is_null()));
            let mut written = Vec::new();
            envelope.write(&mut written);
            assert_eq!(Envelope::parse(&written), Ok(envelope));
        }
        Err(error) => {
            assert_eq!((error, outline.agent), (EnvelopeError::AgentIdNotInteger, AgentField::Other));
        }
    }
    true
}

#[test]
fn real_and_odd_messages_are_read() {
    for body in [
        r#"{"messageID":6,"agentID":0,"payload":{"teamID":"red"}}"#,
        r#"{"AgentID":null,"Payload":{"X":5},"MessageID":7,"TimeSent":"2020-05-01T12:00:00","CorrelationID":"a"}"#,
        "\t{ \"messageID\" : -3 ,\r\n \"agentID\" : 1 }\n",
        r#"{"messageID":-0}"#,
        r#"{"messageID":1,"payload":[1e999,-0.5E+3,"\ud83d\ude00\ud800é",true,false,null,{"":[]},[[]]]}"#,
        r#"{"message\u0049D":1,"\u0061gentID":{"agentID":3}}"#,
    ] {
        assert!(check(body.as_bytes()), "{body}");
    }
}

/// An agent reads any value under `agentID`; everyone else wants an integer, in quotes or not.
#[test]
fn an_agent_does_not_judge_whom_a_message_is_for() {
    for (body, id) in [
        (r#"{"messageID":107,"agentID":"1"}"#, Some(107)),
        (r#"{"messageID":107,"agentID":1.0}"#, Some(107)),
        (r#"{"messageID":107,"agentID":[{}]}"#, Some(107)),
        (r#"{"messageID":"107"}"#, Some(107)),
        (r#"{"messageID":"-1","agentID":true}"#, Some(-1)),
        (r#"{"messageID":"107 "}"#, None),
        (r#"{"messageID":"join"}"#, None),
        (r#"{"messageID":""}"#, None),
        (r#"{"messageID":1.5}"#, None),
        (r#"{"messageID":null}"#, None),
        (r#"{"agentID":1}"#, None),
        (r#"{"messageID":1,"agentID":"}"#, None),
    ] {
        let read = Envelope::parse_leniently(body.as_bytes());
        assert_eq!(read.ok().map(|envelope| envelope.message_id), id, "{body}");
        let strictly = Envelope::parse(body.as_bytes()).ok().map(|envelope| envelope.message_id);
        let names_no_agent =
            ["1.0", "[{}]", "true"].iter().any(|value| body.contains(&format!("\"agentID\":{value}")));
        assert_eq!(strictly, id.filter(|_| !names_no_agent), "{body}");
    }
}

#[test]
fn a_payload_that_is_null_is_none() {
    let envelope = Envelope::parse(br#"{"messageID":1,"payload":null,"correlationID":null}"#).unwrap();
    assert!(envelope.payload.is_none());
    assert!(envelope.correlation_id.is_none());
}

/// Each field counts: envelopes that differ in one of them are not equal.
#[test]
fn envelopes_are_equal_when_every_field_is() {
    const BODIES: [&[u8]; 5] = [
        br#"{"messageID":1,"agentID":2,"correlationID":3,"payload":{"a":4}}"#,
        br#"{"messageID":9,"agentID":2,"correlationID":3,"payload":{"a":4}}"#,
        br#"{"messageID":1,"agentID":9,"correlationID":3,"payload":{"a":4}}"#,
        br#"{"messageID":1,"agentID":2,"correlationID":9,"payload":{"a":4}}"#,
        br#"{"messageID":1,"agentID":2,"correlationID":3,"payload":{"a":9}}"#,
    ];
    for (i, one) in BODIES.iter().enumerate() {
        for (k, other) in BODIES.iter().enumerate() {
            let (one, other) = (Envelope::parse(one).unwrap(), Envelope::parse(other).unwrap());
            assert_eq!(one == other, i == k, "{one:?} and {other:?}");
        }
    }
}

#[test]
fn every_end_of_a_message_is_no_message() {
    let body = r#"{"messageID":1,"agentID":-2.5e7,"payload":{"a":["b\u00e9\n",true,{}]}}"#.as_bytes();
    assert!(check(body));
    for end in 0..body.len() {
        assert!(!check(&body[..end]), "{end}");
    }
}

#[test]
fn an_escape_has_four_hexadecimal_digits() {
    let body = |escape: &str| format!(r#"{{"messageID":1,"payload":{{"a":"\u{escape}"}}}}"#);
    assert!(check(body("00Ea").as_bytes()));
    for escape in ["g0e9", "0ge9", "00g9", "00eg", "00e", ""] {
        assert!(!check(body(escape).as_bytes()), "{escape}");
    }
}

#[test]
fn brackets_without_end_do_not_reach_the_stack() {
    for opening in ["[", "{\"a\":", "[{\"a\":"] {
        let body = format!(r#"{{"messageID":1,"payload":{}"#, opening.repeat(60_000 / opening.len()));
        let error = Outline::of(body.as_bytes()).unwrap_err();
        assert!(matches!(error, EnvelopeError::NotJson { why: Syntax::Depth, .. }), "{error}");
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(key(), inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("agentID".to_owned()),
        Just("AgentId".to_owned()),
        Just("messageID".to_owned()),
        Just("payload".to_owned()),
        ".{0,8}",
    ]
}

fn message() -> impl Strategy<Value = Value> {
    let id = prop_oneof![any::<i64>().prop_map(Value::from), value()];
    (btree_map(key(), value(), 0..5), id).prop_map(|(map, id)| {
        let mut object: Map<String, Value> = map.into_iter().collect();
        object.insert("messageID".to_owned(), id);
        Value::Object(object)
    })
}

proptest! {
    #[test]
    fn messages_agree_with_serde_json(message in message(), pretty in any::<bool>()) {
        let body = if pretty { serde_json::to_vec_pretty(&message) } else { serde_json::to_vec(&message) };
        check(&body.unwrap());
    }

    #[test]
    fn damaged_messages_agree_with_serde_json(
        message in message(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..4),
    ) {
        let mut body = serde_json::to_vec(&message).unwrap();
        for (at, byte, replaces) in damage {
            let at = at.index(body.len());
            if replaces { body[at] = byte } else { body.insert(at, byte) }
        }
        check(&body);
    }

    #[test]
    fn soup_agrees_with_serde_json(
        words in vec(prop_oneof![
            Just("{"), Just("}"), Just("["), Just("]"), Just(","), Just(":"), Just(" "), Just("\""), Just("\\"),
            Just("\"messageID\""), Just("\"agentID\""), Just("1"), Just("-"), Just("0"), Just("."), Just("e"),
            Just("\\u00"), Just("true"), Just("null"), Just("\u{1}"), Just("é"),
        ], 0..40),
    ) {
        check(words.concat().as_bytes());
        check(format!("{{\"messageID\":1,{}", words.concat()).as_bytes());
    }

    #[test]
    fn any_bytes_agree_with_serde_json(bytes in vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }
}

#[test]
fn other_protocols_are_known_by_their_first_bytes() {
    let greetings: [&[u8]; 10] = [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 400 Bad Request\r\n",
        b"220 mail.example.org ESMTP\r\n",
        b"+OK ready\r\n",
        b"OK MPD 0.23\n",
        b"\x4a\0\0\0\x0a8.0.36",
        b"\x15\x03\x01\0\x02\x02\x46",
        b"\xff\xfd\x18",
        b"\0\0",
        b"\x02\0[]",
    ];
    for greeting in greetings {
        assert_eq!(FirstWords::default().read(greeting), Err(greeting), "{}", greeting.escape_ascii());
        // One byte may be the length of anything.
        assert_eq!(FirstWords::default().read(&greeting[..1]), Ok(()));
    }
}

proptest! {
    #[test]
    fn a_stream_of_messages_is_one_however_little_of_it_is_there(
        space in "[ \t\r\n]{0,9}",
        id in any::<i64>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut stream = Vec::new();
        frame::write(format!("{space}{{\"messageID\":{id}}}").as_bytes(), &mut stream).unwrap();
        frame::write(b"whatever", &mut stream).unwrap();
        let mut first_words = FirstWords::default();
        prop_assert_eq!(first_words.read(&stream[..cut.index(stream.len() + 1)]), Ok(()));
    }
}
