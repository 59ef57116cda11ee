//! The actions of every agent and their results, collected while the game is played.

use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::AddAssign;

use game_env::{Addressed, AgentId, Environment, SimTime};

use crate::{ActionKind, Event, Lock, PutResult, Refusal, State, Team};

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
    /// The counts of its actions and their results.
    pub counts: Counts,
    /// The length of all its locks together, in milliseconds, by the kind of the request that caused them; the end of
    /// the last may lie behind the game's.
    locked_by: ByKind<u64>,
    /// The kind of the request that caused the last lock.
    locked_for: Option<ActionKind>,
    /// The moment at which its last lock ends.
    locked_until: SimTime,
    /// The moment at which it left, if it did.
    left: Option<SimTime>,
}

/// The counts and the times of an agent or a team.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// The counts of the actions and their results.
    pub counts: Counts,
    /// Time during a lock, in milliseconds, until the agent left or up to the present moment of the game. The times of
    /// a team's agents are added up.
    pub locked_ms: u64,
    /// The same by the kind of the request that caused the lock.
    pub locked_by: ByKind<u64>,
    /// Time without a lock, in milliseconds, until the same moment and added up in the same way.
    pub idle_ms: u64,
}

/// The counts of the actions of an agent or a team, and of their results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Requests that were granted, by kind.
    pub granted: ByKind,
    /// Requests that were refused after the lock had ended, by kind.
    pub refused: ByKind,
    /// The same requests by reason, [`Refusal::word`].
    pub reasons: BTreeMap<&'static str, u32>,
    /// Requests during the lock.
    pub premature: u32,
    /// Pieces that came into its hand, landed ones included.
    pub pieces: u32,
    /// Shams among them.
    pub shams: u32,
    /// Goals that it covered.
    pub goals: u32,
    /// Questions that it was asked, each counted once however often it was repeated. Questions that it asked, and
    /// questions that it answered, are granted requests.
    pub asked: u32,
}

/// A count, or a time in milliseconds, for every kind of action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByKind<T = u32>([T; ActionKind::ALL.len()]);

impl<T: Copy> ByKind<T> {
    /// Returns the count of this kind.
    pub const fn of(&self, kind: ActionKind) -> T {
        self.0[kind as usize]
    }
}

impl<T: Copy + Sum> ByKind<T> {
    /// Returns all of them together.
    pub fn total(&self) -> T {
        self.0.iter().copied().sum()
    }
}

impl ByKind {
    fn add(&mut self, kind: ActionKind) {
        self.0[kind as usize] += 1;
    }
}

impl Statistics {
    /// Returns the statistics of a game of this many agents before its first event.
    pub fn new(agents: usize) -> Self {
        Self { agents: vec![AgentStatistics::default(); agents], requests: 0 }
    }

    /// Returns the figures of this agent as the game stands.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn agent(&self, state: &State, agent: AgentId) -> Figures {
        let own = &self.agents[agent.index()];
        let until = own.left.unwrap_or(state.clock()).as_millis();
        let mut locked_by = own.locked_by;
        if let Some(kind) = own.locked_for {
            locked_by.0[kind as usize] -= own.locked_until.as_millis().saturating_sub(until);
        }
        let locked_ms = locked_by.total();
        Figures { counts: own.counts.clone(), locked_ms, locked_by, idle_ms: until - locked_ms }
    }

    /// Returns the figures of this team's agents together.
    pub fn team(&self, state: &State, team: Team) -> Figures {
        let mut figures = Figures::default();
        for agent in AgentId::all(self.agents.len()).filter(|agent| state.briefing(*agent).team == team) {
            figures += &self.agent(state, agent);
        }
        figures
    }

    /// Counts one event. `state` is the one after it.
    pub fn count(&mut self, state: &State, event: &Event) {
        if let Some((agent, kind)) = event.request() {
            self.requests += 1;
            if !event.is_refusal() {
                self.of(agent).granted.add(kind);
            }
        }
        if let Some(Lock { agent, action, until }) = event.lock(state.clock(), state.config().penalties()) {
            let own = &mut self.agents[agent.index()];
            own.locked_by.0[action as usize] += u64::from((until - state.clock()).as_millis());
            own.locked_for = Some(action);
            own.locked_until = until;
        }
        match event {
            Event::PickedUp { agent } | Event::Landed { agent } => self.take(state, *agent),
            Event::Put { agent, result: PutResult::OnGoal } => self.of(*agent).goals += 1,
            Event::Asked { agent, .. } => self.of(*agent).asked += 1,
            Event::Refused { agent, refusal: Refusal::TooEarly(_), .. } => self.of(*agent).premature += 1,
            Event::Refused { agent, action, refusal } => {
                let own = self.of(*agent);
                own.refused.add(*action);
                *own.reasons.entry(refusal.word()).or_default() += 1;
            }
            Event::Left { agent } => self.agents[agent.index()].left = Some(state.clock()),
            _ => {}
        }
    }

    fn of(&mut self, agent: AgentId) -> &mut Counts {
        &mut self.agents[agent.index()].counts
    }

    fn take(&mut self, state: &State, agent: AgentId) {
        let is_sham = state.hand(agent).is_some_and(|piece| piece.is_sham());
        let own = self.of(agent);
        own.pieces += 1;
        own.shams += u32::from(is_sham);
    }
}

impl AddAssign<&Self> for Figures {
    fn add_assign(&mut self, other: &Self) {
        self.counts += &other.counts;
        self.locked_ms += other.locked_ms;
        self.locked_by += &other.locked_by;
        self.idle_ms += other.idle_ms;
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        // Named one by one, so that a figure that is added to the type is not forgotten here.
        let Self { granted, refused, reasons, premature, pieces, shams, goals, asked } = other;
        self.granted += granted;
        self.refused += refused;
        for (reason, count) in reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.premature += premature;
        self.pieces += pieces;
        self.shams += shams;
        self.goals += goals;
        self.asked += asked;
    }
}

impl<T: Copy + AddAssign> AddAssign<&Self> for ByKind<T> {
    fn add_assign(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }
}
