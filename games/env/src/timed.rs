//! A policy whose decisions are timed.

use std::time::Duration;

use crate::environment::Environment;
use crate::ids::AgentId;
use crate::policy::{Choice, Policy};
use crate::time::SimTime;

/// A policy that keeps the time of each of its decisions: that of the choice, and of all that it has heard since the
/// last one, because a policy may think while it hears.
///
/// The clock returns the time since some fixed moment. This crate reads none; programs give
/// [`Instant`](std::time::Instant)'s.
///
/// ```
/// use std::cell::Cell;
/// use std::time::Duration;
///
/// use game_env::examples::pebbles::{Observation, Pebbles, Take};
/// use game_env::{AgentId, Environment, Rollout, Seed, SimTime, Timed};
///
/// let passed = Cell::new(Duration::ZERO);
/// let slow = |_: SimTime, _: AgentId, _: &Observation| {
///     passed.set(passed.get() + Duration::from_millis(5));
///     Take::new(1)
/// };
/// let mut players = [0, 1].map(|_| Timed::new(slow, || passed.get()));
/// Rollout::default().play(&mut Pebbles::new(&3, Seed::new(7)), &mut players, &mut ());
/// assert_eq!(players[0].times(), [Duration::from_millis(5); 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Timed<P, C> {
    policy: P,
    clock: C,
    /// The time of what was heard since the last decision.
    heard: Duration,
    times: Vec<Duration>,
}

impl<P, C: Fn() -> Duration> Timed<P, C> {
    /// Times this policy by this clock.
    pub fn new(policy: P, clock: C) -> Self {
        Self { policy, clock, heard: Duration::ZERO, times: Vec::new() }
    }

    /// Returns the times of the decisions so far, in their order.
    pub fn times(&self) -> &[Duration] {
        &self.times
    }

    fn timed<T>(&mut self, ask: impl FnOnce(&mut P) -> T) -> (T, Duration) {
        let begun = (self.clock)();
        let answer = ask(&mut self.policy);
        (answer, (self.clock)().saturating_sub(begun))
    }
}

impl<E: Environment, P: Policy<E>, C: Fn() -> Duration> Policy<E> for Timed<P, C> {
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &E::Observation) -> Choice<E::Action> {
        let (choice, time) = self.timed(|policy| policy.choose(now, agent, observation));
        self.times.push(std::mem::take(&mut self.heard) + time);
        choice
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<E>> {
        Some(&mut self.policy)
    }

    fn hear(&mut self, now: SimTime, agent: AgentId, event: &E::Event) {
        let ((), time) = self.timed(|policy| policy.hear(now, agent, event));
        self.heard += time;
    }
}
