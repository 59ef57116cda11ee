//! Sequential elimination: which of several variants is the strongest.

use super::pentanomial::{Pentanomial, score_of_elo};
use super::wealth::{Gain, Wealth};

/// A test of several variants that drops those that cannot be the strongest any more, at any time of the contest.
///
/// The unit is the block: all variants that are left play one mirrored pair against each opponent of a pool, with the
/// same seeds. The strength of a variant is its mean share of the points against the pool.
///
/// *Dropping.* For each variant there is a bet against "it is the strongest": before each block, on that other variant
/// which has the most points so far. The gain is the difference of the two variants' shares of the points of a pair. If
/// the variant is the strongest, this mean is 0 or less, whichever variant the past has chosen: so its wealth ever
/// reaches 1 / `error` with a probability of at most `error`, and then the variant is dropped. Only the bet against the
/// strongest variant can do harm, so this is the probability that the strongest is ever dropped, for any number of
/// variants.
///
/// *Ending.* The test has ended when one variant is left, or when for one of those that are left no other can be better
/// by the margin. For the latter there is a bet for each pair of variants against "the one is better than the other by
/// the margin or more", which has to reach (variants − 1) / `error`.
///
/// The sources are those of the [module](super#sources).
#[derive(Clone, PartialEq, Debug)]
pub struct Elimination {
    error: f64,
    variants: Vec<Variant>,
    /// Those that are left, in their order.
    left: Vec<usize>,
    blocks: u64,
    /// Gains of a bet that the second of two variants is better, by the difference of their half points, from −4 to 4.
    better: [Gain; DIFFERENCES],
    /// Gains of a bet that the first of two variants is not better by the margin, by this difference.
    not_by_margin: [Gain; DIFFERENCES],
}

/// The differences between two numbers of half points of a pair.
const DIFFERENCES: usize = 9;

/// The most half points of a pair.
const MOST: u8 = 4;

/// One of the variants.
#[derive(Clone, PartialEq, Debug)]
struct Variant {
    pairs: Pentanomial,
    half_points: u64,
    /// The bet against "it is the strongest".
    is_not_best: Wealth,
    /// For each variant, the bet against "this one is better than that one by the margin or more".
    is_not_better: Vec<Wealth>,
    /// The number of blocks after which it was dropped.
    dropped: Option<u64>,
}

/// The end of an elimination, with the variant that is the strongest, or within the margin of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All others were dropped.
    Alone(usize),
    /// None of those that are left is better by the margin or more.
    WithinMargin(usize),
}

impl Ending {
    /// Returns the variant that is the strongest, or within the margin of it.
    pub const fn best(self) -> usize {
        match self {
            Self::Alone(best) | Self::WithinMargin(best) => best,
        }
    }
}

impl Elimination {
    /// Creates a test of this number of variants. `margin` is the least difference that matters, in Elo between equals:
    /// it stands for a share of the points, 1.4 % for 10 Elo. `error` is the largest probability that the strongest is
    /// dropped, and that of ending with one that is not within the margin of a stronger one that is left.
    ///
    /// # Panics
    ///
    /// Panics unless there are two variants, the margin is above 0, and the error between 0 and 1.
    pub fn new(variants: usize, margin: f64, error: f64) -> Self {
        assert!(variants >= 2, "{variants} variants: one alone is the best");
        assert!(margin > 0.0 && error > 0.0 && error < 1.0, "a margin of {margin} and an error of {error}");
        let margin = score_of_elo(margin) - 0.5;
        let shares = [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0];
        let variant = Variant {
            pairs: Pentanomial::default(),
            half_points: 0,
            is_not_best: Wealth::default(),
            is_not_better: vec![Wealth::default(); variants],
            dropped: None,
        };
        Self {
            error,
            variants: vec![variant; variants],
            left: (0..variants).collect(),
            blocks: 0,
            better: shares.map(|share: f64| Gain::new(-share)),
            not_by_margin: shares.map(|share| Gain::new((margin - share) / (1.0 + margin))),
        }
    }

    /// Adds a block: for each variant that is left, in their order, the half points of its pair against each opponent.
    ///
    /// # Panics
    ///
    /// Panics if there are results of another number of variants than are left, if they have different numbers of
    /// opponents, or if a pair has more than 4 half points.
    pub fn add(&mut self, block: &[Vec<u8>]) {
        assert_eq!(block.len(), self.left.len(), "a block has the results of all variants that are left");
        self.blocks += 1;
        // The bets are placed before the block counts.
        let rivals: Vec<usize> = (0..block.len()).map(|place| self.rival(place)).collect();
        for (place, own) in block.iter().enumerate() {
            let variant = &mut self.variants[self.left[place]];
            let bets = own.iter().zip(&block[rivals[place]]);
            bets.for_each(|(own, other)| variant.is_not_best.add(&self.better[difference(*own, *other)], 1));
            for (other, results) in self.left.iter().zip(block) {
                let wealth = &mut variant.is_not_better[*other];
                let bets = own.iter().zip(results);
                bets.for_each(|(own, other)| wealth.add(&self.not_by_margin[difference(*own, *other)], 1));
            }
        }
        for (place, results) in self.left.iter().zip(block) {
            assert_eq!(results.len(), block[0].len(), "all variants play against the same opponents");
            for half_points in results {
                self.variants[*place].half_points += u64::from(*half_points);
                self.variants[*place].pairs.add_points(f64::from(*half_points) / 2.0, 1);
            }
        }
        self.drop_worse();
    }

    /// Returns the place, among the variants that are left, of the one with the most points but the one at this place.
    fn rival(&self, place: usize) -> usize {
        let others = (0..self.left.len()).filter(|other| *other != place);
        // Of equals the first.
        let most = others.rev().max_by_key(|other| self.variants[self.left[*other]].half_points);
        most.unwrap_or(place)
    }

    /// Drops the variants that cannot be the strongest; of those that are left not all.
    fn drop_worse(&mut self) {
        let is_worse = |variant: &usize| self.variants[*variant].is_not_best.value() >= 1.0 / self.error;
        let (mut worse, mut left): (Vec<usize>, Vec<usize>) = self.left.iter().partition(|one| is_worse(one));
        if left.is_empty() {
            let leader = self.leader();
            worse.retain(|variant| *variant != leader);
            left.push(leader);
        }
        for variant in worse {
            self.variants[variant].dropped = Some(self.blocks);
        }
        self.left = left;
    }

    /// Returns the variants that are left, in their order.
    pub fn left(&self) -> &[usize] {
        &self.left
    }

    /// Returns the variant with the most points of those that are left; the first of equals.
    pub fn leader(&self) -> usize {
        let most = self.left.iter().rev().max_by_key(|variant| self.variants[**variant].half_points);
        *most.expect("one is always left")
    }

    /// Returns the number of blocks after which a variant was dropped; none if it is left.
    pub fn dropped(&self, variant: usize) -> Option<u64> {
        self.variants[variant].dropped
    }

    /// Returns the pairs of a variant, against all opponents together.
    pub fn pairs(&self, variant: usize) -> &Pentanomial {
        &self.variants[variant].pairs
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns whether the test has ended, and with which variant. If more than one fits, it is the one with the most
    /// points.
    pub fn ending(&self) -> Option<Ending> {
        if let [alone] = self.left[..] {
            return Some(Ending::Alone(alone));
        }
        let enough = (self.variants.len() - 1) as f64 / self.error;
        let is_within = |best: &&usize| {
            let mut others = self.left.iter().filter(|other| other != best);
            others.all(|other| self.variants[*other].is_not_better[**best].value() >= enough)
        };
        let fits = self.left.iter().rev().filter(is_within);
        fits.max_by_key(|variant| self.variants[**variant].half_points)
            .map(|variant| Ending::WithinMargin(*variant))
    }
}

/// Returns the place of a difference of half points in the tables of gains.
fn difference(own: u8, other: u8) -> usize {
    assert!(own <= MOST && other <= MOST, "a pair has at most {MOST} half points");
    usize::from(MOST + own - other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: f64 = 0.05;

    /// Returns a block with one opponent.
    fn block(half_points: &[u8]) -> Vec<Vec<u8>> {
        half_points.iter().map(|own| vec![*own]).collect()
    }

    /// By hand: after a block the bet on the other has the factor 1 ± each stake; see the test of `luck`.
    #[test]
    fn the_wealth_is_that_of_bets_on_the_leader_before() {
        let mut test = Elimination::new(3, 10.0, ERROR);
        // No variant has points yet: the rival of the first is the second, of the others the first.
        test.add(&block(&[4, 2, 0]));
        let value = |test: &Elimination, variant: usize| test.variants[variant].is_not_best.value();
        let mean =
            |factor: fn(f64) -> f64| super::super::wealth::STAKES.map(factor).iter().sum::<f64>() / 8.0;
        let is = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
        is(value(&test, 0), mean(|stake| 1.0 - stake / 2.0));
        is(value(&test, 1), mean(|stake| 1.0 + stake / 2.0));
        is(value(&test, 2), mean(|stake| 1.0 + stake));
        // Now the first leads; its own rival is the second.
        test.add(&block(&[1, 2, 4]));
        is(value(&test, 0), mean(|stake| (1.0 - stake / 2.0) * (1.0 + stake / 4.0)));
        is(value(&test, 2), mean(|stake| (1.0 + stake) * (1.0 - stake * 0.75)));
    }

    #[test]
    fn a_worse_variant_is_dropped_and_the_last_one_is_the_best() {
        let mut test = Elimination::new(3, 10.0, ERROR);
        let mut blocks = 0;
        while test.left().len() == 3 {
            test.add(&block(&[3, if blocks % 2 == 0 { 2 } else { 4 }, 0]));
            blocks += 1;
            assert!(blocks < 20, "the third loses every game");
        }
        assert_eq!((test.left(), test.dropped(2), test.dropped(0)), (&[0, 1][..], Some(blocks), None));
        while test.ending().is_none() {
            test.add(&block(&[4, 1]));
        }
        assert_eq!(test.ending(), Some(Ending::Alone(0)));
        assert_eq!(test.pairs(2).pairs(), blocks);
        assert_eq!(test.pairs(0).pairs(), test.blocks());
    }

    #[test]
    fn equals_end_within_the_margin() {
        let mut test = Elimination::new(3, 50.0, ERROR);
        while test.ending().is_none() {
            let blocks = test.blocks();
            assert!(blocks < 5_000);
            // Each is a little better in its turn.
            test.add(&block(&[0, 1, 2].map(|own| 2 + u8::from(blocks % 3 == own))));
        }
        assert_eq!(test.left(), [0, 1, 2]);
        assert_eq!(test.ending().map(Ending::best), Some(test.leader()));
    }

    /// All results of three blocks of two equal variants against two opponents, of whom one favours the first variant
    /// and the other the second: on the average a bet gains nothing, though its side is chosen by the blocks before.
    #[test]
    fn bets_on_equals_are_fair() {
        // The half points of the two variants against an opponent, for each of two equally likely results.
        let results = [[[4, 2], [2, 2]], [[2, 4], [2, 2]]];
        let mut sum = [0.0; 2];
        for chance in 0..64_usize {
            let mut test = Elimination::new(2, 10.0, ERROR);
            for number in 0..3 {
                let drawn = [0, 1].map(|opponent| results[opponent][chance >> (2 * number + opponent) & 1]);
                test.add(&[0, 1].map(|variant| drawn.iter().map(|pair| pair[variant]).collect()));
            }
            for (sum, variant) in sum.iter_mut().zip(&test.variants) {
                *sum += variant.is_not_best.value() / 64.0;
            }
        }
        assert!(sum.iter().all(|mean| *mean <= 1.0 + 1e-12 && *mean > 0.7), "{sum:?}");
    }
}
