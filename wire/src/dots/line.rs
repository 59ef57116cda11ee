//! Lines: a message, then `\n`.
//!
//! [`Decoder`] splits a stream into lines, however the network split or merged it. The original's messages are blocks
//! of 450 bytes that are filled up with NULs, or end with `\n` and NUL: the decoder skips NULs, empty lines, and `\r`
//! before `\n`, which terminals send.

use std::fmt;
use std::io::Write as _;

use thiserror::Error;

/// The longest line of a client, in bytes: no message of the protocol is half as long.
pub const REQUEST_LIMIT: usize = 256;

/// The longest line of a server that a client reads, in bytes: `resume_game` of the largest grid has 242 KB.
pub const NOTICE_LIMIT: usize = 1 << 18;

/// The length of the original's messages in bytes.
pub const BLOCK: usize = 450;

/// Largest capacity of a buffer that holds nothing, in bytes.
const KEPT: usize = 512;

/// Form of the messages in the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Framing {
    /// One after the other.
    #[default]
    Lines,
    /// Each filled up with NULs to [`BLOCK`] bytes, or a multiple if it is longer.
    Blocks,
}

/// Reasons why a line has no text. The stream goes on behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum LineError {
    /// The line is longer than the decoder's limit. It was skipped.
    #[error("a line is longer than {0} bytes")]
    TooLong(usize),
    /// The line is no UTF-8.
    #[error("a line is no UTF-8 text")]
    NoText,
}

/// Cuts one stream of bytes into lines.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The line that is not complete yet; once it is, the line that was handed out.
    held: Vec<u8>,
    /// `held` was handed out and is to be emptied.
    spent: bool,
    /// The rest of a line that is too long is skipped.
    skips: bool,
}

impl Decoder {
    /// Creates a decoder at the beginning of a stream, for lines up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, held: Vec::new(), spent: false, skips: false }
    }

    /// Returns the next line without its end, and `input` advanced behind it.
    ///
    /// `None` if no line is complete; then all of `input` is taken.
    ///
    /// # Errors
    ///
    /// A line that is too long or no text; the lines behind it follow with further calls.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Result<&str, LineError>> {
        if std::mem::take(&mut self.spent) {
            self.held.clear();
            self.held.shrink_to(KEPT);
        }
        loop {
            let end = input.iter().position(|byte| *byte == b'\n');
            let (part, rest) = input.split_at(end.unwrap_or(input.len()));
            *input = rest.get(1..).unwrap_or_default();
            if !self.skips {
                self.hold(part);
                if self.held.len() > self.limit {
                    self.held = Vec::new();
                    // The error is reported at once; the rest of the line may never come.
                    self.skips = end.is_none();
                    return Some(Err(LineError::TooLong(self.limit)));
                }
            }
            end?;
            if std::mem::take(&mut self.skips) {
                continue;
            }
            if self.held.last() == Some(&b'\r') {
                self.held.pop();
            }
            if !self.held.is_empty() {
                self.spent = true;
                return Some(std::str::from_utf8(&self.held).map_err(|_| LineError::NoText));
            }
        }
    }

    /// Returns whether a part of a line has arrived, and the rest is missing.
    pub fn is_inside_line(&self) -> bool {
        self.skips || (!self.spent && !self.held.is_empty())
    }

    /// Keeps all bytes but NULs, and not much more than the limit.
    fn hold(&mut self, part: &[u8]) {
        let room = self.limit + 1 - self.held.len().min(self.limit + 1);
        self.held.extend(part.iter().copied().filter(|byte| *byte != 0).take(room));
    }
}

/// Appends a message to a buffer.
pub fn write(message: &impl fmt::Display, framing: Framing, out: &mut Vec<u8>) {
    let start = out.len();
    writeln!(out, "{message}").expect("a buffer takes all that is written");
    if framing == Framing::Blocks {
        let length = (out.len() - start).next_multiple_of(BLOCK);
        out.resize(start + length, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(decoder: &mut Decoder, mut input: &[u8]) -> Vec<Result<String, LineError>> {
        let mut lines = Vec::new();
        while let Some(line) = decoder.next(&mut input) {
            lines.push(line.map(str::to_owned));
        }
        assert!(input.is_empty());
        lines
    }

    #[test]
    fn nuls_empty_lines_and_carriage_returns_are_skipped() {
        let found = lines(&mut Decoder::new(20), b"\n\0\r\nlogin|a\n\0queue\r\n\0\0\0po\0ng\n");
        assert_eq!(found, ["login|a", "queue", "pong"].map(|line| Ok(line.to_owned())));
    }

    #[test]
    fn a_line_over_the_limit_is_told_at_once_and_costs_no_memory() {
        let mut decoder = Decoder::new(10);
        assert_eq!(lines(&mut decoder, b"0123456789\n"), [Ok("0123456789".to_owned())]);
        assert_eq!(lines(&mut decoder, b"0123456789a"), [Err(LineError::TooLong(10))]);
        assert!(decoder.is_inside_line());
        for _ in 0..100 {
            assert_eq!(lines(&mut decoder, &[b'x'; 1000]), []);
            assert!(decoder.held.capacity() <= KEPT);
        }
        assert_eq!(lines(&mut decoder, b"x\nqueue\n"), [Ok("queue".to_owned())]);
        assert!(!decoder.is_inside_line());
        let found = lines(&mut decoder, b"0123456789abc\nqueue\n\xff\xfe\npong\n");
        let text = |line: &str| Ok(line.to_owned());
        assert_eq!(found, [Err(LineError::TooLong(10)), text("queue"), Err(LineError::NoText), text("pong")]);
    }

    #[test]
    fn blocks_are_filled_up_with_nuls() {
        let mut out = Vec::new();
        write(&"ping", Framing::Blocks, &mut out);
        assert_eq!((out.len(), &out[..6]), (BLOCK, &b"ping\n\0"[..]));
        write(&"x".repeat(BLOCK), Framing::Blocks, &mut out);
        assert_eq!(out.len(), 3 * BLOCK);
        write(&"x".repeat(BLOCK - 1), Framing::Blocks, &mut out);
        assert_eq!(out.len(), 4 * BLOCK);
        assert_eq!(lines(&mut Decoder::new(1000), &out).len(), 3);
    }
}
