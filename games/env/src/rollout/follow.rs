//! Takes an episode along a record, to go on freely from any of its moments.

use super::{Decision, Passed, Play, Running, Slot};
use crate::environment::{Disruption, Environment, Turn};
use crate::ids::AgentId;
use crate::outcome::Termination;
use crate::policy::{Choice, Policy};
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
    /// Returns the agent that asked for it, if it is an action.
    pub fn agent(&self) -> Option<AgentId> {
        match self {
            Self::Action { agent, .. } => Some(*agent),
            Self::Disruption { .. } | Self::Reseed { .. } => None,
        }
    }

    /// Returns the same input with another value for its action.
    pub fn map<B>(self, action_of: impl FnOnce(A) -> B) -> Input<B> {
        match self {
            Self::Action { at, agent, action } => Input::Action { at, agent, action: action_of(action) },
            Self::Disruption { at, disruption } => Input::Disruption { at, disruption },
            Self::Reseed { at, seed } => Input::Reseed { at, seed },
        }
    }

    /// Returns the moment.
    pub fn at(&self) -> SimTime {
        match self {
            Self::Action { at, .. } | Self::Disruption { at, .. } | Self::Reseed { at, .. } => *at,
        }
    }
}

/// A recorded action that a policy would not have asked for, or for which it would have asked earlier.
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
    /// Whether the policy gave up instead.
    pub gives_up: bool,
    /// The moment at which the policy chose it; that of the recorded action if it chose none.
    pub decided: SimTime,
    /// The number of inputs before the policy chose.
    pub before: usize,
}

impl<A> Departure<A> {
    /// Returns the same departure with other values for its actions.
    pub fn map<B>(self, action_of: impl Fn(A) -> B) -> Departure<B> {
        let Self { input, at, agent, recorded, chosen, gives_up, decided, before } = self;
        let (recorded, chosen) = (action_of(recorded), chosen.map(action_of));
        Departure { input, at, agent, recorded, chosen, gives_up, decided, before }
    }
}

impl<A: PartialEq> Departure<A> {
    /// Returns whether the policy chose the recorded action, only earlier.
    pub fn is_delay(&self) -> bool {
        self.chosen.as_ref() == Some(&self.recorded)
    }
}

/// A choice that an agent makes at a moment, in place of the choice of its policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement<A> {
    /// The moment.
    pub at: SimTime,
    /// The agent.
    pub agent: AgentId,
    /// The choice.
    pub choice: Choice<A>,
}

impl<E: Environment<Action: PartialEq>> Running<E> {
    /// Takes the episode along a record: serves its inputs, in their order and at their moments, whatever the policies
    /// choose.
    ///
    /// Each policy hears what its agent heard, is asked when its agent may act, also for decisions to wait, which a
    /// record does not hold, and is [told](Policy::sent) what its agent has asked for. So the policies that played the
    /// record choose what they chose then, and afterwards are what they were; others at least know what the agent knew.
    /// `departed` is given each recorded action that its policy did not choose or chose earlier, in their order.
    ///
    /// Then [`Running::play`] goes on. A policy that has chosen an action which the record does not hold any more asks
    /// for it at once.
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
        self.followed = Some(0);
        let mut play = Play::new(self, policies, witness);
        for (index, input) in record.iter().enumerate() {
            play.run.followed = Some(index);
            let departure = play.take_along(state, index, input);
            departure.into_iter().for_each(&mut *departed);
        }
        self.followed = Some(record.len());
    }

    /// Lets an agent make a choice in place of its policy, after a record was [followed](Self::follow). The policy is
    /// asked as always, and told what was sent in its name; then everybody goes on freely. Everything from this choice
    /// on is drawn from the seed, if there is one. Nothing happens if the episode is over.
    ///
    /// # Panics
    ///
    /// If no record was followed, or there is no such agent.
    pub fn replace<P: Policy<E>, W: Witness<E>>(
        &mut self,
        state: &mut E,
        policies: &mut [P],
        witness: &mut W,
        replacement: Replacement<E::Action>,
        seed: Option<Seed>,
    ) {
        assert!(self.followed.is_some(), "a choice is replaced after a record was followed");
        if matches!(state.turn(), Turn::Over(_)) {
            return;
        }
        let Replacement { at, agent, choice } = replacement;
        let mut play = Play::new(self, policies, witness);
        play.pass_over(state, at, true, |asked, now, _| asked == agent && now == at);
        seed.into_iter().for_each(|seed| play.reseed(state, seed));
        play.run.slots[agent.index()] = Slot::Free;
        match choice {
            Choice::Act(action) => {
                play.send(agent, &action);
                // If the agent forfeits and the episode ends, the state says so.
                let _ = play.serve_in_schedule(state, agent, action);
            }
            Choice::Wait(until) => play.wait(state, agent, until, None),
        }
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
        self.pass_over(state, at, is_decided, |agent, now, decision| match input {
            // The others decide after the action of this agent, whatever its policy has chosen.
            Input::Action { agent: of, .. } => {
                agent == *of && now == at && !matches!(decision, Decision::Wait(_))
            }
            Input::Disruption { disruption, .. } => now == at && decision.is_cause(agent, *disruption),
            Input::Reseed { .. } => false,
        });
        match input {
            Input::Action { agent, action, .. } => {
                let slot = std::mem::replace(&mut self.run.slots[agent.index()], Slot::Free);
                let gives_up = matches!(slot, Slot::Passed(Passed { decision: Decision::GiveUp(_), .. }));
                let (chosen, decided, before) = match slot {
                    Slot::Passed(Passed { decision: Decision::Act(chosen), at, before }) => {
                        (Some(chosen), at, before)
                    }
                    _ => (None, at, index),
                };
                self.send(*agent, action);
                self.serve(state, *agent, action.clone());
                let departs = chosen.as_ref() != Some(action) || decided < at;
                let recorded = action.clone();
                departs.then(|| Departure {
                    input: index,
                    at,
                    agent: *agent,
                    recorded,
                    chosen,
                    gives_up,
                    decided,
                    before,
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
}

impl<E: Environment, P: Policy<E>, W: Witness<E>> Play<'_, E, P, W> {
    /// Lets all agents decide that are due up to this moment, or before it unless `is_decided`, and passes their
    /// decisions over; ends after the decision for which `is_last` returns true. The clock then shows the moment.
    fn pass_over(
        &mut self,
        state: &mut E,
        at: SimTime,
        is_decided: bool,
        is_last: impl Fn(AgentId, SimTime, &Decision<E::Action>) -> bool,
    ) {
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
                decision => decision,
            };
            let is_last = is_last(agent, self.run.now, &decision);
            match decision {
                Decision::Wait(until) => self.wait(state, agent, until, slot.alarm()),
                decision => {
                    let before = self.run.followed.unwrap_or_default();
                    let passed = Passed { decision, at: self.run.now, before };
                    self.run.slots[agent.index()] = Slot::Passed(passed);
                }
            }
            if is_last {
                break;
            }
        }
        self.run.now = self.run.now.max(at);
    }

    /// Lets the state and all policies draw from this seed.
    fn reseed(&mut self, state: &mut E, seed: Seed) {
        self.witness.reseed(state, self.run.now, seed);
        state.reseed(seed);
        for (agent, policy) in AgentId::all(self.policies.len()).zip(&mut *self.policies) {
            policy.reseed(agent, seed);
        }
    }

    /// Lets the agents go on freely after a record was followed: each decision that was passed over counts from now on.
    pub(super) fn release(&mut self, state: &mut E) {
        for agent in AgentId::all(self.run.slots.len()) {
            match std::mem::replace(&mut self.run.slots[agent.index()], Slot::Free) {
                Slot::Passed(Passed { decision: Decision::Act(action), .. }) => {
                    self.send(agent, &action);
                    self.dispatch(agent, action, Millis::ZERO);
                }
                Slot::Passed(Passed { decision: Decision::GiveUp(reason), .. }) => {
                    self.forfeit(state, agent, reason);
                }
                slot => self.run.slots[agent.index()] = slot,
            }
        }
    }
}

impl<A> Decision<A> {
    /// Returns whether this decision of an agent is the cause of the disruption.
    fn is_cause(&self, agent: AgentId, disruption: Disruption) -> bool {
        matches!(self, Self::GiveUp(reason) if disruption == Disruption::Forfeited(agent, *reason))
    }
}
