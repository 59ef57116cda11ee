//! Events of a game as messages, and the agents of a game as numbers of connections.
//!
//! [`notice`] is the one place that decides which message an agent gets about an event: in a rollout the SDK hears its
//! result, and a game master sends it by the numbers of its [`Seats`].

use std::collections::BTreeMap;
use std::convert::Infallible;

use game_env::{Addressed, AgentId, Audience, Environment, Outcome, SimTime};
use game_project::observation::Announcement;
use game_project::{Action, ActionKind, Event, Position, Refusal, State, Team};
use jiff::{SignedDuration, Timestamp};

use super::AgentNumber;
use super::notice::{GameStart, Notice, PickUpFailure, Players, PutFailure};

/// The number of the connection that plays as each agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seats {
    numbers: Vec<AgentNumber>,
    agents: BTreeMap<AgentNumber, AgentId>,
}

/// An agent that no game has: a question to it is refused by the rules.
const NOBODY: AgentId = AgentId::new(u16::MAX);

impl Seats {
    /// Returns the connections in the order of their agents.
    ///
    /// # Panics
    ///
    /// If a number is there twice.
    pub fn new(numbers: Vec<AgentNumber>) -> Self {
        let agents: BTreeMap<_, _> = numbers.iter().copied().zip(AgentId::all(numbers.len())).collect();
        assert_eq!(agents.len(), numbers.len(), "every agent has a connection of its own");
        Self { numbers, agents }
    }

    /// Returns the number of agents.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns whether there are no agents.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the agent that this connection plays as.
    pub fn agent(&self, number: AgentNumber) -> Option<AgentId> {
        self.agents.get(&number).copied()
    }

    /// Returns the connection that plays as this agent.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn number(&self, agent: AgentId) -> AgentNumber {
        self.numbers[agent.index()]
    }

    /// Returns the action that an agent asks for, by the ids of the game.
    ///
    /// Agents that have no seat become one that no game has, so that the rules refuse and charge the request.
    pub fn action(&self, action: Action<AgentNumber>) -> Action {
        action.map(|number| self.agent(number).unwrap_or(NOBODY))
    }

    /// Returns the agent that an event is addressed to, and the message; none if no agent is addressed, or all are
    /// ([`game_over`]).
    ///
    /// `began` is the moment at which the game's clock stood at its start.
    pub fn notice(&self, event: &Event, state: &State, began: Timestamp) -> Option<(AgentNumber, Notice)> {
        let Audience::Agent(to) = event.audience() else { return None };
        let own = || (state.position(to), state.hand(to).is_some());
        let notice = notice(event, state.clock(), &state.briefing(to).game, own)?;
        let Ok(mut notice) = notice.try_map(|agent| Ok::<_, Infallible>(self.number(agent)));
        if let Event::Refused { refusal: Refusal::TooEarly(until), .. } = event
            && let Notice::TooEarly { wait_until, .. } = &mut notice
        {
            *wait_until = began.checked_add(since_start(*until)).ok();
        }
        Some((self.number(to), notice))
    }

    /// Returns the message to an agent when the game begins.
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

/// Returns the message about an event to the agent that it is addressed to, at the moment `now`; none if no agent is
/// addressed, or all are ([`game_over`]).
///
/// `own` returns the position of this agent, and whether it has a piece: refusals repeat both. No message says more
/// than the protocol can: of the rules' reasons for a refusal only the word is for people.
pub fn notice(
    event: &Event,
    now: SimTime,
    game: &Announcement,
    own: impl FnOnce() -> (Option<Position>, bool),
) -> Option<Notice<AgentId>> {
    Some(match event {
        Event::Moved { to, distance, .. } => Notice::Moved { to: *to, distance: Some(*distance) },
        Event::Discovered { distances, .. } => Notice::Discovered { distances: *distances },
        Event::PickedUp { .. } | Event::Landed { .. } => Notice::PickedUp,
        Event::Put { result, .. } => Notice::Put { result: Some(*result) },
        Event::Checked { sham, .. } => Notice::Checked { sham: *sham },
        Event::Destroyed { .. } => Notice::Destroyed,
        Event::Asked { by, .. } => {
            let team = game.teams[by.index()];
            Notice::Asked { by: *by, leader: game.leaders[team] == Some(*by), team }
        }
        Event::Answered { by, information, .. } => {
            Notice::Answered { by: Some(*by), information: information.clone() }
        }
        Event::Refused { action, refusal, .. } => refused(*action, *refusal, now, own),
        Event::AskedAgain { .. } | Event::Appeared { .. } | Event::Left { .. } | Event::Over(_) => {
            return None;
        }
    })
}

/// Returns the message to all agents at the end. None if no team won: the message has only red and blue.
pub fn game_over<Id>(outcome: &Outcome) -> Option<Notice<Id>> {
    let winner = Team::try_from(outcome.winner()?).ok()?;
    Some(Notice::GameOver { winner })
}

/// Returns the message about a refusal: it depends on the reason, and for an agent without a piece also on the action.
fn refused(
    action: ActionKind,
    refusal: Refusal,
    now: SimTime,
    own: impl FnOnce() -> (Option<Position>, bool),
) -> Notice<AgentId> {
    let reason = Some(refusal.word().into());
    match (refusal, action) {
        (Refusal::TooEarly(until), _) => Notice::TooEarly { wait_until: None, wait_for: Some(until - now) },
        (Refusal::OffBoard | Refusal::Occupied | Refusal::EnemyGoalArea, _) => {
            Notice::MoveRefused { position: own().0, reason }
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
        ) => {
            let (position, holding) = own();
            Notice::Refused { position, holding: Some(holding), reason }
        }
    }
}

fn since_start(moment: SimTime) -> SignedDuration {
    SignedDuration::from_millis(i64::try_from(moment.as_millis()).unwrap_or(i64::MAX))
}
