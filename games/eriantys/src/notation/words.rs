//! Words for colours, students, assistants, islands, characters and refusals.

use std::fmt;
use std::str::FromStr;

use game_env::NotationError;

use crate::action::Refusal;
use crate::assistant::Assistant;
use crate::character::{Character, Exchange};
use crate::students::{Color, Students};
use crate::table::{CloudId, IslandId};

game_env::words! { Color, "colour":
    Yellow = "yellow",
    Blue = "blue",
    Green = "green",
    Red = "red",
    Pink = "pink",
}

impl Color {
    /// Returns the letter of one of its students: the first of its name.
    pub const fn letter(self) -> char {
        match self {
            Self::Yellow => 'y',
            Self::Blue => 'b',
            Self::Green => 'g',
            Self::Red => 'r',
            Self::Pink => 'p',
        }
    }
}

/// One letter for each student, e.g. `yyr`; `-` for none.
impl fmt::Display for Students {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.pad("-");
        }
        f.pad(&self.each_student().map(Color::letter).collect::<String>())
    }
}

impl FromStr for Students {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let fault = || NotationError::new("set of students", text, "letters of `ybgrp`, e.g. `yyr`, or `-`");
        if text == "-" {
            return Ok(Self::NONE);
        }
        // More letters than students of the game would not fit into counts.
        if text.is_empty() || text.len() > 130 {
            return Err(fault());
        }
        let color = |letter: char| Color::ALL.into_iter().find(|color| color.letter() == letter);
        text.chars().map(color).collect::<Option<Self>>().ok_or_else(fault)
    }
}

impl fmt::Display for Assistant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

/// Returns a number that counts from 1, without signs and leading zeros.
fn number(text: &str) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

impl FromStr for Assistant {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let value = number(text).and_then(|value| u8::try_from(value).ok());
        value.and_then(Self::new).ok_or_else(|| NotationError::new("assistant", text, "a value from 1 to 10"))
    }
}

impl fmt::Display for IslandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl FromStr for IslandId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        number(text)
            .and_then(Self::from_number)
            .ok_or_else(|| NotationError::new("island", text, "a number from 1 to 12"))
    }
}

impl fmt::Display for CloudId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl FromStr for CloudId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        number(text)
            .and_then(Self::from_number)
            .ok_or_else(|| NotationError::new("cloud", text, "a number from 1 to 4"))
    }
}

game_env::words! { Character, "character":
    Monk = "monk",
    Farmer = "farmer",
    Herald = "herald",
    Mailman = "mailman",
    Granny = "granny",
    Centaur = "centaur",
    Jester = "jester",
    Knight = "knight",
    MushroomHunter = "mushroom-hunter",
    Minstrel = "minstrel",
    Princess = "princess",
    Thief = "thief",
}

/// The students that are given, then those that are taken, e.g. `yb for rr`.
impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}", self.given(), self.taken())
    }
}

impl FromStr for Exchange {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            let (given, taken) = text.split_once(" for ")?;
            Self::new(given.parse().ok()?, taken.parse().ok()?)
        };
        read().ok_or_else(|| {
            let expected = "one to three students for as many others, e.g. `yb for rr`";
            NotationError::new("exchange", text, expected)
        })
    }
}

impl Refusal {
    /// Returns its name, e.g. `not-your-turn`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Over => "over",
            Self::NotYourTurn => "not-your-turn",
            Self::OtherPhase => "other-phase",
            Self::NotInHand => "not-in-hand",
            Self::AlreadyPlayed => "already-played",
            Self::NotInEntrance => "not-in-entrance",
            Self::DiningRoomFull => "dining-room-full",
            Self::NoIsland => "no-island",
            Self::Steps => "steps",
            Self::NoCloud => "no-cloud",
            Self::EmptyCloud => "empty-cloud",
            Self::NoCharacter => "no-character",
            Self::OnePerTurn => "one-per-turn",
            Self::TooExpensive => "too-expensive",
            Self::NotOnCard => "not-on-card",
            Self::NotInDining => "not-in-dining",
            Self::TooMany => "too-many",
            Self::NoBan => "no-ban",
        }
    }

    /// Returns the reason in words, for the player.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Over => "the game is over",
            Self::NotYourTurn => "it is another player's turn",
            Self::OtherPhase => "this is not what is to be done now",
            Self::NotInHand => "you have played this assistant already",
            Self::AlreadyPlayed => "another player has played this assistant in this round",
            Self::NotInEntrance => "these students are not in your entrance",
            Self::DiningRoomFull => "your dining room has no seat for this colour",
            Self::NoIsland => "there is no such island",
            Self::Steps => "Mother Nature cannot go this number of steps",
            Self::NoCloud => "there is no such cloud",
            Self::EmptyCloud => "this cloud has no students",
            Self::NoCharacter => "this character is not in the game",
            Self::OnePerTurn => "you have played a character in this turn",
            Self::TooExpensive => "you have not enough coins",
            Self::NotOnCard => "these students are not on the card",
            Self::NotInDining => "these students are not in your dining room",
            Self::TooMany => "the character exchanges fewer students",
            Self::NoBan => "all bans lie on islands",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_as_they_are_written() {
        for color in Color::ALL {
            assert_eq!(color.to_string().parse(), Ok(color));
            assert!(color.word().starts_with(color.letter()));
        }
        for character in Character::ALL {
            assert_eq!(character.to_string().parse(), Ok(character));
        }
        for text in ["-", "y", "yybgrrrp"] {
            assert_eq!(text.parse::<Students>().map(|students| students.to_string()).as_deref(), Ok(text));
        }
        for number in 1..=12 {
            assert_eq!(
                number.to_string().parse::<IslandId>().map(|id| id.to_string()),
                Ok(number.to_string())
            );
        }
    }

    #[test]
    fn a_fault_says_what_would_be_right() {
        let told = |error: NotationError| error.to_string();
        assert_eq!(
            told("13".parse::<IslandId>().unwrap_err()),
            "`13` is no island: expected a number from 1 to 12"
        );
        assert_eq!(
            told("05".parse::<CloudId>().unwrap_err()),
            "`05` is no cloud: expected a number from 1 to 4"
        );
        assert_eq!(
            told("11".parse::<Assistant>().unwrap_err()),
            "`11` is no assistant: expected a value from 1 to 10"
        );
        assert_eq!(
            told("Red".parse::<Color>().unwrap_err()),
            "`Red` is no colour: expected one of yellow, blue, green, red, pink"
        );
        assert!("yx".parse::<Students>().is_err() && "".parse::<Students>().is_err());
        assert!("y".repeat(300).parse::<Students>().is_err());
        assert!("+5".parse::<Assistant>().is_err());
    }
}
