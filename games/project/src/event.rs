//! The events of a game, including refusals.

use std::fmt;
use std::sync::Arc;

use game_env::{Addressed, AgentId, Audience, Outcome, SimTime};

use crate::action::ActionKind;
use crate::config::Penalties;
use crate::geometry::{Distance, Position, Surroundings};
use crate::information::Information;
use crate::piece::Piece;
use crate::team::Team;

/// An event of a game. Its audience may hear of it.
///
/// Written as one line, which begins with the agent if the event has one: `#0 moved 3,4 distance 2`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// An agent moved.
    Moved {
        /// The agent.
        agent: AgentId,
        /// The field on which it stands now.
        to: Position,
        /// The distance of the nearest piece that can be picked up.
        distance: Distance,
    },
    /// An agent learnt the distances around it.
    Discovered {
        /// The agent.
        agent: AgentId,
        /// The distances.
        distances: Surroundings,
    },
    /// An agent took a piece from its field.
    PickedUp {
        /// The agent.
        agent: AgentId,
    },
    /// An agent laid its piece down.
    Put {
        /// The agent.
        agent: AgentId,
        /// The knowledge that it gained.
        result: PutResult,
    },
    /// An agent learnt whether its piece is a sham; if so, it is destroyed.
    Checked {
        /// The agent.
        agent: AgentId,
        /// Whether it was a sham.
        sham: bool,
    },
    /// An agent destroyed its piece.
    Destroyed {
        /// The agent.
        agent: AgentId,
    },
    /// A question was passed on.
    Asked {
        /// The agent that is asked.
        agent: AgentId,
        /// The agent that asks.
        by: AgentId,
        /// Whether the question must be answered first: the leader of the own team asks, and `leaderBinds` is set.
        must_answer: bool,
    },
    /// A question was asked again while the first one is open: no agent hears of it, and one answer settles both. Only
    /// the referee knows.
    AskedAgain {
        /// The agent that is asked.
        agent: AgentId,
        /// The agent that asks.
        by: AgentId,
    },
    /// An answer was passed on.
    Answered {
        /// The agent that had asked.
        agent: AgentId,
        /// The agent that answers.
        by: AgentId,
        /// The content of the answer.
        information: Arc<Information>,
    },
    /// A request was refused.
    Refused {
        /// The agent.
        agent: AgentId,
        /// The kind of the request.
        action: ActionKind,
        /// The reason.
        refusal: Refusal,
    },
    /// A new piece appeared under an empty-handed agent and is in its hand.
    Landed {
        /// The agent with this hand.
        agent: AgentId,
    },
    /// A new piece lies on the board. Only the referee knows.
    Appeared {
        /// The field.
        at: Position,
        /// The piece.
        piece: Piece,
    },
    /// An agent has left the game. Only the referee knows.
    Left {
        /// The agent.
        agent: AgentId,
    },
    /// The game is over.
    Over(Outcome),
}

/// The cost of a request: the lock of its agent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lock {
    /// The agent that made the request.
    pub agent: AgentId,
    /// The kind of the request.
    pub action: ActionKind,
    /// The moment at which the lock ends.
    pub until: SimTime,
}

impl Event {
    /// Returns the agent and the kind of the request that this event answers, granted or refused; `None` if the event
    /// answers no request.
    pub const fn request(&self) -> Option<(AgentId, ActionKind)> {
        Some(match self {
            Self::Moved { agent, .. } => (*agent, ActionKind::Move),
            Self::Discovered { agent, .. } => (*agent, ActionKind::Discover),
            Self::PickedUp { agent } => (*agent, ActionKind::PickUp),
            Self::Put { agent, .. } => (*agent, ActionKind::Put),
            Self::Checked { agent, .. } => (*agent, ActionKind::Check),
            Self::Destroyed { agent } => (*agent, ActionKind::Destroy),
            Self::Asked { by, .. } | Self::AskedAgain { by, .. } => (*by, ActionKind::Ask),
            Self::Answered { by, .. } => (*by, ActionKind::Answer),
            Self::Refused { agent, action, .. } => (*agent, *action),
            Self::Landed { .. } | Self::Appeared { .. } | Self::Left { .. } | Self::Over(_) => return None,
        })
    }

    /// Returns the lock that the answered request costs in a game with these penalties; `now` is the moment of the
    /// event.
    /// `None` if the request costs nothing, or there was none. A lock may have no length.
    pub fn lock(&self, now: SimTime, penalties: Penalties) -> Option<Lock> {
        if matches!(self, Self::Refused { refusal, .. } if refusal.is_free()) {
            return None;
        }
        let (agent, action) = self.request()?;
        Some(Lock { agent, action, until: penalties.lock_end(now, action) })
    }
}

/// The result of putting a piece down, as the agent learns it (specification, section 6, message 110).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PutResult {
    /// The piece lies on a task field.
    OnTaskField,
    /// The field was a goal and is covered now: a point.
    OnGoal,
    /// The field is no goal, or no goal any more.
    OnNoGoal,
    /// The piece was a sham; nothing is learnt of the field.
    WasSham,
}

game_env::words! { PutResult, "put result":
    OnTaskField = "on-task-field",
    OnGoal = "on-goal",
    OnNoGoal = "on-no-goal",
    WasSham = "was-sham",
}

/// The reason of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// The agent is locked until this moment. Costs nothing.
    TooEarly(SimTime),
    /// The leader's question must be answered first. Costs nothing.
    LeaderWaits(AgentId),
    /// There is no field in that direction.
    OffBoard,
    /// Another agent stands there.
    Occupied,
    /// The other team's goal area may not be entered.
    EnemyGoalArea,
    /// No piece lies on the own field.
    NothingThere,
    /// The agent has a piece in hand already.
    HandsFull,
    /// Nothing can be picked up in a goal area.
    InGoalArea,
    /// The agent has no piece in hand.
    EmptyHanded,
    /// There is no such agent in the game.
    NoSuchAgent,
    /// An agent cannot ask itself.
    AskedItself,
    /// That agent has not asked, or was answered already.
    NotAsked,
    /// The agent has left the game, or the game is over. Costs nothing.
    NotPlaying,
}

impl Refusal {
    /// Returns whether the refused request costs nothing: it was refused before the rules of its action were applied.
    pub const fn is_free(self) -> bool {
        matches!(self, Self::TooEarly(_) | Self::LeaderWaits(_) | Self::NotPlaying)
    }

    /// Returns the reason alone, without the agent or the moment: the first word of its text.
    pub const fn word(self) -> &'static str {
        match self {
            Self::TooEarly(_) => "too-early",
            Self::LeaderWaits(_) => "leader-waits",
            Self::OffBoard => "off-board",
            Self::Occupied => "occupied",
            Self::EnemyGoalArea => "enemy-goal-area",
            Self::NothingThere => "nothing-there",
            Self::HandsFull => "hands-full",
            Self::InGoalArea => "in-goal-area",
            Self::EmptyHanded => "empty-handed",
            Self::NoSuchAgent => "no-such-agent",
            Self::AskedItself => "asked-itself",
            Self::NotAsked => "not-asked",
            Self::NotPlaying => "not-playing",
        }
    }
}

impl Addressed for Event {
    fn audience(&self) -> Audience {
        match self {
            Self::Moved { agent, .. }
            | Self::Discovered { agent, .. }
            | Self::PickedUp { agent }
            | Self::Put { agent, .. }
            | Self::Checked { agent, .. }
            | Self::Destroyed { agent }
            | Self::Asked { agent, .. }
            | Self::Answered { agent, .. }
            | Self::Refused { agent, .. }
            | Self::Landed { agent } => Audience::Agent(*agent),
            Self::AskedAgain { .. } | Self::Appeared { .. } | Self::Left { .. } => Audience::Referee,
            Self::Over(_) => Audience::All,
        }
    }

    fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word();
        match self {
            Self::TooEarly(until) => write!(f, "{word} {}", until.as_millis()),
            Self::LeaderWaits(leader) => write!(f, "{word} {leader}"),
            _ => f.write_str(word),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moved { agent, to, distance } => write!(f, "{agent} moved {to} distance {distance}"),
            Self::Discovered { agent, distances } => write!(f, "{agent} discovered {distances}"),
            Self::PickedUp { agent } => write!(f, "{agent} picked-up"),
            Self::Put { agent, result } => write!(f, "{agent} put {result}"),
            Self::Checked { agent, sham } => {
                write!(f, "{agent} checked {}", if *sham { "sham" } else { "real" })
            }
            Self::Destroyed { agent } => write!(f, "{agent} destroyed"),
            Self::Asked { agent, by, must_answer } => {
                write!(f, "{agent} asked-by {by} {}", if *must_answer { "must-answer" } else { "may-answer" })
            }
            Self::AskedAgain { agent, by } => write!(f, "{agent} asked-again-by {by}"),
            Self::Answered { agent, by, information } => write!(f, "{agent} answered-by {by} {information}"),
            Self::Refused { agent, action, refusal } => write!(f, "{agent} refused {action} {refusal}"),
            Self::Landed { agent } => write!(f, "{agent} landed"),
            Self::Left { agent } => write!(f, "{agent} left"),
            Self::Appeared { at, piece } => {
                write!(f, "appeared {at} {}", if piece.is_sham() { "sham" } else { "real" })
            }
            Self::Over(outcome) => {
                let winner = outcome.winner().and_then(|team| Team::try_from(team).ok());
                let winner = winner.map_or("nobody".to_owned(), |team| team.to_string());
                let points: Vec<String> = outcome.returns.points().iter().map(i32::to_string).collect();
                write!(f, "over {winner} {} {}", outcome.termination, points.join(":"))?;
                outcome.fault.map_or(Ok(()), |agent| write!(f, " by {agent}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Ranking, Returns, Termination};

    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let [agent, other] = [4, 5].map(AgentId::new);
        let information = Arc::new("distances=-*3 red=? blue=".parse().unwrap());
        let over = |ranking, termination, fault, points: &[i32]| {
            Event::Over(Outcome { ranking, termination, fault, returns: Returns::new(points) })
        };
        let moved = |distance: &str| Event::Moved {
            agent,
            to: Position::new(3, 4),
            distance: distance.parse().unwrap(),
        };
        let refused = |action, refusal| Event::Refused { agent, action, refusal };
        for (event, text) in [
            (moved("2"), "#4 moved 3,4 distance 2"),
            (moved("inf"), "#4 moved 3,4 distance inf"),
            (
                Event::Discovered { agent, distances: "- - - 2 1 2 1 0 1".parse().unwrap() },
                "#4 discovered - - - 2 1 2 1 0 1",
            ),
            (Event::PickedUp { agent }, "#4 picked-up"),
            (Event::Put { agent, result: PutResult::OnTaskField }, "#4 put on-task-field"),
            (Event::Put { agent, result: PutResult::OnGoal }, "#4 put on-goal"),
            (Event::Put { agent, result: PutResult::OnNoGoal }, "#4 put on-no-goal"),
            (Event::Put { agent, result: PutResult::WasSham }, "#4 put was-sham"),
            (Event::Checked { agent, sham: true }, "#4 checked sham"),
            (Event::Checked { agent, sham: false }, "#4 checked real"),
            (Event::Destroyed { agent }, "#4 destroyed"),
            (Event::Asked { agent, by: other, must_answer: true }, "#4 asked-by #5 must-answer"),
            (Event::Asked { agent, by: other, must_answer: false }, "#4 asked-by #5 may-answer"),
            (Event::AskedAgain { agent, by: other }, "#4 asked-again-by #5"),
            (
                Event::Answered { agent, by: other, information },
                "#4 answered-by #5 distances=-*3 red=? blue=",
            ),
            (refused(ActionKind::Move, Refusal::Occupied), "#4 refused move occupied"),
            (
                refused(ActionKind::Put, Refusal::TooEarly(SimTime::from_millis(1500))),
                "#4 refused put too-early 1500",
            ),
            (
                refused(ActionKind::Discover, Refusal::LeaderWaits(other)),
                "#4 refused discover leader-waits #5",
            ),
            (Event::Landed { agent }, "#4 landed"),
            (Event::Left { agent }, "#4 left"),
            (Event::Appeared { at: Position::new(3, 4), piece: Piece::from_sham(true) }, "appeared 3,4 sham"),
            (
                over(Ranking::won_by(Team::Red.into(), 2), Termination::Normal, None, &[5, 3]),
                "over red normal 5:3",
            ),
            (
                over(Ranking::tied(2), Termination::AgentLost, Some(other), &[1, 1]),
                "over nobody agent-lost 1:1 by #5",
            ),
        ] {
            assert_eq!(event.to_string(), text);
        }
    }
}
