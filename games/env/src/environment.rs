//! The contract between a game and everything that plays it.
//!
//! It is the agent–environment cycle of PettingZoo with the clock made explicit: the driver of a game says
//! what time it is.
//! Turn-based games, games with a clock per move, and games in which everyone acts at once behind locks are
//! all told through [`Environment::turn`] and [`Environment::ready`].
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
/// A state is a value: a clone is independent, equal inputs give equal states, and nothing outside decides
/// what happens. The [`conformance`](crate::conformance) suite checks all of this for any implementation.
pub trait Environment: Clone {
    /// What the host of a game may choose. A value of this type is valid.
    type Config;
    /// What an agent may ask for.
    type Action: Clone;
    /// What one agent is shown when it is about to act.
    type Observation: Default + Options<Self::Action>;
    /// What can happen, refusals included.
    type Event: Addressed;

    /// What kind of game this is.
    const DESCRIPTION: Description;

    /// The first state of an episode. Equal configurations and seeds give equal states.
    fn new(config: &Self::Config, seed: Seed) -> Self;

    /// The number of agents that the episode began with. Their ids run from 0 to one less.
    ///
    /// The default is the least number of [`Environment::DESCRIPTION`], for games that have only this one.
    fn agents(&self) -> usize {
        *Self::DESCRIPTION.agents.start()
    }

    /// The side that an agent plays for. By default every agent plays for itself.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    fn team(&self, agent: AgentId) -> TeamId {
        TeamId::of_lone_agent(agent)
    }

    /// The moment of the last [`Environment::step`] or [`Environment::disrupt`]: no later call may lie before
    /// it. Always [`SimTime::START`] in a game of [`TimeModel::Turns`](crate::TimeModel::Turns).
    fn clock(&self) -> SimTime;

    /// Who may act next, or how the episode ended.
    ///
    /// Where several may, it is the one whose [`Environment::ready`] is least.
    fn turn(&self) -> Turn;

    /// When a request of this agent will be served as far as time is concerned, and its place among those
    /// who wait for the same moment.
    /// None while it is not its turn, after it left, and after the end.
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
    /// A door for referees, tests and random play: the list may depend on what the agent cannot see.
    /// Of an action with free content (a text, say) it holds one example.
    fn legal_actions(&self, agent: AgentId, out: &mut Vec<Self::Action>);

    /// Replaces `out` by what this agent is shown: the only door from the state to an agent.
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

    /// Feeds all that decides the future of this state into a digest, and nothing else.
    fn digest(&self, digest: &mut Digest);

    /// The hash of [`Environment::digest`] alone.
    fn hash(&self) -> u64 {
        let mut digest = Digest::new();
        self.digest(&mut digest);
        digest.finish()
    }
}

/// What an agent may ask for, as far as it can know: an observation answers this from itself alone.
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

/// What comes next in an episode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// This agent may act.
    Act {
        /// Who.
        agent: AgentId,
        /// From when; a moment that has passed already means: at once.
        from: SimTime,
        /// Until when, in games with a limit per move. After it, the driver calls [`Environment::disrupt`]
        /// with [`Disruption::DeadlineMissed`].
        until: Option<SimTime>,
    },
    /// The episode has ended.
    Over(Outcome),
}

/// When an agent's next request will be served, and its place in the queue of that moment.
///
/// The order of two values is the order in which their agents act.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ready {
    /// The earliest moment.
    pub at: SimTime,
    /// Among agents that are ready at the same moment the lesser acts first.
    pub order: u64,
}

/// What reaches a game from outside its rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Disruption {
    /// An agent is gone for good: its connection ended, its process died.
    AgentLost(AgentId),
    /// An agent let the moment pass until which it had to act.
    DeadlineMissed(AgentId),
    /// An agent gives the game up, or is made to, for this reason: what it sent is no action at all, its
    /// process crashed. A game in which the others can play on may treat it as an agent that is gone.
    Forfeited(AgentId, Termination),
    /// The episode ends here, for this reason.
    Ended(Termination),
}

impl Disruption {
    /// The agent that causes it, if one does, and how an episode terminates that ends because of it.
    pub const fn cause(self) -> (Option<AgentId>, Termination) {
        match self {
            Self::AgentLost(agent) => (Some(agent), Termination::AgentLost),
            Self::DeadlineMissed(agent) => (Some(agent), Termination::Time),
            Self::Forfeited(agent, termination) => (Some(agent), termination),
            Self::Ended(termination) => (None, termination),
        }
    }
}
