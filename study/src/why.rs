//! The decision that lost a game.
//!
//! A reference, an entrant that plays well, finds the [suspects](crate::suspects) of a team. A [`Trial`] measures a
//! suspect by pairs of futures: one decision is changed, and nothing else.
//!
//! A budget of futures is spent on what seems costliest: a part on the [`Curve`], a part on the [`habits`] of this
//! game, then a few pairs on all suspects, and more on the better half of them, until few are left. These few are
//! measured anew, so that no suspect seems costly only because it was lucky in the choice. If there are too many
//! suspects, those of the commonest kinds are left out.
//!
//! # What this module does not do
//!
//! It changes no hidden facts: the goals and pieces that nobody knew are those of the record in all futures. A decision
//! that was unlucky costs as much as one that was wrong.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use game_env::matches::PlayError;
use game_env::{AgentId, Seed};
use strategies::recorded_game::RecordedGame;

use crate::curve::{self, Curve};
use crate::futures::keep_first;
use crate::habits::{self, Case, Habit, OfKinds};
use crate::pairs::{self, Pairs};
use crate::suspects::{Suspect, Suspects};

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

/// The number of suspects that are measured anew.
const FINALISTS: usize = 3;

/// The part of the futures that the curve has: one in this number.
const CURVE_PART: u64 = 8;

/// The most moments of the curve.
const CURVE_MOMENTS: u64 = 20;

/// The fewest futures of a moment of the curve; with fewer in all, there are fewer moments.
const CURVE_GAMES: u64 = 25;

/// The part of the futures that the habits have: one in this number.
const HABITS_PART: u64 = 4;

/// The fewest decisions of one kind that make a habit.
const HABITUAL: usize = 5;

/// The number of habits that are measured to the end.
const HABITS: usize = 3;

/// The fewest pairs of each suspect in the first round; with more suspects than that allows, some are left out.
const FEWEST_PAIRS: u64 = 2;

/// A suspect and the ends of its futures.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The suspect.
    pub suspect: Suspect,
    /// The ends of its pairs of futures.
    pub pairs: Pairs,
}

impl Trial {
    fn new(suspect: Suspect) -> Self {
        Self { suspect, pairs: Pairs::default() }
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
    /// The kinds of suspects by whole games from the start of this one, the costliest first.
    pub habits: Vec<Habit>,
    /// The blunders of the reference in the place of the agents, in words.
    pub blunders: Vec<String>,
    /// The first blunders of all players in the futures, in words, each once.
    pub blunders_in_futures: Vec<String>,
    /// The number of futures that were played.
    pub futures: u64,
}

impl Why {
    /// Returns the decision that cost the team most, of those whose cost chance alone does not explain.
    pub fn decision(&self) -> Option<&Trial> {
        self.trials.iter().find(|trial| trial.pairs.stands_out())
    }
}

/// Searches the decision that cost a team most. `watch` is called after each future or pair of futures with their
/// number so far, and breaks off if it returns so; then the result has what was measured.
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
    for point in why.curve.points() {
        keep_first(&mut why.blunders_in_futures, point.futures.blunders().iter().cloned());
    }
    let found = Suspects::find(game, &setup.agents, &setup.reference)?;
    let mut of_kinds = OfKinds::default();
    of_kinds.add(0, &found.suspects);
    of_kinds.keep_habits(HABITUAL);
    if !is_over && !of_kinds.is_empty() {
        let cases = [Case { game, team: setup.team, agents: setup.agents.clone() }];
        let pairs = (setup.games / HABITS_PART / 2).max(1);
        let (reference, seed) = (setup.reference.clone(), setup.seed.child(u64::MAX));
        let habits = habits::Setup { reference, pairs, most: HABITS, seed, jobs: setup.jobs };
        let before = futures;
        let measured = habits::measured(&cases, &habits, of_kinds, |played| {
            futures = before + played;
            let flow = watch(futures);
            is_over = flow.is_break();
            flow
        })
        .map_err(|failed| failed.error)?;
        why.habits = measured.habits;
        keep_first(&mut why.blunders_in_futures, measured.blunders);
    }
    why.actions = found.actions;
    why.blunders = found.blunders;
    let suspects = found.suspects;
    why.suspects = suspects.len();
    let plan = Plan::of(suspects.len(), setup.games.saturating_sub(futures) / 2);
    let suspects = kept(suspects, plan.suspects, &why.curve, setup.team);
    let mut trials: Vec<Trial> = suspects.into_iter().map(Trial::new).collect();
    // The number of suspects among which the costliest were chosen by the pairs that they have.
    let mut compared = trials.len();
    let mut played = 0;
    for (round, each) in plan.rounds.iter().enumerate() {
        if is_over {
            break;
        }
        let is_last = round + 1 == plan.rounds.len();
        let before = (is_last && round > 0).then(|| trials.clone());
        if before.is_some() {
            trials = trials.into_iter().map(|trial| Trial::new(trial.suspect)).collect();
        }
        let suspects: Vec<Suspect> = trials.iter().map(|trial| trial.suspect.clone()).collect();
        let mut receivers: Vec<&mut Pairs> = trials.iter_mut().map(|trial| &mut trial.pairs).collect();
        let pair = |place: usize, number: u64| {
            suspects[place].pair(game, &players, setup.team, setup.seed.child(1 + played + number))
        };
        let watch = |more: u64| watch(futures + 2 * (played + more));
        let (more, was_broken_off) =
            pairs::measure(&mut receivers, *each, setup.jobs, &mut why.blunders_in_futures, pair, watch)?;
        (played, is_over) = (played + more, was_broken_off);
        match before {
            // Those by which they were chosen say more than the few new ones.
            Some(before) if is_over && has_few_pairs(&trials) => trials = before,
            Some(_) => compared = trials.len(),
            None => {}
        }
        // The sort is stable: of equals the earlier one goes first.
        trials.sort_by(|a, b| a.pairs.by_cost(&b.pairs));
        if !is_last && !is_over {
            trials.truncate(trials.len().div_ceil(2).max(FINALISTS));
        }
    }
    if is_over {
        trials.truncate(FINALISTS);
    }
    let enough = if is_over { pairs::ENOUGH } else { 1 };
    trials.retain(|trial| trial.pairs.count() >= enough);
    trials.iter_mut().for_each(|trial| trial.pairs.hold_together(compared));
    why.trials = trials;
    why.futures = futures + 2 * played;
    Ok(why)
}

/// Returns whether one of these has fewer pairs than a cost is judged by.
fn has_few_pairs(trials: &[Trial]) -> bool {
    trials.iter().any(|trial| trial.pairs.count() < pairs::ENOUGH)
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
    /// Returns a plan for this number of suspects with at most this number of pairs: one half to choose the last
    /// suspects, the other to measure them.
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

/// At most this number of suspects. The rarer the kind of a decision is among them, the sooner it is kept: what an
/// agent does again and again is its way to play, and seldom what lost this game. Of the last kind of which some are
/// kept, those during the falls of the team go first, and the rest are spread evenly.
fn kept(suspects: Vec<Suspect>, most: usize, curve: &Curve, team: usize) -> Vec<Suspect> {
    if suspects.len() <= most {
        return suspects;
    }
    let mut kinds: BTreeMap<(String, String), Vec<Suspect>> = BTreeMap::new();
    for suspect in suspects {
        let (recorded, better) = suspect.kinds();
        let key = (recorded.to_owned(), better.to_owned());
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

#[cfg(test)]
mod tests {
    use game_env::{Choice, SimTime};

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
}
