//! Lines of a controller to a board.

use game_conveyor::Action;
use game_conveyor::state::{STEPPER, TURNER};
use game_env::{AgentId, NotationError};

use super::words;

/// A line of a controller.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// The question whether a board is there.
    Hello,
    /// The board may play.
    Accept,
    /// The board may not play, and closes the connection.
    Reject,
    /// The question for the special fields and players on the board.
    Visible,
    /// The player of this action asks for it.
    Want(Action),
    /// The controller has heard that this player has won.
    Goodbye(AgentId),
    /// The line of the board is not in the protocol, or not allowed now.
    Senseless,
}

impl Order {
    /// Reads a line without its end.
    ///
    /// # Errors
    ///
    /// If it is no line of a controller.
    pub fn read(line: &[u8]) -> Result<Self, NotationError> {
        let expected = "HAI, K, NOWAI, VISIBLE, a request of a player, or the farewell to a winner";
        words::read(line, "line of a controller", expected, |text| {
            let fixed = [Self::Hello, Self::Accept, Self::Reject, Self::Visible, Self::Senseless].into_iter();
            let mut fixed = fixed.chain([STEPPER, TURNER].map(Self::Goodbye));
            fixed.find(|order| order.line() == text).or_else(|| words::action(text).map(Self::Want))
        })
    }

    /// Returns the line without its end.
    pub fn line(self) -> String {
        match self {
            Self::Hello => "HAI".to_owned(),
            Self::Accept => "K".to_owned(),
            Self::Reject => "NOWAI".to_owned(),
            Self::Visible => "VISIBLE".to_owned(),
            Self::Want(action) => words::action_line(action),
            Self::Goodbye(winner) => format!("{} WINS, GTFO", words::name(winner)),
            Self::Senseless => "LOL WUT?".to_owned(),
        }
    }
}
