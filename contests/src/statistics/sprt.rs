//! The sequential test of two entrants: whether the pairs so far suffice for a decision, and the decision.

use libm::log;

use super::pentanomial::{Pentanomial, score_of_elo};

/// A sequential probability ratio test between two differences of strength, in logistic Elo.
///
/// The log-likelihood ratio is the generalised one on [pairs](Pentanomial): for each hypothesis, the distribution of
/// pairs is the most likely one with that hypothesis' share of the points; nothing is assumed about draws or about the
/// two games of a pair. Counts of 0 are taken as a thousandth of a pair. Both as fishtest and fastchess do for
/// "logistic" Elo.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The difference in Elo under the first hypothesis, "no better".
    pub elo0: f64,
    /// The difference in Elo under the second hypothesis, "better"; not that of the first.
    pub elo1: f64,
    /// The probability of accepting the second hypothesis where the first is true.
    pub alpha: f64,
    /// The probability of accepting the first hypothesis where the second is true.
    pub beta: f64,
}

/// Replacement for a count of 0: small enough to have no weight, and large enough to keep the likelihoods finite.
const ALMOST_NONE: f64 = 1e-3;

impl Sprt {
    /// Returns the log-likelihood ratio at which the first hypothesis is accepted, and that for the second (Wald's
    /// bounds).
    pub fn bounds(&self) -> (f64, f64) {
        (log(self.beta / (1.0 - self.alpha)), log((1.0 - self.beta) / self.alpha))
    }

    /// Returns the generalised log-likelihood ratio of the second hypothesis to the first; 0 without pairs.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.counts().map(|count| if count == 0 { ALMOST_NONE } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let [first, second] = [self.elo0, self.elo1].map(|elo| log_likelihood(&shares, score_of_elo(elo)));
        total * (second - first)
    }

    /// Returns the hypothesis that the pairs so far accept: `Some(true)` for the second, `Some(false)` for the first.
    pub fn accepts(&self, pairs: &Pentanomial) -> Option<bool> {
        let (llr, (lower, upper)) = (self.llr(pairs), self.bounds());
        if llr >= upper {
            Some(true)
        } else if llr <= lower {
            Some(false)
        } else {
            None
        }
    }
}

/// Returns the log-likelihood per pair, up to a constant, of the most likely distribution whose mean share of the
/// points is
/// `score`, given the observed shares.
///
/// That distribution is p / (1 + x·(a − score)) with the observed share p of pairs that bring the share a of the
/// points; x makes the mean right. It is the root of a function that falls from +∞ to −∞ between two poles.
fn log_likelihood(shares: &[f64; 5], score: f64) -> f64 {
    let away = [0.0, 0.25, 0.5, 0.75, 1.0].map(|value| value - score);
    let (mut low, mut high) = (-1.0 / away[4], -1.0 / away[0]);
    let mut x = 0.0;
    // Newton's steps, kept between bounds that close in; fewer than ten in practice.
    for _ in 0..100 {
        let (mut value, mut slope) = (0.0, 0.0);
        for (share, away) in shares.iter().zip(away) {
            let term = away / (1.0 + x * away);
            value += share * term;
            slope -= share * term * term;
        }
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let step = value / slope;
        let next = x - step;
        let next = if next > low && next < high { next } else { f64::midpoint(low, high) };
        if (next - x).abs() <= 1e-13 * (1.0 + x.abs()) {
            break;
        }
        x = next;
    }
    shares.iter().zip(away).map(|(share, away)| -share * log(1.0 + x * away)).sum()
}

/// Decision of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// The first is stronger.
    First,
    /// The second is stronger.
    Second,
    /// Neither is stronger by the margin or more.
    Equal,
}

/// Whether one of two entrants is stronger, decided pair by pair, for differences of at least a margin.
///
/// Two [`Sprt`]s run at once, one for each side: "equal" against "stronger by the margin". Once one of them has decided
/// it stays decided. Wald's bounds are approximate; with `alpha` = `beta` = 0.05:
///
/// - Between equals, one is called stronger in about 5 % of all comparisons at most (each side's test has half of
///   `alpha`). Where nine of ten pairs are swept by one side or the other, simulations found 5.6 %.
/// - Where one is stronger by exactly the margin, that is missed in about 5 % at most; by more, less often.
/// - The number of pairs follows from the results: the clearer the difference, the fewer.
///
/// ```
/// use contests::statistics::{Decision, Pentanomial, SequentialComparison};
///
/// let mut comparison = SequentialComparison::new(10.0, 0.05, 0.05);
/// let mut pairs = Pentanomial::default();
/// while comparison.observe(&pairs).is_none() {
///     pairs.add_points(1.5, 1);
/// }
/// assert_eq!(comparison.decision(), Some(Decision::First));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SequentialComparison {
    margin: f64,
    sides: [Side; 2],
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Side {
    test: Sprt,
    decided: Option<bool>,
    llr: f64,
}

impl SequentialComparison {
    /// Creates a comparison for differences from `margin` on, in logistic Elo, with these error rates.
    ///
    /// # Panics
    ///
    /// Panics unless the margin is above 0, and both rates are between 0 and ½.
    pub fn new(margin: f64, alpha: f64, beta: f64) -> Self {
        assert!(margin > 0.0 && margin.is_finite(), "a margin is above 0 Elo, not {margin}");
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        assert!(is_rate(alpha) && is_rate(beta), "error rates are between 0 and 0.5, not {alpha} and {beta}");
        let test = Sprt { elo0: 0.0, elo1: margin, alpha: alpha / 2.0, beta };
        Self { margin, sides: [Side { test, decided: None, llr: 0.0 }; 2] }
    }

    /// Takes in all pairs so far, and returns the decision once there is one. Call it after each pair, in the order of
    /// their seeds.
    pub fn observe(&mut self, pairs: &Pentanomial) -> Option<Decision> {
        for (side, pairs) in self.sides.iter_mut().zip([*pairs, pairs.mirrored()]) {
            if side.decided.is_none() {
                side.llr = side.test.llr(&pairs);
                side.decided = side.test.accepts(&pairs);
            }
        }
        self.decision()
    }

    /// Returns the decision, if there is one yet.
    pub fn decision(&self) -> Option<Decision> {
        match self.sides.map(|side| side.decided) {
            [Some(true), _] => Some(Decision::First),
            [_, Some(true)] => Some(Decision::Second),
            [Some(false), Some(false)] => Some(Decision::Equal),
            _ => None,
        }
    }

    /// Returns the smallest difference that it looks for, in logistic Elo.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns the log-likelihood ratio of "the first is stronger" to "equal", that for the second, and the bounds of
    /// both.
    pub fn llr(&self) -> ([f64; 2], (f64, f64)) {
        (self.sides.map(|side| side.llr), self.sides[0].test.bounds())
    }

    /// Returns the number of pairs after which it decides at the earliest: where one side wins every game.
    pub fn fewest_pairs(&self) -> u64 {
        let [Side { test, .. }, _] = self.sides;
        let is_enough = |pairs: u64| test.accepts(&Pentanomial::new([0, 0, 0, 0, pairs])) == Some(true);
        let mut most = 1_u64;
        while !is_enough(most) && most < u64::MAX / 2 {
            most *= 2;
        }
        let mut least = most / 2 + 1;
        while least < most {
            let middle = least.midpoint(most);
            if is_enough(middle) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        most
    }

    /// About how many more pairs it takes if they go on as so far; none where that cannot be told.
    pub fn pairs_left(&self, pairs: &Pentanomial) -> Option<u64> {
        let played = pairs.pairs();
        if self.decision().is_some() {
            return Some(0);
        }
        let left = self.sides.map(|side| {
            let (lower, upper) = side.test.bounds();
            let drift = side.llr / played as f64;
            let stronger = (drift > 0.0).then(|| (upper - side.llr) / drift);
            let equal = match side.decided {
                Some(_) => Some(0.0),
                None => (drift < 0.0).then(|| (lower - side.llr) / drift),
            };
            (stronger, equal)
        });
        let stronger = left.iter().filter_map(|(stronger, _)| *stronger).reduce(f64::min);
        let equal = left[0].1.zip(left[1].1).map(|(first, second)| first.max(second));
        let left = stronger.or(equal).filter(|left| left.is_finite() && played > 0)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float narrows by saturating, and the number is positive"
        )]
        Some(left.ceil() as u64)
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Chance, Seed};

    use super::*;

    /// The numbers are those of `LLRcalc.LLR_logistic` of fishtest, commit b8eecff220b562a0dc2c4e68d1fa02521e06d72c,
    /// run with scipy 1.17.1. Its root finder stops at 2e-12 and its bracket at 1e-9: the tolerance is a millionth.
    #[test]
    fn likelihood_ratios_are_those_of_fishtest() {
        for (elo0, elo1, counts, expected) in [
            (0.0, 10.0, [10, 40, 100, 45, 12], 0.209_716_902_743_971_2),
            (0.0, 10.0, [0, 0, 5, 30, 200], 6.666_512_734_419_978),
            (-5.0, 5.0, [100, 0, 300, 0, 110], 0.698_735_193_593_034),
            (0.0, 50.0, [7, 0, 20, 0, 31], 4.458_109_550_536_102),
            (0.0, 5.0, [1500, 5200, 9000, 5400, 1600], 2.083_214_153_797_769_5),
            (0.0, 10.0, [3, 0, 0, 0, 0], -0.087_648_542_293_521_09),
            (0.0, 10.0, [0, 0, 1, 0, 0], -0.025_331_399_648_356_092),
        ] {
            let llr = Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }.llr(&Pentanomial::new(counts));
            assert!((llr - expected).abs() < 1e-6 * f64::max(1.0, expected.abs()), "{llr}, not {expected}");
        }
        let test = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
        assert_eq!(test.llr(&Pentanomial::default()), 0.0);
        let (lower, upper) = test.bounds();
        assert!(
            (upper - 2.944_439).abs() < 1e-6 && (lower + upper).abs() < 1e-12,
            "ln 19, as fishtest prints it"
        );
    }

    /// Pairs of a game with draws, in which one side of the board is better by chance: its two games depend on each
    /// other by the seed.
    #[derive(Clone, Copy)]
    struct Pairs {
        score: f64,
        drawn: f64,
        side: f64,
    }

    impl Pairs {
        fn draw(self, chance: &mut Chance) -> f64 {
            let side = if chance.happens(0.5) { self.side } else { -self.side };
            let game = |chance: &mut Chance, score: f64| {
                if chance.happens(self.drawn) {
                    0.5
                } else {
                    // Expected score of a decided game.
                    let won = (score - self.drawn / 2.0) / (1.0 - self.drawn);
                    f64::from(u8::from(chance.happens(won)))
                }
            };
            game(chance, self.score + side) + game(chance, self.score - side)
        }
    }

    /// Number of comparisons, of this many, that end with each decision, and the mean number of pairs. `looks` pairs
    /// are played between two looks.
    fn decisions(runs: u32, looks: u32, margin: f64, pairs: Pairs, seed: u64) -> ([u32; 3], f64) {
        let mut chance = Seed::new(seed).game();
        let (mut decisions, mut played) = ([0; 3], 0);
        for _ in 0..runs {
            let mut comparison = SequentialComparison::new(margin, 0.05, 0.05);
            let mut counts = Pentanomial::default();
            let decision = loop {
                for _ in 0..looks {
                    counts.add_points(pairs.draw(&mut chance), 1);
                }
                if let Some(decision) = comparison.observe(&counts) {
                    break decision;
                }
            };
            decisions[decision as usize] += 1;
            played += counts.pairs();
        }
        (decisions, played as f64 / f64::from(runs))
    }

    const GAMES: [Pairs; 3] = [
        Pairs { score: 0.5, drawn: 0.0, side: 0.0 },
        Pairs { score: 0.5, drawn: 0.4, side: 0.1 },
        Pairs { score: 0.5, drawn: 0.0, side: 0.35 },
    ];

    /// 4,000 comparisons each: between equals, and with a difference of exactly the margin. 5 % are 200 of them;
    /// Wald's bounds hold up to chance, for which three standard deviations are allowed: 41.
    #[test]
    fn error_rates_are_at_most_those_stated() {
        let margin = 80.0;
        for (pairs, seed) in GAMES.into_iter().zip(1..) {
            let (decisions_of_equals, _) = decisions(4_000, 1, margin, pairs, seed);
            let wrong = decisions_of_equals[0] + decisions_of_equals[1];
            assert!(wrong <= 241, "equals: {decisions_of_equals:?}");
            let stronger = Pairs { score: score_of_elo(margin), ..pairs };
            let (decisions, _) = decisions(4_000, 1, margin, stronger, 10 + seed);
            assert!(decisions[1] + decisions[2] <= 241, "stronger by the margin: {decisions:?}");
        }
    }

    /// With the margin that `compare` uses by default.
    #[test]
    fn ten_elo_are_told_from_none() {
        let pairs = GAMES[0];
        let (equals, _) = decisions(400, 8, 10.0, pairs, 5);
        assert!(equals[0] + equals[1] <= 33, "5 % of 400 and three standard deviations: {equals:?}");
        let stronger = Pairs { score: score_of_elo(10.0), ..pairs };
        let (decisions, played) = decisions(400, 8, 10.0, stronger, 6);
        assert!(decisions[1] + decisions[2] <= 33, "{decisions:?}");
        assert!(played < 8_000.0, "{played} pairs");
    }

    #[test]
    fn a_clear_difference_needs_few_pairs() {
        let (decisions, played) = decisions(100, 1, 10.0, Pairs { score: 0.75, ..GAMES[0] }, 7);
        assert_eq!(decisions, [100, 0, 0]);
        assert!(played < 250.0, "{played} pairs");
        let (decisions, _) = self::decisions(100, 1, 10.0, Pairs { score: 0.2, ..GAMES[0] }, 8);
        assert_eq!(decisions, [0, 100, 0]);
    }

    #[test]
    fn the_fewest_pairs_are_those_of_wins_alone() {
        for (margin, rate) in [(10.0, 0.05), (80.0, 0.01), (1_000.0, 0.4)] {
            let mut comparison = SequentialComparison::new(margin, rate, rate);
            let fewest = comparison.fewest_pairs();
            let mut pairs = Pentanomial::default();
            while comparison.observe(&pairs).is_none() {
                pairs.add_points(2.0, 1);
            }
            assert_eq!(fewest, pairs.pairs(), "{margin} Elo");
        }
        // The book and the examples name this number.
        assert_eq!(SequentialComparison::new(10.0, 0.05, 0.05).fewest_pairs(), 129);
    }

    #[test]
    fn the_time_left_is_that_of_results_that_go_on_as_so_far() {
        let mut comparison = SequentialComparison::new(10.0, 0.05, 0.05);
        let mut pairs = Pentanomial::default();
        assert_eq!(comparison.pairs_left(&pairs), None);
        for points in [2.0, 1.0, 2.0, 1.0] {
            pairs.add_points(points, 1);
        }
        comparison.observe(&pairs);
        let left = comparison.pairs_left(&pairs).unwrap();
        let mut played = 0;
        while comparison.observe(&pairs).is_none() {
            pairs.add_points(1.0 + f64::from(u8::from(played % 2 == 0)), 1);
            played += 1;
        }
        assert!(left.abs_diff(played) <= played / 10, "{left} estimated, {played} played");
        assert_eq!(comparison.pairs_left(&pairs), Some(0));

        // Neither leads: it is the slower of the two tests that counts.
        let mut equal = SequentialComparison::new(10.0, 0.05, 0.05);
        let even = Pentanomial::new([20, 0, 40, 0, 20]);
        equal.observe(&even);
        assert!(equal.pairs_left(&even).unwrap() > 1_000);
    }
}
