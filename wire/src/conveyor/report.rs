//! Lines of a board to its controller.

use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Direction, Place};
use game_env::{AgentId, NotationError};

use super::dialect::Dialect;
use super::words::{self, direction, direction_word, name, pair, pair_text};

/// A line of a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Report {
    /// The answer to HAI.
    Greeting,
    /// The request was done.
    Done,
    /// The request was done, and the player landed on a hint.
    Hint(Direction),
    /// The request was refused.
    Refused,
    /// The size of the board.
    Size {
        /// Fields of a row.
        columns: u8,
        /// Fields of a column.
        rows: u8,
    },
    /// A special field.
    Field {
        /// The kind of the field.
        special: Special,
        /// The place of the field.
        place: Place,
        /// The end of a conveyor; boards of 2009 send it.
        end: Option<Place>,
    },
    /// The present place of a player.
    At(AgentId, Place),
    /// A player has won.
    Wins(AgentId),
}

/// Kind of a special field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Special {
    /// A hint.
    Hint,
    /// The start of a conveyor.
    Start,
    /// The home of a player.
    Home(AgentId),
}

impl Special {
    const ALL: [Self; 4] = [Self::Hint, Self::Start, Self::Home(STEPPER), Self::Home(TURNER)];

    fn word(self) -> &'static str {
        match self {
            Self::Hint => "HINT",
            Self::Start => "TRANSPORT",
            Self::Home(STEPPER) => "END1",
            Self::Home(_) => "END2",
        }
    }
}

impl Report {
    /// Reads a line without its end.
    ///
    /// # Errors
    ///
    /// If it is no line of a board.
    pub fn read(line: &[u8], dialect: Dialect) -> Result<Self, NotationError> {
        let expected = "the greeting, K, NOWAI, HINT, SIZE, a field, the place of a player, or a winner";
        words::read(line, "line of a board", expected, |text| match text {
            GREETING => Some(Self::Greeting),
            "K" => Some(Self::Done),
            "NOWAI" => Some(Self::Refused),
            _ => {
                let (word, rest) = text.split_once(' ')?;
                if let Some(player) = words::player(word) {
                    return if rest == "WINS" {
                        Some(Self::Wins(player))
                    } else {
                        pair(rest, dialect.first()).map(|place| Self::At(player, place))
                    };
                }
                if word == "SIZE" {
                    return pair(rest, 0)
                        .map(|Place { column, row }| Self::Size { columns: column, rows: row });
                }
                let special = Special::ALL.into_iter().find(|special| special.word() == word)?;
                match direction(rest) {
                    Some(direction) if special == Special::Hint => Some(Self::Hint(dialect.hint(direction))),
                    _ => field(special, rest, dialect),
                }
            }
        })
    }

    /// Returns the line without its end.
    pub fn line(self, dialect: Dialect) -> String {
        let place = |place| pair_text(place, dialect.first());
        match self {
            Self::Greeting => GREETING.to_owned(),
            Self::Done => "K".to_owned(),
            Self::Hint(direction) => format!("HINT {}", direction_word(dialect.hint(direction))),
            Self::Refused => "NOWAI".to_owned(),
            Self::Size { columns, rows } => format!("SIZE {columns},{rows}"),
            Self::Field { special, place: at, end: Some(end) } if dialect == Dialect::Year2009 => {
                format!("{} {}{ARROW}{}", special.word(), place(at), place(end))
            }
            Self::Field { special, place: at, .. } => format!("{} {}", special.word(), place(at)),
            Self::At(player, at) => format!("{} {}", name(player), place(at)),
            Self::Wins(player) => format!("{} WINS", name(player)),
        }
    }
}

const GREETING: &str = "ALL YOUR BASE ARE BELONG TO ME";

/// Between start and end of a conveyor.
const ARROW: &str = " => ";

fn field(special: Special, rest: &str, dialect: Dialect) -> Option<Report> {
    let first = dialect.first();
    let (place, end) = match rest.split_once(ARROW) {
        Some((place, end)) if dialect == Dialect::Year2009 && special == Special::Start => {
            (place, Some(pair(end, first)?))
        }
        _ => (rest, None),
    };
    Some(Report::Field { special, place: pair(place, first)?, end })
}
