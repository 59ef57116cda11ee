//! The actions of an agent.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use game_env::{AgentId, NotationError};

use crate::geometry::Direction;
use crate::information::Information;

/// A request of an agent (specification, section 4).
///
/// Written as one line: `move N`, `discover`, `pick-up`, `put`, `check`, `destroy`, `ask #3`,
/// `answer #3 distances=… red=… blue=…`.
///
/// In the rules agents have the ids of the game. A protocol may know agents by other ids, see [`Action::map`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Action<Id = AgentId> {
    /// Moves to the neighbouring field.
    Move(Direction),
    /// Learns the distances of the fields around.
    Discover,
    /// Takes the uppermost piece of the own field.
    PickUp,
    /// Lays the piece in hand on the own field.
    Put,
    /// Learns whether the piece in hand is a sham; a sham is destroyed.
    Check,
    /// Destroys the piece in hand.
    Destroy,
    /// Asks another agent for information.
    Ask(Id),
    /// Answers the question of another agent.
    Answer {
        /// The agent that asked.
        to: Id,
        /// The content of the answer.
        information: Arc<Information>,
    },
}

impl<Id> Action<Id> {
    /// Returns the same action, with other ids for agents.
    pub fn map<Other>(self, id: impl FnOnce(Id) -> Other) -> Action<Other> {
        match self {
            Self::Move(direction) => Action::Move(direction),
            Self::Discover => Action::Discover,
            Self::PickUp => Action::PickUp,
            Self::Put => Action::Put,
            Self::Check => Action::Check,
            Self::Destroy => Action::Destroy,
            Self::Ask(asked) => Action::Ask(id(asked)),
            Self::Answer { to, information } => Action::Answer { to: id(to), information },
        }
    }

    /// Returns the kind of the action.
    pub const fn kind(&self) -> ActionKind {
        match self {
            Self::Move(_) => ActionKind::Move,
            Self::Discover => ActionKind::Discover,
            Self::PickUp => ActionKind::PickUp,
            Self::Put => ActionKind::Put,
            Self::Check => ActionKind::Check,
            Self::Destroy => ActionKind::Destroy,
            Self::Ask(_) => ActionKind::Ask,
            Self::Answer { .. } => ActionKind::Answer,
        }
    }
}

/// An action without its content, as penalties and statistics need it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ActionKind {
    /// [`Action::Move`]
    Move,
    /// [`Action::Discover`]
    Discover,
    /// [`Action::PickUp`]
    PickUp,
    /// [`Action::Put`]
    Put,
    /// [`Action::Check`]
    Check,
    /// [`Action::Destroy`]
    Destroy,
    /// [`Action::Ask`]
    Ask,
    /// [`Action::Answer`]
    Answer,
}

game_env::words! { ActionKind, "action":
    Move = "move",
    Discover = "discover",
    PickUp = "pick-up",
    Put = "put",
    Check = "check",
    Destroy = "destroy",
    Ask = "ask",
    Answer = "answer",
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        match self {
            Self::Move(direction) => write!(f, "{kind} {direction}"),
            Self::Ask(agent) => write!(f, "{kind} {agent}"),
            Self::Answer { to, information } => write!(f, "{kind} {to} {information}"),
            Self::Discover | Self::PickUp | Self::Put | Self::Check | Self::Destroy => kind.fmt(f),
        }
    }
}

impl FromStr for Action {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let (word, rest) = text.split_once(' ').map_or((text, None), |(word, rest)| (word, Some(rest)));
        let needs = |expected| NotationError::new("action", text, expected);
        // A space at the beginning is the fault, and not an action without a name.
        let kind = if word.is_empty() { text.parse()? } else { word.parse()? };
        match (kind, rest) {
            (ActionKind::Move, Some(direction)) => Ok(Self::Move(direction.parse()?)),
            (ActionKind::Move, None) => Err(needs("a direction after `move`, e.g. `move N`")),
            (ActionKind::Ask, Some(agent)) => Ok(Self::Ask(agent.parse()?)),
            (ActionKind::Ask, None) => Err(needs("an agent after `ask`, e.g. `ask #3`")),
            (ActionKind::Answer, rest) => {
                let (to, information) = rest
                    .and_then(|rest| rest.split_once(' '))
                    .ok_or_else(|| needs("an agent and what it is told after `answer`"))?;
                Ok(Self::Answer { to: to.parse()?, information: Arc::new(information.parse()?) })
            }
            (ActionKind::Discover, None) => Ok(Self::Discover),
            (ActionKind::PickUp, None) => Ok(Self::PickUp),
            (ActionKind::Put, None) => Ok(Self::Put),
            (ActionKind::Check, None) => Ok(Self::Check),
            (ActionKind::Destroy, None) => Ok(Self::Destroy),
            (kind, Some(_)) => Err(needs(&format!("nothing after `{kind}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_as_it_is_written() {
        for text in [
            "move S",
            "discover",
            "pick-up",
            "put",
            "check",
            "destroy",
            "ask #3",
            "answer #12 distances=- red= blue=N*4",
        ] {
            assert_eq!(text.parse::<Action>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_would_be_right() {
        for (text, expected) in [
            ("", "one of move, discover, pick-up"),
            ("jump", "one of move, discover, pick-up"),
            ("move", "a direction after `move`"),
            ("move up", "`N`, `E`, `S` or `W`"),
            ("put down", "nothing after `put`"),
            (" discover ", "`␣discover␣` is no action"),
            ("ask 3", "`#` and a number"),
            ("answer #3", "an agent and what it is told"),
        ] {
            let error = text.parse::<Action>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
