//! Policies: a [`Policy`] chooses the actions of an agent in process.
//!
//! A closure from time, agent and observation to action is a policy.
//! A policy that hears events, or lets time pass, implements the trait. [`RandomPolicy`] plays any game.

use crate::environment::{Environment, Options};
use crate::ids::AgentId;
use crate::note::Note;
use crate::outcome::{Outcome, Termination};
use crate::seed::{Chance, Seed};
use crate::time::SimTime;

/// Chooses one agent's actions from its observations and from the events that it hears.
pub trait Policy<E: Environment> {
    /// Returns the choice of the agent, which may act now.
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &E::Observation) -> Choice<E::Action>;

    /// This request was sent in the agent's name; called after [`Policy::choose`]. It is the action that the policy has
    /// chosen, unless the driver [follows a record](crate::rollout::Running::follow). Does nothing by default: a policy
    /// that does not keep its own requests needs no more.
    #[inline]
    fn sent(&mut self, now: SimTime, agent: AgentId, action: &E::Action) {
        let _ = (now, agent, action);
    }

    /// The agent hears of an event whose audience it belongs to.
    #[inline]
    fn hear(&mut self, now: SimTime, agent: AgentId, event: &E::Event) {
        let _ = (now, agent, event);
    }

    /// Draws everything that comes from now on from the numbers of this seed for this agent. What the policy has drawn
    /// and planned before stays. Does nothing by default: a policy that draws nothing needs no more.
    #[inline]
    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        let _ = (agent, seed);
    }

    /// Returns a note that viewers see with the last choice; called after every choice.
    #[inline]
    fn note(&mut self) -> Option<Note> {
        None
    }

    /// Returns a reason if the agent gives the game up instead of acting on its last choice; called after every choice.
    #[inline]
    fn gives_up(&mut self) -> Option<Termination> {
        None
    }

    /// The episode is over; called once for every agent, also for those that have left.
    #[inline]
    fn end(&mut self, now: SimTime, outcome: &Outcome) {
        let _ = (now, outcome);
    }
}

/// A choice of an agent that may act.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice<A> {
    /// Asks for this action.
    Act(A),
    /// Lets time pass until this moment or until it hears something, whichever comes first.
    /// [`SimTime::NEVER`] waits for something to hear.
    Wait(SimTime),
}

impl<A> From<A> for Choice<A> {
    fn from(action: A) -> Self {
        Self::Act(action)
    }
}

impl<E, F> Policy<E> for F
where
    E: Environment,
    F: FnMut(SimTime, AgentId, &E::Observation) -> E::Action,
{
    #[inline]
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &E::Observation) -> Choice<E::Action> {
        Choice::Act(self(now, agent, observation))
    }
}

/// Chooses any of the agent's [`Options`], all equally likely. Waits until it hears something if there are none.
#[derive(Clone, Debug)]
pub struct RandomPolicy<A> {
    chance: Chance,
    options: Vec<A>,
}

impl<A> RandomPolicy<A> {
    /// Creates a policy that draws from this source.
    pub fn new(chance: Chance) -> Self {
        Self { chance, options: Vec::new() }
    }
}

impl<E: Environment> Policy<E> for RandomPolicy<E::Action> {
    #[inline]
    fn choose(&mut self, _: SimTime, _: AgentId, observation: &E::Observation) -> Choice<E::Action> {
        observation.options(&mut self.options);
        match self.options.len() {
            0 => Choice::Wait(SimTime::NEVER),
            options => Choice::Act(self.options.swap_remove(self.chance.index(options))),
        }
    }

    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        self.chance = seed.agent(agent);
    }
}

/// Implements the trait for a boxed policy. An implementation for all boxes would include those of closures twice.
macro_rules! boxed {
    ($policy:ty) => {
        impl<E: Environment> Policy<E> for Box<$policy> {
            fn choose(
                &mut self,
                now: SimTime,
                agent: AgentId,
                observation: &E::Observation,
            ) -> Choice<E::Action> {
                (**self).choose(now, agent, observation)
            }

            fn sent(&mut self, now: SimTime, agent: AgentId, action: &E::Action) {
                (**self).sent(now, agent, action);
            }

            fn hear(&mut self, now: SimTime, agent: AgentId, event: &E::Event) {
                (**self).hear(now, agent, event);
            }

            fn reseed(&mut self, agent: AgentId, seed: Seed) {
                (**self).reseed(agent, seed);
            }

            fn note(&mut self) -> Option<Note> {
                (**self).note()
            }

            fn gives_up(&mut self) -> Option<Termination> {
                (**self).gives_up()
            }

            fn end(&mut self, now: SimTime, outcome: &Outcome) {
                (**self).end(now, outcome);
            }
        }
    };
}

boxed!(dyn Policy<E> + '_);
boxed!(dyn Policy<E> + Send + '_);
