//! Whether the order of the standings is settled.

use game_env::Seed;

use super::ratings::{Bootstrap, Ratings};
use super::results::Results;

/// Stops a league once the order of its entrants is certain enough.
///
/// With enough looks at the standings, any order appears by chance at one of them. So there are few looks, each with
/// twice the sets of the last one, and the probability of an error is shared out among them: the k-th look may use
/// 1 / (k·(k + 1)) of it, which adds up to all of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EarlyStop {
    /// The probability with which the order must be right when the league stops, e.g. 0.95.
    pub confidence: f64,
    /// The number of sets, of all pairings together, at which it looks first.
    pub first: u64,
    /// Seed of the bootstrap.
    pub seed: Seed,
}

/// Result of a look at the standings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Look {
    /// The probability that the order is as it stands.
    pub confidence: f64,
    /// The probability that this look asks for.
    pub needed: f64,
}

impl Look {
    /// Returns whether the league can stop.
    pub fn is_settled(self) -> bool {
        self.confidence >= self.needed
    }
}

/// Fewer replicates than this beyond the bound say too little.
const BEYOND: f64 = 10.0;

/// The most replicates of one look. Where the share of the error is below a replicate, none may have another order.
const MOST: f64 = 20_000.0;

impl EarlyStop {
    /// Returns the number of the look that is due after this many sets, from 1 on; none if none is due.
    pub fn look(&self, sets: u64) -> Option<u32> {
        let times = sets / self.first.max(1);
        (times.is_power_of_two() && times * self.first.max(1) == sets).then(|| times.ilog2() + 1)
    }

    /// Makes a look, which must be one that [`look`](Self::look) named, at all results so far.
    ///
    /// # Panics
    ///
    /// Panics unless the confidence is between 0 and 1.
    pub fn check(&self, look: u32, results: &Results) -> Look {
        let share = 1.0 / (f64::from(look) * f64::from(look + 1));
        let error = (1.0 - self.confidence) * share;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between a thousand and twenty thousand"
        )]
        let replicates = (BEYOND / error).clamp(1_000.0, MOST) as u32;
        let bootstrap = Bootstrap { replicates, confidence: self.confidence, seed: self.seed };
        let confidence = Ratings::new(results, &bootstrap).order_confidence();
        Look { confidence, needed: 1.0 - error }
    }
}

#[cfg(test)]
mod tests {
    use game_env::Chance;

    use super::super::results::Match;
    use super::super::score_of_elo;
    use super::*;

    #[test]
    fn looks_are_at_doubling_numbers_of_blocks() {
        let stop = EarlyStop { confidence: 0.95, first: 10, seed: Seed::new(1) };
        let looks: Vec<(u64, u32)> = (0..200).filter_map(|sets| Some((sets, stop.look(sets)?))).collect();
        assert_eq!(looks, [(10, 1), (20, 2), (40, 3), (80, 4), (160, 5)]);
    }

    /// Returns the number of sets after which a league of two stops, and whether it stops with the right one first.
    fn stopped(elo: f64, chance: &mut Chance, most: u64) -> Option<(u64, bool)> {
        let stop = EarlyStop { confidence: 0.95, first: 10, seed: Seed::new(1) };
        let mut results = Results::new(2);
        for sets in 1..=most {
            let mut play = || {
                let places = if chance.happens(score_of_elo(elo)) { [1, 2] } else { [2, 1] };
                Match::new(&[0, 1], &places)
            };
            let set = vec![play(), play()];
            results.add(set);
            if let Some(look) = stop.look(sets)
                && stop.check(look, &results).is_settled()
            {
                let cross = results.cross_table();
                return Some((sets, cross[0][1].won > cross[1][0].won));
            }
        }
        None
    }

    /// Between near equals a wrong order is taken for settled in at most 5 % of all leagues: of 100, and three
    /// standard deviations.
    #[test]
    fn wrong_orders_are_rarely_settled() {
        let mut chance = Seed::new(2).game();
        let wrong = (0..100).filter(|_| matches!(stopped(4.0, &mut chance, 80), Some((_, false)))).count();
        assert!(wrong <= 11, "{wrong} of 100");
    }

    #[test]
    fn clear_orders_are_settled_soon() {
        let mut chance = Seed::new(3).game();
        for _ in 0..20 {
            assert!(matches!(stopped(300.0, &mut chance, 80), Some((10..=80, true))));
        }
    }
}
