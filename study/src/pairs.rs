//! Counts of pairs of futures that differ in one decision.

use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use contests::in_order::in_order;
use contests::statistics::{Interval, Pentanomial};
use strategies::recorded_game::PlayedOn;

use crate::futures::{CONFIDENCE, Chance, keep_first, place_of};

/// The fewest pairs by which a cost is judged if the search was broken off.
pub(crate) const ENOUGH: u64 = 10;

/// Pairs of futures, one with the recorded decision and one with the choice of the reference.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pairs {
    /// The numbers of futures that the team loses, shares and wins with the recorded decision.
    recorded: [u64; 3],
    /// The same with the choice of the reference.
    better: [u64; 3],
    /// The points of the choice of the reference.
    points: Pentanomial,
    /// The number of costs whose intervals hold together; 0 for one alone.
    together: usize,
}

/// The end of a pair of futures.
pub(crate) struct PairEnd {
    /// The places of the team with the recorded decision and with the choice of the reference, as [`place_of`] counts
    /// them.
    places: [usize; 2],
    /// The blunders of all players in both, in words.
    blunders: Vec<String>,
}

impl PairEnd {
    /// Returns the end for a team: with the recorded decision, and with the choice of the reference.
    pub(crate) fn of(played: [PlayedOn; 2], team: usize) -> Self {
        let places = played.each_ref().map(|played| place_of(&played.outcome, team));
        let blunders = played.into_iter().flat_map(|played| played.blunders).flatten().collect();
        Self { places, blunders }
    }
}

impl Pairs {
    /// Adds the places of the team with the recorded decision and with the choice of the reference.
    pub(crate) fn add(&mut self, [recorded, better]: [usize; 2]) {
        self.recorded[recorded] += 1;
        self.better[better] += 1;
        self.points.add_points((2 + better - recorded) as f64 / 2.0, 1);
    }

    /// Widens the interval of the cost, so that the intervals of this number of costs are all true with [`CONFIDENCE`].
    pub(crate) fn hold_together(&mut self, costs: usize) {
        self.together = costs;
    }

    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.points.pairs()
    }

    /// Returns the chance of the team with the recorded decision.
    pub fn recorded(&self) -> Chance {
        Chance::of(self.recorded)
    }

    /// Returns the chance of the team with the choice of the reference.
    pub fn better(&self) -> Chance {
        Chance::of(self.better)
    }

    /// Returns the chance that the team lost by the recorded decision; negative if it gained. The intervals of all
    /// costs of a search hold the true values together with [`CONFIDENCE`], so each is wider than one alone.
    pub fn cost(&self) -> Interval {
        self.points.difference(1.0 - (1.0 - CONFIDENCE) / self.together.max(1) as f64)
    }

    /// Returns whether chance alone does not explain the cost.
    pub fn stands_out(&self) -> bool {
        self.cost().low > 0.0
    }

    /// Returns whether the recorded decision is the better one, and chance alone does not explain it.
    pub fn gains(&self) -> bool {
        self.cost().high < 0.0
    }

    /// Returns the order in which the costlier goes first.
    pub(crate) fn by_cost(&self, other: &Self) -> Ordering {
        other.cost().value.total_cmp(&self.cost().value)
    }
}

/// Adds this number of pairs to each of these, in turn, so that after an interruption they have had equally many, and
/// the first blunders in them to `blunders`. `pair` plays one, given the place of its receiver and its number, from 0
/// on. `watch` is called after each pair with the number of pairs so far, and breaks off if it returns so. Returns the
/// number of pairs, and whether it was broken off.
///
/// # Errors
///
/// If `pair` fails.
pub(crate) fn measure<E: Send>(
    receivers: &mut [&mut Pairs],
    each: u64,
    jobs: NonZeroUsize,
    blunders: &mut Vec<String>,
    pair: impl Fn(usize, u64) -> Result<PairEnd, E> + Sync,
    mut watch: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<(u64, bool), E> {
    let count = receivers.len() as u64;
    let place = |number: u64| usize::try_from(number % count).expect("it is below the number of receivers");
    let mut played = 0;
    let played_pair = |number: u64| pair(place(number), number);
    let flow = in_order(each * count, jobs, played_pair, |number, end| {
        receivers[place(number)].add(end.places);
        keep_first(blunders, end.blunders);
        played += 1;
        watch(played)
    })?;
    Ok((played, flow.is_break()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted() {
        let mut pairs = Pairs::default();
        assert!(!pairs.stands_out());
        for _ in 0..20 {
            pairs.add([0, 2]);
            pairs.add([2, 2]);
            pairs.add([1, 1]);
        }
        assert_eq!((pairs.count(), pairs.recorded, pairs.better), (60, [20, 20, 20], [0, 20, 40]));
        let cost = pairs.cost();
        assert!((cost.value - 1.0 / 3.0).abs() < 1e-9 && pairs.stands_out(), "{cost:?}");
        let gain = pairs.better().0.value - pairs.recorded().0.value;
        assert!((gain - cost.value).abs() < 1e-9);
        pairs.hold_together(10);
        assert!(pairs.cost().low < cost.low, "{:?}", pairs.cost());
    }

    #[test]
    fn a_decision_costs_or_gains_if_chance_does_not_explain_it() {
        let of = |places: [usize; 2], count: usize| {
            let mut pairs = Pairs::default();
            (0..count).for_each(|_| pairs.add(places));
            (pairs.stands_out(), pairs.gains())
        };
        assert_eq!(of([0, 2], 20), (true, false));
        assert_eq!(of([2, 0], 20), (false, true));
        assert_eq!(of([2, 2], 20), (false, false));
        assert_eq!(of([2, 0], 1), (false, false), "one pair says nothing");
    }
}
