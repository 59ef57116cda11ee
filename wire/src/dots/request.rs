//! Messages of a client to a server.

use std::fmt;
use std::str::FromStr;

use game_env::NotationError;

use super::fields::{Fields, MessageError, split};
use super::name::Name;
use crate::token::Token;

/// A message of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// The client is this player, from now on or again.
    Login {
        /// The player.
        name: Name,
        /// The last field.
        token: LoginToken,
    },
    /// The player waits for an opponent.
    Queue,
    /// The player draws the line between two dots. They may be any numbers: the rules say whether there is such a line.
    LineCoords(i64, i64),
    /// The player does not wait any longer.
    LeaveQueue,
    /// The player leaves its game.
    LeaveGame,
    /// The answer to a `ping`.
    Pong,
}

/// The last field of `login`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoginToken {
    /// No field: the client knows no tokens, and receives none.
    Absent,
    /// An empty field: the client has no token, and asks for one.
    Wanted,
    /// Proves that the client is the player that had the name before.
    Given(Token),
}

impl Request {
    /// Returns the word with which the message begins.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Login { .. } => "login",
            Self::Queue => "queue",
            Self::LineCoords(..) => "line_coords",
            Self::LeaveQueue => "leave_queue",
            Self::LeaveGame => "leave_game",
            Self::Pong => "pong",
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Login { name, token: LoginToken::Absent } => write!(f, "|{name}"),
            Self::Login { name, token: LoginToken::Wanted } => write!(f, "|{name}|"),
            Self::Login { name, token: LoginToken::Given(token) } => write!(f, "|{name}|{token}"),
            Self::LineCoords(one, other) => write!(f, "|{one}|{other}"),
            Self::Queue | Self::LeaveQueue | Self::LeaveGame | Self::Pong => Ok(()),
        }
    }
}

/// A field that is there.
impl FromStr for LoginToken {
    type Err = NotationError;

    fn from_str(field: &str) -> Result<Self, NotationError> {
        if field.is_empty() { Ok(Self::Wanted) } else { field.parse().map(Self::Given) }
    }
}

impl FromStr for Request {
    type Err = MessageError;

    fn from_str(line: &str) -> Result<Self, MessageError> {
        const DOT: &str = "the number of a dot";
        let (word, rest) = split(line);
        let fields = |message| Fields::new(message, rest.clone());
        let plain = |message, request| fields(message).end().map(|()| request);
        match word {
            "login" => {
                let mut fields = fields("login");
                let name = fields.text("name")?.parse().map_err(MessageError::Name)?;
                let token =
                    fields.read_if_there("token", "32 hexadecimal digits, or nothing to ask for them")?;
                let token = token.unwrap_or(LoginToken::Absent);
                fields.end()?;
                Ok(Self::Login { name, token })
            }
            "queue" => plain("queue", Self::Queue),
            "line_coords" => {
                let mut fields = fields("line_coords");
                let request = Self::LineCoords(fields.read("dot", DOT)?, fields.read("other dot", DOT)?);
                fields.end()?;
                Ok(request)
            }
            "leave_queue" => plain("leave_queue", Self::LeaveQueue),
            "leave_game" => plain("leave_game", Self::LeaveGame),
            "pong" => plain("pong", Self::Pong),
            unknown => Err(MessageError::Unknown(unknown.to_owned())),
        }
    }
}
