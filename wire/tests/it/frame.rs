//! Frames of a hostile stream, however it is cut.

use proptest::collection::vec;
use proptest::prelude::*;
use wire::frame::{self, Decoder, EXCERPT, FrameError, HEADER};

/// An item of a decoder, without borrowing from it.
#[derive(Clone, PartialEq, Debug)]
enum Found {
    Body(Vec<u8>),
    Empty,
    TooLong(u16, Vec<u8>),
}

/// Everything in the stream that comes in these pieces, and whether it ends inside a frame.
fn decode<'a>(limit: u16, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Found>, bool) {
    let mut decoder = Decoder::new(limit);
    let mut found = Vec::new();
    let mut arrived = 0;
    for mut piece in pieces {
        arrived += piece.len();
        while let Some(item) = decoder.next(&mut piece) {
            found.push(match item {
                Ok(body) => Found::Body(body.to_owned()),
                Err(FrameError::Empty) => Found::Empty,
                Err(FrameError::TooLong { length, start, .. }) => Found::TooLong(length, start.to_owned()),
            });
        }
        assert!(piece.is_empty(), "what is no whole frame is kept by the decoder");
        assert!(decoder.held() <= arrived.min(HEADER + EXCERPT.max(limit.into())));
    }
    (found, decoder.is_inside_frame())
}

/// Returns the item that a decoder with this limit is to find for a body.
fn expected(limit: u16, body: &[u8]) -> Found {
    match u16::try_from(body.len()).unwrap() {
        0 => Found::Empty,
        length if length <= limit => Found::Body(body.to_owned()),
        length => Found::TooLong(length, body[..body.len().min(EXCERPT)].to_owned()),
    }
}

#[test]
fn a_split_at_every_byte_changes_nothing() {
    let bodies: [&[u8]; 6] = [b"{}", b"", &[7; 300], b"abc", &[8; 20], b"x"];
    let mut stream = Vec::new();
    for body in bodies {
        frame::write(body, &mut stream).unwrap();
    }
    for limit in [1, 2, 3, 20, 299, 300, u16::MAX] {
        let whole: Vec<Found> = bodies.iter().map(|body| expected(limit, body)).collect();
        assert_eq!(decode(limit, [&stream[..]]), (whole.clone(), false));
        assert_eq!(decode(limit, stream.chunks(1)), (whole.clone(), false));
        for at in 0..=stream.len() {
            let (head, tail) = stream.split_at(at);
            assert_eq!(decode(limit, [head, tail]), (whole.clone(), false), "split at {at}");
        }
    }
}

#[test]
fn the_longest_body_passes_and_is_skipped_below_its_length() {
    let longest = vec![b'x'; 65_535];
    let mut stream = Vec::new();
    frame::write(&longest, &mut stream).unwrap();
    frame::write(b"after", &mut stream).unwrap();
    let after = Found::Body(b"after".to_vec());
    for limit in [u16::MAX, u16::MAX - 1, frame::DEFAULT_LIMIT] {
        let all = vec![expected(limit, &longest), after.clone()];
        assert_eq!(decode(limit, stream.chunks(4096)), (all, false));
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_however_it_is_cut(
        bodies in vec(vec(any::<u8>(), 0..400), 0..12),
        cuts in vec(1_usize..500, 1..40),
        limit in 1_u16..400,
    ) {
        let mut stream = Vec::new();
        for body in &bodies {
            frame::write(body, &mut stream).unwrap();
        }
        let mut pieces = Vec::new();
        let mut rest = &stream[..];
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, behind) = rest.split_at((*cut).min(rest.len()));
            pieces.push(piece);
            rest = behind;
        }
        let whole: Vec<Found> = bodies.iter().map(|body| expected(limit, body)).collect();
        prop_assert_eq!(decode(limit, pieces), (whole, false));
    }

    #[test]
    fn any_bytes_give_the_same_frames_whole_and_byte_by_byte(
        soup in vec(prop_oneof![Just(0_u8), Just(1), any::<u8>()], 0..2000),
        limit in any::<u16>(),
    ) {
        prop_assert_eq!(decode(limit, [&soup[..]]), decode(limit, soup.chunks(1)));
    }
}
