//! The changes that have to be on disk before they are answered: one [`Record`] for each, as one line of text.
//!
//! ```text
//! player Ada 00112233445566778899aabbccddeeff   a first login
//! gone Ada                                      the player was removed
//! game 7 42 5 5 Ada Bob                         game 7 with the seed 42 begins, on 5 rows and 5 columns of dots
//! move 7 0-1                                    the player whose turn it is drew this edge
//! left 7 2                                      player 2 left the game, which is over
//! games 8                                       the next game has at least this number
//! ```
//!
//! That a game is over by its last move follows from the rules.

use std::fmt;
use std::str::FromStr;

use game_dots::Edge;
use game_env::{NotationError, Seed};
use wire::dots::{Name, Side, Token};

/// The number of a game on its server, from 0.
pub type GameId = u64;

/// A change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Record {
    /// A player logged in for the first time.
    Player(Name, Token),
    /// A player was removed: its name is free.
    Gone(Name),
    /// A game began.
    Game {
        /// The game.
        id: GameId,
        /// The seed of the draw that decides who begins.
        seed: Seed,
        /// Rows of dots.
        rows: u16,
        /// Columns of dots.
        columns: u16,
        /// Players 1 and 2.
        names: [Name; 2],
    },
    /// The mover of a game drew an edge.
    Move(GameId, Edge),
    /// A player left a game.
    Left(GameId, Side),
    /// The number of games so far.
    Count(GameId),
}

impl crate::journal::Record for Record {
    const HEADER: &'static str = "dots-journal 1";
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Player(name, token) => write!(f, "player {name} {token}"),
            Self::Gone(name) => write!(f, "gone {name}"),
            Self::Game { id, seed, rows, columns, names: [first, second] } => {
                write!(f, "game {id} {seed} {rows} {columns} {first} {second}")
            }
            Self::Move(id, edge) => write!(f, "move {id} {edge}"),
            Self::Left(id, side) => write!(f, "left {id} {side}"),
            Self::Count(games) => write!(f, "games {games}"),
        }
    }
}

impl FromStr for Record {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let words: Vec<&str> = text.split(' ').collect();
        let read = || {
            Some(match words[..] {
                ["player", name, token] => Self::Player(name.parse().ok()?, token.parse().ok()?),
                ["gone", name] => Self::Gone(name.parse().ok()?),
                ["game", id, seed, rows, columns, first, second] => Self::Game {
                    id: id.parse().ok()?,
                    seed: seed.parse().ok()?,
                    rows: rows.parse().ok()?,
                    columns: columns.parse().ok()?,
                    names: [first.parse().ok()?, second.parse().ok()?],
                },
                ["move", id, edge] => Self::Move(id.parse().ok()?, edge.parse().ok()?),
                ["left", id, side] => Self::Left(id.parse().ok()?, side.parse().ok()?),
                ["games", count] => Self::Count(count.parse().ok()?),
                _ => return None,
            })
        };
        read().ok_or_else(|| NotationError::new("record", text, "a record of a journal, e.g. `move 7 0-1`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_as_they_are_written() {
        for text in [
            "player Ada 00112233445566778899aabbccddeeff",
            "gone čtyři",
            "game 7 42 5 100 Ada Bob",
            "move 7 0-1",
            "left 7 2",
            "games 8",
        ] {
            assert_eq!(text.parse::<Record>().map(|record| record.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "gone", "gone a b", "move 7", "move 7 0-0", "left 7 3", "game 7 42 5 5 Ada", "end 7"]
        {
            assert!(text.parse::<Record>().is_err(), "{text}");
        }
    }
}
