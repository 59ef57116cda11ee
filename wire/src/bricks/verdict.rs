//! The end of a duel: its result and the reason for it.

use std::fmt;

use game_bricks::{Brick, Refusal};
use game_env::{Millis, Outcome};

use super::line::Line;

/// A letter for the reason of a loss, as result files of 2018 have it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Letter {
    /// N: by the rules.
    Normal,
    /// M: a brick that does not fit.
    Move,
    /// P: a line outside the protocol.
    Protocol,
    /// T: a move after its time.
    Time,
    /// K: the answer to the opening after its time.
    Opening,
    /// D: no answer at all.
    Silence,
    /// S: the program cannot be started.
    Start,
}

game_env::words! { Letter, "letter":
    Normal = "N",
    Move = "M",
    Protocol = "P",
    Time = "T",
    Opening = "K",
    Silence = "D",
    Start = "S",
}

impl Letter {
    /// Returns the meaning of the letter, for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Normal => "lost by the rules",
            Self::Move => "put a brick that does not fit",
            Self::Protocol => "wrote a line outside the protocol",
            Self::Time => "moved too late",
            Self::Opening => "answered the opening too late",
            Self::Silence => "did not answer or its program ended",
            Self::Start => "could not be started",
        }
    }
}

/// Reason why a player has lost, in detail. Its text fits behind the player's name, is one line, and can be shown
/// on a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It has no place for a brick.
    Normal,
    /// Its brick does not fit.
    Illegal(Brick, Refusal),
    /// Its line is no brick: the line, and the form of bricks.
    NoBrick(Line, &'static str),
    /// It answered something else to the opening: the expected answer, and its line.
    NoAnswer(&'static str, Line),
    /// It wrote this line before it was asked.
    Ahead(Line),
    /// Its move came after this time: the limit, and the time it took.
    Late(Millis, Millis),
    /// Its answer to the opening came after this time: the limit, and the time it took.
    OpeningLate(Millis, Millis),
    /// It wrote no line in this time.
    Silent(Millis),
    /// It did not read its input, for this time.
    Deaf(Millis),
    /// Its program has ended, or ended its output: how.
    Gone(String),
    /// Its program cannot be started: why.
    CannotStart(String),
    /// The host ended the duel.
    Stopped,
}

impl Reason {
    /// Returns the letter; none if nobody has lost.
    pub const fn letter(&self) -> Option<Letter> {
        Some(match self {
            Self::Normal => Letter::Normal,
            Self::Illegal(..) => Letter::Move,
            Self::NoBrick(..) | Self::NoAnswer(..) | Self::Ahead(_) => Letter::Protocol,
            Self::Late(..) => Letter::Time,
            Self::OpeningLate(..) => Letter::Opening,
            Self::Silent(_) | Self::Deaf(_) | Self::Gone(_) => Letter::Silence,
            Self::CannotStart(_) => Letter::Start,
            Self::Stopped => return None,
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal => f.write_str("has no place for a brick"),
            Self::Illegal(brick, Refusal::Taken) => write!(f, "put {brick} on a filled cell"),
            Self::Illegal(brick, Refusal::Outside) => write!(f, "put {brick}, which is not on the board"),
            Self::Illegal(brick, _) => write!(f, "put {brick} on cells that are no neighbours"),
            Self::NoBrick(line, expected) => match (line.as_str(), line.bytes()) {
                (Some(_), _) => write!(f, "wrote no brick: {line} is no brick: expected {expected}"),
                (None, Some(_)) => write!(f, "wrote no brick: {line} is not text"),
                (None, None) => write!(f, "wrote no brick, but {line}"),
            },
            Self::NoAnswer(expected, line) => {
                write!(f, "should have answered {expected}, and wrote {line}")
            }
            Self::Ahead(line) => write!(f, "wrote {line} before it was asked"),
            Self::Late(limit, took) => write!(f, "moved after {took} (limit {limit})"),
            Self::OpeningLate(limit, took) => write!(f, "answered the opening after {took} (limit {limit})"),
            Self::Silent(time) => write!(f, "wrote no line within {time}"),
            Self::Deaf(time) => write!(f, "did not read its input for {time}"),
            Self::Gone(how) => write!(f, "does not answer: its program {how}"),
            Self::CannotStart(why) => write!(f, "cannot be started: {why}"),
            Self::Stopped => f.write_str("was stopped by the host"),
        }
    }
}

/// The end of a duel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The result, with the words for it in replays.
    pub outcome: Outcome,
    /// Reason why the other player has lost.
    pub reason: Reason,
    /// The line for which it has lost, as it came; none if it lost without a line.
    pub line: Option<Line>,
}
