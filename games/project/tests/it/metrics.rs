//! The metrics of a game: all figures of one game, and the sums over games.

use std::fmt::Write as _;
use std::sync::Arc;

use game_env::{
    AgentId, ByTeam, Chance, Choice, Disruption, Environment, Measured, Millis, Policy, Rollout, Seed,
    SimTime, Termination, Witness as _,
};
use game_project::profile::Meter;
use game_project::statistics::Counts;
use game_project::{Action, ActionKind, Distance, GoalBelief, Information, Observation, State, Team};

use crate::playthrough::{Wanderer, config};

/// A game in which everything that is measured happens.
const SEED: u64 = 63;

/// Plays as a wanderer, waits now and then, and claims something of half of the fields when it answers.
struct Talker {
    wanderer: Wanderer,
    chance: Chance,
}

impl Policy<State> for Talker {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Action> {
        if self.chance.below(6) == 0 {
            return Choice::Wait(now + Millis::new(70));
        }
        let choice = self.wanderer.choose(now, agent, seen);
        let Choice::Act(Action::Answer { to, .. }) = choice else { return choice };
        let geometry = seen.briefing.game.config.geometry();
        let distances = (0..geometry.fields()).map(|_| {
            let moves = self.chance.below(6);
            (moves < 3).then(|| Distance::new(u16::try_from(moves).unwrap()))
        });
        let distances = distances.collect();
        let goals = ByTeam::<()>::default().map(|()| {
            let mut belief = |_| {
                [GoalBelief::Unknown, GoalBelief::Unknown, GoalBelief::NoGoal, GoalBelief::Goal]
                    [self.chance.index(4)]
            };
            (0..geometry.goal_fields()).map(&mut belief).collect()
        });
        Choice::Act(Action::Answer { to, information: Arc::new(Information { distances, goals }) })
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<State>> {
        Some(&mut self.wanderer)
    }
}

fn measured(seed: Seed) -> (State, Meter) {
    let mut state = State::new(&config(), seed);
    let mut policies: Vec<Talker> = AgentId::all(state.agents())
        .map(|agent| {
            let mut chance = seed.agent(agent);
            let wanderer = Wanderer::new(Seed::new(chance.below(1000).into()).agent(agent));
            Talker { wanderer, chance }
        })
        .collect();
    let mut meter = state.meter();
    Rollout::default().play(&mut state, &mut policies, &mut meter);
    (state, meter)
}

#[test]
fn a_game_is_measured_as_it_always_was() {
    let (state, meter) = measured(Seed::new(SEED));
    let mut text = String::new();
    for metric in state.metrics(&meter).iter() {
        writeln!(text, "{:<22} {:?}", metric.name, metric.values).unwrap();
        // In a rollout nobody asks too early.
        let is_shown = metric.values != [0.0, 0.0] || metric.name == "premature";
        assert!(is_shown, "the game shows nothing of {}", metric.name);
    }
    for agent in AgentId::all(state.agents()) {
        writeln!(text, "\n{agent} {:?}", meter.statistics().agent(&state, agent)).unwrap();
    }
    insta::assert_snapshot!(text);
}

/// In a rollout no agent asks too early, so the figures of whole games do not show this sum.
#[test]
fn early_requests_are_added_up() {
    let mut counts = Counts { premature: 2, ..Counts::default() };
    counts += &Counts { premature: 3, ..Counts::default() };
    assert_eq!(counts.premature, 5);
}

#[test]
fn times_of_two_games_are_added_up() {
    let [first, second] = [SEED, SEED + 1].map(|seed| measured(Seed::new(seed)).1);
    for team in Team::ALL {
        let (one, other) = (first.profile()[team], second.profile()[team]);
        let mut both = one;
        both.add(&other);
        for ((name, sum), (one, other)) in
            both.shares().into_iter().zip(one.shares().into_iter().zip(other.shares()))
        {
            assert_eq!(sum, one.1 + other.1, "{name}");
        }
        assert_eq!((both.tries, both.repeated), (one.tries + other.tries, one.repeated + other.repeated));
    }
}

/// The lock that a premature request meets goes on as before.
#[test]
fn a_premature_request_is_no_waiting() {
    let mut state = State::new(&config(), Seed::new(1));
    let mut meter = state.meter();
    let agent = AgentId::new(0);
    let lock = state.config().penalties().of(ActionKind::Discover);
    let begin = SimTime::from_millis(1_000);
    let early = begin + Millis::new(lock.as_millis() / 2);
    for (now, action) in
        [(begin, Action::Discover), (early, Action::PickUp), (begin + lock, Action::Discover)]
    {
        meter.action(&state, now, agent, &action);
        state.step(now, agent, action, &mut meter.sink());
    }
    let now = state.clock();
    meter.end(&state, now);
    // Its mate has asked for nothing all the time.
    let of_mate = u64::from(now.since(SimTime::START).as_millis());
    assert_eq!(meter.profile()[state.briefing(agent).team].waiting, 1_000 + of_mate);
}

/// The other agents of its team have not asked for anything.
#[test]
fn the_time_after_the_last_request_is_waiting() {
    let mut state = State::new(&config(), Seed::new(1));
    let mut meter = state.meter();
    let agent = AgentId::new(0);
    meter.action(&state, SimTime::START, agent, &Action::Discover);
    state.step(SimTime::START, agent, Action::Discover, &mut meter.sink());
    let end = SimTime::from_millis(60_000);
    let stopped = Disruption::Ended(Termination::Stopped);
    meter.disruption(&state, end, stopped);
    state.disrupt(end, stopped, &mut meter.sink());
    meter.end(&state, end);
    let team = state.briefing(agent).team;
    let agents = AgentId::all(state.agents()).filter(|agent| state.briefing(*agent).team == team).count();
    let lock = u64::from(state.config().penalties().of(ActionKind::Discover).as_millis());
    let profile = meter.profile()[team];
    assert_eq!((profile.discovering, profile.waiting), (lock, 60_000 * agents as u64 - lock));
}
