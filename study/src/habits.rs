//! Decisions of one kind that an entrant makes again and again, and their cost.
//!
//! In each of many games, a reference finds the [suspects](crate::suspects) of the entrant. Those of one kind, such as
//! a `move` where the reference would have asked for `check`, are a [`Habit`]. Its cost is measured by pairs of games
//! from the start of the recorded ones, with other chance: in one the entrant plays as ever, in the other the reference
//! decides in its place wherever the two differ in this kind. So the cost is that of the whole habit in a game, with
//! all that follows from it.
//!
//! A part of the pairs is spread evenly over all kinds. The costliest habits are then measured anew by the rest, so
//! that none seems costly only because it was lucky in the choice.
//!
//! # What this module does not do
//!
//! A kind is the first word of both actions: a habit that shows in the direction of a move, and not in its kind, has no
//! name of its own. The costs of several habits do not add up: without one of them, another may cost less or more.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use contests::in_order::in_order;
use game_env::matches::PlayError;
use game_env::replay::Fork;
use game_env::{AgentId, Choice, Seed, SimTime};
use strategies::recorded_game::{Correction, RecordedGame};

use crate::differences::WORDLESS;
use crate::futures::PROGRAM;
use crate::pairs::{self, PairEnd, Pairs};
use crate::suspects::{Suspect, Suspects, kinds};

/// A recorded game of an entrant.
#[derive(Clone)]
pub struct Case<'a> {
    /// The game.
    pub game: &'a dyn RecordedGame,
    /// The team of the entrant.
    pub team: usize,
    /// The agents of the entrant.
    pub agents: Vec<AgentId>,
}

/// The settings of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The entrant by which decisions are judged.
    pub reference: String,
    /// The number of pairs of games in all.
    pub pairs: u64,
    /// The number of habits that are measured to the end.
    pub most: usize,
    /// The seed of all games.
    pub seed: Seed,
    /// The number of threads; it does not change the result.
    pub jobs: NonZeroUsize,
}

/// The part of the pairs that chooses the costliest habits: one in this number.
const FIRST_PART: u64 = 3;

/// Work that a search has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// The number of recorded games in which suspects were looked for.
    pub games: usize,
    /// The number of games that were played.
    pub played: u64,
}

/// Decisions of one kind, in the place of decisions of another.
#[derive(Clone, PartialEq, Debug)]
pub struct Habit {
    /// The kind of the recorded decisions, e.g. `move`, or `wait`.
    pub recorded: String,
    /// The kind of the actions that the reference chose.
    pub better: String,
    /// The decisions, each with the number of its game, in their order.
    pub decisions: Vec<(usize, Suspect)>,
    /// The pairs of games: those as the entrant plays, and those in which the reference decides wherever the habit
    /// would show.
    pub pairs: Pairs,
}

impl Habit {
    /// Returns the number of games in which the habit showed.
    pub fn games(&self) -> usize {
        self.decisions.chunk_by(|(one, _), (other, _)| one == other).count()
    }

    /// Returns the habit in a sentence: `` `move` instead of `put` ``, or ``another `move` ``.
    pub fn named(&self) -> String {
        let Self { recorded, better, .. } = self;
        if recorded == better {
            format!("another `{recorded}`")
        } else {
            format!("`{recorded}` instead of `{better}`")
        }
    }
}

/// The kinds of a recorded decision and of the choice of the reference.
type Kinds = (String, String);

/// The suspects of recorded games by their kinds, each with the number of its game.
#[derive(Default)]
pub(crate) struct OfKinds(BTreeMap<Kinds, Vec<(usize, Suspect)>>);

impl OfKinds {
    /// Adds the suspects of a game.
    pub(crate) fn add(&mut self, game: usize, suspects: &[Suspect]) {
        for suspect in suspects {
            let (recorded, better) = suspect.kinds();
            let kinds = (recorded.to_owned(), better.to_owned());
            self.0.entry(kinds).or_default().push((game, suspect.clone()));
        }
    }

    /// Keeps the kinds with at least this many suspects. In a game whose actions have no words, all suspects are of one
    /// kind, which says nothing about habits.
    pub(crate) fn keep_habits(&mut self, least: usize) {
        self.0.retain(|(recorded, _), own| recorded != WORDLESS && own.len() >= least);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns whether the reference decides in place of an entrant that is to lose the habit of these kinds.
fn applies((recorded, better): &Kinds, now: SimTime, decision: &Choice<String>, chosen: &str) -> bool {
    let differs = match decision {
        Choice::Act(action) => action != chosen,
        Choice::Wait(until) => *until > now,
    };
    differs && kinds(decision, chosen) == (recorded.as_str(), better.as_str())
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Habits {
    /// The number of games.
    pub games: usize,
    /// The number of actions of the entrant's agents in them.
    pub actions: usize,
    /// The number of suspects.
    pub suspects: usize,
    /// The number of kinds of suspects.
    pub kinds: usize,
    /// The habits that were measured, the costliest first: fewer pairs for each if the search was broken off.
    pub habits: Vec<Habit>,
    /// The blunders of the reference in the place of the entrant's agents, in words.
    pub blunders: Vec<String>,
    /// The first blunders of all players in the games that were played, in words, each once.
    pub blunders_in_games: Vec<String>,
    /// The number of games that were played.
    pub played: u64,
}

/// A game of a search that cannot be played on.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct SearchError {
    /// The place of its case.
    pub case: usize,
    /// The reason.
    pub error: PlayError,
}

/// Searches the habits that cost an entrant most. `watch` is called after each recorded game and each pair of games,
/// and breaks off if it returns so; then the result has what was measured.
///
/// # Errors
///
/// As [`RecordedGame::play_on`], with the case.
///
/// # Panics
///
/// If a case names a team or an agent that does not play.
pub fn search(
    cases: &[Case<'_>],
    setup: &Setup,
    mut watch: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Habits, SearchError> {
    let mut result = Habits::default();
    let mut of_kinds = OfKinds::default();
    let suspects = |number: u64| {
        let place = usize::try_from(number).expect("it is below the number of cases");
        let Case { game, agents, .. } = &cases[place];
        Suspects::find(*game, agents, &setup.reference).map_err(|error| SearchError { case: place, error })
    };
    let flow = in_order(cases.len() as u64, setup.jobs, suspects, |_, found| {
        result.actions += found.actions;
        result.suspects += found.suspects.len();
        result.blunders.extend(found.blunders);
        of_kinds.add(result.games, &found.suspects);
        result.games += 1;
        watch(Progress { games: result.games, played: 0 })
    })?;
    result.kinds = of_kinds.0.len();
    if flow.is_continue() {
        let games = result.games;
        let measured = measured(cases, setup, of_kinds, |played| watch(Progress { games, played }))?;
        (result.habits, result.blunders_in_games) = (measured.habits, measured.blunders);
        result.played = measured.played;
    }
    Ok(result)
}

/// The habits of some suspects.
pub(crate) struct Measured {
    /// The costliest ones, the costliest first.
    pub habits: Vec<Habit>,
    /// The first blunders of all players in the games that were played, in words, each once.
    pub blunders: Vec<String>,
    /// The number of games that were played.
    pub played: u64,
}

/// Measures the habits of these suspects. `watch` is called after each pair of games with the number of games that were
/// played, and breaks off if it returns so.
///
/// # Errors
///
/// As [`search`].
pub(crate) fn measured(
    cases: &[Case<'_>],
    setup: &Setup,
    of_kinds: OfKinds,
    mut watch: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<Measured, SearchError> {
    let mut habits: Vec<Habit> = of_kinds
        .0
        .into_iter()
        .map(|((recorded, better), decisions)| Habit { recorded, better, decisions, pairs: Pairs::default() })
        .collect();
    let (mut left, mut is_over) = (setup.pairs, false);
    let (mut played, mut blunders) = (0, Vec::new());
    // The number of habits among which the costliest were chosen by the pairs that they have.
    let mut compared = habits.len();
    let mut before = None;
    if habits.len() > setup.most {
        let each = (setup.pairs / FIRST_PART / habits.len() as u64).max(1);
        is_over = measure(cases, setup, &mut habits, each, &mut played, &mut blunders, &mut watch)?;
        sort(&mut habits);
        if !is_over {
            habits.truncate(setup.most);
            left = left.saturating_sub(played);
            before = Some(habits.clone());
            habits.iter_mut().for_each(|habit| habit.pairs = Pairs::default());
        }
    }
    if !habits.is_empty() && !is_over {
        let each = (left / habits.len() as u64).max(1);
        is_over = measure(cases, setup, &mut habits, each, &mut played, &mut blunders, &mut watch)?;
        let has_few_pairs = habits.iter().any(|habit| habit.pairs.count() < pairs::ENOUGH);
        match before {
            // Those by which they were chosen say more than the few new ones.
            Some(before) if is_over && has_few_pairs => habits = before,
            _ => compared = habits.len(),
        }
    }
    habits.retain(|habit| habit.pairs.count() > 0);
    habits.iter_mut().for_each(|habit| habit.pairs.hold_together(compared));
    sort(&mut habits);
    // More than these were measured if the search was broken off in its first part.
    habits.truncate(setup.most);
    Ok(Measured { habits, blunders, played: 2 * played })
}

/// Adds this number of pairs to each habit, their number to `played`, and their first blunders to `blunders`; returns
/// whether it was broken off.
fn measure(
    cases: &[Case<'_>],
    setup: &Setup,
    habits: &mut [Habit],
    each: u64,
    played: &mut u64,
    blunders: &mut Vec<String>,
    watch: &mut impl FnMut(u64) -> ControlFlow<()>,
) -> Result<bool, SearchError> {
    let known: Vec<Kinds> =
        habits.iter().map(|habit| (habit.recorded.clone(), habit.better.clone())).collect();
    let (first, count) = (*played, known.len() as u64);
    let play = |habit: usize, number: u64| {
        let (case, seed) = (place(cases.len(), number / count, each), setup.seed.child(first + number));
        pair(&cases[case], setup, &known[habit], seed).map_err(|error| SearchError { case, error })
    };
    let mut receivers: Vec<&mut Pairs> = habits.iter_mut().map(|habit| &mut habit.pairs).collect();
    let watch = |more: u64| watch(2 * (first + more));
    let (more, is_over) = pairs::measure(&mut receivers, each, setup.jobs, blunders, play, watch)?;
    *played += more;
    Ok(is_over)
}

/// Plays a pair of games from the start of a recorded one; returns the end for the entrant as it plays, and without the
/// habit.
fn pair(case: &Case<'_>, setup: &Setup, habit: &Kinds, seed: Seed) -> Result<PairEnd, PlayError> {
    let Case { game, team, agents } = case;
    let players = game.players();
    let is_corrected = |now: SimTime, own: &Choice<String>, better: &str| applies(habit, now, own, better);
    let correction = Correction { agents, reference: &setup.reference, applies: &is_corrected };
    let played = |correction: Option<Correction<'_>>| {
        let fork = Fork::after(0).with_seed(seed);
        game.play_corrected(fork, &players, correction, PROGRAM, None)
    };
    Ok(PairEnd::of([played(None)?, played(Some(correction))?], *team))
}

/// Sorts habits, the costliest first; equal ones keep their order.
fn sort(habits: &mut [Habit]) {
    habits.sort_by(|a, b| a.pairs.by_cost(&b.pairs));
}

/// Returns the place, among this number of cases, of the case for the pair with this number, of `each` pairs. The cases
/// take turns; if they are more than the pairs, those that play are spread over all.
fn place(cases: usize, number: u64, each: u64) -> usize {
    let count = cases as u64;
    let place = if each < count { number * count / each } else { number % count };
    usize::try_from(place).expect("it is below the number of cases")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_are_spread_over_all_cases_and_many_take_turns() {
        let places = |cases, each| (0..each).map(|number| place(cases, number, each)).collect::<Vec<_>>();
        assert_eq!(places(50, 5), [0, 10, 20, 30, 40]);
        assert_eq!(places(3, 2), [0, 1]);
        assert_eq!(places(3, 5), [0, 1, 2, 0, 1]);
    }
}
