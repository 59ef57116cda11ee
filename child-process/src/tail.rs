//! Keeps the last bytes of a stream, however long it is.

use std::collections::VecDeque;
use std::fmt;
#[cfg(target_os = "linux")]
use std::sync::{Arc, Mutex, PoisonError};

use game_env::text::escape_hidden;

/// The last bytes of a stream.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tail {
    bytes: VecDeque<u8>,
    most: usize,
    total: u64,
}

impl Tail {
    /// Creates an empty tail that keeps at most this number of bytes.
    pub fn new(most: usize) -> Self {
        Self { bytes: VecDeque::new(), most, total: 0 }
    }

    /// Adds bytes; the oldest make room for them.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let kept = &bytes[bytes.len().saturating_sub(self.most)..];
        let surplus = (self.bytes.len() + kept.len()).saturating_sub(self.most);
        self.bytes.drain(..surplus);
        self.bytes.extend(kept);
    }

    /// Returns the bytes that are kept.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.bytes.iter().copied()
    }

    /// Returns the number of bytes that were written, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

/// As text that a terminal shows as it is: bytes that are not UTF-8 are replaced, control characters but line ends and
/// tabs are escaped. If bytes are missing, the first line gives their number.
impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = self.total - self.bytes.len() as u64;
        if missing > 0 {
            writeln!(f, "[{missing} bytes before this are not kept]")?;
        }
        let bytes: Vec<u8> = self.bytes().collect();
        let text = String::from_utf8_lossy(&bytes);
        for (place, line) in text.split('\n').enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            for (place, part) in line.trim_end_matches('\r').split('\t').enumerate() {
                if place > 0 {
                    f.write_str("\t")?;
                }
                f.write_str(&escape_hidden(part))?;
            }
        }
        Ok(())
    }
}

/// A tail that a task fills while others read it.
#[cfg(target_os = "linux")]
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedTail(Arc<Mutex<Tail>>);

#[cfg(target_os = "linux")]
impl SharedTail {
    pub(crate) fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(Tail::new(most))))
    }

    pub(crate) fn push(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }

    /// Returns the bytes that are kept now.
    pub(crate) fn now(&self) -> Tail {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The longest line that is shown whole, in bytes.
#[cfg(target_os = "linux")]
const LONGEST_SHOWN: usize = 16 * 1024;

/// Divides a stream into lines that a terminal shows as they are. Of a longer line, the last 16 KiB are shown.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct ShownLines(Tail);

#[cfg(target_os = "linux")]
impl Default for ShownLines {
    fn default() -> Self {
        Self(Tail::new(LONGEST_SHOWN))
    }
}

#[cfg(target_os = "linux")]
impl ShownLines {
    /// Adds bytes, and shows the lines that are complete.
    pub(crate) fn push(&mut self, bytes: &[u8], show: &mut dyn FnMut(&Tail)) {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let rest = lines.next_back().unwrap_or_default();
        for line in lines {
            self.0.push(line);
            show(&self.0);
            *self = Self::default();
        }
        self.0.push(rest);
    }

    /// Shows the last line, if no line end is behind it.
    pub(crate) fn end(&mut self, show: &mut dyn FnMut(&Tail)) {
        if !self.0.is_empty() {
            show(&self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bytes_are_kept() {
        let mut tail = Tail::new(5);
        for (pushed, kept, total) in
            [("abc", "abc", 3), ("de", "abcde", 5), ("f", "bcdef", 6), ("0123456", "23456", 13)]
        {
            tail.push(pushed.as_bytes());
            assert_eq!((tail.bytes().collect::<Vec<_>>(), tail.total()), (kept.as_bytes().to_vec(), total));
        }
        assert_eq!(tail.to_string(), "[8 bytes before this are not kept]\n23456");
        let mut nothing = Tail::new(0);
        nothing.push(b"abc");
        assert_eq!((nothing.bytes().count(), nothing.total(), nothing.is_empty()), (0, 3, false));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn lines_are_shown_when_they_are_complete() {
        let mut shown = Vec::new();
        let mut show = |line: &Tail| shown.push(line.to_string());
        let mut lines = ShownLines::default();
        for bytes in ["o", "ne\r\n", "\ntwo\nth\x1b", "ree"] {
            lines.push(bytes.as_bytes(), &mut show);
        }
        lines.end(&mut show);
        assert_eq!(shown, ["one", "", "two", "th\\u{1b}ree"]);
    }

    #[test]
    fn text_cannot_drive_a_terminal() {
        let mut tail = Tail::new(100);
        tail.push(b"one\r\n\ttwo \x1b[2J\xff\n");
        assert_eq!(tail.to_string(), "one\n\ttwo \\u{1b}[2J\u{fffd}\n");
    }
}
