//! Any payload under any id: no panic, and a message that was understood is understood again when it is written, in
//! every dialect. Requests are alike in all of them.
//!
//! `cargo +nightly fuzz run messages fuzz/corpus/messages fuzz/seeds/messages`
//!
//! The input is a whole body, as in the golden files that the seeds are.
//! `wire/tests/it/messages.rs` has the same as a property for ordinary tests.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wire::envelope::Envelope;
use wire::project::{AgentNumber, Dialect, Notice, Writer, lost_agent, read_notice, read_request};

fuzz_target!(|body: &[u8]| {
    let Ok(envelope) = Envelope::parse(body) else { return };
    let (id, payload) = (envelope.message_id, envelope.payload);
    let _ = lost_agent(id, payload);
    // Roomy enough that nothing that fits into a fuzzer's input is left out.
    let writer = |dialect| Writer { dialect, limit: usize::MAX };
    if let Ok(request) = read_request(id, payload) {
        let mut written = Vec::new();
        writer(Dialect::Spec).request(&mut written, AgentNumber(7), &request);
        let again = Envelope::parse(&written).expect("what is written is a message");
        assert_eq!(read_request(again.message_id, again.payload), Ok(request));
    }
    let Ok(notice) = read_notice(id, payload) else { return };
    for dialect in Dialect::ALL {
        let write = |notice: &Notice| {
            let mut body = Vec::new();
            writer(dialect).notice(&mut body, AgentNumber(7), envelope.correlation_id, notice);
            body
        };
        let written = write(&notice);
        let again = Envelope::parse(&written).expect("what is written is a message");
        let again = read_notice(again.message_id, again.payload).expect("what is written is understood");
        match dialect {
            // It has no keys for some penalties of the game start.
            Dialect::Spec => {}
            Dialect::Union => assert_eq!(again, without_reason(notice.clone())),
            Dialect::Both => assert_eq!(again, notice),
        }
        assert_eq!(write(&again), written, "{dialect}");
    }
});

/// Returns a notice as the union dialect writes it: everything but the reason of a refusal.
fn without_reason(mut notice: Notice) -> Notice {
    if let Notice::MoveRefused { reason, .. } | Notice::Refused { reason, .. } = &mut notice {
        *reason = None;
    }
    notice
}
