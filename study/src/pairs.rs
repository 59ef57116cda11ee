//! Counts of pairs of futures that differ in one decision.

use contests::statistics::{Interval, Pentanomial};

use crate::futures::{CONFIDENCE, Chance};

/// Pairs of futures, one with the recorded decision and one with the choice of the reference.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Pairs {
    /// The numbers of futures that the team loses, shares and wins with the recorded decision.
    recorded: [u64; 3],
    /// The same with the choice of the reference.
    better: [u64; 3],
    /// The points of the choice of the reference.
    points: Pentanomial,
}

impl Pairs {
    /// Adds the places of the team with the recorded decision and with the choice of the reference.
    pub(crate) fn add(&mut self, [recorded, better]: [usize; 2]) {
        self.recorded[recorded] += 1;
        self.better[better] += 1;
        self.points.add_points((2 + better - recorded) as f64 / 2.0, 1);
    }

    pub(crate) fn count(&self) -> u64 {
        self.points.pairs()
    }

    /// The chance of the team with the recorded decision.
    pub(crate) fn recorded(&self) -> Chance {
        Chance::of(self.recorded)
    }

    /// The chance of the team with the choice of the reference.
    pub(crate) fn better(&self) -> Chance {
        Chance::of(self.better)
    }

    /// The chance that the team lost by the recorded decision; negative if it gained. The intervals of this number of costs
    /// hold the true values together with [`CONFIDENCE`].
    pub(crate) fn cost(&self, together: usize) -> Interval {
        self.points.difference(1.0 - (1.0 - CONFIDENCE) / together as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted() {
        let mut pairs = Pairs::default();
        assert!(pairs.cost(1).low <= 0.0);
        for _ in 0..20 {
            pairs.add([0, 2]);
            pairs.add([2, 2]);
            pairs.add([1, 1]);
        }
        assert_eq!((pairs.count(), pairs.recorded, pairs.better), (60, [20, 20, 20], [0, 20, 40]));
        let cost = pairs.cost(1);
        assert!((cost.value - 1.0 / 3.0).abs() < 1e-9 && cost.low > 0.0, "{cost:?}");
        assert!(pairs.cost(10).low < cost.low, "{:?}", pairs.cost(10));
        let gain = pairs.better().0.value - pairs.recorded().0.value;
        assert!((gain - cost.value).abs() < 1e-9);
    }
}
