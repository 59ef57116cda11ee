//! `planner`: plays its best actions on, many times, with another bag and other assistants each time.
//!
//! It ranks its options as [`greedy`](super::greedy) does and keeps the best. Then it plays each of them to the end of
//! the next round: the bag gives other students each time, opponents play now and then any assistant, and all else is
//! done as `greedy` does it, but with fewer options. All kept actions are played on with the same bags. A third of the
//! simulations goes to all of them, a third to the better half, and the rest to the better half of these. It chooses
//! the action with the best mean value of the last tables.
//!
//! The number of simulations is fixed, so that a seed repeats every decision. A program on a clock gives a time
//! instead.

use game_env::parameter::Parameter;
use game_env::{AgentId, Chance, Choice, Environment as _, Options as _, Policy, Seed, SimTime, TeamId};
use game_eriantys::{Action, Observation, Phase, State};

use super::greedy::{is_quick, value};
use super::worth::worth;
use crate::budget::Budget;

/// The number of simulations for a decision.
pub const SIMULATIONS: Parameter =
    Parameter::whole("simulations", "how often it plays on before it decides", 120, 0, 1_000_000);

/// The number of actions that are played on.
const KEPT: usize = 10;

/// Number of the simulations on a clock that are spent on an action before the worse half is left out.
const ROUND_ON_A_CLOCK: u64 = 16;

/// The rounds after this one that a simulation plays.
const ROUNDS: u8 = 1;

/// The probability that an opponent plays any assistant instead of the best one.
const ANY_ASSISTANT: f64 = 0.5;

/// Greatest value of a table, and of its negative: a game that is won is better than any lead.
const MOST: f64 = 12.0;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Planner {
    chance: Chance,
    budget: Budget,
    options: Vec<Action>,
}

/// An action that is played on.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    action: Action,
    /// Sum of the values of the tables at the ends of all simulations.
    sum: f64,
}

impl Planner {
    /// Creates one that draws from this source. The nodes of the budget are simulations.
    pub const fn new(chance: Chance, budget: Budget) -> Self {
        Self { chance, budget, options: Vec::new() }
    }

    /// Returns the best options at once, the best one first.
    fn candidates(&mut self, player: AgentId, seen: &Observation) -> Vec<Candidate> {
        seen.options(&mut self.options);
        let state = State::resume(seen.table, Seed::new(0).game());
        let mut ranked: Vec<(f64, Action)> =
            self.options.iter().map(|action| (value(&state, player, *action), *action)).collect();
        // The sort is stable: equal actions stay in the order of the options.
        ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        ranked.truncate(KEPT);
        ranked.into_iter().map(|(_, action)| Candidate { action, sum: 0.0 }).collect()
    }

    /// Plays the candidates on and keeps the better ones, until the budget is used up.
    fn search(&mut self, player: AgentId, seen: &Observation, candidates: &mut Vec<Candidate>) {
        let limit = self.budget.limit();
        let (mut used, mut halvings, mut worlds) = (0, 0, 0);
        let last = seen.table.round + ROUNDS;
        while candidates.len() > 1 && !self.budget.is_over() {
            let round = candidates.len() as u64;
            if limit.is_some_and(|limit| used + round > limit) {
                break;
            }
            let world = Seed::new(u64::from(self.chance.below(u32::MAX)));
            for candidate in candidates.iter_mut() {
                candidate.sum += play_on(seen, player, candidate.action, world, last, &mut self.options);
            }
            used += round;
            worlds += 1;
            let is_over = match limit {
                Some(limit) => 3 * used >= (halvings + 1) * limit,
                None => worlds % ROUND_ON_A_CLOCK == 0,
            };
            if is_over && candidates.len() > 2 {
                sort(candidates);
                candidates.truncate(candidates.len().div_ceil(2));
                halvings += 1;
            }
        }
        sort(candidates);
    }
}

/// Sorts the candidates that are left, the best first; they were played on equally often.
fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|one, other| other.sum.total_cmp(&one.sum));
}

impl Policy<State> for Planner {
    fn choose(&mut self, _: SimTime, player: AgentId, seen: &Observation) -> Choice<Action> {
        let mut candidates = self.candidates(player, seen);
        self.search(player, seen, &mut candidates);
        candidates.first().map_or(Choice::Wait(SimTime::NEVER), |best| Choice::Act(best.action))
    }

    fn reseed(&mut self, player: AgentId, seed: Seed) {
        self.chance = seed.agent(player);
    }
}

/// Plays an action and goes on to the end of the round `last`; returns the value of the table then.
fn play_on(
    seen: &Observation,
    player: AgentId,
    action: Action,
    world: Seed,
    last: u8,
    options: &mut Vec<Action>,
) -> f64 {
    let mut state = State::resume(seen.table, world.game());
    let mut chance = world.latency();
    let team = seen.table.team(player);
    state.step(SimTime::START, player, action, &mut ());
    while state.table().outcome.is_none() && state.table().round <= last {
        let mover = state.table().mover();
        let action = quick(&state, mover, team, &mut chance, options);
        state.step(SimTime::START, mover, action, &mut ());
    }
    worth(state.table(), team).clamp(-MOST, MOST)
}

/// Chooses the action of the mover in a simulation for a player of this team.
fn quick(
    state: &State,
    mover: AgentId,
    team: TeamId,
    chance: &mut Chance,
    options: &mut Vec<Action>,
) -> Action {
    let table = state.table();
    table.options(mover, options);
    let is_hidden = table.phase == Phase::Planning && table.team(mover) != team;
    if is_hidden && chance.happens(ANY_ASSISTANT) {
        return options[chance.index(options.len())];
    }
    if !matches!(table.phase, Phase::Planning) {
        options.retain(|action| is_quick(table, *action));
    }
    let best = options.iter().map(|action| (value(state, mover, *action), action));
    let best = best.max_by(|(one, _), (other, _)| one.total_cmp(other));
    *best.expect("Mother Nature reaches an island, and each phase has an action").1
}

#[cfg(test)]
mod tests {
    use game_env::Rollout;
    use game_eriantys::Config;

    use super::*;
    use crate::eriantys::greedy::Greedy;

    #[test]
    fn a_seed_repeats_every_decision() {
        for players in 2..=4 {
            let config = Config::new(players, true).unwrap();
            let played = [(); 2].map(|()| {
                let mut state = State::new(&config, Seed::new(5));
                let policy = |player: AgentId| Planner::new(Seed::new(1).agent(player), Budget::nodes(4));
                let mut policies: Vec<_> = AgentId::all(config.players()).map(policy).collect();
                Rollout::default().play(&mut state, &mut policies, &mut ());
                state.hash()
            });
            assert_eq!(played[0], played[1]);
        }
    }

    #[test]
    fn it_beats_greedy() {
        let config = Config::new(2, false).unwrap();
        let mut won = 0;
        for game in 0..12 {
            let mut state = State::new(&config, Seed::new(game));
            let own = AgentId::from_index(usize::from(game % 2 == 1));
            let chance = Seed::new(game).agent(own);
            let planner: Box<dyn Policy<State>> = Box::new(Planner::new(chance, Budget::nodes(30)));
            let greedy: Box<dyn Policy<State>> = Box::new(Greedy::new(Seed::new(game).agent(own.opponent())));
            let mut policies = if own.index() == 0 { [planner, greedy] } else { [greedy, planner] };
            let episode = Rollout::default().play(&mut state, &mut policies, &mut ());
            won += u32::from(episode.outcome.winner() == Some(state.team(own)));
        }
        assert!(won >= 7, "{won} of 12");
    }

    #[test]
    fn a_clock_ends_the_search() {
        let state = State::new(&Config::new(2, true).unwrap(), Seed::new(2));
        let mut seen = Observation::default();
        let player = state.table().mover();
        state.observe(player, &mut seen);
        let looks = std::sync::atomic::AtomicU32::new(0);
        let budget = Budget::until(move || looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 5);
        let mut planner = Planner::new(Seed::new(1).game(), budget);
        assert!(matches!(planner.choose(SimTime::START, player, &seen), Choice::Act(Action::Assistant(_))));
    }
}
