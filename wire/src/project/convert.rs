//! Converts messages to the game's own types and back, for a game master.

use std::collections::BTreeMap;

use game_env::{AgentId, Environment, SimTime, Turn};
use game_project::{Action, ActionKind, Event, Refusal, State, Team};
use jiff::{SignedDuration, Timestamp};

use super::AgentNumber;
use super::notice::{GameStart, Notice, PickUpFailure, Players, PutFailure};
use super::request::Request;

/// Which connection plays as which agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seats {
    numbers: Vec<AgentNumber>,
    agents: BTreeMap<AgentNumber, AgentId>,
}

/// An agent that no game has: a question to it is refused by the rules.
const NOBODY: AgentId = AgentId::new(u16::MAX);

impl Seats {
    /// The connections in the order of their agents.
    ///
    /// # Panics
    ///
    /// If a number is there twice.
    pub fn new(numbers: Vec<AgentNumber>) -> Self {
        let agents: BTreeMap<_, _> = numbers.iter().copied().zip(AgentId::all(numbers.len())).collect();
        assert_eq!(agents.len(), numbers.len(), "every agent has a connection of its own");
        Self { numbers, agents }
    }

    /// The number of agents.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are no agents.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The agent that this connection plays as.
    pub fn agent(&self, number: AgentNumber) -> Option<AgentId> {
        self.agents.get(&number).copied()
    }

    /// The connection that plays as this agent.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn number(&self, agent: AgentId) -> AgentNumber {
        self.numbers[agent.index()]
    }

    /// What a request asks of the rules; none if it is no matter of theirs (a join).
    ///
    /// Agents that have no seat become one that no game has, so that the rules refuse and charge the request.
    pub fn action(&self, request: Request) -> Option<Action> {
        let seat = |number| self.agent(number).unwrap_or(NOBODY);
        Some(match request {
            Request::Check => Action::Check,
            Request::Destroy => Action::Destroy,
            Request::Discover => Action::Discover,
            Request::Answer { to, information } => Action::Answer { to: seat(to), information },
            Request::Ask { asked } => Action::Ask(seat(asked)),
            Request::Move { direction } => Action::Move(direction),
            Request::PickUp => Action::PickUp,
            Request::Put => Action::Put,
            Request::Join { .. } => return None,
        })
    }

    /// The agent that is told of an event, and the message; none if no agent is told, or all are ([`game_over`]).
    ///
    /// `began` is the moment at which the game's clock stood at its start.
    pub fn notice(&self, event: &Event, state: &State, began: Timestamp) -> Option<(AgentNumber, Notice)> {
        let (agent, notice) = match event {
            Event::Moved { agent, to, distance } => {
                (agent, Notice::Moved { to: *to, distance: Some(*distance) })
            }
            Event::Discovered { agent, distances } => (agent, Notice::Discovered { distances: *distances }),
            Event::PickedUp { agent } | Event::Landed { agent } => (agent, Notice::PickedUp),
            Event::Put { agent, result } => (agent, Notice::Put { result: Some(*result) }),
            Event::Checked { agent, sham } => (agent, Notice::Checked { sham: *sham }),
            Event::Destroyed { agent } => (agent, Notice::Destroyed),
            Event::Asked { agent, by, .. } => {
                let briefing = state.briefing(*by);
                let leader = briefing.leader() == Some(*by);
                (agent, Notice::Asked { by: self.number(*by), leader, team: briefing.team })
            }
            Event::Answered { agent, by, information } => {
                (agent, Notice::Answered { by: Some(self.number(*by)), information: information.clone() })
            }
            Event::Refused { agent, action, refusal } => {
                (agent, refused(*agent, *action, *refusal, state, began))
            }
            Event::AskedAgain { .. } | Event::Appeared { .. } | Event::Left { .. } | Event::Over(_) => {
                return None;
            }
        };
        Some((self.number(*agent), notice))
    }

    /// What an agent is told when the game begins.
    ///
    /// # Panics
    ///
    /// If there is no such agent, or its team has no leader.
    pub fn game_start(&self, agent: AgentId, state: &State) -> GameStart {
        let briefing = state.briefing(agent);
        let config = state.config();
        let numbers =
            |agents: &mut dyn Iterator<Item = AgentId>| agents.map(|agent| self.number(agent)).collect();
        let allies: Vec<AgentNumber> = numbers(&mut briefing.allies());
        let enemies: Vec<AgentNumber> = numbers(&mut briefing.enemies());
        let count = |agents: usize| u32::try_from(agents).expect("ids of agents have 16 bits");
        GameStart {
            agent: self.number(agent),
            leader: self.number(briefing.leader().expect("a team with agents begins with a leader")),
            team: briefing.team,
            geometry: config.geometry(),
            players: Players { allies: count(allies.len() + 1), enemies: count(enemies.len()) },
            pieces: config.pieces(),
            goals: config.goals(),
            penalties: config.penalties(),
            // A premature request costs nothing (specification, section 3).
            premature: game_env::Millis::ZERO,
            sham_probability: config.sham_probability(),
            position: briefing.start,
            allies,
            enemies,
        }
    }
}

/// The message to all agents at the end. None while the game goes on, and none if no team won: the message has only
/// red and blue.
pub fn game_over(state: &State) -> Option<Notice> {
    match state.turn() {
        Turn::Over(outcome) => {
            let winner = Team::try_from(outcome.winner()?).ok()?;
            Some(Notice::GameOver { winner })
        }
        Turn::Act { .. } => None,
    }
}

/// Which message a refusal is depends on what was asked for, and on little else.
fn refused(agent: AgentId, action: ActionKind, refusal: Refusal, state: &State, began: Timestamp) -> Notice {
    let position = state.position(agent);
    match (refusal, action) {
        (Refusal::TooEarly(until), _) => {
            let wait_until = began.checked_add(since_start(until)).ok();
            Notice::TooEarly { wait_until, wait_for: Some(until - state.clock()) }
        }
        (Refusal::OffBoard | Refusal::Occupied | Refusal::EnemyGoalArea, _) => {
            Notice::MoveRefused { position, reason: Some(refusal.word().into()) }
        }
        (Refusal::NothingThere, _) => Notice::PickUpRefused { reason: PickUpFailure::NothingThere },
        (Refusal::HandsFull | Refusal::InGoalArea, _) => {
            Notice::PickUpRefused { reason: PickUpFailure::Other }
        }
        (Refusal::EmptyHanded, ActionKind::Put) => Notice::PutRefused { reason: PutFailure::AgentNotHolding },
        (
            Refusal::EmptyHanded
            | Refusal::LeaderWaits(_)
            | Refusal::NoSuchAgent
            | Refusal::AskedItself
            | Refusal::NotAsked
            | Refusal::NotPlaying,
            _,
        ) => Notice::Refused {
            position,
            holding: Some(state.hand(agent).is_some()),
            reason: Some(refusal.word().into()),
        },
    }
}

fn since_start(moment: SimTime) -> SignedDuration {
    SignedDuration::from_millis(i64::try_from(moment.as_millis()).unwrap_or(i64::MAX))
}
