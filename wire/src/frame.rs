//! Frames: two bytes with the length of the body, little-endian, then the body.
//!
//! [`Decoder`] splits a stream into bodies, however the network split or merged it. A body that is too long or empty
//! is an error among the items; the decoder skips it and continues with the next frame.
//! [`write()`] and [`write_with`] append whole frames to a buffer, so one write can send one or many.
//!
//! `LengthDelimitedCodec` of tokio-util reads this format too, but it stops at the first body over its limit,
//! because it cannot skip one, and it copies every body out of its buffer.
//! Here a body that arrived whole is a slice of the bytes that the caller read.
//!
//! ```
//! use wire::frame::{self, Decoder};
//!
//! let mut stream = Vec::new();
//! frame::write(b"{}", &mut stream)?;
//! frame::write(b"[1]", &mut stream)?;
//!
//! let mut decoder = Decoder::new(frame::DEFAULT_LIMIT);
//! let (mut head, mut tail) = stream.split_at(6);
//! assert_eq!(decoder.next(&mut head), Some(Ok(&b"{}"[..])));
//! assert_eq!(decoder.next(&mut head), None); // all bytes are taken, the second body is not complete
//! assert_eq!(decoder.next(&mut tail), Some(Ok(&b"[1]"[..])));
//! # Ok::<(), frame::TooLong>(())
//! ```

use thiserror::Error;

/// The longest body that the two bytes of a frame's length can announce.
pub const LONGEST: u16 = u16::MAX;

/// The longest body unless configured otherwise (specification, section 6: 8 KiB).
pub const DEFAULT_LIMIT: u16 = 8192;

/// The bytes of a frame before its body.
pub const HEADER: usize = 2;

/// Number of bytes of a skipped body that are kept to show what it was.
pub const EXCERPT: usize = 256;

/// Largest capacity of a buffer that holds nothing, in bytes: enough for usual messages, nothing beside a connection's
/// other costs. A buffer that grew beyond it is shrunk to it.
const KEPT: usize = 512;

/// Reasons why a frame has no body. The stream itself goes on behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum FrameError<'a> {
    /// The length is zero: no message has an empty body.
    #[error("the frame is empty")]
    Empty,
    /// The body is longer than the decoder's limit. It was skipped.
    #[error("the body has {length} bytes, more than {limit}")]
    TooLong {
        /// The announced length.
        length: u16,
        /// The decoder's limit.
        limit: u16,
        /// Its first bytes, [`EXCERPT`] at most.
        start: &'a [u8],
    },
}

/// A body that no frame can hold; nothing was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a body of {length} bytes does not fit into a frame, which holds {LONGEST}")]
pub struct TooLong {
    /// The length of the body.
    pub length: usize,
}

/// Cuts one stream of bytes into bodies.
///
/// It holds bytes only of the frame that is not complete yet, and never more of them than arrived, whatever
/// length was announced.
#[derive(Debug)]
pub struct Decoder {
    limit: u16,
    /// The incomplete frame from its length on; of a body over the limit only the start.
    held: Vec<u8>,
    /// Number of further bytes of a body over the limit that are to be skipped.
    skip: usize,
    /// `held` was handed out as an item and is to be emptied.
    spent: bool,
}

impl Decoder {
    /// Creates a decoder at the beginning of a stream, for bodies up to `limit` bytes.
    pub fn new(limit: u16) -> Self {
        Self { limit, held: Vec::new(), skip: 0, spent: false }
    }

    /// Returns the next body, or the reason why the next frame has none, and advances `input` behind it.
    ///
    /// `None` when no frame is complete; then all of `input` is taken, and the rest of the frame is expected
    /// with the next call.
    ///
    /// # Errors
    ///
    /// A frame that is empty or too long; the frames behind it follow with further calls.
    pub fn next<'d, 'i: 'd>(&'d mut self, input: &mut &'i [u8]) -> Option<Result<&'d [u8], FrameError<'d>>> {
        self.forget_spent();
        if self.held.is_empty()
            && let [low, high, rest @ ..] = *input
        {
            let length = u16::from_le_bytes([*low, *high]);
            // The usual case: the frame lies in the input whole, and nothing is copied.
            if length <= self.limit
                && let Some((body, behind)) = rest.split_at_checked(length.into())
            {
                *input = behind;
                return Some(if body.is_empty() { Err(FrameError::Empty) } else { Ok(body) });
            }
        }
        self.next_held(input)
    }

    /// Returns whether the stream stands inside a frame: something of it has arrived, something is missing.
    pub fn is_inside_frame(&self) -> bool {
        !self.spent && !self.held.is_empty()
    }

    /// Returns the announced length of the incomplete frame, and the length with its two bytes swapped, if the body so
    /// far begins with a JSON object of that length: then the sender probably writes lengths in the wrong byte order.
    /// Objects of more than [`EXCERPT`] bytes are not recognised if the announced length is over the limit.
    pub fn swapped_length(&self) -> Option<(u16, u16)> {
        let ([low, high, body @ ..], true) = (&self.held[..], self.is_inside_frame()) else { return None };
        let announced = u16::from_le_bytes([*low, *high]);
        let swapped = announced.swap_bytes();
        let object = body.get(..swapped.into())?;
        (object.starts_with(b"{") && object.ends_with(b"}")).then_some((announced, swapped))
    }

    /// Returns the first bytes of the next frame, its length included, as far as they have arrived; they are written to
    /// `start`. `input` follows the bytes that the decoder has taken, and is not taken.
    pub fn peek<'s>(&self, input: &[u8], start: &'s mut [u8]) -> &'s [u8] {
        let held = if self.is_inside_frame() { &self.held[..] } else { &[] };
        let length = start.len().min(held.len() + input.len());
        let start = &mut start[..length];
        start.iter_mut().zip(held.iter().chain(input)).for_each(|(place, byte)| *place = *byte);
        start
    }

    /// Returns the number of bytes of memory that the incomplete frame holds.
    pub fn held(&self) -> usize {
        if self.is_inside_frame() { self.held.len() } else { 0 }
    }

    /// Returns the next frame by way of the buffer.
    fn next_held(&mut self, input: &mut &[u8]) -> Option<Result<&[u8], FrameError<'_>>> {
        self.take_until(HEADER, input)?;
        let length = u16::from_le_bytes([self.held[0], self.held[1]]);
        let fits = length <= self.limit;
        let wanted = if fits { length.into() } else { usize::from(length).min(EXCERPT) };
        if self.held.len() < HEADER + wanted {
            self.take_until(HEADER + wanted, input)?;
            self.skip = usize::from(length) - wanted;
        }
        let skipped = self.skip.min(input.len());
        *input = &input[skipped..];
        self.skip -= skipped;
        if self.skip > 0 {
            return None;
        }
        self.spent = true;
        let start = &self.held[HEADER..];
        Some(match (length, fits) {
            (0, _) => Err(FrameError::Empty),
            (_, true) => Ok(start),
            (_, false) => Err(FrameError::TooLong { length, limit: self.limit, start }),
        })
    }

    /// Moves bytes from `input` until `wanted` bytes are held; `None` if there are not enough.
    fn take_until(&mut self, wanted: usize, input: &mut &[u8]) -> Option<()> {
        let missing = wanted.saturating_sub(self.held.len());
        let (taken, rest) = input.split_at(missing.min(input.len()));
        self.held.extend_from_slice(taken);
        *input = rest;
        (taken.len() == missing).then_some(())
    }

    fn forget_spent(&mut self) {
        if self.spent {
            self.spent = false;
            self.held.clear();
            self.held.shrink_to(KEPT);
        }
    }
}

/// Appends a frame with this body.
///
/// # Errors
///
/// A body over [`LONGEST`].
pub fn write(body: &[u8], out: &mut Vec<u8>) -> Result<(), TooLong> {
    write_with(out, |out| out.extend_from_slice(body))
}

/// Appends a frame whose body `body` appends.
///
/// # Errors
///
/// A body over [`LONGEST`].
pub fn write_with(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) -> Result<(), TooLong> {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER]);
    body(out);
    let length = out.len() - start - HEADER;
    match u16::try_from(length) {
        Ok(short) => {
            out[start..start + HEADER].copy_from_slice(&short.to_le_bytes());
            Ok(())
        }
        Err(_) => {
            out.truncate(start);
            Err(TooLong { length })
        }
    }
}

/// Splits whole frames into parts of whole frames, each of at most this number of bytes, or of one frame that is
/// longer.
///
/// Some implementations take what one read gives them, up to the size of their buffer, for whole frames.
pub fn parts(mut frames: &[u8], most: usize) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let mut end = 0;
        while let Some(&[low, high]) = frames.get(end..end + HEADER) {
            let next = end + HEADER + usize::from(u16::from_le_bytes([low, high]));
            if end > 0 && next > most {
                break;
            }
            end = next;
        }
        let (part, rest) = frames.split_at(end.min(frames.len()));
        frames = rest;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_frames_that_fit_together() {
        let mut frames = Vec::new();
        for length in [3, 3, 4, 20, 0, 8, 1] {
            write(&vec![7; length], &mut frames).unwrap();
        }
        let lengths: Vec<usize> = parts(&frames, 10).map(<[u8]>::len).collect();
        // 5 + 5, 6, 22 by itself, 2, 10, 3.
        assert_eq!(lengths, [10, 6, 22, 2, 10, 3]);
        assert_eq!(parts(&frames, 10).flatten().copied().collect::<Vec<u8>>(), frames);
        assert_eq!(parts(&[], 10).count(), 0);
    }

    #[test]
    fn a_frame_is_its_length_in_two_little_endian_bytes_and_its_body() {
        let mut out = b"before".to_vec();
        write(&[7; 258], &mut out).unwrap();
        assert_eq!(out[..8], *b"before\x02\x01");
        assert_eq!(out[8..], [7; 258]);
    }

    #[test]
    fn a_body_that_no_frame_can_hold_leaves_the_buffer_as_it_was() {
        let mut out = b"before".to_vec();
        assert_eq!(write(&[0; 65_536], &mut out), Err(TooLong { length: 65_536 }));
        assert_eq!(out, b"before");
        assert_eq!(write(&[0; 65_535], &mut out), Ok(()));
    }

    #[test]
    fn an_announced_length_costs_no_memory() {
        let mut decoder = Decoder::new(LONGEST);
        assert_eq!(decoder.next(&mut &b"\xff\xffx"[..]), None);
        assert_eq!(decoder.held(), 3);
        assert!(decoder.held.capacity() <= 64);
    }

    #[test]
    fn a_length_in_the_wrong_byte_order_is_recognised() {
        let body = br#"{"messageID":6}"#; // 15 bytes
        for limit in [10, 8192] {
            let mut decoder = Decoder::new(limit);
            assert_eq!(decoder.swapped_length(), None);
            let mut swapped = vec![0, 15];
            swapped.extend(body);
            assert_eq!(decoder.next(&mut &swapped[..]), None);
            assert_eq!(decoder.swapped_length(), Some((15 << 8, 15)), "limit {limit}");
        }
        for other in [&b"\0\x0f{\"messageID\":6"[..], b"\x20\0{\"messageID\":6}", b"\0\x02{", b"\x03"] {
            let mut decoder = Decoder::new(8192);
            assert_eq!(decoder.next(&mut &other[..]), None);
            assert_eq!(decoder.swapped_length(), None, "{other:?}");
        }
        // Nothing is left of a frame that was complete.
        let mut decoder = Decoder::new(8192);
        assert_eq!(decoder.next(&mut &b"\x02"[..]), None);
        assert!(decoder.next(&mut &b"\0{}"[..]).is_some());
        assert_eq!(decoder.swapped_length(), None);
    }

    #[test]
    fn the_beginning_of_a_frame_is_seen_before_it_is_taken() {
        let stream = b"\x05\0hello\x02\0{}";
        for at in 0..7 {
            let mut decoder = Decoder::new(8192);
            let (mut head, tail) = stream.split_at(at);
            assert_eq!(decoder.next(&mut head), None);
            assert_eq!(decoder.peek(tail, &mut [0; 4]), b"\x05\0he", "split at {at}");
            assert_eq!(decoder.peek(&[], &mut [0; 4]), &stream[..at.min(4)]);
            // Nothing of a frame that was complete.
            let mut rest = tail;
            assert_eq!(decoder.next(&mut rest), Some(Ok(&b"hello"[..])));
            assert_eq!(decoder.peek(rest, &mut [0; 100]), b"\x02\0{}");
        }
    }

    #[test]
    fn a_skipped_body_is_not_held() {
        let mut decoder = Decoder::new(10);
        let mut long = Vec::new();
        write(&[b'x'; 60_000], &mut long).unwrap();
        for mut piece in long[..50_000].chunks(999) {
            assert_eq!(decoder.next(&mut piece), None);
            assert!(decoder.held() <= HEADER + EXCERPT);
            assert!(decoder.is_inside_frame());
        }
        let mut rest = &long[50_000..];
        let found = decoder.next(&mut rest).unwrap();
        assert_eq!(found, Err(FrameError::TooLong { length: 60_000, limit: 10, start: &[b'x'; EXCERPT] }));
        assert!(!decoder.is_inside_frame());
    }

    #[test]
    fn a_large_body_leaves_no_large_buffer_behind() {
        let mut decoder = Decoder::new(LONGEST);
        let mut stream = Vec::new();
        write(&[1; 60_000], &mut stream).unwrap();
        write(&[2; 3], &mut stream).unwrap();
        let (mut head, mut tail) = stream.split_at(59_000);
        assert_eq!(decoder.next(&mut head), None);
        assert!(decoder.next(&mut tail).unwrap().is_ok());
        assert_eq!(decoder.next(&mut tail), Some(Ok(&[2; 3][..])));
        assert!(decoder.held.capacity() <= KEPT);
    }
}
