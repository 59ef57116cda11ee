//! Comparison of two line-ups: mirrored pairs of matches, played until a sequential test has decided which is stronger.
//!
//! A [`Plan`] names the line-ups and the game. [`run`] plays pairs by as many threads as it is given and counts them in
//! the order of their seeds, so neither the number of threads nor their speed changes the result. The [`Tally`] holds
//! the result: the score, the state of the test, the metrics that differ, and the matches worth looking at.
//! [`Findings`] puts that into words.
//!
//! # What it does not do
//!
//! It does not know how matches are played: `play` is an argument. It stores nothing.

mod findings;
mod plan;
mod sample;
mod tally;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use game_env::matches::{MatchRecord, MatchSpec};

pub(crate) use self::findings::count_down;
pub use self::findings::{Difference, Example, Findings};
pub use self::plan::{PairMatch, Plan};
pub use self::sample::Sample;
pub use self::tally::{MetricTally, Tally};
use crate::in_order::in_order;

/// The smallest difference to detect, in Elo, unless the caller chooses another one.
pub const MARGIN: f64 = 10.0;

/// The probability of each error, unless the caller chooses another one.
pub const ERROR: f64 = 0.05;

/// The largest number of pairs, unless the caller chooses another one.
pub const MOST_PAIRS: u64 = 50_000;

/// Plays a match.
pub type Play<'a, E> = &'a (dyn Fn(&MatchSpec) -> Result<MatchRecord, E> + Sync);

/// Plays pairs until the test has decided or the plan's limit is reached.
///
/// `watch` is called after each pair that is counted, and can break the comparison off. The result depends on the plan,
/// and on the pair after which it is broken off; not on `jobs`.
///
/// # Errors
///
/// Fails if a match cannot be played.
///
/// # Panics
///
/// Panics if `play` does.
pub fn run<E: Send>(
    plan: &Plan,
    jobs: NonZeroUsize,
    play: Play<'_, E>,
    mut watch: impl FnMut(&Tally) -> ControlFlow<()>,
) -> Result<Tally, E> {
    let mut tally = Tally::new(plan);
    let both = |pair| {
        let [first, second] = PairMatch::both(pair).map(|which| play(&plan.spec(which)));
        first.and_then(|first| Ok([first, second?]))
    };
    let _ = in_order(plan.most_pairs, jobs, both, |pair, records| {
        tally.add(pair, &records);
        let flow = watch(&tally);
        if tally.decision().is_some() { ControlFlow::Break(()) } else { flow }
    })?;
    Ok(tally)
}
