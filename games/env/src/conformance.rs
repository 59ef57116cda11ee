//! The suite that every game runs to show that it keeps the contract of [`Environment`].
//!
//! It plays episodes of random legal actions from many seeds, and looks for everything that would break a replay, a
//! league, a viewer, or fairness. A game supplies its configurations and two functions that only its author can write
//! ([`Conforming`]); the suite reports the first broken promise with the seed that shows it.
//!
//! ```
//! use game_env::conformance::{Case, check};
//! use game_env::examples::pebbles::Pebbles;
//!
//! let report = check::<Pebbles>(&[Case { name: "usual", config: 21, seeds: 0..20, bound: 21 }]);
//! println!("{}", report?);
//! # Ok::<(), game_env::conformance::Violation>(())
//! ```

mod promise;

use std::fmt;
use std::ops::Range;

use crate::arrays::{ArrayAgent as _, Arrays, Outside};
use crate::description::{Description, Information, TimeModel};
use crate::environment::{Disruption, Environment, Options, Turn};
use crate::ids::{AgentId, TeamId};
use crate::notation::Notation;
use crate::outcome::{Outcome, Termination};
use crate::policy::{Choice, Policy, RandomPolicy};
use crate::replay::{Playback, Writer};
use crate::rollout::{Episode, Limits, Progress, Rollout};
use crate::seed::{Chance, Seed};
use crate::sink::{Addressed, Audience, Witness};
use crate::time::SimTime;

pub use self::promise::PROMISES;

/// The functions that the suite needs from a game beyond the contract.
pub trait Conforming: Notation<Action: PartialEq, Event: Clone, Observation: PartialEq + fmt::Debug> {
    /// Changes all that this agent cannot know, and returns whether there was anything to change.
    fn scramble(&mut self, agent: AgentId, chance: &mut Chance) -> bool;

    /// Adds actions that an agent might ask for: of every kind, legal and illegal, absurd ones included.
    /// Of an action with free content, the example that [`Environment::legal_actions`] gives.
    fn candidates(&self, agent: AgentId, out: &mut Vec<Self::Action>);
}

/// One configuration to play.
#[derive(Clone, Debug)]
pub struct Case<C> {
    /// The name of the case in reports.
    pub name: &'static str,
    /// The configuration.
    pub config: C,
    /// The seeds to play it with.
    pub seeds: Range<u64>,
    /// The number of steps within which every one of these episodes ends.
    pub bound: u64,
}

/// The number of checks that the suite made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Episodes played to their end.
    pub episodes: u64,
    /// Steps in them.
    pub steps: u64,
    /// Actions tried on a copy of a state.
    pub probes: u64,
    /// Observations compared with those of a state that differs in secrets.
    pub scrambles: u64,
    /// Episodes of games without chance that were played from two seeds with the same first state.
    pub twins: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { episodes, steps, probes, scrambles, twins } = self;
        write!(
            f,
            "{episodes} episodes, {steps} steps, {probes} probed actions, {scrambles} scrambled states"
        )?;
        write!(f, ", {twins} episodes from two seeds")
    }
}

/// A broken promise, and the way to see it again.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{promise}, but {fact} (case {case}, seed {seed}, after {steps} steps)")]
pub struct Violation {
    /// The promise of the contract.
    pub promise: &'static str,
    /// The fact that breaks it.
    pub fact: String,
    /// The case's name.
    pub case: &'static str,
    /// The episode's seed.
    pub seed: u64,
    /// The step after which it was seen.
    pub steps: u64,
}

/// Plays an episode of each seed of a case by the numbers of random possible actions, and looks at the arrays.
///
/// Returns the number of decisions.
///
/// # Panics
///
/// If the actions and their numbers do not agree, an option has no number, a text of the layout is there twice, the
/// vector holds no finite number, or the points at the end are not those of the outcome.
pub fn check_arrays<E>(case: &Case<E::Config>) -> u64
where
    E: Arrays<Config: Clone, Action: PartialEq + fmt::Debug> + Notation,
{
    let config = &case.config;
    let layout = E::layout(config);
    let actions = E::actions(config);
    for (number, action) in actions.iter().enumerate() {
        assert_eq!(E::number(config, action), Some(number), "{action}");
    }
    assert!(layout.actions.iter().eq(actions.iter().map(ToString::to_string).collect::<Vec<_>>().iter()));
    for texts in [&layout.planes, &layout.vector, &layout.actions] {
        let mut sorted = texts.clone();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None, "two parts of the layout have one meaning");
    }
    let (mut planes, mut vector) = (vec![0; layout.plane_bytes()], vec![0.0; layout.vector.len()]);
    let (mut mask, mut options) = (vec![0; actions.len()], Vec::new());
    let mut decisions = 0;
    for number in case.seeds.clone() {
        let seed = Seed::new(number);
        let mut chance = seed.child(5).game();
        let mut state = E::new(config, seed);
        let mut agents: Vec<Outside<E>> =
            AgentId::all(state.agents()).map(|_| Outside::new(config)).collect();
        let mut observation = E::Observation::default();
        let limits = Limits { steps: case.bound.saturating_mul(8), ..Limits::default() };
        let mut run = Rollout { limits, ..Rollout::default() }.begin(&state);
        let episode = loop {
            let agent = match run.play(&mut state, &mut agents, &mut (), Outside::is_asked) {
                Progress::Over(episode) => break episode,
                Progress::Paused(agent) => agent,
            };
            decisions += 1;
            let outside = &mut agents[agent.index()];
            outside.write(&state, run.now(), agent, &mut planes, &mut vector);
            assert!(vector.iter().all(|number| number.is_finite()), "{vector:?}");
            outside.mask(&state, agent, &mut mask);
            state.observe(agent, &mut observation);
            observation.options(&mut options);
            let possible: Vec<usize> = (0..mask.len()).filter(|number| mask[*number] == 1).collect();
            assert_eq!(possible.len(), options.len(), "every option has a number of its own");
            assert!(possible.iter().all(|number| options.contains(&actions[*number])));
            outside.give(run.now(), possible[chance.index(possible.len())]);
        };
        for (team, points) in episode.outcome.returns.points().iter().enumerate() {
            let team = TeamId::new(u8::try_from(team).expect("there are at most four teams"));
            assert_eq!(state.points(team), *points, "{team:?}");
        }
    }
    decisions
}

/// A random policy that pauses before every choice.
struct Pausing<A> {
    policy: RandomPolicy<A>,
    pauses: bool,
}

impl<E: Environment> Policy<E> for Pausing<E::Action> {
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &E::Observation) -> Choice<E::Action> {
        self.pauses = !self.pauses;
        if self.pauses {
            return Choice::Wait(SimTime::NEVER);
        }
        Policy::<E>::choose(&mut self.policy, now, agent, observation)
    }
}

/// Plays all cases and looks for broken promises.
///
/// # Errors
///
/// The first broken promise.
pub fn check<E: Conforming>(cases: &[Case<E::Config>]) -> Result<Report, Violation> {
    let mut report = Report::default();
    for case in cases {
        for seed in case.seeds.clone() {
            Trial::<E> { case, seed: Seed::new(seed), steps: 0, report: &mut report }.run()?;
            report.episodes += 1;
        }
    }
    Ok(report)
}

/// Expensive checks run at every step below this number, and then more and more rarely.
const DENSE_STEPS: u64 = 64;

/// Number of seeds that are tried to find one that draws the same first state.
const OTHER_SEEDS: u64 = 8;

fn is_looked_at(steps: u64) -> bool {
    steps < DENSE_STEPS || steps.is_power_of_two() || steps.is_multiple_of(997)
}

/// One episode that the suite examines.
struct Trial<'a, E: Environment> {
    case: &'a Case<E::Config>,
    seed: Seed,
    steps: u64,
    report: &'a mut Report,
}

/// An episode as text: one line for every event, and the hash after every step.
#[derive(PartialEq, Eq)]
struct Course {
    events: Vec<String>,
    hashes: Vec<u64>,
}

impl<E: Conforming> Trial<'_, E> {
    fn run(mut self) -> Result<(), Violation> {
        let mut file =
            Writer::in_memory::<E>(&self.case.config, self.seed, "random legal actions", "conformance");
        let first = self.play(&mut file, true)?;
        let again = self.play(&mut (), false)?;
        if first != again {
            let step = first.hashes.iter().zip(&again.hashes).position(|(a, b)| a != b);
            self.steps = step.map_or(0, |step| step as u64);
            return Err(
                self.broken(promise::EQUAL_INPUTS, "the same episode, played twice, took two courses")
            );
        }
        self.check_replay(file, &first)?;
        self.check_rollouts()?;
        if E::DESCRIPTION.has_chance { Ok(()) } else { self.check_chance() }
    }

    /// Plays an episode of random legal actions; `look` decides whether to examine its states.
    fn play(&mut self, witness: &mut impl Witness<E>, look: bool) -> Result<Course, Violation> {
        let mut state = E::new(&self.case.config, self.seed);
        let mut course = Course { events: Vec::new(), hashes: vec![state.hash()] };
        let mut chance = self.seed.child(1).game();
        let mut legal = Vec::new();
        let mut now = SimTime::START;
        self.steps = 0;
        self.check_config(&state)?;
        self.check_description(&state)?;
        loop {
            if look && is_looked_at(self.steps) {
                self.look(&state, now)?;
            }
            let (agent, from) = match state.turn() {
                Turn::Act { agent, from, .. } => (agent, from),
                Turn::Over(outcome) => {
                    self.check_outcome(&state, &outcome)?;
                    break;
                }
            };
            if self.steps >= self.case.bound {
                return Err(self.broken(promise::BOUND, "it goes on"));
            }
            now = now.max(from);
            state.legal_actions(agent, &mut legal);
            if legal.is_empty() {
                return Err(self.broken(promise::LEGAL_ACTION, format!("{agent} has none")));
            }
            let action = legal[chance.index(legal.len())].clone();
            witness.action(&state, now, agent, &action);
            let mut events: Vec<(SimTime, E::Event)> = Vec::new();
            state.step(now, agent, action, &mut events);
            for (at, event) in events {
                self.check_event(&state, now, at, &event)?;
                course.events.push(format!("{at} {event}"));
                witness.event(at, &event);
            }
            self.steps += 1;
            self.report.steps += u64::from(look);
            course.hashes.push(state.hash());
        }
        witness.end(&state, now);
        if look {
            self.check_after_end(state, now)?;
        }
        Ok(course)
    }

    fn look(&mut self, state: &E, now: SimTime) -> Result<(), Violation> {
        self.check_turn(state)?;
        for agent in AgentId::all(state.agents()) {
            self.check_actions(state, now, agent)?;
            self.check_secrets(state, agent)?;
            self.check_loss(state, now, agent)?;
        }
        self.check_reseed(state)?;
        self.check_clone(state, now)
    }

    /// Checks that a new seed is a source of what comes, and changes nothing that is there.
    fn check_reseed(&self, state: &E) -> Result<(), Violation> {
        let seed = self.seed.child(4);
        let mut reseeded = state.clone();
        reseeded.reseed(seed);
        if reseeded.turn() != state.turn() || reseeded.scene() != state.scene() {
            return Err(self.broken(promise::RESEED, "the state is another one"));
        }
        let (mut before, mut after) = (E::Observation::default(), E::Observation::default());
        for agent in AgentId::all(state.agents()) {
            state.observe(agent, &mut before);
            reseeded.observe(agent, &mut after);
            if before != after {
                return Err(self.broken(promise::RESEED, format!("{agent} sees {before:?} or {after:?}")));
            }
        }
        let hash = reseeded.hash();
        reseeded.reseed(seed);
        if reseeded.hash() != hash || (!E::DESCRIPTION.has_chance && state.hash() != hash) {
            return Err(self.broken(promise::RESEED, "the future is another one"));
        }
        Ok(())
    }

    /// Checks random play from observations alone, in both loops of a rollout.
    fn check_rollouts(&self) -> Result<(), Violation> {
        // Some options are refused because of hidden parts of the state: such an episode takes more steps than the
        // bound.
        let limits = Limits { steps: self.case.bound.saturating_mul(8), ..Limits::default() };
        let far_off = (SimTime::from_millis(u64::MAX - 1), Disruption::Ended(Termination::Stopped));
        let [directly, by_schedule] = [vec![], vec![far_off]].map(|disruptions| {
            let mut state = E::new(&self.case.config, self.seed);
            let mut policies: Vec<RandomPolicy<E::Action>> = AgentId::all(state.agents())
                .map(|agent| RandomPolicy::new(self.seed.child(agent.index() as u64).game()))
                .collect();
            let rollout = Rollout { limits, disruptions, ..Rollout::default() };
            let episode = rollout.play(&mut state, &mut policies, &mut ());
            (state, episode)
        });
        let (state, episode) = &directly;
        self.check_outcome(state, &episode.outcome)?;
        let times = [episode.time, state.clock()];
        if E::DESCRIPTION.time == TimeModel::Turns && times != [SimTime::START; 2] {
            return Err(self
                .broken(promise::WITHOUT_TIME, format!("a rollout ends at {} and {}", times[0], times[1])));
        }
        if (directly.0.hash(), directly.1) != (by_schedule.0.hash(), by_schedule.1) {
            return Err(self.broken(promise::EQUAL_INPUTS, "the two loops of a rollout took two courses"));
        }
        let paused = self.play_with_pauses(&Rollout { limits, ..Rollout::default() });
        if paused != (directly.0.hash(), directly.1) {
            return Err(self.broken(promise::EQUAL_INPUTS, "an episode with pauses took another course"));
        }
        Ok(())
    }

    /// Random play from observations alone that pauses before every decision: the hash of the last state, and the
    /// result.
    fn play_with_pauses(&self, rollout: &Rollout) -> (u64, Episode) {
        let mut state = E::new(&self.case.config, self.seed);
        let mut policies: Vec<Pausing<E::Action>> = AgentId::all(state.agents())
            .map(|agent| {
                let policy = RandomPolicy::new(self.seed.child(agent.index() as u64).game());
                Pausing { policy, pauses: false }
            })
            .collect();
        let mut run = rollout.begin(&state);
        loop {
            if let Progress::Over(episode) =
                run.play(&mut state, &mut policies, &mut (), |policy| policy.pauses)
            {
                return (state.hash(), episode);
            }
        }
    }

    /// Checks that without chance a seed has no effect after the first state: two seeds that draw the same one lead to
    /// the same course. Two states count as the same if their pictures are, since these show the whole truth.
    fn check_chance(&mut self) -> Result<(), Violation> {
        let (config, seed) = (&self.case.config, self.seed);
        let first = E::new(config, seed);
        let scene = first.scene();
        for number in 0..OTHER_SEEDS {
            let twin = E::new(config, seed.child(3).child(number));
            if twin.scene() == scene {
                self.play_twins(first.clone(), twin)?;
            }
        }
        Ok(())
    }

    fn play_twins(&mut self, mut state: E, mut twin: E) -> Result<(), Violation> {
        let mut chance = self.seed.child(1).game();
        let (mut legal, mut now) = (Vec::new(), SimTime::START);
        for steps in 0..self.case.bound {
            let Turn::Act { agent, from, .. } = state.turn() else { break };
            now = now.max(from);
            state.legal_actions(agent, &mut legal);
            let action = &legal[chance.index(legal.len())];
            let [events, others] = [&mut state, &mut twin].map(|state| {
                let mut events: Vec<(SimTime, E::Event)> = Vec::new();
                state.step(now, agent, action.clone(), &mut events);
                events.iter().map(|(_, event)| event.to_string()).collect::<Vec<_>>()
            });
            if events != others || state.turn() != twin.turn() || state.scene() != twin.scene() {
                self.steps = steps + 1;
                let fact = format!("after `{action}` another seed gives another state");
                return Err(self.broken(promise::WITHOUT_CHANCE, fact));
            }
        }
        self.report.twins += 1;
        Ok(())
    }

    fn check_description(&self, state: &E) -> Result<(), Violation> {
        let Description { agents, teams, .. } = E::DESCRIPTION;
        if !agents.contains(&state.agents()) {
            return Err(self.broken(promise::DESCRIPTION, format!("{} agents play", state.agents())));
        }
        match AgentId::all(state.agents()).map(|agent| state.team(agent).index() + 1).max() {
            Some(last) if last > *teams.end() => {
                Err(self.broken(promise::DESCRIPTION, format!("there are {last} teams")))
            }
            _ => Ok(()),
        }
    }

    fn check_outcome(&self, state: &E, outcome: &Outcome) -> Result<(), Violation> {
        let (places, points) = (outcome.ranking.places().len(), outcome.returns.points().len());
        let last = AgentId::all(state.agents()).map(|agent| state.team(agent).index() + 1).max();
        if places != points || !E::DESCRIPTION.teams.contains(&places) || last > Some(places) {
            return Err(
                self.broken(promise::OUTCOME, format!("there are {places} places and {points} returns"))
            );
        }
        match outcome.fault {
            Some(agent) if agent.index() >= state.agents() => {
                Err(self.broken(promise::FAULTY_AGENT, format!("it is {agent}'s")))
            }
            _ => Ok(()),
        }
    }

    fn check_config(&self, state: &E) -> Result<(), Violation> {
        let parameters = E::write_config(&self.case.config);
        let config = E::read_config(&parameters)
            .map_err(|error| self.broken(promise::CONFIGURATION, error.to_string()))?;
        if E::new(&config, self.seed).hash() != state.hash() {
            return Err(self.broken(promise::CONFIGURATION, "it makes another game"));
        }
        Ok(())
    }

    fn check_turn(&self, state: &E) -> Result<(), Violation> {
        let time = E::DESCRIPTION.time;
        let ready = AgentId::all(state.agents()).filter_map(|agent| state.ready(agent));
        if time.has_turns() && ready.clone().count() > 1 {
            return Err(self.broken(promise::ONE_MOVER, "several are ready"));
        }
        if time == TimeModel::Turns {
            let until = matches!(state.turn(), Turn::Act { until: Some(_), .. });
            let moments = [state.clock(), ready.map(|ready| ready.at).max().unwrap_or_default()];
            if until || moments != [SimTime::START; 2] {
                let fact = format!("its clock is at {}, and the turn begins at {}", moments[0], moments[1]);
                return Err(self.broken(promise::WITHOUT_TIME, fact));
            }
        }
        let first = AgentId::all(state.agents())
            .filter_map(|agent| Some((state.ready(agent)?, agent)))
            .min()
            .map(|(ready, agent)| (ready.at, agent));
        match (state.turn(), first) {
            (Turn::Act { agent, from, .. }, first) if first != Some((from, agent)) => {
                Err(self
                    .broken(promise::TURN, format!("it is {agent} from {from}, ready first is {first:?}")))
            }
            (Turn::Over(_), Some((_, agent))) => {
                Err(self.broken(promise::TURN, format!("{agent} is ready after the end")))
            }
            _ => Ok(()),
        }
    }

    /// Checks that legal actions are served and all others refused, each on a copy of its own.
    fn check_actions(&mut self, state: &E, now: SimTime, agent: AgentId) -> Result<(), Violation> {
        let (mut legal, mut candidates) = (Vec::new(), Vec::new());
        state.candidates(agent, &mut legal); // what is there already must be replaced
        state.legal_actions(agent, &mut legal);
        state.candidates(agent, &mut candidates);
        candidates.extend(legal.iter().cloned());
        let ready = state.ready(agent);
        if ready.is_none() && !legal.is_empty() {
            return Err(self.broken(
                promise::LEGAL_ACTIONS,
                format!("{agent} has legal actions without ever being ready"),
            ));
        }
        let at = ready.map_or(now, |ready| ready.at.max(now));
        for action in candidates {
            let mut copy = state.clone();
            let mut events: Vec<(SimTime, E::Event)> = Vec::new();
            copy.step(at, agent, action.clone(), &mut events);
            self.report.probes += 1;
            let refused = events.iter().any(|(_, event)| event.is_refusal());
            let text = action.to_string();
            match (legal.contains(&action), refused) {
                (true, true) => {
                    return Err(self.broken(
                        promise::LEGAL_ACTIONS,
                        format!("{agent} is refused `{text}`, which is legal"),
                    ));
                }
                (false, false) => {
                    return Err(self.broken(
                        promise::LEGAL_ACTIONS,
                        format!("{agent} is served `{text}`, which is not legal"),
                    ));
                }
                _ => {}
            }
            if events.is_empty() {
                return Err(self.broken(promise::ANSWER, format!("`{text}` is not")));
            }
            match text.parse::<E::Action>() {
                Ok(read) if read == action && !text.contains('\n') => {}
                _ => {
                    return Err(self.broken(promise::ACTION_TEXT, format!("`{text}` does not")));
                }
            }
        }
        self.check_options(state, agent, &legal)
    }

    /// Checks that every legal action is an option of the agent's observation.
    fn check_options(&self, state: &E, agent: AgentId, legal: &[E::Action]) -> Result<(), Violation> {
        let mut seen = E::Observation::default();
        let mut options = Vec::new();
        state.candidates(agent, &mut options); // what is there already must be replaced
        let stale = options.len();
        state.observe(agent, &mut seen);
        seen.options(&mut options);
        if let Some(action) = legal.iter().find(|action| !options.contains(action)) {
            return Err(self.broken(promise::OPTIONS, format!("`{action}` is none for {agent}")));
        }
        let mut again = Vec::new();
        seen.options(&mut again);
        if options != again {
            let fact = format!(
                "{} options on a used buffer of {stale}, {} on a new one",
                options.len(),
                again.len()
            );
            return Err(self.broken(promise::OPTION_BUFFER, fact));
        }
        Ok(())
    }

    fn check_event(&self, state: &E, now: SimTime, at: SimTime, event: &E::Event) -> Result<(), Violation> {
        let text = event.to_string();
        if at != now {
            return Err(self.broken(promise::EVENT_TIME, format!("`{text}` is of {at}")));
        }
        if text.is_empty() || text.contains('\n') {
            return Err(self.broken(promise::EVENT_TEXT, format!("{text:?} is not")));
        }
        let known = match event.audience() {
            Audience::Agent(agent) => agent.index() < state.agents(),
            Audience::Team(team) => AgentId::all(state.agents()).any(|agent| state.team(agent) == team),
            Audience::All | Audience::Referee => true,
        };
        if !known {
            return Err(self.broken(promise::AUDIENCE, format!("`{text}` is not")));
        }
        Ok(())
    }

    fn check_secrets(&mut self, state: &E, agent: AgentId) -> Result<(), Violation> {
        let mut scrambled = state.clone();
        let mut chance = self.seed.child(2 + self.steps).game();
        if !scrambled.scramble(agent, &mut chance) {
            return Ok(());
        }
        if E::DESCRIPTION.information == Information::Perfect {
            let fact = format!("something is hidden from {agent}");
            return Err(self.broken(promise::PERFECT_INFORMATION, fact));
        }
        self.report.scrambles += 1;
        let (mut seen, mut instead) = (E::Observation::default(), E::Observation::default());
        // The buffer holds another agent's observation: a rest of it would be a leak as well.
        let other = AgentId::from_index((agent.index() + 1) % state.agents());
        state.observe(other, &mut instead);
        state.observe(agent, &mut seen);
        scrambled.observe(agent, &mut instead);
        if seen != instead {
            return Err(self.broken(promise::SECRETS, format!("{agent} sees {seen:?} or {instead:?}")));
        }
        let (mut options, mut others) = (Vec::new(), Vec::new());
        seen.options(&mut options);
        instead.options(&mut others);
        if options != others {
            return Err(self.broken(
                promise::SECRET_OPTIONS,
                format!("{agent} has {} or {} options", options.len(), others.len()),
            ));
        }
        Ok(())
    }

    /// Checks that a copy is independent: neither state changes the other.
    fn check_clone(&self, state: &E, now: SimTime) -> Result<(), Violation> {
        let before = state.hash();
        let (mut one, mut two) = (state.clone(), state.clone());
        self.play_on(&mut one, now);
        if state.hash() != before || two.hash() != before {
            return Err(self.broken(promise::CLONE, "playing on with a copy changed the original"));
        }
        self.play_on(&mut two, now);
        if one.hash() != two.hash() {
            return Err(self.broken(promise::CLONE, "two copies, played on alike, ended up apart"));
        }
        Ok(())
    }

    fn play_on(&self, state: &mut E, mut now: SimTime) {
        let mut chance = self.seed.child(2 + self.steps).game();
        let mut legal = Vec::new();
        for _ in 0..8 {
            let Turn::Act { agent, from, .. } = state.turn() else { return };
            now = now.max(from);
            state.legal_actions(agent, &mut legal);
            if legal.is_empty() {
                return;
            }
            state.step(now, agent, legal[chance.index(legal.len())].clone(), &mut ());
        }
    }

    fn check_loss(&self, state: &E, now: SimTime, agent: AgentId) -> Result<(), Violation> {
        let mut copy = state.clone();
        let mut events: Vec<(SimTime, E::Event)> = Vec::new();
        copy.disrupt(now, Disruption::AgentLost(agent), &mut events);
        for (at, event) in &events {
            self.check_event(&copy, now, *at, event)?;
        }
        if copy.ready(agent).is_some() {
            return Err(self.broken(promise::LOSS, format!("{agent} is ready")));
        }
        self.check_turn(&copy)?;
        if matches!(state.turn(), Turn::Over(_)) {
            return Ok(());
        }
        let mut forfeit = state.clone();
        forfeit.disrupt(now, Disruption::Forfeited(agent, Termination::Crash), &mut ());
        for ended in [&copy, &forfeit] {
            match ended.turn() {
                Turn::Over(outcome)
                    if outcome.fault != Some(agent) || outcome.termination == Termination::Normal =>
                {
                    return Err(self.broken(promise::FAULT, format!("{agent} leaves, and it is {outcome}")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_after_end(&self, mut state: E, now: SimTime) -> Result<(), Violation> {
        let (turn, hash) = (state.turn(), state.hash());
        let mut candidates = Vec::new();
        for agent in AgentId::all(state.agents()) {
            state.candidates(agent, &mut candidates);
            for action in candidates.drain(..) {
                state.step(now, agent, action, &mut ());
            }
            state.disrupt(now, Disruption::AgentLost(agent), &mut ());
        }
        state.disrupt(now, Disruption::Ended(Termination::Stopped), &mut ());
        if state.turn() != turn || state.hash() != hash {
            return Err(self.broken(promise::AFTER_THE_END, "the state changed"));
        }
        let mut stopped = E::new(&self.case.config, self.seed);
        stopped.disrupt(SimTime::START, Disruption::Ended(Termination::Stopped), &mut ());
        match stopped.turn() {
            Turn::Over(Outcome { termination: Termination::Stopped, fault: None, .. }) => Ok(()),
            turn => Err(self.broken(promise::STOP, format!("{turn:?} comes next"))),
        }
    }

    fn check_replay(&self, writer: Writer<Vec<u8>>, course: &Course) -> Result<(), Violation> {
        let file = writer.finish().map_err(|error| self.broken(promise::REPLAY, error.to_string()))?;
        let mut events: Vec<(SimTime, E::Event)> = Vec::new();
        let summary = Playback::<E>::open(&file[..])
            .and_then(|mut playback| playback.run(&mut events))
            .map_err(|error| self.broken(promise::REPLAY, error.to_string()))?;
        let events: Vec<String> = events.iter().map(|(at, event)| format!("{at} {event}")).collect();
        if !summary.completeness.is_complete() || events != course.events {
            return Err(self.broken(promise::REPLAY, "other events came out"));
        }
        Ok(())
    }

    fn broken(&self, promise: &'static str, fact: impl Into<String>) -> Violation {
        Violation {
            promise,
            fact: fact.into(),
            case: self.case.name,
            seed: self.seed.get(),
            steps: self.steps,
        }
    }
}
