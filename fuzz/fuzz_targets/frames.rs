//! Any bytes, in any pieces: the same frames come out, and no more is held than came in. A stream whose first frame is
//! a message is not taken for another protocol, and a decision does not change with more bytes.
//!
//! `cargo +nightly fuzz run frames fuzz/corpus/frames fuzz/seeds/frames`
//!
//! The first two bytes of the input are the limit, the third the length of the pieces, the rest the stream.
//! `wire/tests/it/frame.rs` has the same as a property for ordinary tests.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wire::envelope::Outline;
use wire::foreign::{ENOUGH, Start, recognise};
use wire::frame::{self, Decoder, EXCERPT, FrameError, HEADER};

fuzz_target!(|input: (u16, u8, &[u8])| {
    let (limit, piece, stream) = input;
    let whole = decode(limit, stream, stream.len().max(1));
    assert_eq!(whole, decode(limit, stream, usize::from(piece).max(1)));

    let start = recognise(stream);
    let before: Vec<Start> =
        (0..stream.len().min(ENOUGH)).map(|length| recognise(&stream[..length])).collect();
    assert!(before.iter().all(|earlier| *earlier == Start::Undecided || *earlier == start));
    assert!(stream.len() < ENOUGH || start != Start::Undecided);
    if let Some(Some(first)) = whole.first()
        && Outline::of(first).is_ok()
    {
        assert_eq!(start, Start::Own);
    }

    // Bodies that were decoded come out again when they are written.
    let mut written = Vec::new();
    let bodies: Vec<_> = whole.into_iter().flatten().collect();
    for body in &bodies {
        frame::write(body, &mut written).expect("it came in a frame");
    }
    let again: Vec<_> = decode(limit, &written, written.len().max(1)).into_iter().flatten().collect();
    assert_eq!(bodies, again);
});

/// The bodies; `None` where there was a frame without.
fn decode(limit: u16, stream: &[u8], piece: usize) -> Vec<Option<Vec<u8>>> {
    let mut decoder = Decoder::new(limit);
    let mut found = Vec::new();
    for mut piece in stream.chunks(piece) {
        while let Some(item) = decoder.next(&mut piece) {
            if let Err(FrameError::TooLong { start, .. }) = item {
                assert!(start.len() <= EXCERPT);
            }
            found.push(item.ok().map(<[u8]>::to_owned));
        }
        assert!(decoder.held() <= HEADER + EXCERPT.max(limit.into()));
    }
    found
}
