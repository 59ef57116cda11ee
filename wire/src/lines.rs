//! Lines: text up to a line feed, a carriage return, or both.

use memchr::memchr2;
use thiserror::Error;

/// A line that is longer than its reader allows. It is skipped to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the line has more than {limit} bytes")]
pub struct TooLong {
    /// The limit.
    pub limit: usize,
}

/// Splits a stream of bytes into lines, however it was cut into pieces.
///
/// A line ends at `\n`, at `\r`, or at `\r\n`, and is complete with the first of these bytes. A line that is too long
/// is an error as soon as that is known, which may be before it ends.
///
/// ```
/// use wire::lines::LineDecoder;
///
/// let mut decoder = LineDecoder::new(100);
/// let mut input = &b"OK\r\n1x2_2x2\r3x"[..];
/// assert_eq!(decoder.next(&mut input), Some(Ok(b"OK".to_vec())));
/// assert_eq!(decoder.next(&mut input), Some(Ok(b"1x2_2x2".to_vec())));
/// assert_eq!(decoder.next(&mut input), None); // all bytes are taken, the last line is not complete
/// ```
#[derive(Clone, Debug)]
pub struct LineDecoder {
    limit: usize,
    held: Vec<u8>,
    /// The last byte was `\r`: a `\n` that follows belongs to it.
    has_returned: bool,
    /// The rest of a line that was too long is left out.
    skips: bool,
}

impl LineDecoder {
    /// Creates a decoder at the beginning of a stream, for lines of at most `limit` bytes without their end.
    pub fn new(limit: usize) -> Self {
        Self { limit, held: Vec::new(), has_returned: false, skips: false }
    }

    /// Returns the bytes of a line whose end has not come.
    pub fn incomplete(&self) -> &[u8] {
        &self.held
    }

    /// Returns the next line without its end, and `input` advanced behind it. None if there is no complete line; then
    /// all of
    /// `input` is taken.
    ///
    /// # Errors
    ///
    /// If the line is too long; the lines behind it follow with further calls.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Result<Vec<u8>, TooLong>> {
        loop {
            if input.is_empty() {
                return None;
            }
            if std::mem::take(&mut self.has_returned)
                && let [b'\n', rest @ ..] = *input
            {
                *input = rest;
            }
            let end = memchr2(b'\n', b'\r', input);
            let (part, rest) = input.split_at(end.unwrap_or(input.len()));
            *input = rest;
            let is_too_long = !self.skips && self.held.len() + part.len() > self.limit;
            if !self.skips && !is_too_long {
                self.held.extend_from_slice(part);
            }
            if is_too_long {
                self.held = Vec::new();
                self.skips = true;
                return Some(Err(TooLong { limit: self.limit }));
            }
            // Nothing is left unless the line has ended.
            let (end, rest) = input.split_first()?;
            *input = rest;
            self.has_returned = *end == b'\r';
            if !std::mem::take(&mut self.skips) {
                return Some(Ok(std::mem::take(&mut self.held)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of these pieces; a line that is too long as `!`.
    fn lines(limit: usize, pieces: &[&[u8]]) -> Vec<String> {
        let mut decoder = LineDecoder::new(limit);
        let mut lines = Vec::new();
        for mut piece in pieces.iter().copied() {
            while let Some(line) = decoder.next(&mut piece) {
                lines.push(line.map_or("!".to_owned(), |line| String::from_utf8_lossy(&line).into_owned()));
            }
            assert_eq!(piece, b"");
        }
        lines
    }

    #[test]
    fn lines_end_in_three_ways() {
        for (text, expected) in [
            ("", &[][..]),
            ("a", &[]),
            ("a\n", &["a"]),
            ("a\r", &["a"]),
            ("a\r\nb\n", &["a", "b"]),
            ("a\n\rb\r", &["a", "", "b"]),
            ("\n\n", &["", ""]),
            ("\r\r\n\n", &["", "", ""]),
            ("ab\ncd\re\r\nf", &["ab", "cd", "e"]),
            ("12345\n", &["12345"]),
            ("123456\n", &["!"]),
            ("123456\nab\r\n1234567\r\nc\n", &["!", "ab", "!", "c"]),
            ("123456", &["!"]),
            ("a\u{85}\u{2028}\n", &["!"]),
        ] {
            let bytes = text.as_bytes();
            assert_eq!(lines(5, &[bytes]), expected, "{text:?}");
            // However the stream is cut, the lines are the same.
            let singly: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(lines(5, &singly), expected, "{text:?} byte by byte");
            for cut in 0..bytes.len() {
                let (one, other) = bytes.split_at(cut);
                assert_eq!(lines(5, &[one, other]), expected, "{text:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_line_whose_end_has_not_come_can_be_seen() {
        let mut decoder = LineDecoder::new(5);
        let mut input = &b"ab\ncd"[..];
        assert_eq!((decoder.next(&mut input), decoder.next(&mut input)), (Some(Ok(b"ab".to_vec())), None));
        assert_eq!(decoder.incomplete(), b"cd");
        assert_eq!(
            (decoder.next(&mut &b"\n"[..]), decoder.incomplete()),
            (Some(Ok(b"cd".to_vec())), &b""[..])
        );
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut decoder = LineDecoder::new(1000);
        let piece = [b'x'; 4096];
        let mut errors = 0;
        for _ in 0..1000 {
            let mut input = &piece[..];
            errors += usize::from(decoder.next(&mut input).is_some());
            assert_eq!(decoder.next(&mut input), None);
        }
        assert_eq!((errors, decoder.held.capacity()), (1, 0));
    }
}
