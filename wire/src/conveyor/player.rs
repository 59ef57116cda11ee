//! The lines between a player and the controller.

use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Action, Direction};
use game_env::{AgentId, NotationError};

use super::words::{self, direction, direction_word, name, pair};

/// A line of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Request {
    /// It wants to be this player, or whichever is free.
    Join(Option<AgentId>),
    /// It asks for this.
    Want(Action),
}

impl Request {
    /// Reads a line without its end.
    ///
    /// # Errors
    ///
    /// If it is no line of a player.
    pub fn read(line: &[u8]) -> Result<Self, NotationError> {
        let expected = "HAI, HAI and a player, or a player's request, e.g. KITTEH WANT MOVE UP";
        words::read(line, "line of a player", expected, |text| match text.strip_prefix("HAI") {
            Some("") => Some(Self::Join(None)),
            Some(rest) => {
                rest.strip_prefix(' ').and_then(words::player).map(|player| Self::Join(Some(player)))
            }
            None => words::action(text).map(Self::Want),
        })
    }

    /// Returns the line without its end.
    pub fn line(self) -> String {
        match self {
            Self::Join(None) => "HAI".to_owned(),
            Self::Join(Some(player)) => format!("HAI {}", name(player)),
            Self::Want(action) => words::action_line(action),
        }
    }
}

/// A line of a controller to a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Notice {
    /// It is this player.
    Seat(AgentId),
    /// The game can begin, on a board of this size.
    Size {
        /// Fields of a row.
        columns: u8,
        /// Fields of a column.
        rows: u8,
    },
    /// The request was done.
    Done,
    /// The request was done, and the home lies in this direction.
    Hint(Direction),
    /// The request was refused; or the player cannot join.
    Refused,
    /// The line of the player is not in the protocol, or not allowed now.
    Senseless,
    /// A player has won, and the connection ends.
    Wins(AgentId),
    /// The game has ended and nobody has won, and the connection ends.
    NobodyWins,
}

impl Notice {
    /// Reads a line without its end.
    ///
    /// # Errors
    ///
    /// If it is no line of a controller to a player.
    pub fn read(line: &[u8]) -> Result<Self, NotationError> {
        let expected =
            "UR and a player, SIZE, K, HINT and a direction, NOWAI, LOL WUT?, or the end of the game";
        words::read(line, "line of a controller to a player", expected, |text| {
            let fixed = [Self::Done, Self::Refused, Self::Senseless, Self::NobodyWins].into_iter();
            let named =
                [STEPPER, TURNER].into_iter().flat_map(|player| [Self::Seat(player), Self::Wins(player)]);
            if let Some(notice) = fixed.chain(named).find(|notice| notice.line() == text) {
                return Some(notice);
            }
            match text.split_once(' ')? {
                ("HINT", word) => direction(word).map(Self::Hint),
                ("SIZE", rest) => {
                    pair(rest, 0).map(|size| Self::Size { columns: size.column, rows: size.row })
                }
                _ => None,
            }
        })
    }

    /// Returns the line without its end.
    pub fn line(self) -> String {
        match self {
            Self::Seat(player) => format!("UR {}", name(player)),
            Self::Size { columns, rows } => format!("SIZE {columns},{rows}"),
            Self::Done => "K".to_owned(),
            Self::Hint(direction) => format!("HINT {}", direction_word(direction)),
            Self::Refused => "NOWAI".to_owned(),
            Self::Senseless => "LOL WUT?".to_owned(),
            Self::Wins(player) => format!("{} WINS", name(player)),
            Self::NobodyWins => "KTHXBAI".to_owned(),
        }
    }
}
