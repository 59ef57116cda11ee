//! Messages of a server to a client.

use std::fmt;
use std::str::FromStr;

use game_dots::Dot;
use game_env::{AgentId, NotationError};

use super::fields::{Fields, MessageError, split, write_all};
use super::name::Name;
use crate::token::Token;

/// A message of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The answer to `login`.
    Logged(Answer),
    /// With this token the client can take its place again.
    Token(Token),
    /// The answer to `queue`; also without a question, to a player whose opponent has left.
    Queued(Answer),
    /// The answer to `leave_queue`.
    LeftQueue(Answer),
    /// The answer to `leave_game`.
    YouLeftGame(Answer),
    /// The next game is played on a grid of this size, which is not the original's.
    Grid {
        /// Rows of dots.
        rows: u16,
        /// Columns of dots.
        columns: u16,
    },
    /// A game begins.
    StartGame {
        /// The side that the receiver plays.
        side: Side,
        /// The other player.
        opponent: Name,
    },
    /// The turn is this side's.
    Play(Side),
    /// A line was drawn between these dots.
    DrawCoords(Dot, Dot),
    /// The line cannot be drawn, or not now.
    InvalidCoords,
    /// A side owns these boxes now.
    DrawSquares {
        /// The side.
        side: Side,
        /// The top left dots of the boxes.
        squares: Vec<Dot>,
    },
    /// The game is over.
    Winner {
        /// The side that won; none if nobody did.
        side: Option<Side>,
        /// Its boxes; 0 if nobody won.
        score: u16,
    },
    /// The opponent has left the game, which is over.
    OpponentLeftGame,
    /// The game that the receiver was in goes on.
    ResumeGame(Resumption),
    /// The state of the opponent's connection.
    OpponentConnection(Contact),
    /// The client is to answer with `pong`.
    Ping,
    /// No message begins so.
    UnknownCommand,
    /// The server ends.
    ServerShutdown,
    /// The server closes the connection: a message was not one of the protocol.
    DisconnectedSuspiciousActivity,
    /// The server closes the connection: the client did not answer.
    DisconnectedInactivity,
}

/// Whether a request was granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It was.
    Ok,
    /// It was not.
    Error,
}

game_env::words! { Answer, "answer": Ok = "ok", Error = "error" }

/// One of the two players of a game: 1 or 2 in messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Player 1.
    First,
    /// Player 2.
    Second,
}

/// State of the connection of an opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contact {
    /// It answers.
    Fine,
    /// It answers, and has had the turn for long.
    Slow,
    /// It did not answer the last ping.
    Lost,
}

game_env::words! { Contact, "state of a connection": Fine = "0", Slow = "1", Lost = "2" }

/// Everything that a client needs to go on with a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resumption {
    /// The side that the receiver plays.
    pub side: Side,
    /// The other player.
    pub opponent: Name,
    /// Whose turn it is.
    pub mover: Side,
    /// The receiver's boxes, by their top left dots.
    pub own: Vec<Dot>,
    /// The opponent's boxes.
    pub others: Vec<Dot>,
    /// The lines that are drawn.
    pub lines: Vec<(Dot, Dot)>,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// Returns the side of a player of the rules.
    pub fn of(player: AgentId) -> Self {
        if player.index() == 0 { Self::First } else { Self::Second }
    }

    /// Returns the player of the rules.
    pub fn player(self) -> AgentId {
        AgentId::from_index(self.index())
    }

    /// Returns the other side.
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 or 1.
    pub const fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "1",
            Self::Second => "2",
        })
    }
}

impl FromStr for Side {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        match text {
            "1" => Ok(Self::First),
            "2" => Ok(Self::Second),
            _ => Err(NotationError::new("player", text, "1 or 2")),
        }
    }
}

impl Notice {
    /// Returns the word with which the message begins.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Logged(_) => "logged",
            Self::Token(_) => "token",
            Self::Queued(_) => "queued",
            Self::LeftQueue(_) => "left_queue",
            Self::YouLeftGame(_) => "you_left_game",
            Self::Grid { .. } => "grid",
            Self::StartGame { .. } => "start_game",
            Self::Play(_) => "play",
            Self::DrawCoords(..) => "draw_coords",
            Self::InvalidCoords => "invalid_coords",
            Self::DrawSquares { .. } => "draw_squares",
            Self::Winner { .. } => "winner",
            Self::OpponentLeftGame => "opponent_left_game",
            Self::ResumeGame(_) => "resume_game",
            Self::OpponentConnection(_) => "opponent_connection",
            Self::Ping => "ping",
            Self::UnknownCommand => "unknown_command",
            Self::ServerShutdown => "server_shutdown",
            Self::DisconnectedSuspiciousActivity => "disconnected_suspicious_activity",
            Self::DisconnectedInactivity => "disconnected_inactivity",
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Logged(answer)
            | Self::Queued(answer)
            | Self::LeftQueue(answer)
            | Self::YouLeftGame(answer) => write!(f, "|{answer}"),
            Self::Token(token) => write!(f, "|{token}"),
            Self::Grid { rows, columns } => write!(f, "|{rows}|{columns}"),
            Self::StartGame { side, opponent } => write!(f, "|{side}|{opponent}"),
            Self::Play(side) => write!(f, "|{side}"),
            Self::DrawCoords(one, other) => write!(f, "|{one}|{other}"),
            Self::DrawSquares { side, squares } => {
                write!(f, "|{side}")?;
                write_all(f, squares)
            }
            Self::Winner { side: Some(side), score } => write!(f, "|{side}|{score}"),
            Self::Winner { side: None, score } => write!(f, "|0|{score}"),
            Self::ResumeGame(Resumption { side, opponent, mover, own, others, lines }) => {
                write!(f, "|{side}|{opponent}|{mover}|{}|{}", own.len(), others.len())?;
                write_all(f, own.iter().chain(others))?;
                write_all(f, lines.iter().flat_map(|(one, other)| [one, other]))
            }
            Self::OpponentConnection(contact) => write!(f, "|{contact}"),
            Self::InvalidCoords
            | Self::OpponentLeftGame
            | Self::Ping
            | Self::UnknownCommand
            | Self::ServerShutdown
            | Self::DisconnectedSuspiciousActivity
            | Self::DisconnectedInactivity => Ok(()),
        }
    }
}

impl FromStr for Notice {
    type Err = MessageError;

    fn from_str(line: &str) -> Result<Self, MessageError> {
        let (word, rest) = split(line);
        let fields = |message| Fields::new(message, rest.clone());
        let answered = |message, notice: fn(Answer) -> Self| {
            let mut fields = fields(message);
            let answer = fields.read("answer", "ok or error")?;
            fields.end().map(|()| notice(answer))
        };
        let plain = |message, notice| fields(message).end().map(|()| notice);
        match word {
            "logged" => answered("logged", Self::Logged),
            "queued" => answered("queued", Self::Queued),
            "left_queue" => answered("left_queue", Self::LeftQueue),
            "you_left_game" => answered("you_left_game", Self::YouLeftGame),
            "token" => {
                let mut fields = fields("token");
                let token = fields.read("token", "32 hexadecimal digits")?;
                fields.end().map(|()| Self::Token(token))
            }
            "grid" => {
                let mut fields = fields("grid");
                let (rows, columns) = (fields.read("rows", COUNT)?, fields.read("columns", COUNT)?);
                fields.end().map(|()| Self::Grid { rows, columns })
            }
            "start_game" => {
                let mut fields = fields("start_game");
                let side = fields.read("player", SIDE)?;
                let opponent = fields.text("opponent")?.parse().map_err(MessageError::Name)?;
                fields.end().map(|()| Self::StartGame { side, opponent })
            }
            "play" => {
                let mut fields = fields("play");
                let side = fields.read("player", SIDE)?;
                fields.end().map(|()| Self::Play(side))
            }
            "draw_coords" => {
                let mut fields = fields("draw_coords");
                let (one, other) = (fields.read("dot", DOT)?, fields.read("other dot", DOT)?);
                fields.end().map(|()| Self::DrawCoords(one, other))
            }
            "draw_squares" => {
                let mut fields = fields("draw_squares");
                let side = fields.read("player", SIDE)?;
                let mut squares = vec![fields.read("square", DOT)?];
                while let Some(square) = fields.read_if_there("square", DOT)? {
                    squares.push(square);
                }
                Ok(Self::DrawSquares { side, squares })
            }
            "winner" => read_winner(fields("winner")),
            "resume_game" => read_resumption(fields("resume_game")).map(Self::ResumeGame),
            "opponent_connection" => {
                let mut fields = fields("opponent_connection");
                let contact = fields.read("state", "0, 1 or 2")?;
                fields.end().map(|()| Self::OpponentConnection(contact))
            }
            "invalid_coords" => plain("invalid_coords", Self::InvalidCoords),
            "opponent_left_game" => plain("opponent_left_game", Self::OpponentLeftGame),
            "ping" => plain("ping", Self::Ping),
            "unknown_command" => plain("unknown_command", Self::UnknownCommand),
            "server_shutdown" => plain("server_shutdown", Self::ServerShutdown),
            "disconnected_suspicious_activity" => {
                plain("disconnected_suspicious_activity", Self::DisconnectedSuspiciousActivity)
            }
            "disconnected_inactivity" => plain("disconnected_inactivity", Self::DisconnectedInactivity),
            unknown => Err(MessageError::Unknown(unknown.to_owned())),
        }
    }
}

const SIDE: &str = "1 or 2";
const DOT: &str = "the number of a dot";
const COUNT: &str = "a number";

fn read_winner(mut fields: Fields<'_>) -> Result<Notice, MessageError> {
    let side = match fields.text("player")? {
        "0" => None,
        "1" => Some(Side::First),
        "2" => Some(Side::Second),
        found => {
            let (message, found) = (fields.message, found.to_owned());
            return Err(MessageError::Field { message, field: "player", found, expected: "0, 1 or 2" });
        }
    };
    let score = fields.read("score", COUNT)?;
    fields.end().map(|()| Notice::Winner { side, score })
}

fn read_resumption(mut fields: Fields<'_>) -> Result<Resumption, MessageError> {
    let side = fields.read("player", SIDE)?;
    let opponent = fields.text("opponent")?.parse().map_err(MessageError::Name)?;
    let mover = fields.read("active player", SIDE)?;
    let (own, others): (u16, u16) = (fields.read("own score", COUNT)?, fields.read("other score", COUNT)?);
    let mut squares = |count: u16| (0..count).map(|_| fields.read("square", DOT)).collect::<Result<_, _>>();
    let (own, others) = (squares(own)?, squares(others)?);
    let mut lines = Vec::new();
    while let Some(one) = fields.read_if_there("dot", DOT)? {
        lines.push((one, fields.read("other dot", DOT)?));
    }
    Ok(Resumption { side, opponent, mover, own, others, lines })
}
