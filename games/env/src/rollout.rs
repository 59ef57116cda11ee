//! Plays a whole episode in process, on a virtual clock.
//!
//! Time comes from the game itself: the clock jumps to the moment at which the next agent may act.
//! Without latency and without agents that wait, the loop only asks the game whose turn it is; it allocates no memory
//! per step.
//! Otherwise a schedule lies between the game and the policies: requests under way, agents that wait,
//! disruptions to come. If both loops can play an episode, they play the same one.
//!
//! No agent can stop an episode. In a game in real time, an agent that decides many times at the same moment (requests
//! and refusals that cost nothing, waiting for a moment that has come) rests before it decides again, and the others
//! play on. In a game of turns the others cannot play on: the mover forfeits after too many refused requests or decisions
//! to wait in a row, or if it waits without end. An agent may also give the game up by itself. A game without time never
//! leaves [`SimTime::START`].

use crate::description::TimeModel;
use crate::environment::{Disruption, Environment, Ready, Turn};
use crate::ids::{AgentId, TeamId};
use crate::outcome::{Outcome, Termination};
use crate::policy::{Choice, Policy};
use crate::seed::{Chance, Seed};
use crate::sink::{Addressed, Audience, Sink, Witness};
use crate::time::{Millis, SimTime};

/// The longest game time without another limit: 12 hours. By then even poor strategies have won the longest of the
/// games here.
pub const LONGEST_GAME: SimTime = SimTime::from_millis(12 * 3_600_000);

/// The settings of a rollout. The default has no latency, and ends after ten million steps at the latest.
#[derive(Clone, Debug, Default)]
pub struct Rollout {
    /// The limits of the episode.
    pub limits: Limits,
    /// The delays of the agents' requests.
    pub latency: Latency,
    /// Disruptions and their moments, in order of time. In a game without time, those after the start have no effect.
    pub disruptions: Vec<(SimTime, Disruption)>,
}

/// Limits of a rollout. It ends an episode at the first three with [`Termination::Stall`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most actions.
    pub steps: u64,
    /// The most decisions of all agents together, those to wait included.
    pub decisions: u64,
    /// The last moment at which an action is served.
    pub time: SimTime,
    /// In real time: the most decisions of an agent at the same moment; then it rests for [`REST`].
    pub decisions_per_moment: u32,
    /// In turns: the most refused requests of a mover in a row; one more, and it forfeits with
    /// [`Termination::Illegal`].
    pub refusals: u32,
}

/// Time for which an agent rests after [`Limits::decisions_per_moment`]. It is short compared with the cost of an
/// action in games in real time, so that the agent misses little. It is long enough that an agent which decides without
/// end does not slow the episode down.
pub const REST: Millis = Millis::new(10);

/// In turns: the most decisions of a mover to wait in a row; one more, and it forfeits with [`Termination::Silence`].
/// Nothing happens before the mover acts, and a wait until now could be repeated without end.
pub const MOST_WAITS: u32 = 1_000;

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 10_000_000,
            decisions: u64::MAX,
            time: SimTime::NEVER,
            decisions_per_moment: 16,
            refusals: 100,
        }
    }
}

/// Delay from the moment at which an agent may act until its request is served: thinking and both ways of the network,
/// as one delay per request.
///
/// The observation is that of the earlier moment. The default is no delay. In a game without time no delay has an
/// effect.
#[derive(Clone, Debug, Default)]
pub struct Latency(Option<(Vec<(Millis, Millis)>, Chance)>);

impl Latency {
    /// Delays drawn from the seed, evenly between the least and the most of each agent, both included.
    ///
    /// # Panics
    ///
    /// If a least is above its most.
    pub fn drawn(seed: Seed, bounds: Vec<(Millis, Millis)>) -> Self {
        assert!(bounds.iter().all(|(least, most)| least <= most), "a delay's least is above its most");
        Self(Some((bounds, seed.latency())))
    }

    fn draw(&mut self, agent: AgentId) -> Millis {
        let Some((bounds, chance)) = &mut self.0 else { return Millis::ZERO };
        let Some((least, most)) = bounds.get(agent.index()) else { return Millis::ZERO };
        let width = (most.as_millis() - least.as_millis()).saturating_add(1);
        Millis::new(least.as_millis() + chance.below(width))
    }
}

/// The result of a rollout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Episode {
    /// The outcome.
    pub outcome: Outcome,
    /// The number of actions served.
    pub steps: u64,
    /// The number of decisions of all agents, those to wait included.
    pub decisions: u64,
    /// The moment of the end.
    pub time: SimTime,
}

impl Rollout {
    /// Plays an episode to its end from the state given, which need not be the first.
    ///
    /// # Panics
    ///
    /// If there are not as many policies as agents.
    pub fn play<E, P, W>(&self, state: &mut E, policies: &mut [P], witness: &mut W) -> Episode
    where
        E: Environment,
        P: Policy<E>,
        W: Witness<E>,
    {
        assert_eq!(policies.len(), state.agents(), "a rollout takes one policy per agent");
        let teams = AgentId::all(state.agents()).map(|agent| Some(state.team(agent))).collect();
        // Only agents in real time rest, so only theirs are counted.
        let counted = if Play::<E, P, W>::HAS_TURNS { 0 } else { state.agents() };
        let decisions = vec![(SimTime::START, 0); counted];
        let mut play = Play {
            // Without a schedule every decision is a step.
            limits: Limits { steps: self.limits.steps.min(self.limits.decisions), ..self.limits },
            policies,
            witness,
            teams,
            observation: E::Observation::default(),
            now: state.clock(),
            steps: 0,
            decisions,
            refusals: 0,
            waits_in_turn: 0,
            waits: 0,
            unserved: 0,
        };
        let (mut latency, mut disruptions) = (self.latency.clone(), &self.disruptions[..]);
        if Play::<E, P, W>::IS_TIMELESS {
            latency = Latency::default();
            disruptions = &disruptions[..disruptions.partition_point(|(at, _)| *at == SimTime::START)];
        }
        let outcome = if latency.0.is_none() && disruptions.is_empty() {
            play.directly(state)
        } else {
            let slots = play.teams.iter().map(|_| Slot::Free).collect();
            play.by_schedule(state, latency, disruptions, slots)
        };
        play.policies.iter_mut().for_each(|policy| policy.end(play.now, &outcome));
        play.witness.end(state, play.now);
        Episode { outcome, steps: play.steps, decisions: play.steps + play.unserved, time: play.now }
    }
}

/// An episode being played.
struct Play<'a, E: Environment, P, W> {
    limits: Limits,
    policies: &'a mut [P],
    witness: &'a mut W,
    /// The team of every agent that is still there.
    teams: Vec<Option<TeamId>>,
    observation: E::Observation,
    now: SimTime,
    steps: u64,
    /// In real time: the moment of each agent's last decision, and the number of its decisions at that moment.
    decisions: Vec<(SimTime, u32)>,
    /// In turns: the number of refused requests of the mover in a row.
    refusals: u32,
    /// In turns: the number of decisions to wait in a row.
    waits_in_turn: u32,
    /// Number of [`Choice::Wait`] decisions so far.
    waits: u64,
    /// Number of decisions that are no steps: those to wait or to give up, and requests that are not served yet.
    unserved: u64,
}

/// A decision of an agent.
enum Decision<A> {
    Act(A),
    Wait(SimTime),
    GiveUp(Termination),
}

impl<E: Environment, P: Policy<E>, W: Witness<E>> Play<'_, E, P, W> {
    const HAS_TURNS: bool = E::DESCRIPTION.time.has_turns();
    const IS_TIMELESS: bool = matches!(E::DESCRIPTION.time, TimeModel::Turns);

    /// Plays without a schedule; changes over to the other loop when an agent waits or rests.
    fn directly(&mut self, state: &mut E) -> Outcome {
        loop {
            let (agent, from) = match state.turn() {
                Turn::Act { agent, from, .. } => (agent, from),
                Turn::Over(outcome) => return outcome,
            };
            if !self.advance(from) {
                return self.stall(state);
            }
            if self.must_rest(agent) {
                let slot = Slot::Resting(self.now + REST, self.place(state));
                return self.change_over(state, agent, slot);
            }
            let forfeit = match self.decide(state, agent) {
                Decision::Act(action) => {
                    self.serve(state, agent, action, &mut []);
                    self.is_refused_too_often().then_some(Termination::Illegal)
                }
                Decision::GiveUp(reason) => Some(reason),
                Decision::Wait(_) if Self::IS_TIMELESS => Some(Termination::Silence),
                Decision::Wait(until) => {
                    let slot = Slot::Waiting(until, self.place(state));
                    return self.change_over(state, agent, slot);
                }
            };
            if let Some(outcome) = forfeit.and_then(|reason| self.forfeit(state, agent, reason, &mut [])) {
                return outcome;
            }
        }
    }

    /// Goes on with a schedule in which one agent does not act at once.
    fn change_over(&mut self, state: &mut E, agent: AgentId, slot: Slot<E::Action>) -> Outcome {
        let mut slots: Vec<_> = self.teams.iter().map(|_| Slot::Free).collect();
        slots[agent.index()] = slot;
        self.by_schedule(state, Latency::default(), &[], slots)
    }

    /// Plays an episode in which agents wait, requests take time, or disruptions happen.
    fn by_schedule(
        &mut self,
        state: &mut E,
        mut latency: Latency,
        mut disruptions: &[(SimTime, Disruption)],
        mut slots: Vec<Slot<E::Action>>,
    ) -> Outcome {
        let mut sent = 0;
        loop {
            let (mover, until) = match state.turn() {
                Turn::Act { agent, until, .. } => (agent, until),
                Turn::Over(outcome) => return outcome,
            };
            let next = AgentId::all(slots.len())
                .filter_map(|agent| Some((slots[agent.index()].due(state, agent, self.now)?, agent)))
                .min();
            let due = next.map_or(SimTime::NEVER, |(due, _)| due.at);
            let outside = disruptions.first().map_or(SimTime::NEVER, |(at, _)| *at);
            if let Some(until) = until.filter(|until| *until < due.min(outside)) {
                if !self.advance(until) {
                    return self.stall(state);
                }
                self.disrupt(state, Disruption::DeadlineMissed(mover), &mut slots);
                continue;
            }
            if outside <= due && outside < SimTime::NEVER {
                let (_, disruption) = disruptions[0];
                disruptions = &disruptions[1..];
                if !self.advance(outside) {
                    return self.stall(state);
                }
                self.disrupt(state, disruption, &mut slots);
                continue;
            }
            let Some((due, agent)) = next.filter(|(due, _)| due.at < SimTime::NEVER) else {
                // Every agent waits for another one; in turns the others wait for the mover.
                let forfeit = Self::HAS_TURNS.then_some(Termination::Silence);
                match forfeit.map(|reason| self.forfeit(state, mover, reason, &mut slots)) {
                    Some(None) => continue,
                    Some(Some(outcome)) => return outcome,
                    None => return self.stall(state),
                }
            };
            if !self.advance(due.at) || self.steps + self.unserved >= self.limits.decisions {
                return self.stall(state);
            }
            let slot = &mut slots[agent.index()];
            let alarm = match slot {
                Slot::Woken(until, place) => Some((*until, *place)),
                _ => None,
            };
            let served = match std::mem::replace(slot, Slot::Free) {
                Slot::UnderWay { action, .. } => {
                    self.unserved -= 1;
                    Some(action)
                }
                Slot::Free | Slot::Woken(..) | Slot::Waiting(..) | Slot::Resting(..)
                    if self.must_rest(agent) =>
                {
                    *slot = Slot::Resting(self.now + REST, self.place(state));
                    None
                }
                Slot::Free | Slot::Woken(..) | Slot::Waiting(..) | Slot::Resting(..) => {
                    match self.decide(state, agent) {
                        Decision::GiveUp(reason) => {
                            if let Some(outcome) = self.forfeit(state, agent, reason, &mut slots) {
                                return outcome;
                            }
                            None
                        }
                        Decision::Wait(_) if self.waits_too_often() => {
                            let reason = Termination::Silence;
                            if let Some(outcome) = self.forfeit(state, agent, reason, &mut slots) {
                                return outcome;
                            }
                            None
                        }
                        Decision::Wait(until) => {
                            // Without time there is no later moment.
                            let until = if Self::IS_TIMELESS { SimTime::NEVER } else { until };
                            let kept = alarm.filter(|(set, _)| *set == until).map(|(_, place)| place);
                            *slot = Slot::Waiting(until, kept.unwrap_or_else(|| self.place(state)));
                            None
                        }
                        Decision::Act(action) => match latency.draw(agent) {
                            Millis::ZERO => Some(action),
                            delay => {
                                sent += 1;
                                self.unserved += 1;
                                *slot = Slot::UnderWay { at: self.now + delay, sent, action };
                                None
                            }
                        },
                    }
                }
            };
            let Some(action) = served else { continue };
            self.serve(state, agent, action, &mut slots);
            if self.is_refused_too_often()
                && let Some(outcome) = self.forfeit(state, agent, Termination::Illegal, &mut slots)
            {
                return outcome;
            }
        }
    }

    /// Moves the clock; returns false if a limit is reached.
    #[inline]
    fn advance(&mut self, to: SimTime) -> bool {
        self.now = self.now.max(to);
        self.steps < self.limits.steps && self.now <= self.limits.time
    }

    /// Counts a decision to come; returns whether there were too many at this moment already.
    #[inline]
    fn must_rest(&mut self, agent: AgentId) -> bool {
        if Self::HAS_TURNS {
            return false;
        }
        let (moment, count) = &mut self.decisions[agent.index()];
        if *moment != self.now {
            (*moment, *count) = (self.now, 0);
        }
        *count += 1;
        *count > self.limits.decisions_per_moment
    }

    /// The place of an agent that now decides to wait: behind all agents that were served so far.
    fn place(&mut self, state: &E) -> Place {
        let orders = AgentId::all(self.teams.len()).filter_map(|agent| Some(state.ready(agent)?.order));
        self.waits += 1;
        Place { order: orders.max().unwrap_or(0), wait: self.waits }
    }

    #[inline]
    fn decide(&mut self, state: &E, agent: AgentId) -> Decision<E::Action> {
        state.observe(agent, &mut self.observation);
        let policy = &mut self.policies[agent.index()];
        let choice = policy.choose(self.now, agent, &self.observation);
        if let Some(note) = policy.note() {
            self.witness.note(state, self.now, agent, &note);
        }
        match (policy.gives_up(), choice) {
            (None, Choice::Act(action)) => Decision::Act(action),
            (None, Choice::Wait(until)) => {
                self.unserved += 1;
                Decision::Wait(until)
            }
            (Some(reason), _) => {
                self.unserved += 1;
                Decision::GiveUp(reason)
            }
        }
    }

    #[inline]
    fn serve(&mut self, state: &mut E, agent: AgentId, action: E::Action, slots: &mut [Slot<E::Action>]) {
        self.steps += 1;
        self.waits_in_turn = 0;
        self.witness.action(state, self.now, agent, &action);
        let Self { policies, witness, teams, .. } = self;
        let mut hearing = Hearing::<E, P, W> { policies, witness, teams, slots, refusals: 0 };
        state.step(self.now, agent, action, &mut hearing);
        let refusals = hearing.refusals;
        if Self::HAS_TURNS {
            self.refusals = if refusals == 0 { 0 } else { self.refusals + 1 };
        }
    }

    /// Returns whether a mover has used up [`Limits::refusals`].
    #[inline]
    fn is_refused_too_often(&self) -> bool {
        Self::HAS_TURNS && self.refusals > self.limits.refusals
    }

    /// Counts a decision to wait; returns whether a mover has used up [`MOST_WAITS`].
    fn waits_too_often(&mut self) -> bool {
        self.waits_in_turn += u32::from(Self::HAS_TURNS);
        self.waits_in_turn > MOST_WAITS
    }

    /// Lets the mover give up for this reason. Returns the outcome if that ends the episode; if the mover is still to
    /// act, the episode ends as stalled.
    fn forfeit(
        &mut self,
        state: &mut E,
        mover: AgentId,
        reason: Termination,
        slots: &mut [Slot<E::Action>],
    ) -> Option<Outcome> {
        self.refusals = 0;
        self.disrupt(state, Disruption::Forfeited(mover, reason), slots);
        match state.turn() {
            Turn::Over(outcome) => Some(outcome),
            Turn::Act { agent, .. } if agent == mover => Some(self.stall(state)),
            Turn::Act { .. } => None,
        }
    }

    fn disrupt(&mut self, state: &mut E, disruption: Disruption, slots: &mut [Slot<E::Action>]) {
        if let Disruption::AgentLost(agent) | Disruption::Forfeited(agent, _) = disruption {
            // The agent hears no more, and its request under way is lost.
            self.teams[agent.index()] = None;
            if let Some(slot) = slots.get_mut(agent.index()) {
                *slot = Slot::Free;
            }
        }
        self.waits_in_turn = 0;
        self.witness.disruption(state, self.now, disruption);
        let Self { policies, witness, teams, .. } = self;
        let mut hearing = Hearing::<E, P, W> { policies, witness, teams, slots, refusals: 0 };
        state.disrupt(self.now, disruption, &mut hearing);
    }

    fn stall(&mut self, state: &mut E) -> Outcome {
        self.now = self.now.min(self.limits.time).max(state.clock());
        self.disrupt(state, Disruption::Ended(Termination::Stall), &mut []);
        match state.turn() {
            Turn::Over(outcome) => outcome,
            Turn::Act { .. } => panic!("a game goes on after its end was called"),
        }
    }
}

/// The next act of one agent, as far as a schedule knows it.
enum Slot<A> {
    /// Acts when the game lets it.
    Free,
    /// Lets time pass until this moment, or until it hears something.
    Waiting(SimTime, Place),
    /// Has just heard an event that it waited for, and acts before all other agents whose time is up. If it decides to
    /// wait until the same moment again, it keeps its place.
    Woken(SimTime, Place),
    /// Has decided too often at one moment and does not decide before this one.
    Resting(SimTime, Place),
    /// Has sent a request that arrives at this moment; `sent` numbers all requests.
    UnderWay { at: SimTime, sent: u64, action: A },
}

/// The place of a waiting agent among those whose time is up at the same moment: as if it had been served when it
/// decided to wait, after the agent with this order in the game. An agent that decided later acts later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    order: u64,
    /// The number of this decision to wait, from 1, among those of all agents.
    wait: u64,
}

/// The moment at which a slot is due. At the same moment, arriving requests go before decisions. Among decisions, the
/// agent goes first that was served, or decided to wait, the longest time ago.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: SimTime,
    decision: bool,
    ready: Ready,
    wait: u64,
}

impl<A> Slot<A> {
    fn due<E: Environment>(&self, state: &E, agent: AgentId, now: SimTime) -> Option<Due> {
        match self {
            Self::UnderWay { at, sent, .. } => {
                let ready = Ready { at: *at, order: *sent };
                return Some(Due { at: *at, decision: false, ready, wait: 0 });
            }
            Self::Waiting(until, place) | Self::Resting(until, place) => {
                let at = state.ready(agent)?.at.max(*until).max(now);
                let ready = Ready { at, order: place.order };
                return Some(Due { at, decision: true, ready, wait: place.wait });
            }
            Self::Woken(..) => {
                let at = state.ready(agent)?.at.max(now);
                return Some(Due {
                    at,
                    decision: true,
                    ready: Ready { at: SimTime::START, order: 0 },
                    wait: 0,
                });
            }
            Self::Free => {}
        }
        let ready = state.ready(agent)?;
        Some(Due { at: ready.at.max(now), decision: true, ready, wait: 0 })
    }
}

/// Passes an event on to the policies that may hear it, then to the witness.
struct Hearing<'a, E: Environment, P, W> {
    policies: &'a mut [P],
    witness: &'a mut W,
    teams: &'a [Option<TeamId>],
    slots: &'a mut [Slot<E::Action>],
    /// Number of refusals among the events.
    refusals: u32,
}

impl<E: Environment, P: Policy<E>, W> Hearing<'_, E, P, W> {
    #[inline]
    fn tell(&mut self, now: SimTime, agent: AgentId, event: &E::Event) {
        self.policies[agent.index()].hear(now, agent, event);
        if let Some(slot) = self.slots.get_mut(agent.index())
            && let Slot::Waiting(until, place) = *slot
        {
            *slot = Slot::Woken(until, place);
        }
    }
}

impl<E: Environment, P: Policy<E>, W: Witness<E>> Sink<E::Event> for Hearing<'_, E, P, W> {
    #[inline]
    fn event(&mut self, now: SimTime, event: E::Event) {
        self.refusals += u32::from(event.is_refusal());
        match event.audience() {
            Audience::Agent(agent) => self.tell(now, agent, &event),
            Audience::Referee => {}
            audience => {
                for agent in AgentId::all(self.teams.len()) {
                    if self.teams[agent.index()].is_some_and(|team| audience.includes(agent, team)) {
                        self.tell(now, agent, &event);
                    }
                }
            }
        }
        self.witness.event(now, &event);
    }
}
