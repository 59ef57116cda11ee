//! The decision that lost a game.
//!
//! A reference, an entrant that plays well, is taken along the record in the place of each agent of a team. Each recorded
//! decision that it would not have made is a [`Suspect`]. A [`Trial`] measures a suspect by pairs of futures from the moment
//! of the decision: in one the agent does what it did, in the other what the reference chose, and from there the recorded
//! players go on in both, with the same chance. So one decision is changed, and nothing else.
//!
//! A budget of futures is spent where it tells most: a part on the [`Curve`], then a few pairs on all suspects, and more on
//! the better half of them, until few are left. These few are measured anew, so that no suspect seems costly only because it
//! was lucky in the choice. If there are too many suspects, those of the commonest kinds are left out.
//!
//! # What this module does not do
//!
//! It changes no hidden facts: the goals and pieces that nobody knew are those of the record in all futures. A decision that
//! was unlucky costs as much as one that was wrong. It judges no decision to act where the reference would have waited, and no
//! agent that does nothing more up to the end: a record has no decision of it any more.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use contests::in_order::in_order;
use contests::statistics::{Interval, Pentanomial};
use game_env::matches::PlayError;
use game_env::replay::Fork;
use game_env::rollout::{Departure, Replacement};
use game_env::{AgentId, Choice, Millis, Seed, SimTime};
use strategies::recorded_game::RecordedGame;

use crate::curve::{self, Curve};
use crate::differences::{Differences, kind};
use crate::futures::{CONFIDENCE, Chance, PROGRAM, place_of};

/// The settings of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The team.
    pub team: usize,
    /// The agents of the team whose decisions are examined.
    pub agents: Vec<AgentId>,
    /// The entrant by which they are judged.
    pub reference: String,
    /// The number of futures in all.
    pub games: u64,
    /// The seed of all futures.
    pub seed: Seed,
    /// The number of threads; it does not change the result.
    pub jobs: std::num::NonZeroUsize,
}

/// A recorded decision that the reference would not have made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspect {
    /// The agent.
    pub agent: AgentId,
    /// The number of inputs before the decision.
    pub inputs: usize,
    /// The moment of the decision.
    pub at: SimTime,
    /// The recorded decision; a wait until the next recorded action, if the reference would have acted long before it.
    pub recorded: Choice<String>,
    /// The action that the reference chose.
    pub better: String,
}

/// The time for which an agent of a game in real time has to stand still, while the reference would have acted, so that this
/// is a suspect of its own. Programs think and messages travel for a shorter time.
pub const LEAST_DELAY: Millis = Millis::new(500);

/// The number of suspects that are measured anew.
const FINALISTS: usize = 3;

/// The part of the futures that the curve has: one in this number.
const CURVE_PART: u64 = 8;

/// The most moments of the curve.
const CURVE_MOMENTS: u64 = 20;

/// The fewest futures of a moment of the curve; with fewer in all, there are fewer moments.
const CURVE_GAMES: u64 = 25;

/// The fewest pairs of each suspect in the first round; with more suspects than that allows, some are left out.
const FEWEST_PAIRS: u64 = 2;

impl Suspect {
    /// The suspect of a departure; none if the reference waited, or acted hardly earlier. `has_delays`: the clock of the
    /// game runs on while an agent does nothing.
    fn of(departure: &Departure<String>, has_delays: bool) -> Option<Self> {
        let better = departure.chosen.clone()?;
        let agent = departure.agent;
        if has_delays && departure.at - departure.decided >= LEAST_DELAY {
            let (inputs, at) = (departure.before, departure.decided);
            return Some(Self { agent, inputs, at, recorded: Choice::Wait(departure.at), better });
        }
        let recorded = Choice::Act(departure.recorded.clone());
        let suspect = Self { agent, inputs: departure.input, at: departure.at, recorded, better };
        (!departure.is_delay()).then_some(suspect)
    }
}

/// A suspect and the ends of its futures.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The suspect.
    pub suspect: Suspect,
    /// The numbers of futures that the team loses, shares and wins with the recorded decision.
    recorded: [u64; 3],
    /// The same with the choice of the reference.
    better: [u64; 3],
    /// The pairs of futures; the points are those of the choice of the reference.
    pairs: Pentanomial,
    /// The number of trials whose intervals hold together.
    together: usize,
}

impl Trial {
    fn new(suspect: Suspect) -> Self {
        Self { suspect, recorded: [0; 3], better: [0; 3], pairs: Pentanomial::default(), together: 1 }
    }

    fn add(&mut self, [recorded, better]: [usize; 2]) {
        self.recorded[recorded] += 1;
        self.better[better] += 1;
        self.pairs.add_points((2 + better - recorded) as f64 / 2.0, 1);
    }

    /// The number of pairs of futures.
    pub fn pairs(&self) -> u64 {
        self.pairs.pairs()
    }

    /// The chance of the team with the recorded decision.
    pub fn recorded(&self) -> Chance {
        Chance::of(self.recorded)
    }

    /// The chance of the team with the choice of the reference.
    pub fn better(&self) -> Chance {
        Chance::of(self.better)
    }

    /// The chance that the team lost by the decision; negative if it gained. The intervals of all suspects that were measured
    /// to the end hold the true values together with [`CONFIDENCE`], so each is wider than one alone.
    pub fn cost(&self) -> Interval {
        self.pairs.difference(1.0 - (1.0 - CONFIDENCE) / self.together as f64)
    }

    /// Returns whether chance alone does not explain the cost.
    pub fn stands_out(&self) -> bool {
        self.cost().low > 0.0
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Why {
    /// The course of the chances.
    pub curve: Curve,
    /// The number of recorded actions of the agents.
    pub actions: usize,
    /// The number of suspects, those included that were not measured.
    pub suspects: usize,
    /// The suspects that were measured to the end, the costliest first.
    pub trials: Vec<Trial>,
    /// The blunders of the reference, in words.
    pub blunders: Vec<String>,
    /// The number of futures that were played.
    pub futures: u64,
}

impl Why {
    /// The decision that cost the team most; none if chance alone explains the cost of each.
    pub fn decision(&self) -> Option<&Trial> {
        self.trials.first().filter(|trial| trial.stands_out())
    }
}

/// Searches the decision that cost a team most. `watch` is called after each future or pair of futures with their number so
/// far, and breaks off if it returns so; then the result has what was measured.
///
/// # Errors
///
/// As [`RecordedGame::play_on`].
///
/// # Panics
///
/// If there is no such team or agent.
pub fn search(
    game: &dyn RecordedGame,
    setup: &Setup,
    mut watch: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<Why, PlayError> {
    let players = game.players();
    let mut why = Why::default();
    let (mut futures, mut is_over) = (0, false);
    let (curve_games, seed) = (setup.games / CURVE_PART, setup.seed.child(0));
    let moments = (curve_games / CURVE_GAMES).clamp(2, CURVE_MOMENTS);
    let games = (curve_games / moments).max(1);
    let moments = usize::try_from(moments).expect("there are few moments");
    let curve = curve::Setup { moments, games, seed, jobs: setup.jobs };
    why.curve = Curve::play(game, &players, &curve, |_| {
        futures += 1;
        let flow = watch(futures);
        is_over = flow.is_break();
        flow
    })?;
    let has_delays =
        game_catalogue::of_replay(game.header()).is_ok_and(|kind| !kind.description().time.has_turns());
    let mut suspects = Vec::new();
    for agent in &setup.agents {
        let found = Differences::of(game, *agent, &setup.reference)?;
        why.actions += found.actions;
        why.blunders.extend(found.blunders);
        let all = found.departures.iter().chain(&found.delays);
        suspects.extend(all.filter_map(|departure| Suspect::of(departure, has_delays)));
    }
    suspects.sort_by_key(|suspect| (suspect.inputs, suspect.agent));
    why.suspects = suspects.len();
    let pairs = setup.games.saturating_sub(futures) / 2;
    let plan = Plan::of(suspects.len(), pairs);
    let suspects = kept(suspects, plan.suspects, &why.curve, setup.team);
    let mut trials: Vec<Trial> = suspects.into_iter().map(Trial::new).collect();
    let mut bandit = Bandit { game, setup, players: &players, played: 0 };
    for (round, each) in plan.rounds.iter().enumerate() {
        if is_over {
            break;
        }
        let is_last = round + 1 == plan.rounds.len();
        if is_last && round > 0 {
            trials = trials.into_iter().map(|trial| Trial::new(trial.suspect)).collect();
        }
        bandit.measure(&mut trials, *each, |played| {
            let flow = watch(futures + 2 * played);
            is_over = flow.is_break();
            flow
        })?;
        // The sort is stable: of equals the earlier one goes first.
        trials.sort_by(|a, b| b.cost().value.total_cmp(&a.cost().value));
        if !is_last && !is_over {
            trials.truncate(trials.len().div_ceil(2).max(FINALISTS));
        }
    }
    trials.retain(|trial| trial.pairs() > 0);
    let together = trials.len();
    trials.iter_mut().for_each(|trial| trial.together = together);
    why.trials = trials;
    why.futures = futures + 2 * bandit.played;
    Ok(why)
}

/// The pairs of futures for each suspect in each round. After each round but the last the better half goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Plan {
    /// The number of suspects of the first round.
    suspects: usize,
    /// For each round the number of pairs of each suspect that is left.
    rounds: Vec<u64>,
}

impl Plan {
    /// A plan for this number of suspects with at most this number of pairs: one half to choose the last suspects, the other
    /// to measure them.
    fn of(suspects: usize, pairs: u64) -> Self {
        if suspects <= FINALISTS {
            let each = pairs / suspects.max(1) as u64;
            return Self { suspects, rounds: vec![each.max(1)] };
        }
        let half = pairs / 2;
        let mut alive = suspects;
        let sizes = loop {
            let sizes: Vec<usize> = std::iter::successors(Some(alive), |size| {
                (*size > FINALISTS).then(|| size.div_ceil(2).max(FINALISTS))
            })
            .filter(|size| *size > FINALISTS)
            .collect();
            let most = half / sizes.len().max(1) as u64 / FEWEST_PAIRS;
            let most = usize::try_from(most).unwrap_or(usize::MAX).max(FINALISTS);
            if alive <= most {
                break sizes;
            }
            alive = most;
        };
        let share = half / sizes.len().max(1) as u64;
        let rounds = sizes.iter().map(|size| share / *size as u64).chain([half / FINALISTS as u64]);
        Self { suspects: alive, rounds: rounds.map(|each| each.max(1)).collect() }
    }
}

/// At most this number of suspects. The rarer the kind of a decision is among them, the sooner it is kept: what an agent does
/// again and again is its way to play, and seldom what lost this game. Of the last kind of which some are kept, those during
/// the falls of the team go first, and the rest are spread evenly.
fn kept(suspects: Vec<Suspect>, most: usize, curve: &Curve, team: usize) -> Vec<Suspect> {
    if suspects.len() <= most {
        return suspects;
    }
    let mut kinds: BTreeMap<(String, String), Vec<Suspect>> = BTreeMap::new();
    for suspect in suspects {
        let recorded = match &suspect.recorded {
            Choice::Act(action) => kind(action),
            Choice::Wait(_) => "wait",
        };
        let key = (recorded.to_owned(), kind(&suspect.better).to_owned());
        kinds.entry(key).or_default().push(suspect);
    }
    let mut kinds: Vec<Vec<Suspect>> = kinds.into_values().collect();
    kinds.sort_by_key(Vec::len);
    let falls = curve.falls(team);
    let is_in_a_fall = |suspect: &Suspect| {
        falls.iter().any(|fall| (fall.from.inputs..fall.to.inputs).contains(&suspect.inputs))
    };
    let mut kept = Vec::new();
    for suspects in kinds {
        let (first, others): (Vec<_>, Vec<_>) = suspects.into_iter().partition(is_in_a_fall);
        for suspects in [first, others] {
            kept.extend(spread(suspects, most - kept.len()));
        }
    }
    kept.sort_by_key(|suspect| (suspect.inputs, suspect.agent));
    kept
}

/// At most this number of values, evenly spread.
fn spread<T>(values: Vec<T>, most: usize) -> Vec<T> {
    let count = values.len();
    if count <= most {
        return values;
    }
    // The values at which the share of those that are kept reaches the next whole number.
    let is_kept = |place: &usize| (place + 1) * most / count > place * most / count;
    values.into_iter().enumerate().filter(|(place, _)| is_kept(place)).map(|(_, value)| value).collect()
}

/// Plays pairs of futures.
struct Bandit<'a> {
    game: &'a dyn RecordedGame,
    setup: &'a Setup,
    players: &'a [String],
    /// The number of pairs so far; it is also the number of the next one.
    played: u64,
}

impl Bandit<'_> {
    /// Plays this number of pairs for each suspect, and adds them.
    fn measure(
        &mut self,
        trials: &mut [Trial],
        each: u64,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), PlayError> {
        let suspects: Vec<Suspect> = trials.iter().map(|trial| trial.suspect.clone()).collect();
        let first = self.played;
        // All suspects in turn, so that after an interruption they have had equally many.
        let suspect_of = |number: u64| {
            usize::try_from(number % suspects.len() as u64).expect("it is below the number of suspects")
        };
        let count = each * suspects.len() as u64;
        let this = &*self;
        let mut played = first;
        in_order(
            count,
            this.setup.jobs,
            |number| this.pair(&suspects[suspect_of(number)], first + number),
            |number, pair| {
                trials[suspect_of(number)].add(pair);
                played += 1;
                watch(played)
            },
        )?;
        self.played = played;
        Ok(())
    }

    /// Plays a pair of futures; the places of the team with the recorded decision and with that of the reference.
    fn pair(&self, suspect: &Suspect, number: u64) -> Result<[usize; 2], PlayError> {
        let seed = self.setup.seed.child(1 + number);
        let place = |choice: Choice<String>| {
            let replacement = Replacement { at: suspect.at, agent: suspect.agent, choice };
            let fork = Fork::after(suspect.inputs).with_replacement(replacement).with_seed(seed);
            let played = self.game.play_on(fork, self.players, PROGRAM, None)?;
            Ok(place_of(&played.outcome, self.setup.team))
        };
        Ok([place(suspect.recorded.clone())?, place(Choice::Act(suspect.better.clone()))?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_keeps_to_its_budget_and_measures_the_last_by_half_of_it() {
        for suspects in [0_usize, 1, 2, 3, 4, 5, 7, 60, 300, 5_000] {
            for pairs in [40_u64, 500, 4_000] {
                let plan = Plan::of(suspects, pairs);
                let mut alive = plan.suspects;
                let mut spent = 0;
                for (round, each) in plan.rounds.iter().enumerate() {
                    spent += each * alive as u64;
                    if round + 1 < plan.rounds.len() {
                        assert!(*each >= FEWEST_PAIRS, "{suspects} {pairs}: {plan:?}");
                        alive = alive.div_ceil(2).max(FINALISTS);
                    }
                }
                assert!(spent <= pairs.max(1) && alive <= FINALISTS, "{suspects} {pairs}: {plan:?}");
                let last = plan.rounds.last().unwrap() * alive as u64;
                assert!(
                    2 * last + 2 * FINALISTS as u64 >= pairs || suspects == 0,
                    "{suspects} {pairs}: {plan:?}"
                );
                assert!(plan.suspects <= suspects);
            }
        }
    }

    #[test]
    fn values_are_spread_evenly() {
        assert_eq!(spread((0..10).collect(), 3), [3, 6, 9]);
        assert_eq!(spread((0..3).collect(), 3), [0, 1, 2]);
        assert_eq!(spread((0..3).collect::<Vec<u32>>(), 0), [0; 0]);
    }

    #[test]
    fn rare_decisions_are_kept_first() {
        let suspect = |inputs, recorded: &str, better: &str| Suspect {
            agent: AgentId::new(0),
            inputs,
            at: SimTime::START,
            recorded: Choice::Act(recorded.to_owned()),
            better: better.to_owned(),
        };
        let mut all: Vec<Suspect> = (0..20).map(|inputs| suspect(inputs, "move N", "move S")).collect();
        all[7] = suspect(7, "destroy", "move N");
        all[12] = Suspect { recorded: Choice::Wait(SimTime::START), ..suspect(12, "", "move N") };
        let inputs = |most| {
            let kept = kept(all.clone(), most, &Curve::default(), 0);
            kept.iter().map(|suspect| suspect.inputs).collect::<Vec<_>>()
        };
        assert_eq!(inputs(2), [7, 12]);
        assert_eq!(inputs(4), [7, 9, 12, 19]);
        assert_eq!(inputs(20), (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_trial_counts_pairs() {
        let suspect = Suspect {
            agent: AgentId::new(0),
            inputs: 0,
            at: SimTime::START,
            recorded: Choice::Wait(SimTime::START),
            better: "put".to_owned(),
        };
        let mut trial = Trial::new(suspect);
        assert!(!trial.stands_out());
        for _ in 0..20 {
            trial.add([0, 2]);
            trial.add([2, 2]);
            trial.add([1, 1]);
        }
        assert_eq!((trial.pairs(), trial.recorded, trial.better), (60, [20, 20, 20], [0, 20, 40]));
        assert!((trial.cost().value - 1.0 / 3.0).abs() < 1e-9 && trial.stands_out(), "{:?}", trial.cost());
        let gain = trial.better().0.value - trial.recorded().0.value;
        assert!((gain - trial.cost().value).abs() < 1e-9);
    }

    #[test]
    fn a_late_action_is_a_wait_and_a_hardly_late_one_is_none() {
        let departure = |recorded: &str, chosen: Option<&str>, decided| Departure {
            input: 9,
            at: SimTime::from_millis(2_000),
            agent: AgentId::new(1),
            recorded: recorded.to_owned(),
            chosen: chosen.map(str::to_owned),
            decided: SimTime::from_millis(decided),
            before: 7,
        };
        let suspect = |departure, has_delays| {
            let suspect = Suspect::of(&departure, has_delays)?;
            Some((suspect.inputs, suspect.at.as_millis(), suspect.recorded))
        };
        let (act, wait) =
            (|text: &str| Choice::Act(text.to_owned()), Choice::Wait(SimTime::from_millis(2_000)));
        assert_eq!(suspect(departure("put", Some("put"), 1_000), true), Some((7, 1_000, wait.clone())));
        assert_eq!(suspect(departure("put", Some("check"), 1_000), true), Some((7, 1_000, wait)));
        assert_eq!(suspect(departure("put", Some("put"), 1_000), false), None);
        assert_eq!(suspect(departure("put", Some("put"), 1_900), true), None);
        assert_eq!(suspect(departure("put", Some("check"), 1_990), true), Some((9, 2_000, act("put"))));
        assert_eq!(suspect(departure("put", None, 2_000), true), None);
    }
}
