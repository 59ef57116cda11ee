//! Scans JSON text without building values: checks that it is JSON, and finds the end of each value.
//!
//! It accepts the same text as `serde_json`, except values nested deeper than [`DEEPEST`]; `tests/it/envelope.rs`
//! compares them. It takes a fifth of the time: it decodes no value, and the open brackets are the bits of one
//! number, so depth costs neither heap nor stack.

use std::fmt;
use std::ops::Range;

use crate::envelope::EnvelopeError;

/// Largest depth of arrays and objects within each other, the message itself included. `serde_json` reads values to the
/// same depth.
pub const DEEPEST: u32 = u128::BITS;

/// Fault of a JSON text at some position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// No value begins here.
    Value,
    /// No key begins here.
    Key,
    /// Between key and value.
    Colon,
    /// Between two values of an array or object, or after its last.
    Separator,
    /// A number that goes on wrongly.
    Number,
    /// A backslash before something that cannot be escaped.
    Escape,
    /// A character below U+0020 within a string.
    Control,
    /// The text ends within a string.
    Unterminated,
    /// There is text behind the last bracket.
    Trailing,
    /// More brackets are open than [`DEEPEST`].
    Depth,
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value => f.write_str("a value is missing"),
            Self::Key => f.write_str("a key is missing"),
            Self::Colon => f.write_str("a colon is missing"),
            Self::Separator => f.write_str("a comma or an end is missing"),
            Self::Number => f.write_str("a number is wrong"),
            Self::Escape => f.write_str("an escape is wrong"),
            Self::Control => f.write_str("a string has a control character"),
            Self::Unterminated => f.write_str("a string has no end"),
            Self::Trailing => f.write_str("something follows its end"),
            Self::Depth => write!(f, "it is nested deeper than {DEEPEST}"),
        }
    }
}

/// A place in a text that is known to be UTF-8.
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes to the next member of the outermost object, `first` if it is to be the first; false at its end.
    #[inline]
    pub(super) fn member(&mut self, first: bool) -> Result<bool, EnvelopeError> {
        self.white_space();
        if self.take(b'}') {
            return Ok(false);
        }
        if !first {
            self.expect(b',', Syntax::Separator)?;
            self.white_space();
        }
        Ok(true)
    }

    /// Takes a key in its quotes, and the colon behind it.
    #[inline]
    pub(super) fn key(&mut self) -> Result<&'a [u8], EnvelopeError> {
        let start = self.at;
        self.expect(b'"', Syntax::Key)?;
        self.string()?;
        let key = &self.text[start..self.at];
        self.white_space();
        self.expect(b':', Syntax::Colon)?;
        Ok(key)
    }

    /// Takes a value of any kind and says where it stands.
    #[inline]
    pub(super) fn value(&mut self) -> Result<Range<usize>, EnvelopeError> {
        self.white_space();
        let start = self.at;
        // One bit for each open bracket, the innermost lowest: set for an object. The message's own is not
        // among them, hence `open` starts at 1.
        let mut objects: u128 = 0;
        let mut open: u32 = 1;
        loop {
            // Here a value begins.
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    self.string()?;
                }
                Some(bracket @ (b'{' | b'[')) => {
                    if open == DEEPEST {
                        return self.fault(Syntax::Depth);
                    }
                    self.at += 1;
                    self.white_space();
                    let is_object = bracket == b'{';
                    if !self.take(if is_object { b'}' } else { b']' }) {
                        open += 1;
                        objects = objects << 1 | u128::from(is_object);
                        if is_object {
                            self.key()?;
                            self.white_space();
                        }
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word(b"true")?,
                Some(b'f') => self.word(b"false")?,
                Some(b'n') => self.word(b"null")?,
                _ => return self.fault(Syntax::Value),
            }
            // Here a value has ended, and perhaps with it those around it.
            loop {
                if open == 1 {
                    return Ok(start..self.at);
                }
                self.white_space();
                let is_object = objects & 1 == 1;
                if self.take(b',') {
                    self.white_space();
                    if is_object {
                        self.key()?;
                        self.white_space();
                    }
                    break;
                }
                self.expect(if is_object { b'}' } else { b']' }, Syntax::Separator)?;
                open -= 1;
                objects >>= 1;
            }
        }
    }

    /// Makes sure that nothing but white space follows.
    pub(super) fn end(&mut self) -> Result<(), EnvelopeError> {
        self.white_space();
        if self.at == self.text.len() { Ok(()) } else { self.fault(Syntax::Trailing) }
    }

    #[inline]
    pub(super) fn white_space(&mut self) {
        while self.peek().is_some_and(is_white_space) {
            self.at += 1;
        }
    }

    /// Takes this byte if it comes next.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn expect(&mut self, byte: u8, otherwise: Syntax) -> Result<(), EnvelopeError> {
        if self.take(byte) { Ok(()) } else { self.fault(otherwise) }
    }

    /// Takes the rest of a string whose first quote is taken.
    #[inline]
    fn string(&mut self) -> Result<(), EnvelopeError> {
        loop {
            let rest = &self.text[self.at..];
            let plain = plain(rest);
            self.at += plain;
            let Some(stop) = rest.get(plain) else { return self.fault(Syntax::Unterminated) };
            match stop {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.escape()?,
                _ => return self.fault(Syntax::Control),
            }
        }
    }

    /// Takes a backslash and the character that it escapes. Half a surrogate pair passes: the code that decodes the
    /// string has to judge whether it means a character.
    fn escape(&mut self) -> Result<(), EnvelopeError> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|digit| digit.is_ascii_hexdigit()) {
                        return self.fault(Syntax::Escape);
                    }
                    self.at += 1;
                }
            }
            _ => return self.fault(Syntax::Escape),
        }
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<(), EnvelopeError> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _signed = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(())
    }

    #[inline]
    fn digits(&mut self) -> Result<(), EnvelopeError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { self.fault(Syntax::Number) }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), EnvelopeError> {
        if !self.text[self.at..].starts_with(word) {
            return self.fault(Syntax::Value);
        }
        self.at += word.len();
        Ok(())
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[cold]
    fn fault<T>(&self, why: Syntax) -> Result<T, EnvelopeError> {
        Err(EnvelopeError::NotJson { at: self.at, why })
    }
}

/// Returns whether JSON allows this byte between its parts.
#[inline]
pub(super) const fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the number of bytes of a string before the first one that is not just a character: a quote, a backslash, or
/// a control character, which JSON forbids there.
#[inline]
fn plain(text: &[u8]) -> usize {
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = LOW << 7;
    let mut at = 0;
    // Eight at a time: the high bit of a byte becomes set when the byte less the bound falls below zero. The bits that
    // a borrow sets wrongly lie above the right ones, and only the lowest counts.
    while let Some(eight) = text[at..].first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let below = |bytes: u64, bound: u64| bytes.wrapping_sub(LOW * bound) & !bytes & HIGH;
        let is = |byte: u8| below(eight ^ (LOW * u64::from(byte)), 1);
        let stops = below(eight, 0x20) | is(b'"') | is(b'\\');
        if stops != 0 {
            return at + stops.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = &text[at..];
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len())
}
