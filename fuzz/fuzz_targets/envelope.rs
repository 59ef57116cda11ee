//! Any body: no panic, JSON or not as `serde_json` says, and a message reads as it is written.
//!
//! `cargo +nightly fuzz run envelope fuzz/corpus/envelope fuzz/seeds/envelope`
//!
//! `wire/tests/it/envelope.rs` has the same, and more, as properties for ordinary tests.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use wire::envelope::{AgentField, Envelope, EnvelopeError, Outline, Syntax};

fuzz_target!(|body: &[u8]| {
    let is_json = serde_json::from_slice::<&RawValue>(body).is_ok();
    let outline = match Outline::of(body) {
        Err(EnvelopeError::NotJson { why: Syntax::Depth, .. }) => return,
        Err(EnvelopeError::NotUtf8 { .. } | EnvelopeError::NotJson { .. }) => return assert!(!is_json),
        Err(_) => return assert!(is_json),
        Ok(outline) => outline,
    };
    assert!(is_json);

    let mut spliced = Vec::new();
    outline.splice(body, 77, &mut spliced);
    let envelope = Envelope::parse(&spliced).expect("a message with another id is a message");
    assert_eq!((envelope.message_id, envelope.agent_id), (outline.message_id, Some(77)));
    assert_eq!(Outline::of(&spliced).expect("as above").agent, AgentField::Integer(77));

    let mut written = Vec::new();
    envelope.write(&mut written);
    assert_eq!(Envelope::parse(&written), Ok(envelope));
});
