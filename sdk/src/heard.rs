//! What an agent is told, whichever way it plays.
//!
//! On the network a [`Notice`](wire::project::Notice) becomes one of these, in a rollout an
//! [`Event`] does. The rules know more than the protocol says (whether a wall or another agent was in the
//! way, say); what a strategy learns is what the protocol says, so that it plays the same game either way.

use std::sync::Arc;

use game_env::{AgentId, Millis, SimTime};
use game_project::{
    ActionKind, Distance, Event, Information, Position, PutResult, Question, Refusal, Surroundings, Team,
};

/// Something an agent is told.
///
/// ```
/// use sdk::prelude::*;
///
/// /// Counts what became of its pieces.
/// #[derive(Default)]
/// struct Counter {
///     goals: u32,
///     shams: u32,
/// }
///
/// impl Strategy for Counter {
///     fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
///         Action::Discover.into()
///     }
///
///     fn hear(&mut self, _: &mut View<'_>, heard: &Heard) {
///         match heard {
///             Heard::Put { result: Some(PutResult::OnGoal) } => self.goals += 1,
///             Heard::Put { result: Some(PutResult::WasSham) } | Heard::Checked { sham: true } => self.shams += 1,
///             _ => {}
///         }
///     }
/// }
/// # let mut counter = Counter::default();
/// # sdk::testing::Situation::new(".  gR0+p .\n. . p\n. B1 .\n. g .").after(&["put"]).choose(&mut counter);
/// # assert_eq!((counter.goals, counter.shams), (1, 0));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Heard {
    /// A move succeeded.
    Moved {
        /// Where the agent is now.
        to: Position,
        /// The distance of the nearest piece, if it was told.
        distance: Option<Distance>,
    },
    /// A move was refused: the board ends there, somebody stands there, or the field is in the other team's
    /// goal area.
    MoveRefused {
        /// Where the agent is, if it was told.
        position: Option<Position>,
    },
    /// The distances around.
    Discovered {
        /// None off the board.
        distances: Surroundings,
    },
    /// A piece is in the agent's hand, asked for or not.
    PickedUp,
    /// Nothing was picked up.
    PickUpRefused {
        /// Whether it was said that nothing lies there.
        nothing_there: bool,
    },
    /// The piece was put down.
    Put {
        /// What came of it; none where the game master does not say.
        result: Option<PutResult>,
    },
    /// Nothing was put.
    PutRefused {
        /// Whether it was said that the agent has no piece.
        empty_handed: bool,
    },
    /// Whether the piece is a sham; if so, it is gone.
    Checked {
        /// Whether it is.
        sham: bool,
    },
    /// The piece is destroyed.
    Destroyed,
    /// Somebody asks.
    Asked(Question),
    /// Somebody answered.
    Answered {
        /// Who; none where the game master does not say, and not exactly one agent owes an answer.
        by: Option<AgentId>,
        /// What it says.
        information: Arc<Information>,
    },
    /// A question or an answer was passed on, or could not be. Few game masters say so.
    PassedOn {
        /// Whether it was.
        succeeded: bool,
    },
    /// The request came during the lock, which goes on for so long.
    TooEarly {
        /// How long, if it was told.
        wait: Option<Millis>,
    },
    /// Something else was refused.
    Refused {
        /// Where the agent is, if it was told.
        position: Option<Position>,
        /// Whether it has a piece, if it was told.
        holding: Option<bool>,
    },
    /// The game is over.
    Over {
        /// Who won, if anybody did.
        winner: Option<Team>,
    },
}

impl Heard {
    /// What this event says to the agent that it is addressed to; none for what nobody is told.
    ///
    /// `position` and `holding` are what the agent knows of itself, which refusals repeat.
    pub fn event(now: SimTime, event: &Event, position: Position, holding: bool) -> Option<Self> {
        Some(match event {
            Event::Moved { to, distance, .. } => Self::Moved { to: *to, distance: Some(*distance) },
            Event::Discovered { distances, .. } => Self::Discovered { distances: *distances },
            Event::PickedUp { .. } | Event::Landed { .. } => Self::PickedUp,
            Event::Put { result, .. } => Self::Put { result: Some(*result) },
            Event::Checked { sham, .. } => Self::Checked { sham: *sham },
            Event::Destroyed { .. } => Self::Destroyed,
            Event::Asked { by, must_answer, .. } => {
                Self::Asked(Question { by: *by, must_answer: *must_answer })
            }
            Event::Answered { by, information, .. } => {
                Self::Answered { by: Some(*by), information: information.clone() }
            }
            Event::Refused { action, refusal, .. } => match (refusal, action) {
                (Refusal::TooEarly(until), _) => Self::TooEarly { wait: Some(*until - now) },
                (Refusal::OffBoard | Refusal::Occupied | Refusal::EnemyGoalArea, _) => {
                    Self::MoveRefused { position: Some(position) }
                }
                (Refusal::NothingThere, _) => Self::PickUpRefused { nothing_there: true },
                (Refusal::HandsFull | Refusal::InGoalArea, _) => Self::PickUpRefused { nothing_there: false },
                (Refusal::EmptyHanded, ActionKind::Put) => Self::PutRefused { empty_handed: true },
                _ => Self::Refused { position: Some(position), holding: Some(holding) },
            },
            Event::Over(outcome) => {
                Self::Over { winner: outcome.winner().and_then(|winner| Team::try_from(winner).ok()) }
            }
            Event::AskedAgain { .. } | Event::Appeared { .. } | Event::Left { .. } => return None,
        })
    }

    /// Whether this may be the answer to a request of this kind.
    pub fn may_answer(&self, kind: ActionKind) -> bool {
        match self {
            Self::Moved { .. } | Self::MoveRefused { .. } => kind == ActionKind::Move,
            Self::Discovered { .. } => kind == ActionKind::Discover,
            Self::PickedUp | Self::PickUpRefused { .. } => kind == ActionKind::PickUp,
            Self::Put { .. } | Self::PutRefused { .. } => kind == ActionKind::Put,
            Self::Checked { .. } => kind == ActionKind::Check,
            Self::Destroyed => kind == ActionKind::Destroy,
            Self::PassedOn { .. } => matches!(kind, ActionKind::Ask | ActionKind::Answer),
            Self::TooEarly { .. } | Self::Refused { .. } => true,
            Self::Asked(_) | Self::Answered { .. } | Self::Over { .. } => false,
        }
    }
}
