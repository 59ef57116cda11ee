//! Dialects of a board: its first column and row, the direction of its hints, and the lines of its conveyors.

use std::fmt;
use std::str::FromStr;

use game_conveyor::Direction;
use game_env::text::fit_for_a_log;
use thiserror::Error;

/// Dialect of the lines of a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// As the specification says.
    #[default]
    Specification,
    /// As a board of 2009 does: columns and rows count from 0, hints up and down are exchanged, and the line of a
    /// conveyor has ` => ` and its end behind it.
    Year2009,
}

impl Dialect {
    /// Returns the number to add to a column or row of the protocol to get that of the rules.
    pub(super) const fn first(self) -> u8 {
        match self {
            Self::Specification => 0,
            Self::Year2009 => 1,
        }
    }

    /// Converts a hint from the protocol to its meaning, or back.
    pub(super) const fn hint(self, direction: Direction) -> Direction {
        match (self, direction) {
            (Self::Year2009, Direction::Up) => Direction::Down,
            (Self::Year2009, Direction::Down) => Direction::Up,
            _ => direction,
        }
    }
}

/// The name of the dialect: `2009`, or `specification`.
impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Specification => "specification",
            Self::Year2009 => "2009",
        })
    }
}

/// A text that names no dialect.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no boards of `{}` are known: expected 2009, or specification", fit_for_a_log(.0))]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        [Self::Specification, Self::Year2009]
            .into_iter()
            .find(|dialect| dialect.to_string() == text)
            .ok_or_else(|| UnknownDialect(text.to_owned()))
    }
}
