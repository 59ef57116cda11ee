//! The messages of an agent to the game master.

use std::sync::Arc;

use game_project::{Direction, Information, Team};

use super::AgentNumber;

/// A message of an agent to the game master.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// 1: is the piece in hand a sham?
    Check,
    /// 2: destroy the piece in hand.
    Destroy,
    /// 3: tell the distances around.
    Discover,
    /// 4: the answer to somebody's question.
    Answer {
        /// Who asked.
        to: AgentNumber,
        /// What it is told.
        information: Arc<Information>,
    },
    /// 5: ask another agent for information.
    Ask {
        /// Whom.
        asked: AgentNumber,
    },
    /// 6: join the game.
    Join {
        /// On which side.
        team: Team,
    },
    /// 7: move.
    Move {
        /// Where to.
        direction: Direction,
    },
    /// 8: pick up a piece.
    PickUp,
    /// 9: put the piece in hand down.
    Put,
}

impl Request {
    /// Its `messageID`.
    pub const fn id(&self) -> i64 {
        match self {
            Self::Check => 1,
            Self::Destroy => 2,
            Self::Discover => 3,
            Self::Answer { .. } => 4,
            Self::Ask { .. } => 5,
            Self::Join { .. } => 6,
            Self::Move { .. } => 7,
            Self::PickUp => 8,
            Self::Put => 9,
        }
    }
}
