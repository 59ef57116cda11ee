//! The reports of a controller about its game.

use std::fmt;

use game_conveyor::{Action, Answer, Place};
use game_env::AgentId;
use wire::conveyor::name;

use super::list::List;

/// A report of a controller, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// A board has connected.
    BoardCame,
    /// A further board has connected, and was refused.
    SpareBoard,
    /// The board is gone before the game has begun, for this reason.
    BoardLeft(String),
    /// The game begins on this board.
    Begun(Box<List>),
    /// A client has become this player.
    Joined(AgentId),
    /// A client has said nothing for too long; the player that it was, if it was one.
    Silent(Option<AgentId>),
    /// A client at the port for players is gone and has sent nothing. It may be a board: a board waits for the
    /// controller to speak first. The value is the port for boards, if it is known.
    Mute(Option<u16>),
    /// A player is gone.
    Left(AgentId),
    /// A request was answered.
    Answered {
        /// The player.
        player: AgentId,
        /// The action that it asked for.
        action: Action,
        /// The answer.
        answer: Answer,
        /// The place of the player now, if the board has sent it.
        place: Option<Place>,
    },
    /// A line made no sense.
    Senseless {
        /// Whether it was one of the board, not of a player.
        is_board: bool,
        /// The reason.
        why: String,
    },
    /// A player has won.
    Won(AgentId),
}

/// The end of a controller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A player has won.
    Won(AgentId),
    /// The board is gone, for this reason.
    BoardLost(String),
    /// All players were gone for too long.
    Deserted,
    /// The operator ended it.
    Stopped,
}

/// Returns a port in a hint: `port 5000`, or `another port` if it is not known.
pub(super) fn port_words(port: Option<u16>) -> String {
    port.map_or("another port".to_owned(), |port| format!("port {port}"))
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BoardCame => f.write_str("a board has connected"),
            Self::SpareBoard => f.write_str("refused another board: this game has one"),
            Self::BoardLeft(why) => write!(f, "the board is gone before the game: {why}"),
            Self::Begun(list) => write!(f, "the game begins: {list}"),
            Self::Joined(player) => write!(f, "{} has joined", name(*player)),
            Self::Silent(None) => f.write_str("refused a client that sent nothing in time"),
            Self::Silent(Some(player)) => write!(f, "{} sent no request in time", name(*player)),
            Self::Mute(port) => {
                let port = port_words(*port);
                write!(
                    f,
                    "a client at the port for players has disconnected without a request; hint: a board connects to {port}"
                )
            }
            Self::Left(player) => write!(f, "{} is gone", name(*player)),
            Self::Answered { player, action, answer, place } => {
                write!(f, "{}: {action}, ", name(*player))?;
                match answer {
                    Answer::Done => f.write_str("done")?,
                    Answer::Hint(direction) => write!(f, "hint {direction}")?,
                    Answer::Refused => f.write_str("refused")?,
                }
                place.map_or(Ok(()), |place| write!(f, ", at {place}"))
            }
            Self::Senseless { is_board, why } => {
                write!(f, "invalid line of {}: {why}", if *is_board { "the board" } else { "a player" })
            }
            Self::Won(winner) => write!(f, "{} wins", name(*winner)),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won(winner) => write!(f, "{} has won", name(*winner)),
            Self::BoardLost(why) => write!(f, "the board is gone before anybody has won: {why}"),
            Self::Deserted => f.write_str("all players are gone"),
            Self::Stopped => f.write_str("the game was stopped"),
        }
    }
}
