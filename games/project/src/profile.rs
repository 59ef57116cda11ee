//! The time that teams spend, and the metrics of a game.

use std::collections::BTreeSet;

use game_env::messages::{ClaimCounts, ClaimVerdict, MakeJudge};
use game_env::{AgentId, ByTeam, Disruption, Environment as _, Measured, Metrics, SimTime, Witness};

use crate::claims::{Claim, ClaimJudge};
use crate::statistics::{Figures, Statistics};
use crate::{Action, ActionKind, Event, Piece, Position, PutResult, State, Team};

/// The time that agents spent on each kind of activity, in milliseconds of game time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Moving without a piece, and picking one up.
    pub searching: u64,
    /// Moving with a real piece.
    pub carrying: u64,
    /// Moving with a sham, and putting it.
    pub shams: u64,
    /// Requests that were refused at the price of their penalty, e.g. moves to an occupied field.
    pub blocked: u64,
    /// Discovering.
    pub discovering: u64,
    /// Checking.
    pub checking: u64,
    /// Putting real pieces, and destroying.
    pub putting: u64,
    /// Asking and answering.
    pub exchanging: u64,
    /// Free to act and not acting: all time that is not locked.
    pub waiting: u64,
    /// Real pieces put into the goal area.
    pub tries: u64,
    /// Those of them that were put where one of the team had put one before.
    pub repeated: u64,
}

impl Profile {
    /// Returns the kinds of time, with their names.
    pub fn shares(&self) -> [(&'static str, u64); 9] {
        [
            ("searching", self.searching),
            ("carrying", self.carrying),
            ("shams", self.shams),
            ("blocked", self.blocked),
            ("discovering", self.discovering),
            ("checking", self.checking),
            ("putting", self.putting),
            ("exchanging", self.exchanging),
            ("waiting", self.waiting),
        ]
    }

    /// Adds the times of another game.
    pub fn add(&mut self, other: &Self) {
        self.searching += other.searching;
        self.carrying += other.carrying;
        self.shams += other.shams;
        self.blocked += other.blocked;
        self.discovering += other.discovering;
        self.checking += other.checking;
        self.putting += other.putting;
        self.exchanging += other.exchanging;
        self.waiting += other.waiting;
        self.tries += other.tries;
        self.repeated += other.repeated;
    }
}

/// Keeps the profile of a game.
#[derive(Clone, Debug, Default)]
struct TimeProfiler {
    /// The profile of each team so far.
    profile: ByTeam<Profile>,
    serving: Option<Serving>,
    tried: BTreeSet<Position>,
}

/// A request whose result is not known yet, and its agent at that moment.
#[derive(Clone, Debug)]
struct Serving {
    agent: AgentId,
    team: Team,
    hand: Option<Piece>,
    at: Position,
    /// The penalty of the request, in milliseconds.
    cost: u64,
}

impl Witness<State> for TimeProfiler {
    fn event(&mut self, _: SimTime, event: &Event) {
        let Some(Serving { agent, team, hand, at, cost }) = self.serving else { return };
        let own = &mut self.profile[team];
        let is_sham = hand.is_some_and(Piece::is_sham);
        match *event {
            Event::Moved { agent: mover, .. } if mover == agent => match hand {
                None => own.searching += cost,
                Some(Piece::Real) => own.carrying += cost,
                Some(Piece::Sham) => own.shams += cost,
            },
            Event::PickedUp { .. } => own.searching += cost,
            Event::Discovered { .. } => own.discovering += cost,
            Event::Checked { .. } => own.checking += cost,
            Event::Put { .. } if is_sham => own.shams += cost,
            Event::Put { result, .. } => {
                own.putting += cost;
                if result != PutResult::OnTaskField {
                    own.tries += 1;
                    own.repeated += u64::from(!self.tried.insert(at));
                }
            }
            Event::Destroyed { .. } => own.putting += cost,
            Event::Asked { .. } | Event::AskedAgain { .. } | Event::Answered { .. } => own.exchanging += cost,
            Event::Refused { refusal, .. } if refusal.is_free() => {}
            Event::Refused { .. } => own.blocked += cost,
            _ => return,
        }
        self.serving = None;
    }

    fn action(&mut self, state: &State, _: SimTime, agent: AgentId, action: &Action) {
        let team = state.briefing(agent).team;
        let cost = u64::from(state.config().penalties().of(action.kind()).as_millis());
        let at = state.position(agent).unwrap_or_default();
        self.serving = Some(Serving { agent, team, hand: state.hand(agent), at, cost });
    }
}

/// Collects the profile and the statistics of a game.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    profiler: TimeProfiler,
    statistics: StatisticsMeter,
}

impl Meter {
    /// Returns the statistics of all agents.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics.statistics
    }

    /// Returns the profile of each team; its time of waiting is known when the game has ended.
    pub fn profile(&self) -> &ByTeam<Profile> {
        &self.profiler.profile
    }

    /// Returns the profile of each team as the game stands.
    pub fn profile_now(&self, state: &State) -> ByTeam<Profile> {
        let mut profile = self.profiler.profile;
        for team in Team::ALL {
            profile[team].waiting = self.statistics().team(state, team).idle_ms;
        }
        profile
    }

    /// Returns the verdicts on the claims in the answers of each team.
    pub fn claims(&self) -> &ByTeam<ClaimCounts> {
        &self.statistics.claims
    }

    /// Returns the verdicts on the claims that the agents of each team took over from answers.
    pub fn believed(&self) -> &ByTeam<ClaimCounts> {
        &self.statistics.believed
    }
}

/// Keeps the statistics of a game, and judges the claims of answers.
#[derive(Clone, Debug, Default)]
struct StatisticsMeter {
    statistics: Statistics,
    judge: ClaimJudge,
    claims: ByTeam<ClaimCounts>,
    believed: ByTeam<ClaimCounts>,
    /// The claims of an answer; the memory is kept for the next one.
    heard: Vec<Claim>,
    /// The events since the last action: they are counted with the state after them, which a witness sees with the
    /// next action only.
    uncounted: Vec<Event>,
}

impl StatisticsMeter {
    fn count(&mut self, state: &State) {
        for event in self.uncounted.drain(..) {
            self.statistics.count(state, &event);
            let judged = self.judge.hear(state, &event, |claim| self.heard.push(claim));
            if let (Event::Answered { agent, by, .. }, Some(counts)) = (&event, judged) {
                self.claims[state.briefing(*by).team] += counts;
                let believed = &mut self.believed[state.briefing(*agent).team];
                for claim in self.heard.drain(..) {
                    if self.judge.takes_over(state.config().geometry(), *agent, &claim) {
                        believed.add(claim.verdict);
                    }
                }
            }
        }
    }
}

impl Witness<State> for StatisticsMeter {
    fn event(&mut self, _: SimTime, event: &Event) {
        self.uncounted.push(event.clone());
    }

    fn action(&mut self, state: &State, _: SimTime, _: AgentId, _: &Action) {
        self.count(state);
    }

    fn disruption(&mut self, state: &State, _: SimTime, _: Disruption) {
        self.count(state);
    }

    fn end(&mut self, state: &State, _: SimTime) {
        self.count(state);
    }
}

impl Witness<State> for Meter {
    fn event(&mut self, now: SimTime, event: &Event) {
        self.profiler.event(now, event);
        self.statistics.event(now, event);
    }

    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.profiler.action(state, now, agent, action);
        self.statistics.action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.statistics.disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        self.statistics.end(state, now);
        self.profiler.profile = self.profile_now(state);
    }
}

/// The name of each metric with its meaning, but for the `claims_` metrics.
const MEANINGS: &[(&str, &str)] = &[
    ("granted", "requests that the game master granted"),
    ("refused", "requests after the lock that the game master refused"),
    ("premature", "requests during the lock"),
    ("pieces", "pieces that agents picked up, or that landed in their hands; shams count"),
    ("shams", "shams among these pieces"),
    ("goals", "goals that the team covered"),
    ("asked", "questions that the team's agents were asked; a repeated question counts once"),
    ("locked_ms", "time in which agents had to wait after a request"),
    ("searching_ms", "time of moves without a piece, and of picking up"),
    ("carrying_ms", "time of moves with a piece that is no sham"),
    ("shams_ms", "time of moves with a sham, and of putting shams"),
    ("blocked_ms", "time after requests that were refused, e.g. moves to an occupied field"),
    ("discovering_ms", "time of discoveries"),
    ("checking_ms", "time of checks for shams"),
    ("putting_ms", "time of putting pieces that are no shams, and of destroying"),
    ("exchanging_ms", "time of questions and answers"),
    ("waiting_ms", "time in which agents could act and did not"),
    ("tries", "pieces put into the goal area that were no shams"),
    ("repeated_tries", "tries on a field where the team had put a piece before"),
];

impl Measured for State {
    type Meter = Meter;

    const JUDGE: Option<MakeJudge<Self>> = Some(|state| Box::new(ClaimJudge::new(state.agents())));

    fn meaning(metric: &str) -> Option<&'static str> {
        MEANINGS.iter().find(|(name, _)| *name == metric).map(|(_, meaning)| *meaning)
    }

    fn meter(&self) -> Meter {
        let statistics = Statistics::new(self.agents());
        let statistics = StatisticsMeter {
            statistics,
            judge: ClaimJudge::new(self.agents()),
            claims: ByTeam::default(),
            believed: ByTeam::default(),
            heard: Vec::new(),
            uncounted: Vec::new(),
        };
        Meter { profiler: TimeProfiler::default(), statistics }
    }

    /// Times are sums over the agents of a team, in milliseconds. `claims_asked` counts questions, `claims_answered`
    /// answers, and the other `claims_` the claims in the answers of a team; `claims_false` are the stale and mistaken
    /// ones and the lies together. `claims_believed` counts claims that the agents of the team took over from answers.
    fn metrics(&self, meter: &Meter) -> Metrics {
        let mut metrics = Metrics::new();
        let figures = Team::ALL.map(|team| meter.statistics().team(self, team));
        let mut push = |name, of: fn(&Figures) -> u64| {
            metrics.push(name, figures.each_ref().map(|figures| of(figures) as f64));
        };
        push("granted", |figures| figures.counts.granted.total().into());
        push("refused", |figures| figures.counts.refused.total().into());
        push("premature", |figures| figures.counts.premature.into());
        push("pieces", |figures| figures.counts.pieces.into());
        push("shams", |figures| figures.counts.shams.into());
        push("goals", |figures| figures.counts.goals.into());
        push("asked", |figures| figures.counts.asked.into());
        push("locked_ms", |figures| figures.locked_ms);
        let profile = meter.profile_now(self);
        let profiles = Team::ALL.map(|team| profile[team]);
        for (place, (name, _)) in profiles[0].shares().into_iter().enumerate() {
            let values = profiles.map(|profile| profile.shares()[place].1 as f64);
            metrics.push(format!("{name}_ms"), values);
        }
        metrics.push("tries", profiles.map(|profile| profile.tries as f64));
        metrics.push("repeated_tries", profiles.map(|profile| profile.repeated as f64));
        for (name, kind) in [("claims_asked", ActionKind::Ask), ("claims_answered", ActionKind::Answer)] {
            metrics.push(name, figures.each_ref().map(|figures| figures.counts.granted.of(kind).into()));
        }
        let (made, believed) = (meter.claims(), meter.believed());
        metrics.push("claims_true", Team::ALL.map(|team| made[team].of(ClaimVerdict::Honest) as f64));
        metrics.push("claims_false", Team::ALL.map(|team| made[team].false_ones() as f64));
        for (name, verdict) in [
            ("claims_stale", ClaimVerdict::Stale),
            ("claims_mistaken", ClaimVerdict::Mistaken),
            ("claims_lies", ClaimVerdict::Lie),
        ] {
            metrics.push(name, Team::ALL.map(|team| made[team].of(verdict) as f64));
        }
        metrics.push("claims_believed", Team::ALL.map(|team| believed[team].total() as f64));
        metrics.push("claims_believed_false", Team::ALL.map(|team| believed[team].false_ones() as f64));
        metrics
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Choice, Measured as _, Millis, Policy, RandomPolicy, Rollout, Seed};

    use super::*;
    use crate::{Observation, Preset, RawConfig};

    /// Acts at random, and rests before every third decision.
    struct Lazy(RandomPolicy<Action>, u32);

    impl Policy<State> for Lazy {
        fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Action> {
            self.1 += 1;
            if self.1.is_multiple_of(3) {
                return Choice::Wait(now + Millis::new(50));
            }
            Policy::<State>::choose(&mut self.0, now, agent, seen)
        }
    }

    #[test]
    fn times_are_those_of_the_requests_that_were_granted() {
        let raw = RawConfig { pick_up_penalty: 200, ..Preset::Quick.raw() };
        let config = raw.check().unwrap();
        let mut state = State::new(&config, Seed::new(3));
        let lazy = |agent| Lazy(RandomPolicy::new(Seed::new(4).agent(agent)), 0);
        let mut policies: Vec<Lazy> = AgentId::all(state.agents()).map(lazy).collect();
        let mut meter = state.meter();
        Rollout::default().play(&mut state, &mut policies, &mut meter);
        let penalties = config.penalties();
        let mut checks = 0;
        for team in Team::ALL {
            let figures = meter.statistics().team(&state, team);
            let granted = |kind| u64::from(figures.counts.granted.of(kind));
            let own = meter.profile()[team];
            let cost = |kind| u64::from(penalties.of(kind).as_millis());
            for (kind, spent) in [(ActionKind::Check, own.checking), (ActionKind::Discover, own.discovering)]
            {
                assert_eq!(spent, granted(kind) * cost(kind), "{team} {kind:?}");
            }
            checks += granted(ActionKind::Check);
            // Every other request has its penalty in one of the kinds.
            assert!(!figures.counts.reasons.contains_key("leader-waits"), "{team}");
            let charged = |kind| (granted(kind) + u64::from(figures.counts.refused.of(kind))) * cost(kind);
            let charged: u64 = ActionKind::ALL.into_iter().map(charged).sum();
            let all: u64 = own.shares().iter().map(|(_, millis)| millis).sum();
            assert_eq!(all, charged + own.waiting, "{team}");
            assert_eq!(own.waiting, figures.idle_ms, "{team}");
            // The figures of a team are the sums of those of its agents.
            let agents = AgentId::all(state.agents()).filter(|agent| state.briefing(*agent).team == team);
            let each: Vec<_> = agents.map(|agent| meter.statistics().agent(&state, agent)).collect();
            assert_eq!(figures.idle_ms, each.iter().map(|one| one.idle_ms).sum::<u64>());
            assert_eq!(figures.locked_ms, each.iter().map(|one| one.locked_ms).sum::<u64>());
            assert!(figures.idle_ms > 0 && figures.locked_ms > 0);
        }
        assert!(checks > 3, "{checks} checks");
    }
}
