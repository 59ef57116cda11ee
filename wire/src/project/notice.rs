//! The messages of the game master to an agent.
//!
//! A [`Notice`] is a message to an agent, on the network and in process. On the network agents have numbers; in a game
//! they have ids. [`notice`](super::convert::notice) makes one of an event.

use std::borrow::Cow;
use std::sync::Arc;

use game_env::Millis;
use game_env::text::escape_hidden;
use game_project::{
    ActionKind, Distance, Geometry, Information, Penalties, Position, PutResult, Surroundings, Team,
};
use jiff::Timestamp;

use super::AgentNumber;

/// A move to a field off the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a move to {0}, which is off the board")]
pub struct OffBoard(pub Position);

/// A message of the game master to an agent.
#[derive(Clone, PartialEq, Debug)]
pub enum Notice<Id = AgentNumber> {
    /// 101: whether the piece is a sham.
    Checked {
        /// If so it is destroyed.
        sham: bool,
    },
    /// 102: the piece is destroyed.
    Destroyed,
    /// 103: the distances around.
    Discovered {
        /// None off the board, or where the game master does not say.
        distances: Surroundings,
    },
    /// 104: the game is over.
    GameOver {
        /// The team that won.
        winner: Team,
    },
    /// 105: the game begins.
    GameStart(Box<GameStart<Id>>),
    /// 106: another agent asks.
    Asked {
        /// The agent that asks.
        by: Id,
        /// Whether it is a leader.
        leader: bool,
        /// Its team.
        team: Team,
    },
    /// 107: whether the agent may play.
    Joined {
        /// Whether it may.
        accepted: bool,
        /// The agent's own number, if the game master says it.
        agent: Option<Id>,
        /// The reason why it may not, for people; none if the message gives no reason. Communication servers give
        /// it, game masters do not.
        reason: Option<Cow<'static, str>>,
    },
    /// 108: a move succeeded.
    Moved {
        /// The present position of the agent.
        to: Position,
        /// The distance of the nearest piece; none if the game master does not say.
        distance: Option<Distance>,
    },
    /// 109: a piece is in the agent's hand, asked for or not.
    PickedUp,
    /// 110: a piece was put.
    Put {
        /// The result; none if the game master does not say, as the source's schema has it.
        result: Option<PutResult>,
    },
    /// 111: another agent answered.
    Answered {
        /// The agent that answered; none if the game master does not say.
        by: Option<Id>,
        /// The content of the answer.
        information: Arc<Information>,
    },
    /// 112: whether an answer was passed on.
    AnswerPassedOn {
        /// Whether it was.
        succeeded: bool,
    },
    /// 113: whether a question was passed on.
    QuestionPassedOn {
        /// Whether it was.
        succeeded: bool,
    },
    /// 901: a move was refused.
    MoveRefused {
        /// The position of the agent; none if the game master does not say.
        position: Option<Position>,
        /// The reason, for people; none if the game master does not say. The union dialect never says it.
        reason: Option<Cow<'static, str>>,
    },
    /// 902: nothing was picked up.
    PickUpRefused {
        /// The reason.
        reason: PickUpFailure,
    },
    /// 903: nothing was put.
    PutRefused {
        /// The reason.
        reason: PutFailure,
    },
    /// 904: the agent is locked.
    TooEarly {
        /// The end of the lock, by the game master's clock.
        wait_until: Option<Timestamp>,
        /// The rest of the lock, from the moment at which this was written.
        wait_for: Option<Millis>,
    },
    /// 905: something else went wrong.
    Refused {
        /// The position of the agent, where known.
        position: Option<Position>,
        /// Whether it has a piece, where known.
        holding: Option<bool>,
        /// The reason, for people; none if the game master does not say. The union dialect never says it.
        reason: Option<Cow<'static, str>>,
    },
}

/// Content of the message to an agent when the game begins (message 105).
#[derive(Clone, PartialEq, Debug)]
pub struct GameStart<Id = AgentNumber> {
    /// The agent itself.
    pub agent: Id,
    /// The other agents of its team.
    pub allies: Vec<Id>,
    /// The leader of its team.
    pub leader: Id,
    /// The other team.
    pub enemies: Vec<Id>,
    /// Its team.
    pub team: Team,
    /// The shape of the board.
    pub geometry: Geometry,
    /// The number of agents of each team.
    pub players: Players,
    /// The pieces in play at any moment.
    pub pieces: u32,
    /// The goals of each team.
    pub goals: u32,
    /// The duration of the lock after each action.
    pub penalties: Penalties,
    /// The time by which a request during the lock prolongs it; 0 where the game master does not say.
    pub premature: Millis,
    /// The probability that a piece is a sham.
    pub sham_probability: f64,
    /// The position at which the agent starts.
    pub position: Position,
}

/// The sizes of both teams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Players {
    /// The own team, the agent itself included.
    pub allies: u32,
    /// The other team.
    pub enemies: u32,
}

/// Reason why nothing was picked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PickUpFailure {
    /// No piece lies there.
    NothingThere,
    /// Anything else.
    Other,
}

/// Reason why nothing was put.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PutFailure {
    /// The agent has no piece.
    AgentNotHolding,
    /// A piece cannot be put there.
    CannotPutThere,
    /// Anything else.
    Other,
}

impl<Id> Notice<Id> {
    /// Returns whether it refuses a request for another reason than that it came too early.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::MoveRefused { .. }
                | Self::PickUpRefused { .. }
                | Self::PutRefused { .. }
                | Self::Refused { .. }
                | Self::AnswerPassedOn { succeeded: false }
                | Self::QuestionPassedOn { succeeded: false }
        )
    }

    /// Returns the same message, with other ids for agents.
    ///
    /// # Errors
    ///
    /// The first that `id` returns.
    pub fn try_map<Other, E>(self, mut id: impl FnMut(Id) -> Result<Other, E>) -> Result<Notice<Other>, E> {
        Ok(match self {
            Self::Checked { sham } => Notice::Checked { sham },
            Self::Destroyed => Notice::Destroyed,
            Self::Discovered { distances } => Notice::Discovered { distances },
            Self::GameOver { winner } => Notice::GameOver { winner },
            Self::GameStart(start) => Notice::GameStart(Box::new(start.try_map(id)?)),
            Self::Asked { by, leader, team } => Notice::Asked { by: id(by)?, leader, team },
            Self::Joined { accepted, agent, reason } => {
                Notice::Joined { accepted, agent: agent.map(id).transpose()?, reason }
            }
            Self::Moved { to, distance } => Notice::Moved { to, distance },
            Self::PickedUp => Notice::PickedUp,
            Self::Put { result } => Notice::Put { result },
            Self::Answered { by, information } => {
                Notice::Answered { by: by.map(id).transpose()?, information }
            }
            Self::AnswerPassedOn { succeeded } => Notice::AnswerPassedOn { succeeded },
            Self::QuestionPassedOn { succeeded } => Notice::QuestionPassedOn { succeeded },
            Self::MoveRefused { position, reason } => Notice::MoveRefused { position, reason },
            Self::PickUpRefused { reason } => Notice::PickUpRefused { reason },
            Self::PutRefused { reason } => Notice::PutRefused { reason },
            Self::TooEarly { wait_until, wait_for } => Notice::TooEarly { wait_until, wait_for },
            Self::Refused { position, holding, reason } => Notice::Refused { position, holding, reason },
        })
    }

    /// Returns whether this may be the answer to a request of this kind.
    pub fn may_answer(&self, kind: ActionKind) -> bool {
        match self {
            Self::Moved { .. } | Self::MoveRefused { .. } => kind == ActionKind::Move,
            Self::Discovered { .. } => kind == ActionKind::Discover,
            Self::PickedUp | Self::PickUpRefused { .. } => kind == ActionKind::PickUp,
            Self::Put { .. } | Self::PutRefused { .. } => kind == ActionKind::Put,
            Self::Checked { .. } => kind == ActionKind::Check,
            Self::Destroyed => kind == ActionKind::Destroy,
            Self::AnswerPassedOn { .. } | Self::QuestionPassedOn { .. } => {
                matches!(kind, ActionKind::Ask | ActionKind::Answer)
            }
            Self::TooEarly { .. } | Self::Refused { .. } => true,
            Self::Asked { .. } | Self::Answered { .. } => false,
            Self::GameOver { .. } | Self::GameStart(_) | Self::Joined { .. } => false,
        }
    }

    /// Returns the same message as an agent on this board is to take it (specification, section 6, "Reading"): a
    /// distance longer than the board allows means that there is no piece, and in information that nothing is known;
    /// beliefs about the whole board are those about the goal areas in it. A refusal from a place off the board does
    /// not say where the agent is.
    ///
    /// # Errors
    ///
    /// If it moves the agent off the board.
    pub fn on_board(mut self, geometry: Geometry) -> Result<Self, OffBoard> {
        let longest = geometry.columns() + geometry.rows() - 2;
        let is_real = |distance: &Distance| distance.moves().is_none_or(|moves| moves <= longest);
        let bounded = |distance: Distance| if is_real(&distance) { distance } else { Distance::INFINITE };
        match &mut self {
            Self::Moved { to, .. } if !geometry.contains(*to) => return Err(OffBoard(*to)),
            Self::Moved { distance, .. } => *distance = distance.map(bounded),
            Self::Discovered { distances } => {
                distances.0 = distances.0.map(|distance| distance.map(bounded));
            }
            Self::MoveRefused { position, .. } | Self::Refused { position, .. } => {
                *position = position.filter(|at| geometry.contains(*at));
            }
            Self::Answered { information, .. } => {
                let information = Arc::make_mut(information);
                for distance in &mut information.distances {
                    *distance = distance.filter(is_real);
                }
                for team in Team::ALL {
                    let beliefs = &mut information.goals[team];
                    if beliefs.len() == geometry.fields() as usize {
                        let start = geometry.index(Position::new(0, geometry.goal_area_start(team)));
                        *beliefs = beliefs[start..][..geometry.goal_fields() as usize].to_vec();
                    }
                }
            }
            _ => {}
        }
        Ok(self)
    }

    /// Returns its `messageID`.
    pub const fn id(&self) -> i64 {
        match self {
            Self::Checked { .. } => 101,
            Self::Destroyed => 102,
            Self::Discovered { .. } => 103,
            Self::GameOver { .. } => 104,
            Self::GameStart(_) => 105,
            Self::Asked { .. } => 106,
            Self::Joined { .. } => 107,
            Self::Moved { .. } => 108,
            Self::PickedUp => 109,
            Self::Put { .. } => 110,
            Self::Answered { .. } => 111,
            Self::AnswerPassedOn { .. } => 112,
            Self::QuestionPassedOn { .. } => 113,
            Self::MoveRefused { .. } => 901,
            Self::PickUpRefused { .. } => 902,
            Self::PutRefused { .. } => 903,
            Self::TooEarly { .. } => 904,
            Self::Refused { .. } => 905,
        }
    }
}

impl<Id> GameStart<Id> {
    /// Returns the same message, with other ids for agents.
    fn try_map<Other, E>(self, mut id: impl FnMut(Id) -> Result<Other, E>) -> Result<GameStart<Other>, E> {
        Ok(GameStart {
            agent: id(self.agent)?,
            allies: self.allies.into_iter().map(&mut id).collect::<Result<_, E>>()?,
            leader: id(self.leader)?,
            enemies: self.enemies.into_iter().map(&mut id).collect::<Result<_, E>>()?,
            team: self.team,
            geometry: self.geometry,
            players: self.players,
            pieces: self.pieces,
            goals: self.goals,
            penalties: self.penalties,
            premature: self.premature,
            sham_probability: self.sham_probability,
            position: self.position,
        })
    }
}

/// The longest reason of a refusal that is shown, in characters.
const LONGEST_REASON: usize = 300;

/// Returns the reason of a refusal for people: at most 300 characters of it, without control characters. `None` if it
/// is empty.
pub fn shown_reason(reason: &str) -> Option<String> {
    let shown = escape_hidden(&reason.trim().chars().take(LONGEST_REASON).collect::<String>());
    (!shown.is_empty()).then_some(shown)
}
