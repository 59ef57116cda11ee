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
//! play on. In a game of turns the others cannot play on: the mover forfeits after too many refused requests or
//! decisions to wait in a row, or if it waits without end. An agent may also give the game up by itself. A game without
//! time never leaves [`SimTime::START`].

mod follow;

use crate::description::TimeModel;
use crate::environment::{Disruption, Environment, Ready, Turn};
use crate::ids::{AgentId, TeamId};
use crate::outcome::{Outcome, Termination};
use crate::policy::{Choice, Policy};
use crate::seed::{Chance, Seed};
use crate::sink::{Addressed, Audience, Sink, Witness};
use crate::time::{Millis, SimTime};

pub use self::follow::{Departure, Input, Replacement};

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

impl Limits {
    /// Returns the limits of a match, unless it has others: [`LONGEST_GAME`], ten million actions and decisions.
    pub const fn of_matches() -> Self {
        Self {
            steps: 10_000_000,
            decisions: 10_000_000,
            time: LONGEST_GAME,
            decisions_per_moment: 16,
            refusals: 100,
        }
    }

    /// Returns these limits, and none beyond the others.
    pub fn within(self, most: Self) -> Self {
        Self {
            steps: self.steps.min(most.steps),
            decisions: self.decisions.min(most.decisions),
            time: self.time.min(most.time),
            decisions_per_moment: self.decisions_per_moment.min(most.decisions_per_moment),
            refusals: self.refusals.min(most.refusals),
        }
    }
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
        Self { decisions: u64::MAX, time: SimTime::NEVER, ..Self::of_matches() }
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
        let mut run = self.begin(state);
        let mut play = Play::new(&mut run, policies, witness);
        let outcome = if play.run.latency.0.is_none() && play.run.disruptions.is_empty() {
            play.directly(state)
        } else {
            play.run.open_schedule();
            play.by_schedule(state, &|_: &P| false).expect("no policy pauses")
        };
        play.end(state, outcome)
    }

    /// Begins an episode that can pause at a decision, from the state given, which need not be the first.
    ///
    /// ```
    /// use game_env::examples::pebbles::{Observation, Pebbles, Take};
    /// use game_env::rollout::Progress;
    /// use game_env::{AgentId, Choice, Environment, Policy, Rollout, Seed, SimTime};
    ///
    /// /// Takes the number of pebbles that it was given, and pauses without one.
    /// struct Asks(Option<Take>);
    ///
    /// impl Policy<Pebbles> for Asks {
    ///     fn choose(&mut self, _: SimTime, _: AgentId, _: &Observation) -> Choice<Take> {
    ///         self.0.take().map_or(Choice::Wait(SimTime::NEVER), Choice::Act)
    ///     }
    /// }
    ///
    /// let mut game = Pebbles::new(&21, Seed::new(7));
    /// let mut policies = [Asks(Some(Take::new(1))), Asks(None)];
    /// let mut episode = Rollout::default().begin(&game);
    /// let paused = episode.play(&mut game, &mut policies, &mut (), |policy| policy.0.is_none());
    /// assert_eq!(paused, Progress::Paused(AgentId::new(0)), "its pebble is still in its hand");
    /// ```
    pub fn begin<E: Environment>(&self, state: &E) -> Running<E> {
        let is_timeless = matches!(E::DESCRIPTION.time, TimeModel::Turns);
        // Only agents in real time rest, so only theirs are counted.
        let counted = if E::DESCRIPTION.time.has_turns() { 0 } else { state.agents() };
        let mut disruptions = self.disruptions.clone();
        if is_timeless {
            disruptions.truncate(disruptions.partition_point(|(at, _)| *at == SimTime::START));
        }
        // The next one is the last of the list.
        disruptions.reverse();
        Running {
            limits: self.limits,
            latency: if is_timeless { Latency::default() } else { self.latency.clone() },
            disruptions,
            teams: AgentId::all(state.agents()).map(|agent| Some(state.team(agent))).collect(),
            slots: Vec::new(),
            observation: E::Observation::default(),
            now: state.clock(),
            steps: 0,
            decisions: vec![(SimTime::START, 0); counted],
            refusals: 0,
            waits_in_turn: 0,
            waits: 0,
            unserved: 0,
            sent: 0,
            due: None,
            followed: None,
            episode: None,
        }
    }
}

/// An episode that is being played: all that decides its course beside the state and the policies.
pub struct Running<E: Environment> {
    limits: Limits,
    latency: Latency,
    /// The disruptions to come, the next one last.
    disruptions: Vec<(SimTime, Disruption)>,
    /// The team of every agent that is still there.
    teams: Vec<Option<TeamId>>,
    /// The next act of each agent; empty while there is no schedule.
    slots: Vec<Slot<E::Action>>,
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
    /// Number of requests that were sent with a delay.
    sent: u64,
    /// The decision at which the episode has paused.
    due: Option<Deciding>,
    /// After a record was followed, and until the agents go on freely: the number of its inputs that were served.
    followed: Option<usize>,
    /// The result, after the end.
    episode: Option<Episode>,
}

/// The state of an episode when it pauses or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The policy of this agent was asked and has no choice yet.
    Paused(AgentId),
    /// The episode is over.
    Over(Episode),
}

impl<E: Environment> Running<E> {
    /// Plays until a policy is asked for which `pauses` then returns true, or to the end.
    ///
    /// The choice of a policy that pauses does not count: the next call asks it again at the same moment, with the same
    /// observation. Between two calls the state must not change. An episode that pauses takes the same course as one
    /// that does not.
    ///
    /// # Panics
    ///
    /// If there are not as many policies as agents.
    pub fn play<P: Policy<E>, W: Witness<E>>(
        &mut self,
        state: &mut E,
        policies: &mut [P],
        witness: &mut W,
        pauses: impl Fn(&P) -> bool,
    ) -> Progress {
        if let Some(episode) = self.episode {
            return Progress::Over(episode);
        }
        self.open_schedule();
        let was_following = self.followed.take().is_some();
        let mut play = Play::new(self, policies, witness);
        if was_following {
            play.release(state);
        }
        match play.by_schedule(state, &pauses) {
            Ok(outcome) => Progress::Over(play.end(state, outcome)),
            Err(agent) => Progress::Paused(agent),
        }
    }

    /// Returns the moment of the last decision.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Returns whether an agent is to decide at this moment, as far as nobody acts before it.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn is_due(&self, state: &E, agent: AgentId) -> bool {
        if self.due.is_some_and(|deciding| deciding.agent == agent) {
            return true;
        }
        let slot = self.slots.get(agent.index()).unwrap_or(&Slot::Free);
        slot.due(state, agent, self.now, self.now).is_some_and(|due| due.decision)
    }

    /// Returns the first agent that is due, until this moment; none if nobody is.
    fn next_due(&self, state: &E, latest: SimTime) -> Option<(Due, AgentId)> {
        let mut next: Option<(Due, AgentId)> = None;
        for (agent, slot) in AgentId::all(self.slots.len()).zip(&self.slots) {
            let latest = next.map_or(latest, |(due, _)| due.at);
            let due = slot.due(state, agent, self.now, latest);
            if let Some(due) = due.filter(|due| next.is_none_or(|(first, _)| *due < first)) {
                next = Some((due, agent));
            }
        }
        next
    }

    fn open_schedule(&mut self) {
        if self.slots.is_empty() {
            self.slots = self.teams.iter().map(|_| Slot::Free).collect();
        }
    }
}

/// An episode with its policies and its witness.
struct Play<'a, E: Environment, P, W> {
    run: &'a mut Running<E>,
    policies: &'a mut [P],
    witness: &'a mut W,
}

/// A decision of an agent.
enum Decision<A> {
    Act(A),
    Wait(SimTime),
    GiveUp(Termination),
}

/// An agent that is to decide, and the wait that an event has ended, if one has.
#[derive(Clone, Copy)]
struct Deciding {
    agent: AgentId,
    alarm: Option<(SimTime, Place)>,
}

impl<'a, E: Environment, P: Policy<E>, W: Witness<E>> Play<'a, E, P, W> {
    const HAS_TURNS: bool = E::DESCRIPTION.time.has_turns();
    const IS_TIMELESS: bool = matches!(E::DESCRIPTION.time, TimeModel::Turns);

    fn new(run: &'a mut Running<E>, policies: &'a mut [P], witness: &'a mut W) -> Self {
        assert_eq!(policies.len(), run.teams.len(), "a rollout takes one policy per agent");
        Self { run, policies, witness }
    }

    /// Tells everybody that the episode is over.
    fn end(self, state: &E, outcome: Outcome) -> Episode {
        let Running { steps, unserved, now, .. } = *self.run;
        self.policies.iter_mut().for_each(|policy| policy.end(now, &outcome));
        self.witness.end(state, now);
        let episode = Episode { outcome, steps, decisions: steps + unserved, time: now };
        self.run.episode = Some(episode);
        episode
    }

    /// Plays without a schedule; changes over to the other loop when an agent waits or rests.
    fn directly(&mut self, state: &mut E) -> Outcome {
        loop {
            let (agent, from) = match state.turn() {
                Turn::Act { agent, from, .. } => (agent, from),
                Turn::Over(outcome) => return outcome,
            };
            if !self.advance(from) || !self.may_decide() {
                return self.stall(state);
            }
            if self.must_rest(agent) {
                let slot = Slot::Resting(self.run.now + REST, self.place(state));
                return self.change_over(state, agent, slot);
            }
            state.observe(agent, &mut self.run.observation);
            let decision = self.decide(state, agent, &|_: &P| false).expect("no policy pauses");
            let forfeit = match decision {
                Decision::Act(action) => {
                    self.send(agent, &action);
                    self.serve(state, agent, action);
                    self.is_refused_too_often().then_some(Termination::Illegal)
                }
                Decision::GiveUp(reason) => Some(reason),
                Decision::Wait(_) if Self::IS_TIMELESS => Some(Termination::Silence),
                Decision::Wait(until) => {
                    let slot = Slot::Waiting(until, self.place(state));
                    return self.change_over(state, agent, slot);
                }
            };
            if let Some(outcome) = forfeit.and_then(|reason| self.forfeit(state, agent, reason)) {
                return outcome;
            }
        }
    }

    /// Goes on with a schedule in which one agent does not act at once.
    fn change_over(&mut self, state: &mut E, agent: AgentId, slot: Slot<E::Action>) -> Outcome {
        self.run.open_schedule();
        self.run.slots[agent.index()] = slot;
        self.by_schedule(state, &|_: &P| false).expect("no policy pauses")
    }

    /// Plays an episode in which agents wait, requests take time, disruptions happen, or policies pause.
    ///
    /// # Errors
    ///
    /// If a policy pauses: its agent.
    fn by_schedule(&mut self, state: &mut E, pauses: &impl Fn(&P) -> bool) -> Result<Outcome, AgentId> {
        loop {
            let Deciding { agent, alarm } = match self.run.due.take() {
                // It has observed before the pause, and nothing has happened since.
                Some(deciding) => deciding,
                None => match self.next_decision(state) {
                    Ok(deciding) => {
                        state.observe(deciding.agent, &mut self.run.observation);
                        deciding
                    }
                    Err(outcome) => return Ok(outcome),
                },
            };
            let Some(decision) = self.decide(state, agent, pauses) else {
                self.run.due = Some(Deciding { agent, alarm });
                return Err(agent);
            };
            let outcome = match decision {
                Decision::GiveUp(reason) => self.forfeit(state, agent, reason),
                Decision::Wait(_) if self.waits_too_often() => {
                    self.forfeit(state, agent, Termination::Silence)
                }
                Decision::Wait(until) => {
                    self.wait(state, agent, until, alarm);
                    None
                }
                Decision::Act(action) => {
                    self.send(agent, &action);
                    match self.run.latency.draw(agent) {
                        Millis::ZERO => self.serve_in_schedule(state, agent, action),
                        delay => {
                            self.dispatch(agent, action, delay);
                            None
                        }
                    }
                }
            };
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
        }
    }

    /// Moves the clock until an agent is to decide.
    ///
    /// # Errors
    ///
    /// If the episode ends before: its outcome.
    fn next_decision(&mut self, state: &mut E) -> Result<Deciding, Outcome> {
        loop {
            let (mover, until) = match state.turn() {
                Turn::Act { agent, until, .. } => (agent, until),
                Turn::Over(outcome) => return Err(outcome),
            };
            let next = self.run.next_due(state, SimTime::NEVER);
            let due = next.map_or(SimTime::NEVER, |(due, _)| due.at);
            let outside = self.run.disruptions.last().copied();
            let outside_at = outside.map_or(SimTime::NEVER, |(at, _)| at);
            if let Some(until) = until.filter(|until| *until < due.min(outside_at)) {
                if !self.advance(until) {
                    return Err(self.stall(state));
                }
                self.disrupt(state, Disruption::DeadlineMissed(mover));
                continue;
            }
            if let Some((at, disruption)) = outside.filter(|(at, _)| *at <= due && *at < SimTime::NEVER) {
                self.run.disruptions.pop();
                if !self.advance(at) {
                    return Err(self.stall(state));
                }
                self.disrupt(state, disruption);
                continue;
            }
            let Some((due, agent)) = next.filter(|(due, _)| due.at < SimTime::NEVER) else {
                // Every agent waits for another one; in turns the others wait for the mover.
                let forfeit = Self::HAS_TURNS.then_some(Termination::Silence);
                match forfeit.map(|reason| self.forfeit(state, mover, reason)) {
                    Some(None) => continue,
                    Some(Some(outcome)) => return Err(outcome),
                    None => return Err(self.stall(state)),
                }
            };
            if !self.advance(due.at) || !self.may_decide() {
                return Err(self.stall(state));
            }
            let slot = std::mem::replace(&mut self.run.slots[agent.index()], Slot::Free);
            if let Slot::UnderWay { action, .. } = slot {
                self.run.unserved -= 1;
                if let Some(outcome) = self.serve_in_schedule(state, agent, action) {
                    return Err(outcome);
                }
                continue;
            }
            if !self.rests(state, agent) {
                return Ok(Deciding { agent, alarm: slot.alarm() });
            }
        }
    }

    /// Counts a decision to come; lets the agent rest and returns true if there were too many at this moment already.
    fn rests(&mut self, state: &E, agent: AgentId) -> bool {
        if !self.must_rest(agent) {
            return false;
        }
        let place = self.place(state);
        self.run.slots[agent.index()] = Slot::Resting(self.run.now + REST, place);
        true
    }

    /// Lets an agent wait until this moment. `alarm` is the wait that an event has ended, if one has.
    fn wait(&mut self, state: &E, agent: AgentId, until: SimTime, alarm: Option<(SimTime, Place)>) {
        // Without time there is no later moment.
        let until = if Self::IS_TIMELESS { SimTime::NEVER } else { until };
        let kept = alarm.filter(|(set, _)| *set == until).map(|(_, place)| place);
        let place = kept.unwrap_or_else(|| self.place(state));
        self.run.slots[agent.index()] = Slot::Waiting(until, place);
    }

    /// Tells the policy that this request is sent.
    #[inline]
    fn send(&mut self, agent: AgentId, action: &E::Action) {
        self.policies[agent.index()].sent(self.run.now, agent, action);
    }

    /// Sends a request that arrives after this delay.
    fn dispatch(&mut self, agent: AgentId, action: E::Action, delay: Millis) {
        self.run.sent += 1;
        self.run.unserved += 1;
        let (at, sent) = (self.run.now + delay, self.run.sent);
        self.run.slots[agent.index()] = Slot::UnderWay { at, sent, action };
    }

    /// Serves an action; returns the outcome if the agent forfeits because of it and the episode ends.
    fn serve_in_schedule(&mut self, state: &mut E, agent: AgentId, action: E::Action) -> Option<Outcome> {
        self.serve(state, agent, action);
        if !self.is_refused_too_often() {
            return None;
        }
        self.forfeit(state, agent, Termination::Illegal)
    }

    /// Moves the clock; returns false if a limit is reached.
    #[inline]
    fn advance(&mut self, to: SimTime) -> bool {
        let run = &mut *self.run;
        run.now = run.now.max(to);
        run.steps < run.limits.steps && run.now <= run.limits.time
    }

    /// Returns whether the limit allows one more decision.
    #[inline]
    fn may_decide(&self) -> bool {
        self.run.steps + self.run.unserved < self.run.limits.decisions
    }

    /// Counts a decision to come; returns whether there were too many at this moment already.
    #[inline]
    fn must_rest(&mut self, agent: AgentId) -> bool {
        if Self::HAS_TURNS {
            return false;
        }
        let run = &mut *self.run;
        let (moment, count) = &mut run.decisions[agent.index()];
        if *moment != run.now {
            (*moment, *count) = (run.now, 0);
        }
        *count += 1;
        *count > run.limits.decisions_per_moment
    }

    /// Returns the place of an agent that now decides to wait: behind all agents that were served so far.
    fn place(&mut self, state: &E) -> Place {
        let orders = AgentId::all(self.run.teams.len()).filter_map(|agent| Some(state.ready(agent)?.order));
        self.run.waits += 1;
        Place { order: orders.max().unwrap_or(0), wait: self.run.waits }
    }

    /// Asks an agent that has observed this state; none if it pauses.
    #[inline]
    fn decide(
        &mut self,
        state: &E,
        agent: AgentId,
        pauses: &impl Fn(&P) -> bool,
    ) -> Option<Decision<E::Action>> {
        let run = &mut *self.run;
        let policy = &mut self.policies[agent.index()];
        let choice = policy.choose(run.now, agent, &run.observation);
        if pauses(policy) {
            return None;
        }
        if let Some(note) = policy.note() {
            self.witness.note(state, run.now, agent, &note);
        }
        Some(match (policy.gives_up(), choice) {
            (None, Choice::Act(action)) => Decision::Act(action),
            (None, Choice::Wait(until)) => {
                run.unserved += 1;
                Decision::Wait(until)
            }
            (Some(reason), _) => {
                run.unserved += 1;
                Decision::GiveUp(reason)
            }
        })
    }

    #[inline]
    fn serve(&mut self, state: &mut E, agent: AgentId, action: E::Action) {
        let run = &mut *self.run;
        run.steps += 1;
        run.waits_in_turn = 0;
        let now = run.now;
        self.witness.action(state, now, agent, &action);
        let mut hearing = self.hearing();
        state.step(now, agent, action, &mut hearing);
        let refusals = hearing.refusals;
        if Self::HAS_TURNS {
            self.run.refusals = if refusals == 0 { 0 } else { self.run.refusals + 1 };
        }
    }

    /// Tells everybody the events of a step or a disruption.
    #[inline]
    fn hearing(&mut self) -> Hearing<'_, E, P, W> {
        Hearing {
            policies: self.policies,
            witness: self.witness,
            teams: &self.run.teams,
            slots: &mut self.run.slots,
            refusals: 0,
        }
    }

    /// Returns whether a mover has used up [`Limits::refusals`].
    #[inline]
    fn is_refused_too_often(&self) -> bool {
        Self::HAS_TURNS && self.run.refusals > self.run.limits.refusals
    }

    /// Counts a decision to wait; returns whether a mover has used up [`MOST_WAITS`].
    fn waits_too_often(&mut self) -> bool {
        self.run.waits_in_turn += u32::from(Self::HAS_TURNS);
        self.run.waits_in_turn > MOST_WAITS
    }

    /// Lets the mover give up for this reason. Returns the outcome if that ends the episode; if the mover is still to
    /// act, the episode ends as stalled. An agent that the host has failed ends the episode of all: the result would
    /// say nothing about them.
    fn forfeit(&mut self, state: &mut E, mover: AgentId, reason: Termination) -> Option<Outcome> {
        self.run.refusals = 0;
        self.disrupt(
            state,
            match reason {
                Termination::HostFault => Disruption::Ended(reason),
                reason => Disruption::Forfeited(mover, reason),
            },
        );
        match state.turn() {
            Turn::Over(outcome) => Some(outcome),
            Turn::Act { agent, .. } if agent == mover => Some(self.stall(state)),
            Turn::Act { .. } => None,
        }
    }

    fn disrupt(&mut self, state: &mut E, disruption: Disruption) {
        let run = &mut *self.run;
        if let Disruption::AgentLost(agent) | Disruption::Forfeited(agent, _) = disruption {
            // The agent hears no more, and its request under way is lost.
            run.teams[agent.index()] = None;
            if let Some(slot) = run.slots.get_mut(agent.index()) {
                *slot = Slot::Free;
            }
        }
        run.waits_in_turn = 0;
        let now = run.now;
        self.witness.disruption(state, now, disruption);
        state.disrupt(now, disruption, &mut self.hearing());
    }

    fn stall(&mut self, state: &mut E) -> Outcome {
        self.run.now = self.run.now.min(self.run.limits.time).max(state.clock());
        self.disrupt(state, Disruption::Ended(Termination::Stall));
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
    /// While a record is followed: has made this decision, and the record has not come to it.
    Passed(Passed<A>),
}

/// A decision that was passed over while a record is followed.
struct Passed<A> {
    decision: Decision<A>,
    /// The moment of the decision.
    at: SimTime,
    /// The number of inputs before it.
    before: usize,
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
    /// Returns the wait that an event has ended, if one has.
    fn alarm(&self) -> Option<(SimTime, Place)> {
        match self {
            Self::Woken(until, place) => Some((*until, *place)),
            _ => None,
        }
    }

    /// Returns the moment at which it is due; none if that is after `latest`, or never.
    #[inline]
    fn due<E: Environment>(&self, state: &E, agent: AgentId, now: SimTime, latest: SimTime) -> Option<Due> {
        // The moment of a decision that comes at `until` at the earliest, and the moment at which the game lets it
        // come.
        let decision = |until: SimTime| {
            let ready = state.ready(agent)?;
            let at = ready.at.max(until);
            (at <= latest).then_some((at, ready))
        };
        Some(match self {
            Self::UnderWay { at, sent, .. } => {
                let ready = Ready { at: *at, order: *sent };
                return (*at <= latest).then_some(Due { at: *at, decision: false, ready, wait: 0 });
            }
            Self::Free => {
                let (at, ready) = decision(now)?;
                Due { at, decision: true, ready, wait: 0 }
            }
            Self::Waiting(until, place) | Self::Resting(until, place) => {
                let (at, _) = decision(now.max(*until))?;
                Due { at, decision: true, ready: Ready { at, order: place.order }, wait: place.wait }
            }
            Self::Woken(..) => {
                let (at, _) = decision(now)?;
                Due { at, decision: true, ready: Ready { at: SimTime::START, order: 0 }, wait: 0 }
            }
            Self::Passed(..) => return None,
        })
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
