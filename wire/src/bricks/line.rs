//! A line of a player as it came, for people who look for a fault in it.

use std::fmt;

use game_env::text::is_hidden;

use crate::lines::TooLong;

/// A line of a player as it came, without its end.
///
/// As text, every character of it can be seen: a space is `␣`, a character that people cannot see is an escape (`\t`,
/// `\u{1b}`), and a byte that is not UTF-8 is `\xff`. A backslash is `\\`, so that no two lines have the same text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line(Result<Vec<u8>, TooLong>);

impl Line {
    /// Returns the bytes; none of a line that was too long to be kept.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.0.as_deref().ok()
    }

    /// Returns the line, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        self.bytes().and_then(|bytes| str::from_utf8(bytes).ok())
    }

    /// Returns the whole line as text in which every character can be seen; none of a line that was too long to be
    /// kept.
    pub fn text(&self) -> Option<String> {
        self.bytes().map(|bytes| characters(bytes).collect())
    }
}

impl From<Result<Vec<u8>, TooLong>> for Line {
    fn from(line: Result<Vec<u8>, TooLong>) -> Self {
        Self(line)
    }
}

/// The text between backquotes, at most 80 characters of the line.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 80;
        let bytes = match &self.0 {
            Ok(bytes) => bytes,
            Err(TooLong { limit }) => return write!(f, "a line of more than {limit} bytes"),
        };
        let mut characters = characters(bytes);
        f.write_str("`")?;
        characters.by_ref().take(SHOWN).try_for_each(|shown| f.write_str(&shown))?;
        f.write_str(if characters.next().is_some() { "…`" } else { "`" })
    }
}

/// Each character as people see it.
fn characters(bytes: &[u8]) -> impl Iterator<Item = String> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let invalid = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        chunk.valid().chars().map(character).chain(invalid)
    })
}

fn character(letter: char) -> String {
    match letter {
        ' ' => "␣".to_owned(),
        '\\' => r"\\".to_owned(),
        '␣' => letter.escape_unicode().to_string(),
        _ if is_hidden(letter) || letter.is_whitespace() => letter.escape_default().to_string(),
        _ => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_can_be_seen() {
        for (bytes, text) in [
            (&b"0x1_1x1"[..], "0x1_1x1"),
            (b" 0x1_1x1  ", "␣0x1_1x1␣␣"),
            (b"OK\t\x00\x1b[2J\x7f", r"OK\t\u{0}\u{1b}[2J\u{7f}"),
            (b"\xff\xfeOK\xe2\x90", r"\xff\xfeOK\xe2\x90"),
            ("\u{feff}OK\u{a0}\u{3000}".as_bytes(), r"\u{feff}OK\u{a0}\u{3000}"),
            ("␣\\t ż".as_bytes(), r"\u{2423}\\t␣ż"),
            (b"", ""),
        ] {
            let line = Line::from(Ok(bytes.to_vec()));
            assert_eq!(line.text().as_deref(), Some(text));
            assert_eq!(line.to_string(), format!("`{text}`"));
        }
    }

    #[test]
    fn a_message_has_the_beginning_of_a_long_line() {
        let line = Line::from(Ok(b" ".repeat(81)));
        assert_eq!(line.to_string(), format!("`{}…`", "␣".repeat(80)));
        assert_eq!(line.text(), Some("␣".repeat(81)));
        let line = Line::from(Err(TooLong { limit: 256 }));
        assert_eq!((line.to_string().as_str(), line.text()), ("a line of more than 256 bytes", None));
    }
}
