//! Takes an episode along a record, to go on freely from any of its moments.

use super::{Decision, Play, Running, Slot};
use crate::environment::{Disruption, Environment};
use crate::ids::AgentId;
use crate::outcome::Termination;
use crate::policy::Policy;
use crate::seed::Seed;
use crate::sink::Witness;
use crate::time::{Millis, SimTime};

/// An input of a recorded episode: all that changes a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input<A> {
    /// An action was served.
    Action {
        /// The moment.
        at: SimTime,
        /// The agent that asked for it.
        agent: AgentId,
        /// The action.
        action: A,
    },
    /// A disruption was applied.
    Disruption {
        /// The moment.
        at: SimTime,
        /// The disruption.
        disruption: Disruption,
    },
    /// Everything after this was drawn from another seed.
    Reseed {
        /// The moment.
        at: SimTime,
        /// The seed.
        seed: Seed,
    },
}

impl<A> Input<A> {
    /// The agent that asked for it, if it is an action.
    pub fn agent(&self) -> Option<AgentId> {
        match self {
            Self::Action { agent, .. } => Some(*agent),
            Self::Disruption { .. } | Self::Reseed { .. } => None,
        }
    }

    /// The same input with another value for its action.
    pub fn map<B>(self, action_of: impl FnOnce(A) -> B) -> Input<B> {
        match self {
            Self::Action { at, agent, action } => Input::Action { at, agent, action: action_of(action) },
            Self::Disruption { at, disruption } => Input::Disruption { at, disruption },
            Self::Reseed { at, seed } => Input::Reseed { at, seed },
        }
    }

    /// The moment.
    pub fn at(&self) -> SimTime {
        match self {
            Self::Action { at, .. } | Self::Disruption { at, .. } | Self::Reseed { at, .. } => *at,
        }
    }
}

/// A recorded action that a policy would not have asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure<A> {
    /// The number of inputs before the recorded action.
    pub input: usize,
    /// The moment of the recorded action.
    pub at: SimTime,
    /// The agent.
    pub agent: AgentId,
    /// The recorded action.
    pub recorded: A,
    /// The action that the policy chose instead; none if it waited or gave up.
    pub chosen: Option<A>,
}

impl<A> Departure<A> {
    /// The same departure with other values for its actions.
    pub fn map<B>(self, action_of: impl Fn(A) -> B) -> Departure<B> {
        let Self { input, at, agent, recorded, chosen } = self;
        Departure { input, at, agent, recorded: action_of(recorded), chosen: chosen.map(action_of) }
    }
}

impl<E: Environment<Action: PartialEq>> Running<E> {
    /// Takes the episode along a record: serves its inputs, in their order and at their moments, whatever the policies
    /// choose.
    ///
    /// Each policy hears what its agent heard, is asked when its agent may act, also for decisions to wait, which a record
    /// does not hold, and is [told](Policy::sent) what its agent has asked for. So the policies that played the record
    /// choose what they chose then, and afterwards are what they were; others at least know what the agent
    /// knew. `departed` is given each recorded action that its policy did not choose, in their order.
    ///
    /// Then [`Running::play`] goes on. A policy that has chosen an action which the record does not hold any more asks for
    /// it at once.
    ///
    /// # Panics
    ///
    /// If there are not as many policies as agents, or the episode has begun.
    pub fn follow<P: Policy<E>, W: Witness<E>>(
        &mut self,
        state: &mut E,
        policies: &mut [P],
        witness: &mut W,
        record: &[Input<E::Action>],
        departed: &mut impl FnMut(Departure<E::Action>),
    ) {
        assert!(self.slots.is_empty(), "the episode has begun");
        self.open_schedule();
        let mut play = Play::new(self, policies, witness);
        for (index, input) in record.iter().enumerate() {
            let departure = play.take_along(state, index, input);
            departure.into_iter().for_each(&mut *departed);
        }
        play.release(state);
    }

    /// Lets the state and all policies draw everything that comes from now on from this seed.
    ///
    /// # Panics
    ///
    /// If there are not as many policies as agents.
    pub fn reseed<P: Policy<E>, W: Witness<E>>(
        &mut self,
        state: &mut E,
        policies: &mut [P],
        witness: &mut W,
        seed: Seed,
    ) {
        Play::new(self, policies, witness).reseed(state, seed);
    }
}

impl<E: Environment<Action: PartialEq>, P: Policy<E>, W: Witness<E>> Play<'_, E, P, W> {
    /// Lets all agents decide that are due before this input, then serves the input.
    fn take_along(
        &mut self,
        state: &mut E,
        index: usize,
        input: &Input<E::Action>,
    ) -> Option<Departure<E::Action>> {
        let at = input.at();
        // A disruption comes before the decisions of its moment, unless one of them is its cause.
        let is_decided = match input {
            Input::Action { .. } => true,
            Input::Disruption { disruption: Disruption::Forfeited(..), .. } => !self.is_refused_too_often(),
            Input::Disruption { .. } | Input::Reseed { .. } => false,
        };
        while let Some((due, agent)) =
            self.run.next_due(state, at).filter(|(due, _)| is_decided || due.at < at)
        {
            self.run.now = self.run.now.max(due.at);
            let slot = std::mem::replace(&mut self.run.slots[agent.index()], Slot::Free);
            if self.rests(state, agent) {
                continue;
            }
            state.observe(agent, &mut self.run.observation);
            let decision = match self.decide(state, agent, &|_: &P| false).expect("no policy pauses") {
                Decision::Wait(_) if self.waits_too_often() => Decision::GiveUp(Termination::Silence),
                Decision::Wait(until) => {
                    self.wait(state, agent, until, slot.alarm());
                    continue;
                }
                decision => decision,
            };
            let is_recorded = self.run.now == at && decision.is(agent, input);
            self.run.slots[agent.index()] = Slot::Passed(decision);
            if is_recorded {
                break;
            }
        }
        self.run.now = self.run.now.max(at);
        match input {
            Input::Action { agent, action, .. } => {
                let slot = std::mem::replace(&mut self.run.slots[agent.index()], Slot::Free);
                let chosen = match slot {
                    Slot::Passed(Decision::Act(chosen)) => Some(chosen),
                    _ => None,
                };
                self.send(*agent, action);
                self.serve(state, *agent, action.clone());
                let departs = chosen.as_ref() != Some(action);
                departs.then(|| Departure {
                    input: index,
                    at,
                    agent: *agent,
                    recorded: action.clone(),
                    chosen,
                })
            }
            Input::Disruption { disruption, .. } => {
                self.run.refusals = 0;
                self.disrupt(state, *disruption);
                None
            }
            Input::Reseed { seed, .. } => {
                self.reseed(state, *seed);
                None
            }
        }
    }

    /// Lets the state and all policies draw from this seed.
    fn reseed(&mut self, state: &mut E, seed: Seed) {
        self.witness.reseed(state, self.run.now, seed);
        state.reseed(seed);
        for (agent, policy) in AgentId::all(self.policies.len()).zip(&mut *self.policies) {
            policy.reseed(agent, seed);
        }
    }

    /// Lets the agents go on freely: each decision that was passed over counts from now on.
    fn release(&mut self, state: &mut E) {
        for agent in AgentId::all(self.run.slots.len()) {
            match std::mem::replace(&mut self.run.slots[agent.index()], Slot::Free) {
                Slot::Passed(Decision::Act(action)) => {
                    self.send(agent, &action);
                    self.dispatch(agent, action, Millis::ZERO);
                }
                Slot::Passed(Decision::GiveUp(reason)) => {
                    self.forfeit(state, agent, reason);
                }
                slot => self.run.slots[agent.index()] = slot,
            }
        }
    }
}

impl<A: PartialEq> Decision<A> {
    /// Returns whether this decision of an agent is the input.
    fn is(&self, agent: AgentId, input: &Input<A>) -> bool {
        match (self, input) {
            (Self::Act(chosen), Input::Action { agent: of, action, .. }) => agent == *of && chosen == action,
            (Self::GiveUp(reason), Input::Disruption { disruption, .. }) => {
                *disruption == Disruption::Forfeited(agent, *reason)
            }
            _ => false,
        }
    }
}
