//! Decisions of one kind that an entrant makes again and again, and their cost.
//!
//! In each of many games, a reference finds the [suspects](crate::suspects) of the entrant. Those of one kind, such as a `move`
//! where the reference would have asked for `check`, are a [`Habit`]. Its cost is measured by a sample: decisions are drawn
//! from all of the kind, whichever game they are of, and a pair of futures is played for each. The mean cost of a decision,
//! times the number of such decisions in a game, is the chance that the habit costs in a game.
//!
//! A part of the pairs is spread evenly over all kinds. The costliest habits are then measured anew by the rest, so that none
//! seems costly only because it was lucky in the choice.
//!
//! # What this module does not do
//!
//! A kind is the first word of both actions: a habit that shows in the place of a move, and not in its kind, has no name of its
//! own. Costs are those of single decisions. Where an entrant that drops a habit gets into other situations than those of the
//! record, it wins more or less than their sum.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use contests::in_order::in_order;
use contests::statistics::Interval;
use game_env::matches::PlayError;
use game_env::{AgentId, Seed};
use strategies::recorded_game::RecordedGame;

use crate::pairs::Pairs;
use crate::suspects::{Suspect, Suspects};

/// A recorded game of an entrant.
pub struct Case {
    /// The game.
    pub game: Box<dyn RecordedGame>,
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
    /// The number of pairs of futures in all.
    pub pairs: u64,
    /// The number of habits that are measured to the end.
    pub most: usize,
    /// The seed of all futures.
    pub seed: Seed,
    /// The number of threads; it does not change the result.
    pub jobs: NonZeroUsize,
}

/// The part of the pairs that chooses the costliest habits: one in this number.
const FIRST_PART: u64 = 3;

/// Work that a search has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// The number of games in which suspects were looked for.
    pub games: usize,
    /// The number of futures that were played.
    pub futures: u64,
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
    /// A decision after which a future ended worse than with the choice of the reference; none if no pair ended so.
    pub example: Option<(usize, Suspect)>,
    pairs: Pairs,
    games: usize,
    together: usize,
}

impl Habit {
    /// The number of games in which the habit showed.
    pub fn games(&self) -> usize {
        self.decisions.chunk_by(|(one, _), (other, _)| one == other).count()
    }

    /// The number of decisions in a game, on average over all games.
    pub fn frequency(&self) -> f64 {
        self.decisions.len() as f64 / self.games.max(1) as f64
    }

    /// The chance that a decision costs, on average. The intervals of all habits of a search hold the true values together with
    /// [`CONFIDENCE`](crate::futures::CONFIDENCE).
    pub fn cost_of_a_decision(&self) -> Interval {
        self.pairs.cost(self.together)
    }

    /// The chance that the habit costs in a game; negative if it gains.
    pub fn cost(&self) -> Interval {
        self.cost_of_a_decision().map(|cost| cost * self.frequency())
    }

    /// Returns whether chance alone does not explain the cost.
    pub fn stands_out(&self) -> bool {
        self.cost_of_a_decision().low > 0.0
    }

    /// The number of pairs of futures.
    pub fn pairs(&self) -> u64 {
        self.pairs.count()
    }
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
    /// The habits that were measured to the end, the costliest first.
    pub habits: Vec<Habit>,
    /// The blunders of the reference, in words.
    pub blunders: Vec<String>,
    /// The number of futures that were played.
    pub futures: u64,
}

/// Searches the habits that cost an entrant most. `watch` is called after each game and each pair of futures, and breaks off if
/// it returns so; then the result has what was measured.
///
/// # Errors
///
/// As [`RecordedGame::play_on`].
///
/// # Panics
///
/// If a case names a team or an agent that does not play.
pub fn search(
    cases: &[Case],
    setup: &Setup,
    mut watch: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Habits, PlayError> {
    let mut result = Habits::default();
    let mut kinds: BTreeMap<(String, String), Vec<(usize, Suspect)>> = BTreeMap::new();
    let mut is_over = false;
    let suspects = |number: u64| {
        let case = case(cases, number);
        Suspects::find(&*case.game, &case.agents, &setup.reference)
    };
    in_order(cases.len() as u64, setup.jobs, suspects, |_, found| {
        result.actions += found.actions;
        result.suspects += found.suspects.len();
        result.blunders.extend(found.blunders);
        for suspect in found.suspects {
            let (recorded, better) = suspect.kinds();
            let kind = (recorded.to_owned(), better.to_owned());
            kinds.entry(kind).or_default().push((result.games, suspect));
        }
        result.games += 1;
        let flow = watch(Progress { games: result.games, futures: 0 });
        is_over = flow.is_break();
        flow
    })?;
    result.kinds = kinds.len();
    let games = result.games;
    let mut habits: Vec<Habit> = kinds
        .into_iter()
        .map(|((recorded, better), decisions)| {
            let (pairs, example) = (Pairs::default(), None);
            Habit { recorded, better, decisions, example, pairs, games, together: 1 }
        })
        .collect();
    let mut sample = Sample { cases, setup, players: players(cases), played: 0 };
    let mut left = setup.pairs;
    if habits.len() > setup.most && !is_over {
        let each = (setup.pairs / FIRST_PART / habits.len() as u64).max(1);
        is_over =
            sample.measure(&mut habits, each, |played| watch(Progress { games, futures: 2 * played }))?;
        sort(&mut habits);
        if !is_over {
            habits.truncate(setup.most);
            left = left.saturating_sub(sample.played);
            habits.iter_mut().for_each(|habit| habit.pairs = Pairs::default());
        }
    }
    if !habits.is_empty() && !is_over {
        let each = (left / habits.len() as u64).max(1);
        sample.measure(&mut habits, each, |played| watch(Progress { games, futures: 2 * played }))?;
    }
    habits.retain(|habit| habit.pairs() > 0);
    let together = habits.len();
    habits.iter_mut().for_each(|habit| habit.together = together);
    sort(&mut habits);
    result.habits = habits;
    result.futures = 2 * sample.played;
    Ok(result)
}

/// The costliest first; of equals, the order stays.
fn sort(habits: &mut [Habit]) {
    habits.sort_by(|a, b| b.cost().value.total_cmp(&a.cost().value));
}

fn case(cases: &[Case], number: u64) -> &Case {
    &cases[usize::try_from(number).expect("it is below the number of games")]
}

fn players(cases: &[Case]) -> Vec<Vec<String>> {
    cases.iter().map(|case| case.game.players()).collect()
}

/// Draws decisions, and plays their pairs of futures.
struct Sample<'a> {
    cases: &'a [Case],
    setup: &'a Setup,
    /// The players of each game.
    players: Vec<Vec<String>>,
    /// The number of pairs so far; it is also the number of the next one.
    played: u64,
}

impl Sample<'_> {
    /// Plays this number of pairs for each habit, and adds them; returns whether it was broken off.
    fn measure(
        &mut self,
        habits: &mut [Habit],
        each: u64,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<bool, PlayError> {
        let decisions: Vec<Vec<(usize, Suspect)>> =
            habits.iter().map(|habit| habit.decisions.clone()).collect();
        let first = self.played;
        // All habits in turn, so that after an interruption they have had equally many.
        let habit_of =
            |number: u64| usize::try_from(number % decisions.len() as u64).expect("there are few habits");
        let drawn = |number: u64| {
            let decisions = &decisions[habit_of(number)];
            let seed = self.setup.seed.child(0).child(first + number);
            &decisions[seed.game().index(decisions.len())]
        };
        let pair = |number: u64| {
            let (game, suspect) = drawn(number);
            let case = &self.cases[*game];
            let seed = self.setup.seed.child(1 + first + number);
            suspect.pair(&*case.game, &self.players[*game], case.team, seed)
        };
        let (mut played, mut is_over) = (first, false);
        in_order(each * decisions.len() as u64, self.setup.jobs, pair, |number, places| {
            let habit = &mut habits[habit_of(number)];
            habit.pairs.add(places);
            if places[0] < places[1] && habit.example.is_none() {
                habit.example = Some(drawn(number).clone());
            }
            played += 1;
            let flow = watch(played);
            is_over = flow.is_break();
            flow
        })?;
        self.played = played;
        Ok(is_over)
    }
}
