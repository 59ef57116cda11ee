//! Estimate of the remaining time of a league from the times that its matches took so far.
//!
//! Matches of one pairing take about as long as each other, and those of another may take a hundred times as long: an
//! agent that never joins keeps each of its matches waiting. So the estimate adds up what each pairing has left.
//!
//! It measures nothing itself: times are arguments.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use contests::entrant::EntrantId;

use crate::schedule::Pairing;

/// Matches that are still to be played.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Left {
    /// Number of matches of each pairing that have not begun; pairings without any may be missing.
    pub pairings: Vec<(Pairing, u64)>,
    /// Matches of rounds whose pairings are not known yet.
    pub later: u64,
}

/// The times that matches took.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pace {
    pairings: BTreeMap<Pairing, Mean>,
    entrants: BTreeMap<EntrantId, Mean>,
    all: Mean,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Mean {
    count: u32,
    seconds: f64,
}

impl Mean {
    fn add(&mut self, took: Duration) {
        self.count = self.count.saturating_add(1);
        self.seconds += took.as_secs_f64();
    }

    fn get(&self) -> Option<f64> {
        (self.count > 0).then(|| self.seconds / f64::from(self.count))
    }
}

impl Pace {
    /// Adds the time that a match of this pairing took.
    pub fn add(&mut self, pairing: &Pairing, took: Duration) {
        self.pairings.entry(pairing.clone()).or_default().add(took);
        for entrant in pairing.entrants() {
            self.entrants.entry(*entrant).or_default().add(took);
        }
        self.all.add(took);
    }

    /// Estimates the time for the matches that are left, this number of matches at a time. `running` are the matches
    /// that have begun, with the time since then. `None` until a match has ended.
    pub fn estimate<'p>(
        &self,
        left: &Left,
        running: impl IntoIterator<Item = (&'p Pairing, Duration)>,
        jobs: NonZeroUsize,
    ) -> Option<Duration> {
        let all = self.all.get()?;
        let mut matches = left.later;
        let mut seconds = left.later as f64 * all;
        for (pairing, count) in &left.pairings {
            matches += count;
            seconds += *count as f64 * self.expected(pairing).unwrap_or(all);
        }
        for (pairing, since) in running {
            matches += 1;
            seconds += (self.expected(pairing).unwrap_or(all) - since.as_secs_f64()).max(0.0);
        }
        let at_once = (jobs.get() as u64).min(matches).max(1);
        // Limits the estimate: a longer span may not be a `Duration`.
        Some(Duration::from_secs_f64((seconds / at_once as f64).min(LONGEST_SECONDS)))
    }

    /// Returns the expected time of a match of this pairing, in seconds: the mean of its own matches; before its first,
    /// the largest mean of its entrants.
    fn expected(&self, pairing: &Pairing) -> Option<f64> {
        self.pairings.get(pairing).and_then(Mean::get).or_else(|| {
            let own = pairing.entrants().iter().filter_map(|entrant| self.entrants.get(entrant)?.get());
            own.max_by(f64::total_cmp)
        })
    }
}

/// A hundred years.
const LONGEST_SECONDS: f64 = 3.2e9;

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing(entrants: [usize; 2]) -> Pairing {
        Pairing::new(entrants.map(EntrantId::from_index))
    }

    fn jobs(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).expect("some jobs")
    }

    const MINUTE: Duration = Duration::from_secs(60);
    const SECOND: Duration = Duration::from_secs(1);

    /// Entrant 2 never joins: its matches wait for a minute, the others take a second.
    #[test]
    fn each_pairing_goes_on_as_it_did() {
        let mut pace = Pace::default();
        let left = |counts: [u64; 3]| Left {
            pairings: [[0, 1], [0, 2], [1, 2]].map(pairing).into_iter().zip(counts).collect(),
            later: 0,
        };
        assert_eq!(pace.estimate(&left([10; 3]), [], jobs(1)), None, "nothing is known yet");
        pace.add(&pairing([0, 1]), SECOND);
        pace.add(&pairing([0, 2]), MINUTE);
        let seconds = |counts, jobs| pace.estimate(&left(counts), [], jobs).map(|left| left.as_secs());
        assert_eq!(seconds([10, 10, 0], jobs(1)), Some(610));
        // The last matches are those without the entrant that is missing.
        assert_eq!(seconds([10, 0, 0], jobs(1)), Some(10));
        assert_eq!(seconds([10, 0, 0], jobs(2)), Some(5));
        assert_eq!(seconds([1, 0, 0], jobs(64)), Some(1), "no match is divided");
        // No match of entrants 1 and 2 has ended: entrant 2 takes long.
        assert_eq!(seconds([0, 0, 1], jobs(1)), Some(60));
    }

    #[test]
    fn matches_that_run_count_for_what_is_left_of_them() {
        let mut pace = Pace::default();
        let both = pairing([0, 1]);
        pace.add(&both, MINUTE);
        let estimate = |since: u64, later| {
            let left = Left { pairings: Vec::new(), later };
            pace.estimate(&left, [(&both, Duration::from_secs(since))], jobs(1)).map(|left| left.as_secs())
        };
        assert_eq!([estimate(0, 0), estimate(45, 0), estimate(90, 0)], [60, 15, 0].map(Some));
        assert_eq!(estimate(0, 2), Some(180));
    }
}
