//! The messages of an agent to the game master.

use game_project::{Action, ActionKind, Team};

use super::AgentNumber;

/// A message of an agent to the game master.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// 6: join the game.
    Join {
        /// On which side.
        team: Team,
    },
    /// 1 to 5 and 7 to 9: an action, with agents by their numbers.
    Play(Action<AgentNumber>),
}

impl Request {
    /// Returns its `messageID`.
    pub const fn id(&self) -> i64 {
        match self {
            Self::Join { .. } => 6,
            Self::Play(action) => match action.kind() {
                ActionKind::Check => 1,
                ActionKind::Destroy => 2,
                ActionKind::Discover => 3,
                ActionKind::Answer => 4,
                ActionKind::Ask => 5,
                ActionKind::Move => 7,
                ActionKind::PickUp => 8,
                ActionKind::Put => 9,
            },
        }
    }
}

impl From<Action<AgentNumber>> for Request {
    fn from(action: Action<AgentNumber>) -> Self {
        Self::Play(action)
    }
}
