//! Policies: a [`Policy`] chooses the actions of an agent in process.
//!
//! A closure from time, agent and observation to action is a policy.
//! A policy that hears events, or lets time pass, implements the trait. A policy around another one implements
//! [`Policy::inner`] and what it changes. [`RandomPolicy`] plays any game.

use crate::environment::{Environment, Options};
use crate::ids::AgentId;
use crate::note::Note;
use crate::outcome::{Outcome, Termination};
use crate::seed::{Chance, Seed};
use crate::time::SimTime;

/// Chooses one agent's actions from its observations and from the events that it hears.
///
/// Only [`Policy::choose`] is required. Each other method calls that of the [inner](Policy::inner) policy by default.
/// Without an inner policy it does nothing.
pub trait Policy<E: Environment> {
    /// Returns the choice of the agent, which may act now.
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &E::Observation) -> Choice<E::Action>;

    /// Returns the policy around which this one is built; none by default.
    ///
    /// ```
    /// use game_env::examples::pebbles::{Observation, Pebbles, Take};
    /// use game_env::{AgentId, Choice, Policy, SimTime};
    ///
    /// /// Takes a single pebble whenever another policy takes any.
    /// struct Modest<P>(P);
    ///
    /// impl<P: Policy<Pebbles>> Policy<Pebbles> for Modest<P> {
    ///     fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Take> {
    ///         match self.0.choose(now, agent, seen) {
    ///             Choice::Act(_) => Choice::Act(Take::new(1)),
    ///             wait => wait,
    ///         }
    ///     }
    ///
    ///     fn inner(&mut self) -> Option<&mut dyn Policy<Pebbles>> {
    ///         Some(&mut self.0)
    ///     }
    /// }
    /// ```
    #[inline]
    fn inner(&mut self) -> Option<&mut dyn Policy<E>> {
        None
    }

    /// Called after [`Policy::choose`] with the request that was sent for the agent: the action that the policy has
    /// chosen, unless the driver [follows a record](crate::rollout::Running::follow). A policy that does not keep its
    /// own requests need not implement it.
    #[inline]
    fn sent(&mut self, now: SimTime, agent: AgentId, action: &E::Action) {
        if let Some(inner) = self.inner() {
            inner.sent(now, agent, action);
        }
    }

    /// Called with each event whose audience the agent belongs to.
    #[inline]
    fn hear(&mut self, now: SimTime, agent: AgentId, event: &E::Event) {
        if let Some(inner) = self.inner() {
            inner.hear(now, agent, event);
        }
    }

    /// Draws everything that comes from now on from the numbers of this seed for this agent. What the policy has drawn
    /// and planned before stays. A policy that draws nothing need not implement it.
    #[inline]
    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        if let Some(inner) = self.inner() {
            inner.reseed(agent, seed);
        }
    }

    /// Returns a note that viewers see with the last choice; called after every choice.
    #[inline]
    fn note(&mut self) -> Option<Note> {
        self.inner()?.note()
    }

    /// Returns a reason if the agent gives the game up instead of acting on its last choice; called after every choice.
    #[inline]
    fn gives_up(&mut self) -> Option<Termination> {
        self.inner()?.gives_up()
    }

    /// Called at the end of the episode, once for every agent, also for those that have left.
    #[inline]
    fn end(&mut self, now: SimTime, outcome: &Outcome) {
        if let Some(inner) = self.inner() {
            inner.end(now, outcome);
        }
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

            fn inner(&mut self) -> Option<&mut dyn Policy<E>> {
                Some(&mut **self)
            }
        }
    };
}

boxed!(dyn Policy<E> + '_);
boxed!(dyn Policy<E> + Send + '_);
