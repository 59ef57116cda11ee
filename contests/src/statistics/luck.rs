//! Improbability of a lead between equally strong entrants, valid at any time of the comparison.

use super::Pentanomial;
use super::wealth::{Gain, Wealth};

/// Returns the number N such that a lead like this one occurs in at most one of N comparisons of two equally strong
/// entrants, at any time while they are played. At least 1; never an overestimate, even if one stops at the best
/// moment.
///
/// It is an e-value: the final wealth of a bet on the one entrant and on the other, with half of the wealth each, by
/// stakes that are fixed in advance. Between equals such bets are fair for any distribution of pairs; see the
/// [sources](super#sources). The order of pairs does not matter.
pub fn luck(pairs: &Pentanomial) -> f64 {
    let [one, other] = [pairs, &pairs.mirrored()].map(wealth);
    f64::midpoint(one, other).max(1.0)
}

/// Returns the wealth of bets on the first entrant.
fn wealth(pairs: &Pentanomial) -> f64 {
    let mut wealth = Wealth::default();
    // A pair with h half points is worth h/2 − 1 points more than half.
    for (count, gain) in pairs.counts().into_iter().zip([-1.0, -0.5, 0.0, 0.5, 1.0]) {
        wealth.add(&Gain::new(gain), count);
    }
    wealth.value()
}

#[cfg(test)]
mod tests {
    use game_env::Seed;

    use super::super::wealth::STAKES;
    use super::*;

    /// By hand: the wealth after one pair won is the mean of 1 ± each stake, which is 1; after two it is 1 + the mean
    /// of the squares of the stakes.
    #[test]
    fn wealth_is_that_of_the_bets() {
        let after = |won| luck(&Pentanomial::new([0, 0, 0, 0, won]));
        assert!((after(1) - 1.0).abs() < 1e-12);
        let squares: f64 = STAKES.iter().map(|stake| stake * stake).sum::<f64>() / 8.0;
        assert!((after(2) - (1.0 + squares)).abs() < 1e-12);
        assert_eq!(luck(&Pentanomial::default()), 1.0);
        assert!(luck(&Pentanomial::new([100, 0, 0, 0, 0])) > 1e20, "certain, and the same for both sides");
        assert_eq!(luck(&Pentanomial::new([7, 1, 3, 2, 9])), luck(&Pentanomial::new([9, 2, 3, 1, 7])));
        assert_eq!(luck(&Pentanomial::new([50, 0, 400, 0, 50])), 1.0, "no lead, no surprise");
    }

    /// 10,000 comparisons of equals, with a look after every one of 200 pairs: a lead that is luck once in N comes up
    /// once in N of them at most. Three standard deviations are allowed for.
    #[test]
    fn leads_of_equals_are_as_rare_as_told() {
        let mut chance = Seed::new(4).game();
        let runs = 10_000;
        let mut reached = [0_u32; 2];
        for _ in 0..runs {
            let mut pairs = Pentanomial::default();
            let mut most: f64 = 1.0;
            for _ in 0..50 {
                for _ in 0..4 {
                    pairs.add_points([0.0, 1.0, 1.0, 2.0][chance.index(4)], 1);
                }
                most = most.max(luck(&pairs));
            }
            for (reached, level) in reached.iter_mut().zip([10.0, 50.0]) {
                *reached += u32::from(most >= level);
            }
        }
        assert!(reached[0] <= 1_090 && reached[1] <= 242, "{reached:?} of {runs}");
        assert!(reached[0] >= 100, "the bound is worth something: {reached:?}");
    }
}
