//! The contract between a game and everything that plays it.
//!
//! It is the agent–environment cycle of PettingZoo with the clock made explicit: the driver of a game passes the
//! current time. Turn-based games, games with a clock per move, and games in which all agents act at once behind locks
//! all use [`Environment::turn`] and [`Environment::ready`].
//!
//! A refusal (a wall, too early, not your turn) is an event, a bug is a panic, a broken outside world is an
//! error that no rule ever sees.

use crate::description::Description;
use crate::digest::Digest;
use crate::ids::{AgentId, TeamId};
use crate::outcome::{Outcome, Termination};
use crate::seed::Seed;
use crate::sink::{Addressed, Sink};
use crate::time::SimTime;

/// A game's momentary state, and the rules that change it.
///
/// A state is a value: a clone is independent, equal inputs give equal states, and nothing outside has an effect on it.
/// The [`conformance`](crate::conformance) suite checks all of this for any implementation.
pub trait Environment: Clone {
    /// The configuration of a game, chosen by its host. A value of this type is valid.
    type Config;
    /// A request of an agent.
    type Action: Clone;
    /// The part of the state that one agent sees when it is about to act.
    type Observation: Default + Options<Self::Action>;
    /// An event of the game, refusals included.
    type Event: Addressed;

    /// The kind of the game.
    const DESCRIPTION: Description;

    /// Returns the first state of an episode. Equal configurations and seeds give equal states.
    fn new(config: &Self::Config, seed: Seed) -> Self;

    /// Returns the number of agents that the episode began with. Their ids run from 0 to one less.
    ///
    /// The default is the least number of [`Environment::DESCRIPTION`], for games that have only this one.
    fn agents(&self) -> usize {
        *Self::DESCRIPTION.agents.start()
    }

    /// Returns the side that an agent plays for. By default every agent plays for itself.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    fn team(&self, agent: AgentId) -> TeamId {
        TeamId::of_lone_agent(agent)
    }

    /// Returns the moment of the last [`Environment::step`] or [`Environment::disrupt`]: no later call may lie before
    /// it. Always [`SimTime::START`] in a game of [`TimeModel::Turns`](crate::TimeModel::Turns).
    fn clock(&self) -> SimTime;

    /// Returns the agent that may act next, or the outcome of the episode.
    ///
    /// If several agents may act, this is the one with the least [`Environment::ready`].
    fn turn(&self) -> Turn;

    /// Returns the moment from which a request of this agent is served as far as time is concerned, and its place among
    /// the agents that wait for the same moment. `None` while it is not its turn, after it left, and after the end.
    ///
    /// The default is for games of turns: only the agent that [`Environment::turn`] names is ready.
    #[inline]
    fn ready(&self, agent: AgentId) -> Option<Ready> {
        match self.turn() {
            Turn::Act { agent: mover, from, .. } if mover == agent => Some(Ready { at: from, order: 0 }),
            Turn::Act { .. } | Turn::Over(_) => None,
        }
    }

    /// Replaces `out` by the actions that [`Environment::step`] would not refuse this agent from the moment
    /// at which it is ready.
    ///
    /// For referees, tests and random play only: the list may depend on parts of the state that the agent cannot see.
    /// Of an action with free content (a text, say) it holds one example.
    fn legal_actions(&self, agent: AgentId, out: &mut Vec<Self::Action>);

    /// Replaces `out` by the observation of this agent. This is the only access of an agent to the state.
    ///
    /// Two states that differ only in what the agent may not know give equal observations.
    fn observe(&self, agent: AgentId, out: &mut Self::Observation);

    /// Serves one request at this moment and reports all that happens, a refusal included, in order.
    ///
    /// # Panics
    ///
    /// If there is no such agent, or `now` lies before the moment of an earlier call: both are the driver's
    /// mistakes, not an agent's.
    fn step(&mut self, now: SimTime, agent: AgentId, action: Self::Action, sink: &mut impl Sink<Self::Event>);

    /// Applies a change that no agent asked for: an agent is gone, a deadline passed, the operator stops the game.
    /// After the end of the episode it has no effect.
    ///
    /// # Panics
    ///
    /// As [`Environment::step`].
    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<Self::Event>);

    /// Draws everything that comes from now on from this seed. What was drawn before stays, also what nobody knows yet.
    ///
    /// A game that draws nothing after its first state has nothing to do.
    fn reseed(&mut self, seed: Seed);

    /// Feeds all that decides the future of this state into a digest, and nothing else.
    fn digest(&self, digest: &mut Digest);

    /// Returns the hash of [`Environment::digest`] alone.
    fn hash(&self) -> u64 {
        let mut digest = Digest::new();
        self.digest(&mut digest);
        digest.finish()
    }
}

/// Returns the team of each agent of a game with this configuration, by the agent's id. The seed does not decide it.
pub fn teams<E: Environment>(config: &E::Config) -> Vec<TeamId> {
    let state = E::new(config, Seed::new(0));
    AgentId::all(state.agents()).map(|agent| state.team(agent)).collect()
}

/// The actions that an agent may ask for, as far as it can know: an observation lists them from its own values alone.
///
/// Random play, action masks and pages on which people play use it. [`Environment::legal_actions`] is the referee's
/// view of the same question.
pub trait Options<A> {
    /// Replaces `out` by the actions that the agent may ask for when it may act: every legal action, and those that
    /// only the hidden part of the state would refuse.
    ///
    /// Of an action with free content (a text, say) it holds one example.
    fn options(&self, out: &mut Vec<A>);
}

/// The next step of an episode, or its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// This agent may act.
    Act {
        /// The agent.
        agent: AgentId,
        /// The moment from which it may act; a moment in the past means at once.
        from: SimTime,
        /// The moment until which it may act, in games with a limit per move. After it, the driver calls
        /// [`Environment::disrupt`] with [`Disruption::DeadlineMissed`].
        until: Option<SimTime>,
    },
    /// The episode has ended.
    Over(Outcome),
}

/// The moment at which an agent's next request is served, and its place in the queue of that moment.
///
/// The order of two values is the order in which their agents act.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ready {
    /// The earliest moment.
    pub at: SimTime,
    /// Among agents that are ready at the same moment, the one with the lesser number acts first.
    pub order: u64,
}

/// A change of a game from outside its rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Disruption {
    /// An agent is gone for good: its connection ended, its process died.
    AgentLost(AgentId),
    /// An agent has missed the moment until which it had to act.
    DeadlineMissed(AgentId),
    /// An agent gives the game up, or is made to, for this reason: its message was no action at all, or its process
    /// crashed. A game in which the others can play on may treat it as an agent that is gone.
    Forfeited(AgentId, Termination),
    /// The episode ends here, for this reason.
    Ended(Termination),
}

impl Disruption {
    /// Returns the agent that causes the disruption, if one does, and the termination of an episode that ends because
    /// of it.
    pub const fn cause(self) -> (Option<AgentId>, Termination) {
        match self {
            Self::AgentLost(agent) => (Some(agent), Termination::AgentLost),
            Self::DeadlineMissed(agent) => (Some(agent), Termination::Time),
            Self::Forfeited(agent, termination) => (Some(agent), termination),
            Self::Ended(termination) => (None, termination),
        }
    }
}
