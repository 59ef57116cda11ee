//! What every agent did and what came of it, gathered while the game is played.

use game_env::AgentId;
use game_project::{ActionKind, Event, PutResult, Refusal, State};

/// The figures of one game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// By agent, in the order of their ids.
    pub agents: Vec<AgentStatistics>,
    /// Requests that were answered in all, refused ones included.
    pub requests: u64,
}

/// The figures of one agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentStatistics {
    /// Requests that were granted, by kind.
    pub granted: ByKind,
    /// Requests that were refused after the lock had ended, by kind.
    pub refused: ByKind,
    /// Requests during the lock.
    pub premature: u32,
    /// Pieces that came into its hand, landed ones included.
    pub pieces: u32,
    /// Shams among them.
    pub shams: u32,
    /// Goals that it covered.
    pub goals: u32,
    /// Questions that it was asked.
    pub asked: u32,
    /// How long it was locked, in milliseconds; the end of the last lock may lie behind the end of the game.
    pub locked_ms: u64,
}

/// A count for every kind of action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByKind([u32; ActionKind::ALL.len()]);

impl ByKind {
    /// The count of this kind.
    pub const fn of(&self, kind: ActionKind) -> u32 {
        self.0[kind as usize]
    }

    /// All of them together.
    pub fn total(&self) -> u32 {
        self.0.iter().sum()
    }

    fn add(&mut self, kind: ActionKind) {
        self.0[kind as usize] += 1;
    }
}

impl Statistics {
    /// Nothing has happened yet, to so many agents.
    pub fn new(agents: usize) -> Self {
        Self { agents: vec![AgentStatistics::default(); agents], requests: 0 }
    }

    /// Counts one event. `state` is the one after it.
    pub fn count(&mut self, state: &State, event: &Event) {
        match event {
            Event::Moved { agent, .. } => self.grant(state, *agent, ActionKind::Move),
            Event::Discovered { agent, .. } => self.grant(state, *agent, ActionKind::Discover),
            Event::Checked { agent, .. } => self.grant(state, *agent, ActionKind::Check),
            Event::Destroyed { agent } => self.grant(state, *agent, ActionKind::Destroy),
            Event::PickedUp { agent } => {
                self.grant(state, *agent, ActionKind::PickUp);
                self.take(state, *agent);
            }
            Event::Landed { agent } => self.take(state, *agent),
            Event::Put { agent, result } => {
                self.grant(state, *agent, ActionKind::Put);
                self.agents[agent.index()].goals += u32::from(*result == PutResult::OnGoal);
            }
            Event::Asked { agent, by, .. } => {
                self.grant(state, *by, ActionKind::Ask);
                self.agents[agent.index()].asked += 1;
            }
            Event::Answered { by, .. } => self.grant(state, *by, ActionKind::Answer),
            Event::Refused { agent, action, refusal } => {
                self.requests += 1;
                let own = &mut self.agents[agent.index()];
                match refusal {
                    Refusal::TooEarly(_) => own.premature += 1,
                    Refusal::LeaderWaits(_) | Refusal::NotPlaying => own.refused.add(*action),
                    _ => {
                        own.refused.add(*action);
                        self.lock(state, *agent, *action);
                    }
                }
            }
            Event::Appeared { .. } | Event::Left { .. } | Event::Over(_) => {}
        }
    }

    fn grant(&mut self, state: &State, agent: AgentId, kind: ActionKind) {
        self.requests += 1;
        self.agents[agent.index()].granted.add(kind);
        self.lock(state, agent, kind);
    }

    fn lock(&mut self, state: &State, agent: AgentId, kind: ActionKind) {
        self.agents[agent.index()].locked_ms += u64::from(state.config().penalties().of(kind).get());
    }

    fn take(&mut self, state: &State, agent: AgentId) {
        let own = &mut self.agents[agent.index()];
        own.pieces += 1;
        own.shams += u32::from(state.hand(agent).is_some_and(|piece| piece.is_sham()));
    }
}
