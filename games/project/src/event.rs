//! All that can happen, refusals included.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use game_env::{Addressed, AgentId, Audience, NotationError, Outcome, Returns, SimTime};

use crate::action::ActionKind;
use crate::geometry::{Distance, Position, Surroundings};
use crate::information::Information;
use crate::piece::Piece;
use crate::team::Team;

/// Something that happened, and who may hear of it.
///
/// Written as one line that begins with whom it happened to: `#0 moved 3,4 distance 2`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// An agent moved.
    Moved {
        /// Who.
        agent: AgentId,
        /// Where it stands now.
        to: Position,
        /// How far the nearest piece is that can be picked up.
        distance: Distance,
    },
    /// An agent learnt the distances around it.
    Discovered {
        /// Who.
        agent: AgentId,
        /// What it learnt.
        distances: Surroundings,
    },
    /// An agent took a piece from its field.
    PickedUp {
        /// Who.
        agent: AgentId,
    },
    /// An agent laid its piece down.
    Put {
        /// Who.
        agent: AgentId,
        /// What it learnt by it.
        result: PutResult,
    },
    /// An agent learnt whether its piece is a sham; if so, it is destroyed.
    Checked {
        /// Who.
        agent: AgentId,
        /// Whether it was a sham.
        sham: bool,
    },
    /// An agent destroyed its piece.
    Destroyed {
        /// Who.
        agent: AgentId,
    },
    /// A question was passed on.
    Asked {
        /// Who is asked.
        agent: AgentId,
        /// Who asks.
        by: AgentId,
        /// Whether the leader of the own team asks, who must be answered.
        must_answer: bool,
    },
    /// An answer was passed on.
    Answered {
        /// Who had asked.
        agent: AgentId,
        /// Who answers.
        by: AgentId,
        /// What it says.
        information: Arc<Information>,
    },
    /// A request was refused.
    Refused {
        /// Whose.
        agent: AgentId,
        /// What it asked for.
        action: ActionKind,
        /// Why.
        refusal: Refusal,
    },
    /// A new piece appeared under an empty-handed agent and is in its hand.
    Landed {
        /// Whose hand.
        agent: AgentId,
    },
    /// A new piece lies on the board. Only the referee knows.
    Appeared {
        /// Where.
        at: Position,
        /// What.
        piece: Piece,
    },
    /// An agent has left the game. Only the referee knows.
    Left {
        /// Who.
        agent: AgentId,
    },
    /// The game is over.
    Over(Outcome),
}

/// What an agent learns by putting a piece down (specification, section 6, message 110).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PutResult {
    /// The piece lies on a task field.
    OnTaskField,
    /// The field was a goal and is covered now: a point.
    OnGoal,
    /// The field is no goal, or no goal any more.
    OnNoGoal,
    /// The piece was a sham; of the field nothing is learnt.
    WasSham,
}

impl PutResult {
    /// All results, in the order of their declaration.
    pub const ALL: [Self; 4] = [Self::OnTaskField, Self::OnGoal, Self::OnNoGoal, Self::WasSham];

    const fn word(self) -> &'static str {
        match self {
            Self::OnTaskField => "on-task-field",
            Self::OnGoal => "on-goal",
            Self::OnNoGoal => "on-no-goal",
            Self::WasSham => "was-sham",
        }
    }
}

/// Why a request was refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// The agent is locked until this moment. Costs nothing.
    TooEarly(SimTime),
    /// The leader's question is to be answered first. Costs nothing.
    LeaderWaits(AgentId),
    /// There is no field in that direction.
    OffBoard,
    /// Somebody stands there.
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
    /// The reason alone, without whom or until when: the first word of its text.
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
            Self::Appeared { .. } | Self::Left { .. } => Audience::Referee,
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

impl FromStr for Refusal {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        const PLAIN: [Refusal; 11] = [
            Refusal::OffBoard,
            Refusal::Occupied,
            Refusal::EnemyGoalArea,
            Refusal::NothingThere,
            Refusal::HandsFull,
            Refusal::InGoalArea,
            Refusal::EmptyHanded,
            Refusal::NoSuchAgent,
            Refusal::AskedItself,
            Refusal::NotAsked,
            Refusal::NotPlaying,
        ];
        let error = || NotationError::new("refusal", text, "e.g. `occupied` or `too-early 1500`");
        match text.split_once(' ') {
            Some(("too-early", until)) => {
                Ok(Self::TooEarly(SimTime::from_millis(until.parse().map_err(|_| error())?)))
            }
            Some(("leader-waits", leader)) => Ok(Self::LeaderWaits(leader.parse()?)),
            _ => PLAIN.into_iter().find(|refusal| refusal.word() == text).ok_or_else(error),
        }
    }
}

impl fmt::Display for PutResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for PutResult {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        Self::ALL.into_iter().find(|result| result.word() == text).ok_or_else(|| {
            NotationError::new(
                "put result",
                text,
                &format!("one of {}", Self::ALL.map(Self::word).join(", ")),
            )
        })
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
            Self::Answered { agent, by, information } => write!(f, "{agent} answered-by {by} {information}"),
            Self::Refused { agent, action, refusal } => write!(f, "{agent} refused {action} {refusal}"),
            Self::Landed { agent } => write!(f, "{agent} landed"),
            Self::Left { agent } => write!(f, "{agent} left"),
            Self::Appeared { at, piece } => {
                write!(f, "appeared {at} {}", if piece.is_sham() { "sham" } else { "real" })
            }
            Self::Over(outcome) => {
                let winner = outcome.winner.and_then(|team| Team::try_from(team).ok());
                let winner = winner.map_or("nobody".to_owned(), |team| team.to_string());
                let points: Vec<String> = outcome.returns.points().iter().map(i32::to_string).collect();
                write!(f, "over {winner} {} {}", outcome.termination, points.join(":"))
            }
        }
    }
}

impl FromStr for Event {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let error = || NotationError::new("event", text, "e.g. `#0 moved 3,4 distance 2`");
        let (first, rest) = text.split_once(' ').ok_or_else(error)?;
        match first {
            "appeared" => {
                let (at, piece) = rest.split_once(' ').ok_or_else(error)?;
                Ok(Self::Appeared { at: at.parse()?, piece: Piece::from_sham(read_sham(piece)?) })
            }
            "over" => read_outcome(rest).map(Self::Over).ok_or_else(error),
            agent => read_agent_event(agent.parse()?, rest).unwrap_or_else(|| Err(error())),
        }
    }
}

/// What stands behind the agent; none if it is none of the events that happen to agents.
fn read_agent_event(agent: AgentId, text: &str) -> Option<Result<Event, NotationError>> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(match (word, rest) {
        ("picked-up", "") => Ok(Event::PickedUp { agent }),
        ("destroyed", "") => Ok(Event::Destroyed { agent }),
        ("landed", "") => Ok(Event::Landed { agent }),
        ("left", "") => Ok(Event::Left { agent }),
        ("put", result) => result.parse().map(|result| Event::Put { agent, result }),
        ("checked", word) => read_sham(word).map(|sham| Event::Checked { agent, sham }),
        ("discovered", distances) => {
            distances.parse().map(|distances| Event::Discovered { agent, distances })
        }
        ("moved", rest) => {
            let (to, distance) = rest.split_once(" distance ")?;
            both(to, distance).map(|(to, distance)| Event::Moved { agent, to, distance })
        }
        ("asked-by", rest) => {
            let (by, word) = rest.split_once(' ')?;
            let must_answer = match word {
                "must-answer" => true,
                "may-answer" => false,
                _ => return None,
            };
            by.parse().map(|by| Event::Asked { agent, by, must_answer })
        }
        ("answered-by", rest) => {
            let (by, information) = rest.split_once(' ')?;
            both(by, information).map(|(by, information)| Event::Answered {
                agent,
                by,
                information: Arc::new(information),
            })
        }
        ("refused", rest) => {
            let (action, refusal) = rest.split_once(' ')?;
            both(action, refusal).map(|(action, refusal)| Event::Refused { agent, action, refusal })
        }
        _ => return None,
    })
}

fn both<A, B>(a: &str, b: &str) -> Result<(A, B), NotationError>
where
    A: FromStr<Err = NotationError>,
    B: FromStr<Err = NotationError>,
{
    Ok((a.parse()?, b.parse()?))
}

fn read_sham(word: &str) -> Result<bool, NotationError> {
    match word {
        "sham" => Ok(true),
        "real" => Ok(false),
        _ => Err(NotationError::new("piece", word, "`real` or `sham`")),
    }
}

fn read_outcome(text: &str) -> Option<Outcome> {
    let [winner, termination, points] = text.split(' ').collect::<Vec<_>>()[..] else { return None };
    let points: Vec<i32> = points.split(':').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let winner = match winner {
        "nobody" => None,
        team => Some(team.parse::<Team>().ok()?.into()),
    };
    (points.len() == Team::ALL.len()).then_some(())?;
    Some(Outcome { winner, termination: termination.parse().ok()?, returns: Returns::new(&points) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_as_it_is_written() {
        for text in [
            "#0 moved 3,4 distance 2",
            "#0 moved 3,4 distance inf",
            "#1 discovered - - - 2 1 2 1 0 1",
            "#1 picked-up",
            "#2 put on-task-field",
            "#2 put on-goal",
            "#2 put on-no-goal",
            "#2 put was-sham",
            "#3 checked sham",
            "#3 checked real",
            "#3 destroyed",
            "#4 asked-by #5 must-answer",
            "#4 asked-by #5 may-answer",
            "#5 answered-by #4 distances=-*3 red=? blue=",
            "#0 refused move occupied",
            "#0 refused put too-early 1500",
            "#0 refused discover leader-waits #3",
            "#0 landed",
            "#0 left",
            "appeared 3,4 sham",
            "over red normal 5:3",
            "over nobody agent-lost 1:1",
        ] {
            assert_eq!(text.parse::<Event>().map(|event| event.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "#0",
            "#0 flew",
            "#0 landed hard",
            "#0 moved 3,4",
            "#0 asked-by #1 perhaps",
            "over red normal 5",
            "appeared 3,4",
        ] {
            assert!(text.parse::<Event>().is_err(), "{text}");
        }
    }
}
