//! An agent's place in an episode in process: any [`Policy`], with its panics caught.
//!
//! A [`Seat`] is itself a policy. An agent whose policy panics gives the game up with
//! [`Termination::Crash`]; all others play on if their game lets them. Limits of time, steps and decisions are those of
//! the [`Rollout`](crate::Rollout).
//!
//! ```
//! use game_env::examples::pebbles::{Observation, Pebbles, Take};
//! use game_env::seat::{ReportsBlunders as _, Seat};
//! use game_env::{AgentId, Environment, Policy, RandomPolicy, Rollout, Seed, SimTime, Termination};
//!
//! let seed = Seed::new(7);
//! let mut game = Pebbles::new(&21, seed);
//! let careless = |_: SimTime, _: AgentId, seen: &Observation| -> Take { panic!("{} are too many", seen.heap) };
//! let mut seats = Seat::all(&game, seed, |agent, chance| -> Box<dyn Policy<Pebbles>> {
//!     if agent.index() == 0 { Box::new(RandomPolicy::new(chance)) } else { Box::new(careless) }
//! });
//! let episode = Rollout::default().play(&mut game, &mut seats, &mut ());
//! assert_eq!(episode.outcome.termination, Termination::Crash);
//! assert_eq!(episode.outcome.fault, Some(AgentId::new(1)));
//! assert!(seats[1].take_blunders()[0].contains("are too many"));
//! ```

use std::fmt;

use crate::environment::Environment;
use crate::ids::AgentId;
use crate::note::Note;
use crate::outcome::{Outcome, Termination};
use crate::panics::catch;
use crate::policy::{Choice, Policy};
use crate::seed::{Chance, Seed};
use crate::time::SimTime;

/// One agent of an episode: a policy, and its failure if it has failed.
#[derive(Clone, Debug)]
pub struct Seat<P> {
    policy: P,
    has_notes: bool,
    has_failed: bool,
    /// The answer of the policy, after its last choice, to the question whether it gives up.
    gives_up: Option<Termination>,
    /// The failure, until the report is taken.
    report: Option<String>,
}

/// A policy that reports its blunders.
pub trait ReportsBlunders {
    /// Returns the number of blunders so far: panics, and other acts that count as blunders in its game.
    fn blunder_count(&self) -> u64;

    /// Returns the blunders since the last call, in words; a policy may keep only some of them.
    fn take_blunders(&mut self) -> Vec<String>;
}

impl<P> Seat<P> {
    /// Returns the seat of an agent with this policy.
    pub fn new(policy: P) -> Self {
        Self { policy, has_notes: false, has_failed: false, gives_up: None, report: None }
    }

    /// Returns the seats of all agents in the order of their ids; `policy` returns the policy of each, given the chance
    /// that the seed holds for this agent.
    pub fn all<E: Environment>(
        state: &E,
        seed: Seed,
        mut policy: impl FnMut(AgentId, Chance) -> P,
    ) -> Vec<Self> {
        AgentId::all(state.agents()).map(|agent| Self::new(policy(agent, seed.agent(agent)))).collect()
    }

    /// Returns the same seat; its notes reach witnesses.
    pub fn with_notes(self) -> Self {
        Self { has_notes: true, ..self }
    }

    /// Calls the policy, if it has not failed yet. `when` says in a report when it was called.
    fn ask<T>(
        &mut self,
        when: impl fmt::Display,
        agent: AgentId,
        ask: impl FnOnce(&mut P) -> T,
    ) -> Option<T> {
        if self.has_failed {
            return None;
        }
        match catch(|| ask(&mut self.policy)) {
            Ok(answer) => Some(answer),
            Err(message) => {
                self.has_failed = true;
                self.report = Some(format!("the strategy of agent {agent} panicked {when}: {message}"));
                None
            }
        }
    }
}

impl<P> ReportsBlunders for Seat<P> {
    fn blunder_count(&self) -> u64 {
        self.has_failed.into()
    }

    fn take_blunders(&mut self) -> Vec<String> {
        self.report.take().into_iter().collect()
    }
}

impl<E: Environment, P: Policy<E>> Policy<E> for Seat<P> {
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &E::Observation) -> Choice<E::Action> {
        let chosen = self.ask(format_args!("at {now}"), agent, |policy| {
            (policy.choose(now, agent, observation), policy.gives_up())
        });
        // A policy that has failed gives up.
        let (choice, gives_up) = chosen.unwrap_or((Choice::Wait(SimTime::NEVER), Some(Termination::Crash)));
        self.gives_up = gives_up;
        choice
    }

    fn sent(&mut self, now: SimTime, agent: AgentId, action: &E::Action) {
        self.ask(format_args!("at {now}"), agent, |policy| policy.sent(now, agent, action));
    }

    fn hear(&mut self, now: SimTime, agent: AgentId, event: &E::Event) {
        self.ask(format_args!("at {now}"), agent, |policy| policy.hear(now, agent, event));
    }

    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        self.ask("over a new seed", agent, |policy| policy.reseed(agent, seed));
    }

    fn note(&mut self) -> Option<Note> {
        let has_notes = self.has_notes && !self.has_failed;
        // A note has no effect on the game, which goes on without it.
        has_notes.then(|| catch(|| self.policy.note()).ok().flatten()).flatten()
    }

    fn gives_up(&mut self) -> Option<Termination> {
        self.gives_up
    }

    fn end(&mut self, now: SimTime, outcome: &Outcome) {
        if !self.has_failed {
            // The game is over: a panic changes nothing any more.
            let _ = catch(|| self.policy.end(now, outcome));
        }
    }
}
