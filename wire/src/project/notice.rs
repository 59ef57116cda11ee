//! The messages of the game master to an agent.

use std::borrow::Cow;
use std::sync::Arc;

use game_env::Millis;
use game_project::{Distance, Geometry, Information, Penalties, Position, PutResult, Surroundings, Team};
use jiff::Timestamp;

use super::AgentNumber;

/// A message of the game master to an agent.
#[derive(Clone, PartialEq, Debug)]
pub enum Notice {
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
        /// Who won.
        winner: Team,
    },
    /// 105: the game begins.
    GameStart(Box<GameStart>),
    /// 106: another agent asks.
    Asked {
        /// Who.
        by: AgentNumber,
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
        agent: Option<AgentNumber>,
        /// Why it may not, for people; none if the message gives no reason. Communication servers give it, game masters do not.
        reason: Option<Cow<'static, str>>,
    },
    /// 108: a move succeeded.
    Moved {
        /// Where the agent is now.
        to: Position,
        /// The distance of the nearest piece; none if the game master does not say.
        distance: Option<Distance>,
    },
    /// 109: a piece is in the agent's hand, asked for or not.
    PickedUp,
    /// 110: a piece was put.
    Put {
        /// What came of it; none if the game master does not say, as the source's schema has it.
        result: Option<PutResult>,
    },
    /// 111: another agent answered.
    Answered {
        /// Who; none if the game master does not say.
        by: Option<AgentNumber>,
        /// What it says.
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
        /// Where the agent is; none if the game master does not say.
        position: Option<Position>,
        /// Why, for people; none if the game master does not say. The union dialect never says it.
        reason: Option<Cow<'static, str>>,
    },
    /// 902: nothing was picked up.
    PickUpRefused {
        /// Why.
        reason: PickUpFailure,
    },
    /// 903: nothing was put.
    PutRefused {
        /// Why.
        reason: PutFailure,
    },
    /// 904: the agent is locked.
    TooEarly {
        /// Until when, by the game master's clock.
        wait_until: Option<Timestamp>,
        /// For how long from when this was written.
        wait_for: Option<Millis>,
    },
    /// 905: something else went wrong.
    Refused {
        /// Where the agent is, where known.
        position: Option<Position>,
        /// Whether it has a piece, where known.
        holding: Option<bool>,
        /// Why, for people; none if the game master does not say. The union dialect never says it.
        reason: Option<Cow<'static, str>>,
    },
}

/// What an agent is told when the game begins (message 105).
#[derive(Clone, PartialEq, Debug)]
pub struct GameStart {
    /// The agent itself.
    pub agent: AgentNumber,
    /// The other agents of its team.
    pub allies: Vec<AgentNumber>,
    /// Who leads its team.
    pub leader: AgentNumber,
    /// The other team.
    pub enemies: Vec<AgentNumber>,
    /// Its team.
    pub team: Team,
    /// The shape of the board.
    pub geometry: Geometry,
    /// How many agents there are.
    pub players: Players,
    /// The pieces in play at any moment.
    pub pieces: u32,
    /// The goals of each team.
    pub goals: u32,
    /// How long each action locks.
    pub penalties: Penalties,
    /// How long a request during the lock prolongs it; 0 where the game master does not say.
    pub premature: Millis,
    /// The probability that a piece is a sham.
    pub sham_probability: f64,
    /// Where the agent starts.
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

/// Why nothing was picked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PickUpFailure {
    /// No piece lies there.
    NothingThere,
    /// Anything else.
    Other,
}

/// Why nothing was put.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PutFailure {
    /// The agent has no piece.
    AgentNotHolding,
    /// A piece cannot be put there.
    CannotPutThere,
    /// Anything else.
    Other,
}

impl Notice {
    /// The same message as an agent on this board is to take it (specification, section 6, "Reading"): a
    /// distance longer than the board allows means that there is no piece, and in information that nothing
    /// is known; beliefs about the whole board are those about the goal areas in it.
    pub fn on_board(mut self, geometry: Geometry) -> Self {
        let longest = geometry.columns() + geometry.rows();
        let is_real = |distance: &Distance| distance.moves().is_none_or(|moves| moves < longest);
        let bounded = |distance: Distance| if is_real(&distance) { distance } else { Distance::INFINITE };
        match &mut self {
            Self::Moved { distance, .. } => *distance = distance.map(bounded),
            Self::Discovered { distances } => {
                distances.0 = distances.0.map(|distance| distance.map(bounded));
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
        self
    }

    /// Its `messageID`.
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
