//! The names of players.

use std::fmt;
use std::str::FromStr;

use game_env::text::is_hidden;
use thiserror::Error;

/// The name of a player: 1 to 20 characters, without spaces, `|` and [hidden](is_hidden) characters, which make two
/// names look alike or disturb a terminal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(String);

/// A text that is no name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum NameError {
    /// Nothing is left without the spaces.
    #[error("the name is empty: expected 1 to {} characters besides spaces", Name::LONGEST)]
    Empty,
    /// It is too long without the spaces.
    #[error("the name has {0} characters besides spaces: expected 1 to {longest}", longest = Name::LONGEST)]
    TooLong(usize),
    /// It has a character that no name may have.
    #[error("the name has the character {0:?}: expected no `|`, no control characters and no hidden ones")]
    Forbidden(char),
}

impl Name {
    /// The most characters of a name.
    pub const LONGEST: usize = 20;

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Removes the spaces first.
impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let kept: String = text.chars().filter(|letter| *letter != ' ').collect();
        if let Some(letter) = kept.chars().find(|letter| is_hidden(*letter)) {
            return Err(NameError::Forbidden(letter));
        }
        match kept.chars().count() {
            _ if kept.contains('|') => Err(NameError::Forbidden('|')),
            0 => Err(NameError::Empty),
            1..=Self::LONGEST => Ok(Self(kept)),
            length => Err(NameError::TooLong(length)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_1_to_20_characters_besides_spaces() {
        let name = |text: &str| text.parse::<Name>().map(|name| name.0);
        assert_eq!(name(""), Err(NameError::Empty));
        assert_eq!(name("   "), Err(NameError::Empty));
        assert_eq!(name("a").as_deref(), Ok("a"));
        assert_eq!(name(" Ada  Lovelace ").as_deref(), Ok("AdaLovelace"));
        assert_eq!(name(&"x".repeat(20)), Ok("x".repeat(20)));
        assert_eq!(name(&"ř".repeat(20)), Ok("ř".repeat(20)));
        assert_eq!(name(&"x".repeat(21)), Err(NameError::TooLong(21)));
        assert_eq!(name(&format!("{} x", "x".repeat(19))), Ok("x".repeat(20)));
        for letter in "|\n\r\t\0\u{1b}\u{7f}\u{85}\u{ad}\u{202e}\u{feff}\u{e0041}".chars() {
            assert_eq!(name(&format!("a{letter}b")), Err(NameError::Forbidden(letter)));
        }
    }
}
