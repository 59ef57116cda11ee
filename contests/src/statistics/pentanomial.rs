//! Mirrored pairs by their points, and the share of the points with its interval.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

/// Numbers of mirrored pairs that gave the first of two entrants 0, ½, 1, 1½ and 2 points.
///
/// The two games of a pair share their board, so they are not independent; pairs are. These five counts are all that
/// the statistics of a comparison need.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Pentanomial([u64; 5]);

/// A value with the bounds between which the true one is, with the confidence asked for.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// Returns the same interval on another scale, which must rise with this one.
    pub fn map(self, scale: impl Fn(f64) -> f64) -> Self {
        Self { value: scale(self.value), low: scale(self.low), high: scale(self.high) }
    }

    /// Returns the share of this number of games that were won, with Wilson's interval, which holds the true share with
    /// this confidence (e.g. 0.95). A draw is half a game that was won. Without games it is everything from 0 to 1.
    ///
    /// # Panics
    ///
    /// Panics unless the confidence is between 0 and 1.
    pub fn wilson(won: f64, games: u64, confidence: f64) -> Self {
        match games {
            0 => Self::UNKNOWN,
            games => Self::around(won / games as f64, games as f64, confidence),
        }
    }

    /// Any share.
    const UNKNOWN: Self = Self { value: 0.5, low: 0.0, high: 1.0 };

    /// Wilson's interval around the mean of this number of independent games.
    fn around(mean: f64, games: f64, confidence: f64) -> Self {
        let z = two_sided(confidence);
        let single = mean * (1.0 - mean);
        let centre = (mean + z * z / (2.0 * games)) / (1.0 + z * z / games);
        let half = z / (1.0 + z * z / games) * (single / games + z * z / (4.0 * games * games)).sqrt();
        Self { value: mean, low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
    }

    /// Returns the mean of these differences of two shares, each from −1 to 1, with the interval that holds the true
    /// mean with this confidence (e.g. 0.95).
    ///
    /// The interval is that of the normal approximation with two further differences, −1 and 1, so that few differences
    /// do not seem certain. Without differences it is everything from −1 to 1.
    ///
    /// # Panics
    ///
    /// Panics unless the confidence is between 0 and 1.
    pub fn of_differences(differences: &[f64], confidence: f64) -> Self {
        let squares = differences.iter().map(|difference| difference * difference).sum();
        Self::of_moments(differences.len() as f64, differences.iter().sum(), squares, confidence)
    }

    /// As [`of_differences`](Self::of_differences), from the number of the differences, their sum and that of their
    /// squares.
    fn of_moments(count: f64, sum: f64, squares: f64, confidence: f64) -> Self {
        let z = two_sided(confidence);
        if count == 0.0 {
            return Self { value: 0.0, low: -1.0, high: 1.0 };
        }
        let further = count + 2.0;
        let mean = sum / further;
        let half = z * (((squares + 2.0) / further - mean * mean).max(0.0) / further).sqrt();
        Self { value: sum / count, low: (mean - half).max(-1.0), high: (mean + half).min(1.0) }
    }
}

impl Pentanomial {
    /// These counts, of pairs with 0 points first.
    pub const fn new(counts: [u64; 5]) -> Self {
        Self(counts)
    }

    /// Returns the counts, of pairs with 0 points first.
    pub const fn counts(&self) -> [u64; 5] {
        self.0
    }

    /// Adds this many pairs with this many points each, 0 to 2 in halves.
    ///
    /// # Panics
    ///
    /// Panics if a pair cannot bring that many points.
    pub fn add_points(&mut self, points: f64, count: u64) {
        let place = (0_u8..5).find(|halves| f64::from(*halves) / 2.0 == points);
        self.0[usize::from(place.unwrap_or_else(|| panic!("no pair brings {points} points")))] += count;
    }

    /// Returns the same pairs from the side of the other entrant.
    pub fn mirrored(&self) -> Self {
        let [a, b, c, d, e] = self.0;
        Self([e, d, c, b, a])
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the share of the points; ½ without pairs.
    pub fn score(&self) -> f64 {
        let quarters: u64 = self.0.iter().zip(0..).map(|(count, halves)| count * halves).sum();
        if self.pairs() == 0 { 0.5 } else { quarters as f64 / 4.0 / self.pairs() as f64 }
    }

    /// Returns the variance of a pair's share of the points.
    pub fn variance(&self) -> f64 {
        let mean = self.score();
        let squares = self.0.iter().zip(0_u8..);
        let sum: f64 =
            squares.map(|(count, halves)| *count as f64 * (f64::from(halves) / 4.0 - mean).powi(2)).sum();
        sum / self.pairs().max(1) as f64
    }

    /// Returns the share of the points with the interval that holds the true one with this confidence (e.g. 0.95).
    ///
    /// The interval is Wilson's, with as many games as would scatter like these pairs do: at least as many as there are
    /// pairs, at most twice as many. If one side has won every game, it is as many games as pairs: nothing shows that
    /// the second game of a pair tells more than the first. Without pairs it is everything from 0 to 1.
    ///
    /// # Panics
    ///
    /// Panics unless the confidence is between 0 and 1.
    pub fn wilson(&self, confidence: f64) -> Interval {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return Interval::UNKNOWN;
        }
        let (mean, scatter) = (self.score(), self.variance());
        let single = mean * (1.0 - mean);
        let games = match (single, scatter) {
            (0.0, _) => pairs,
            (_, 0.0) => 2.0 * pairs,
            _ => (pairs * single / scatter).clamp(pairs, 2.0 * pairs),
        };
        Interval::around(mean, games, confidence)
    }

    /// Returns the mean difference between the two games of a pair, from −1 to 1: with 2 points a pair counts 1, with 1
    /// point 0, with none −1; and the interval that holds the true mean with this confidence (e.g. 0.95).
    ///
    /// The interval is that of [`Interval::of_differences`]. Unlike [`wilson`](Self::wilson)'s it is narrow if most
    /// pairs have no difference.
    ///
    /// # Panics
    ///
    /// Panics unless the confidence is between 0 and 1.
    pub fn difference(&self, confidence: f64) -> Interval {
        let differences = self.0.iter().zip([-1.0_f64, -0.5, 0.0, 0.5, 1.0]);
        let sum: f64 = differences.clone().map(|(count, difference)| *count as f64 * difference).sum();
        let squares: f64 = differences.map(|(count, difference)| *count as f64 * difference.powi(2)).sum();
        Interval::of_moments(self.pairs() as f64, sum, squares, confidence)
    }
}

/// Returns the value that a standard normal variable exceeds, in absolute value, with a probability of 1 −
/// `confidence`.
///
/// # Panics
///
/// Panics unless the confidence is between 0 and 1.
fn two_sided(confidence: f64) -> f64 {
    assert!(confidence > 0.0 && confidence < 1.0, "a confidence is between 0 and 1, not {confidence}");
    Normal::standard().inverse_cdf(f64::midpoint(1.0, confidence))
}

/// Returns the expected share of the points for an entrant that is this much stronger, in (logistic) Elo.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-elo * std::f64::consts::LN_10 / 400.0))
}

/// Returns the superiority of an entrant that wins this share of the points, in (logistic) Elo; infinite for 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * libm::log10(score / (1.0 - score))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_about(interval: Interval, expected: [f64; 3]) {
        let off = [interval.value - expected[0], interval.low - expected[1], interval.high - expected[2]];
        assert!(off.iter().all(|off| off.abs() < 5e-6), "{interval:?}, not {expected:?}");
    }

    /// As `scipy.stats.binomtest` computes them.
    #[test]
    fn single_games_have_the_interval_of_as_many_coin_tosses() {
        is_about(Interval::wilson(0.0, 10, 0.95), [0.0, 0.0, 0.277_533]);
        is_about(Interval::wilson(10.0, 20, 0.95), [0.5, 0.299_298, 0.700_702]);
        is_about(Interval::wilson(0.0, 0, 0.95), [0.5, 0.0, 1.0]);
    }

    /// The first: 10 pairs and two further ones have the sum 4.5 and the squares 8.25, so the mean is 4.5 / 12 = 0.375
    /// and half the interval 1.96 · √((8.25 / 12 − 0.375²) / 12) = 0.418409.
    #[test]
    fn differences_have_intervals() {
        let of = |counts| Pentanomial::new(counts).difference(0.95);
        is_about(of([1, 0, 3, 1, 5]), [0.45, -0.043_409, 0.793_409]);
        is_about(of([0; 5]), [0.0, -1.0, 1.0]);
        let none = of([0, 0, 98, 0, 0]);
        assert!(none.value == 0.0 && none.high < 0.03 && none.low == -none.high, "{none:?}");
        let all = of([0, 0, 0, 0, 8]);
        assert!(all.value == 1.0 && all.low > 0.4 && all.high == 1.0, "{all:?}");
        let [one, other] = [of([3, 1, 4, 0, 9]), of([9, 0, 4, 1, 3])];
        is_about(one, [-other.value, -other.high, -other.low]);
    }

    /// Against Wilson's intervals as textbooks have them, and as `scipy.stats.binomtest` (scipy 1.17.1) computes them.
    #[test]
    fn scores_have_the_intervals_of_textbooks() {
        // If all games have the same winner, a pair counts as one game: 100 of 100, and none of 10.
        is_about(Pentanomial::new([0, 0, 0, 0, 100]).wilson(0.95), [1.0, 0.963_006, 1.0]);
        is_about(Pentanomial::new([10, 0, 0, 0, 0]).wilson(0.95), [0.0, 0.0, 0.277_533]);
        // One game won in each pair scatters less than coins do: no more games than were played count.
        is_about(Pentanomial::new([0, 0, 50, 0, 0]).wilson(0.95), [0.5, 0.403_832, 0.596_168]);
        // Pairs that are won or lost as a whole are worth one game each: 10 of 20; 713 of 1,000.
        is_about(Pentanomial::new([10, 0, 0, 0, 10]).wilson(0.95), [0.5, 0.299_298, 0.700_702]);
        is_about(Pentanomial::new([287, 0, 0, 0, 713]).wilson(0.95), [0.713, 0.684_190, 0.740_180]);
        is_about(Pentanomial::default().wilson(0.95), [0.5, 0.0, 1.0]);
    }

    #[test]
    fn differences_have_the_interval_of_pairs_and_few_are_not_certain() {
        let pairs = Pentanomial::new([0, 1, 1, 2, 1]);
        let values = Interval::of_differences(&[0.5, -0.5, 0.0, 1.0, 0.5], 0.95);
        assert_eq!(values, pairs.difference(0.95));
        let one = Interval::of_differences(&[0.5], 0.95);
        assert!(one.value == 0.5 && one.low < 0.0 && one.high == 1.0, "{one:?}");
        assert_eq!(Interval::of_differences(&[], 0.95), Interval { value: 0.0, low: -1.0, high: 1.0 });
    }

    #[test]
    fn points_are_counted_in_halves() {
        let mut pairs = Pentanomial::default();
        for points in [0.0, 0.5, 1.5, 2.0, 2.0] {
            pairs.add_points(points, 1);
        }
        assert_eq!(pairs.counts(), [1, 1, 0, 1, 2]);
        assert_eq!(pairs.mirrored().counts(), [2, 1, 0, 1, 1]);
        assert_eq!((pairs.pairs(), pairs.score(), pairs.mirrored().score()), (5, 0.6, 0.4));
    }

    #[test]
    fn elo_and_score_are_inverse() {
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert_eq!(score_of_elo(0.0), 0.5);
        for elo in [-300.0, -1.0, 10.0, 700.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9, "{elo}");
        }
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
    }
}
