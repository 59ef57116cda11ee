//! The nicknames of players.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use game_env::text::is_hidden;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

/// The nickname of a player: 1 to 20 characters without [hidden](is_hidden) ones, which make two names look alike or
/// disturb a terminal, and without spaces at its ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Nickname(String);

/// A text that is no nickname.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum NicknameError {
    /// Nothing is left without the spaces at both ends.
    #[error("the nickname is empty: expected 1 to {} characters", Nickname::LONGEST)]
    Empty,
    /// It is too long without the spaces at both ends.
    #[error("the nickname has {0} characters: expected 1 to {longest}", longest = Nickname::LONGEST)]
    TooLong(usize),
    /// It has a character that no nickname may have.
    #[error("the nickname has the character {0:?}: expected no control characters and no hidden ones")]
    Forbidden(char),
}

impl Nickname {
    /// The most characters of a nickname.
    pub const LONGEST: usize = 20;

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether both name the same player: nicknames that differ only in case do.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.to_lowercase() == other.0.to_lowercase()
    }
}

impl fmt::Display for Nickname {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Removes spaces at both ends first.
impl FromStr for Nickname {
    type Err = NicknameError;

    fn from_str(text: &str) -> Result<Self, NicknameError> {
        let text = text.trim_matches(' ');
        if let Some(letter) = text.chars().find(|letter| is_hidden(*letter)) {
            return Err(NicknameError::Forbidden(letter));
        }
        match text.chars().count() {
            0 => Err(NicknameError::Empty),
            1..=Self::LONGEST => Ok(Self(text.to_owned())),
            length => Err(NicknameError::TooLong(length)),
        }
    }
}

impl Serialize for Nickname {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Nickname {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Nickname {
    fn schema_name() -> Cow<'static, str> {
        "Nickname".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The nickname of a player: 1 to 20 characters, without control characters and hidden characters. Spaces at its ends are removed.",
            "type": "string",
            "minLength": 1,
            "maxLength": Self::LONGEST,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nicknames_have_1_to_20_characters() {
        let name = |text: &str| text.parse::<Nickname>().map(|name| name.0);
        assert_eq!(name(""), Err(NicknameError::Empty));
        assert_eq!(name("   "), Err(NicknameError::Empty));
        assert_eq!(name("a").as_deref(), Ok("a"));
        assert_eq!(name(" Ada Lovelace ").as_deref(), Ok("Ada Lovelace"));
        assert_eq!(name(&"ř".repeat(20)), Ok("ř".repeat(20)));
        assert_eq!(name(&"x".repeat(21)), Err(NicknameError::TooLong(21)));
        assert_eq!(name(&format!("{}  ", "x".repeat(20))), Ok("x".repeat(20)));
        for letter in "\n\r\t\0\u{1b}\u{7f}\u{85}\u{ad}\u{202e}\u{feff}\u{e0041}".chars() {
            assert_eq!(name(&format!("a{letter}b")), Err(NicknameError::Forbidden(letter)));
        }
    }
}
