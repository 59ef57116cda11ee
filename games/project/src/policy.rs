//! The simplest policy: a baseline for benches, and an opponent in tests.

use std::sync::Arc;

use game_env::{AgentId, Chance, Choice, Policy, Seed, SimTime};

use crate::action::Action;
use crate::geometry::Direction;
use crate::observation::Observation;
use crate::state::State;

/// Makes one of the nine requests that need no other agent, all equally likely, and gives its leader an empty answer
/// when it must.
#[derive(Clone, Debug)]
pub struct Random(Chance);

impl Random {
    /// Returns the random policy of one agent.
    pub fn new(seed: Seed, agent: AgentId) -> Self {
        Self(seed.agent(agent))
    }
}

impl Policy<State> for Random {
    #[inline]
    fn choose(&mut self, _: SimTime, _: AgentId, observation: &Observation) -> Choice<Action> {
        if let Some(question) = observation.questions.iter().find(|question| question.must_answer) {
            return Choice::Act(Action::Answer { to: question.by, information: Arc::default() });
        }
        Choice::Act(match self.0.below(9) {
            0 => Action::Discover,
            1 => Action::PickUp,
            2 => Action::Put,
            3 => Action::Check,
            4 => Action::Destroy,
            way => Action::Move(Direction::ALL[(way - 5) as usize]),
        })
    }

    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        self.0 = seed.agent(agent);
    }
}
