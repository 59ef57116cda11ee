//! Bets on bounded results, whose wealth measures the evidence against an assumption.
//!
//! If the assumption is true, that the mean of the results is 0 or less, the wealth ever reaches N times its start with
//! a probability of at most 1/N; see the [sources](super#sources).

use libm::{exp, log1p};

/// Bets on each result, as parts of the wealth per point of gain. Those for small means are small; halving from one to
/// the next loses little for any mean in between.
pub(super) const STAKES: [f64; 8] =
    [0.9, 0.45, 0.225, 0.1125, 0.056_25, 0.028_125, 0.014_062_5, 0.007_031_25];

/// The gain of one result, as the factors of the wealth of each stake.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Gain([f64; STAKES.len()]);

impl Gain {
    /// Creates a gain from −1 to 1.
    pub(crate) fn new(gain: f64) -> Self {
        debug_assert!((-1.0..=1.0).contains(&gain), "a gain of {gain}");
        Self(STAKES.map(|stake| log1p(stake * gain)))
    }
}

/// The wealth of bets by each of the stakes, which have equal parts of the wealth at the start.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct Wealth([f64; STAKES.len()]);

impl Wealth {
    /// Adds this number of results with this gain.
    pub(crate) fn add(&mut self, Gain(factors): &Gain, count: u64) {
        for (log, factor) in self.0.iter_mut().zip(factors) {
            *log += count as f64 * factor;
        }
    }

    /// Returns the wealth, as a multiple of that at the start; infinite if it is too large for a number.
    pub(crate) fn value(&self) -> f64 {
        self.0.iter().map(|log| exp(*log)).sum::<f64>() / STAKES.len() as f64
    }
}
