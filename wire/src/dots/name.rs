//! The names of players, and the tokens that prove who they are.

use std::fmt;
use std::str::FromStr;

use game_env::NotationError;
use game_env::notation::is_hidden;
use thiserror::Error;

/// The name of a player: 1 to 20 characters, without spaces, `|` and [hidden](is_hidden) characters, which make two names
/// look alike or disturb a terminal.
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
    #[error("the name has the character {0:?}: expected no control characters and no `|`")]
    Forbidden(char),
}

impl Name {
    /// The most characters of a name.
    pub const LONGEST: usize = 20;

    /// The text.
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

/// Proves that a client is the one that logged in under a name first: 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Token([u8; 16]);

impl Token {
    /// The token of these bits.
    pub const fn new(bits: [u8; 16]) -> Self {
        Self(bits)
    }

    /// The bits.
    pub const fn bits(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Without its digits: tokens do not belong into logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl FromStr for Token {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let is_hexadecimal = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = if is_hexadecimal { u128::from_str_radix(text, 16).ok() } else { None };
        let number = number.ok_or_else(|| NotationError::new("token", text, "32 hexadecimal digits"))?;
        Ok(Self(number.to_be_bytes()))
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

    #[test]
    fn a_token_reads_as_it_is_written_and_hides_in_logs() {
        let text = "00112233445566778899aabbccddeeff";
        let token: Token = text.parse().unwrap();
        assert_eq!(token.to_string(), text);
        assert_eq!(format!("{token:?}"), "Token(…)");
        assert_eq!(text.to_uppercase().parse(), Ok(token));
        for wrong in ["", "0", "+0112233445566778899aabbccddeeff", &text[1..], &format!("{text}0")] {
            let error = wrong.parse::<Token>().unwrap_err().to_string();
            assert!(error.contains("expected 32 hexadecimal digits"), "{error}");
        }
    }
}
