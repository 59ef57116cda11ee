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

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use game_env::matches::{MatchRecord, MatchSpec};

pub use self::findings::{Difference, Example, Findings};
pub use self::plan::{PairMatch, Plan, PlanError};
pub use self::sample::Sample;
pub use self::tally::{MetricTally, Tally};

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
/// `watch` is called after each pair that is counted. The result depends on the plan alone, not on `jobs`.
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
    mut watch: impl FnMut(&Tally),
) -> Result<Tally, E> {
    let mut tally = Tally::new(plan);
    let next = AtomicU64::new(0);
    let is_over = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.get() {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                let _guard = EndsAll(&is_over);
                while !is_over.load(Ordering::Relaxed) {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    if pair >= plan.most_pairs {
                        return;
                    }
                    let played = PairMatch::both(pair).map(|which| play(&plan.spec(which)));
                    let [first, second] = played;
                    let both = first.and_then(|first| Ok([first, second?]));
                    if sender.send((pair, both)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // Pairs arrive in any order and are counted in the order of their seeds.
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (pair, played) in receiver {
            early.insert(pair, played);
            while let Some(played) = early.remove(&due) {
                let counted = played.map(|records| tally.add(due, &records));
                due += 1;
                if counted.is_ok() {
                    watch(&tally);
                }
                if counted.is_err() || tally.verdict().is_some() {
                    is_over.store(true, Ordering::Relaxed);
                    return counted;
                }
            }
        }
        Ok(())
    })?;
    Ok(tally)
}

/// A thread that panics takes the others with it: without its pair none that follows can be counted.
struct EndsAll<'a>(&'a AtomicBool);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
