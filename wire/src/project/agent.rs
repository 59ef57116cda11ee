//! The Project Game in the agent protocol: the beginning, the observation and the events.
//!
//! The observation is what the SDK shows an author in Rust: the agent itself and its knowledge of the board. Events are
//! the [`Notice`]s of the game master, so a program hears what an agent on the network hears, and no more.
//!
//! ```text
//! {"type":"decide","id":2,"now":100,
//!  "observation":{"at":[4,5],"hand":"empty","distance":1,"piece":[5,5],"points":0,"questions":[],"asked":[],
//!                 "silent":[],"seen":[],"board":["????????",…]},
//!  "events":[{"t":100,"type":"moved","to":[4,5],"distance":1}],
//!  "options":["move N","move E","move S","move W","discover","pick-up","ask #1"]}
//! ```

use std::sync::Arc;

use game_env::{AgentId, ByTeam, Millis, SimTime};
use game_project::{Distance, GoalBelief, Position, PutResult, State, Surroundings, Team};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::notice::{Notice, PickUpFailure, PutFailure};
use crate::agent::Described;
use crate::agent::message::{Information, Message};

/// The largest board that observations show whole, in fields. Of larger ones they show a window.
pub const LARGEST_WHOLE_BOARD: u32 = 4_096;

/// The most columns and rows on each side of the agent in a window.
pub const WINDOW: u16 = 31;

/// The Project Game as a part of the agent protocol.
#[derive(Clone, Copy, Debug)]
pub struct ProjectAgent;

impl Described for ProjectAgent {
    type Game = State;
    type Begin = Begin;
    type Observation = Observation;
    type Event = Event;
}

/// A message to a program that plays The Project Game.
pub type ProjectMessage = Message<Begin, Observation, Event>;

/// The game's part of the beginning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Begin {
    /// The id of the leader of the agent's team; `null` if it has none.
    pub leader: Option<u16>,
    /// The field on which the agent starts.
    pub start: [u16; 2],
}

/// The view of the agent. A field of the board is `[x, y]`; `[0, 0]` is in the south-west. Red's goal area is in the
/// north.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The field on which the agent stands.
    pub at: [u16; 2],
    /// The content of its hand.
    pub hand: Hand,
    /// The distance from the agent's field to the nearest piece in moves, as it read it there itself; -1 if there is no
    /// piece, `null` if it is not known.
    pub distance: Option<i32>,
    /// The field on which the nearest piece probably lies; `null` if nothing is known.
    pub piece: Option<[u16; 2]>,
    /// The goals that the agent's team has covered, as far as the agent knows.
    pub points: u32,
    /// The questions that the agent has not answered, the oldest first: the ids of the agents that asked.
    pub questions: Vec<u16>,
    /// The agents that it has asked and that have not answered yet.
    pub asked: Vec<u16>,
    /// The agents that it should not ask again: they have not answered, or are gone.
    pub silent: Vec<u16>,
    /// The fields on which other agents were seen a short time ago.
    pub seen: Vec<[u16; 2]>,
    /// The knowledge of the board: a text for each row from the south to the north, a character for each field from the
    /// west to the east. In the goal areas: `?` nothing known, `-` no goal, `G` a goal that is not covered yet, as far
    /// as the agent knows, `*` a goal that is covered. In the task area: `?` nothing known, `0` to `9` and `a` to `z`
    /// the distance to the nearest piece in moves (`z` for 35 or more), `!` no piece on the board. Left out if the
    /// program does not want it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub board: Vec<String>,
    /// The field of the first character of the first row. Left out if it is `[0, 0]`: boards of more than 4,096 fields
    /// are shown as a window around the agent.
    #[serde(default, skip_serializing_if = "is_origin")]
    pub window: [u16; 2],
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_origin(window: &[u16; 2]) -> bool {
    *window == [0, 0]
}

/// The content of the agent's hand, as far as the agent knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Hand {
    /// Nothing.
    Empty,
    /// A piece that can be a sham.
    Unchecked,
    /// A real piece.
    Real,
}

/// A message of the game master to the agent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The game time at which the agent heard it, in milliseconds.
    pub t: u64,
    /// The message.
    #[serde(flatten)]
    pub what: What,
}

/// The content of a message of the game master.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum What {
    /// A move succeeded.
    Moved {
        /// The field on which the agent stands now.
        to: [u16; 2],
        /// The distance to the nearest piece in moves; -1 if there is none, `null` if the game master does not say.
        distance: Option<i32>,
    },
    /// The distances from the agent's field and the eight around it to the nearest piece.
    Discovered {
        /// Row by row from the south-west to the north-east, the agent's field in the middle; -1 if there is no piece,
        /// `null` off the board.
        distances: [Option<i32>; 9],
    },
    /// A piece is in the agent's hand.
    PickedUp,
    /// A piece was put.
    Put {
        /// The result; `null` if the game master does not say.
        result: Option<Put>,
    },
    /// The piece was checked. A sham is destroyed.
    Checked {
        /// Whether it was a sham.
        sham: bool,
    },
    /// The piece was destroyed.
    Destroyed,
    /// Another agent has asked.
    Asked {
        /// Its id.
        by: u16,
        /// Whether it is the leader of its team.
        leader: bool,
    },
    /// Another agent has answered. The information may be false.
    Answered {
        /// Its id; `null` if the game master does not say.
        by: Option<u16>,
        /// Its information.
        information: Information,
    },
    /// The agent's answer was passed on, or not.
    AnswerPassedOn {
        /// Whether it was.
        succeeded: bool,
    },
    /// The agent's question was passed on, or not.
    QuestionPassedOn {
        /// Whether it was.
        succeeded: bool,
    },
    /// A move was refused.
    MoveRefused {
        /// The field on which the agent stands; `null` if the game master does not say.
        at: Option<[u16; 2]>,
        /// The reason in a word, for people.
        reason: Option<String>,
    },
    /// Nothing was picked up.
    PickUpRefused {
        /// Whether there is no piece on the field. Otherwise the hand is full, or the field is in a goal area.
        nothing_there: bool,
    },
    /// Nothing was put.
    PutRefused {
        /// Whether the agent has no piece; `null` for another reason than a missing piece or a field that takes none.
        empty_handed: Option<bool>,
    },
    /// The request came while the agent was locked.
    TooEarly {
        /// The rest of the lock in milliseconds, if the game master says it.
        wait: Option<u32>,
    },
    /// Another request was refused.
    Refused {
        /// The field on which the agent stands; `null` if the game master does not say.
        at: Option<[u16; 2]>,
        /// Whether the agent has a piece; `null` if the game master does not say.
        holding: Option<bool>,
        /// The reason in a word, for people.
        reason: Option<String>,
    },
}

/// The result of putting a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Put {
    /// The piece lies in the task area.
    OnTaskField,
    /// The piece is real and covers a goal.
    OnGoal,
    /// The piece is real, and there is no goal.
    OnNoGoal,
    /// The piece was a sham: it says nothing about the field.
    WasSham,
}

const NO_PIECE: i32 = -1;

/// Returns a distance in messages: moves, or -1 if there is no piece.
pub fn from_distance(distance: Distance) -> i32 {
    distance.moves().map_or(NO_PIECE, i32::from)
}

fn to_distance(moves: i32) -> Distance {
    u16::try_from(moves).map_or(Distance::INFINITE, Distance::new)
}

/// Returns a field in messages.
pub fn from_position(at: Position) -> [u16; 2] {
    [at.x, at.y]
}

fn to_position([x, y]: [u16; 2]) -> Position {
    Position::new(x, y)
}

/// Returns the id of an agent in messages.
pub fn from_agent(agent: AgentId) -> u16 {
    u16::try_from(agent.index()).expect("ids of agents have 16 bits")
}

impl Event {
    /// Returns the event of a message at this moment; none for messages about the beginning and the end of a game,
    /// which have lines of their own.
    pub fn of(at: SimTime, notice: &Notice<AgentId>) -> Option<Self> {
        let what = match notice {
            Notice::Moved { to, distance } => {
                What::Moved { to: from_position(*to), distance: distance.map(from_distance) }
            }
            Notice::Discovered { distances } => {
                What::Discovered { distances: distances.0.map(|distance| distance.map(from_distance)) }
            }
            Notice::PickedUp => What::PickedUp,
            Notice::Put { result } => What::Put { result: result.map(Put::from) },
            Notice::Checked { sham } => What::Checked { sham: *sham },
            Notice::Destroyed => What::Destroyed,
            Notice::Asked { by, leader, team: _ } => What::Asked { by: from_agent(*by), leader: *leader },
            Notice::Answered { by, information } => {
                What::Answered { by: by.map(from_agent), information: Information::from(&**information) }
            }
            Notice::AnswerPassedOn { succeeded } => What::AnswerPassedOn { succeeded: *succeeded },
            Notice::QuestionPassedOn { succeeded } => What::QuestionPassedOn { succeeded: *succeeded },
            Notice::MoveRefused { position, reason } => What::MoveRefused {
                at: position.map(from_position),
                reason: reason.as_deref().map(str::to_owned),
            },
            Notice::PickUpRefused { reason } => {
                What::PickUpRefused { nothing_there: *reason == PickUpFailure::NothingThere }
            }
            Notice::PutRefused { reason } => What::PutRefused {
                empty_handed: match reason {
                    PutFailure::AgentNotHolding => Some(true),
                    PutFailure::CannotPutThere => Some(false),
                    PutFailure::Other => None,
                },
            },
            Notice::TooEarly { wait_for, wait_until: _ } => {
                What::TooEarly { wait: wait_for.map(Millis::as_millis) }
            }
            Notice::Refused { position, holding, reason } => What::Refused {
                at: position.map(from_position),
                holding: *holding,
                reason: reason.as_deref().map(str::to_owned),
            },
            Notice::GameOver { .. } | Notice::GameStart(_) | Notice::Joined { .. } => return None,
        };
        Some(Self { t: at.as_millis(), what })
    }

    /// Returns the event as a JSON object, as lines of the protocol have it.
    ///
    /// ```
    /// use game_env::SimTime;
    /// use wire::project::Notice;
    /// use wire::project::agent::Event;
    ///
    /// let event = Event::of(SimTime::from_millis(700), &Notice::PickedUp).unwrap();
    /// assert_eq!(event.to_json(), r#"{"t":700,"type":"picked-up"}"#);
    /// ```
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts, numbers and lists are JSON")
    }

    /// Returns the message of an event, for programs in Rust. `team` returns the team of an agent.
    ///
    /// # Errors
    ///
    /// If a text is no notation of goal areas.
    pub fn notice(self, team: impl Fn(AgentId) -> Team) -> Result<Notice<AgentId>, game_env::NotationError> {
        Ok(match self.what {
            What::Moved { to, distance } => {
                Notice::Moved { to: to_position(to), distance: distance.map(to_distance) }
            }
            What::Discovered { distances } => Notice::Discovered {
                distances: Surroundings(distances.map(|distance| distance.map(to_distance))),
            },
            What::PickedUp => Notice::PickedUp,
            What::Put { result } => Notice::Put { result: result.map(PutResult::from) },
            What::Checked { sham } => Notice::Checked { sham },
            What::Destroyed => Notice::Destroyed,
            What::Asked { by, leader } => {
                let by = AgentId::new(by);
                Notice::Asked { by, leader, team: team(by) }
            }
            What::Answered { by, information } => {
                Notice::Answered { by: by.map(AgentId::new), information: Arc::new(information.try_into()?) }
            }
            What::AnswerPassedOn { succeeded } => Notice::AnswerPassedOn { succeeded },
            What::QuestionPassedOn { succeeded } => Notice::QuestionPassedOn { succeeded },
            What::MoveRefused { at, reason } => {
                Notice::MoveRefused { position: at.map(to_position), reason: reason.map(Into::into) }
            }
            What::PickUpRefused { nothing_there } => Notice::PickUpRefused {
                reason: if nothing_there { PickUpFailure::NothingThere } else { PickUpFailure::Other },
            },
            What::PutRefused { empty_handed } => Notice::PutRefused {
                reason: match empty_handed {
                    Some(true) => PutFailure::AgentNotHolding,
                    Some(false) => PutFailure::CannotPutThere,
                    None => PutFailure::Other,
                },
            },
            What::TooEarly { wait } => Notice::TooEarly { wait_until: None, wait_for: wait.map(Millis::new) },
            What::Refused { at, holding, reason } => {
                Notice::Refused { position: at.map(to_position), holding, reason: reason.map(Into::into) }
            }
        })
    }
}

/// Returns the letter of a belief in a text of a goal area.
fn letter(belief: GoalBelief) -> char {
    match belief {
        GoalBelief::Unknown => '?',
        GoalBelief::NoGoal => 'N',
        GoalBelief::Goal => 'G',
    }
}

impl From<&game_project::Information> for Information {
    fn from(information: &game_project::Information) -> Self {
        let goals = |team: Team| information.goals[team].iter().copied().map(letter).collect();
        Self {
            distances: information.distances.iter().map(|distance| distance.map(from_distance)).collect(),
            red: goals(Team::Red),
            blue: goals(Team::Blue),
        }
    }
}

impl TryFrom<Information> for game_project::Information {
    type Error = game_env::NotationError;

    fn try_from(information: Information) -> Result<Self, Self::Error> {
        let belief = |letter: char| match letter {
            '?' => Ok(GoalBelief::Unknown),
            'N' => Ok(GoalBelief::NoGoal),
            'G' => Ok(GoalBelief::Goal),
            other => Err(game_env::NotationError::new("belief", &other.to_string(), "`?`, `N` or `G`")),
        };
        let goals = |text: &str| text.chars().map(belief).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            distances: information.distances.into_iter().map(|distance| distance.map(to_distance)).collect(),
            goals: ByTeam::new([goals(&information.red)?, goals(&information.blue)?]),
        })
    }
}

impl From<PutResult> for Put {
    fn from(result: PutResult) -> Self {
        match result {
            PutResult::OnTaskField => Self::OnTaskField,
            PutResult::OnGoal => Self::OnGoal,
            PutResult::OnNoGoal => Self::OnNoGoal,
            PutResult::WasSham => Self::WasSham,
        }
    }
}

impl From<Put> for PutResult {
    fn from(result: Put) -> Self {
        match result {
            Put::OnTaskField => Self::OnTaskField,
            Put::OnGoal => Self::OnGoal,
            Put::OnNoGoal => Self::OnNoGoal,
            Put::WasSham => Self::WasSham,
        }
    }
}
