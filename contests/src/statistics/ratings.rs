//! Ratings from all matches at once, with their uncertainty.

use std::collections::BTreeMap;

use game_env::{Chance, Seed};
use libm::{log, log1p};

use super::pentanomial::Interval;
use super::plackett_luce::{Model, PRIOR, orders};
use super::results::{Match, Results};

/// Elo per unit of the model's strength: a difference of 400 Elo are odds of ten to one.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Strengths nearer than this are equal up to rounding.
const TIED: f64 = 1e-7;

/// Settings of the bootstrap, which computes intervals by fitting the model again to results drawn from the results.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bootstrap {
    /// Number of replicates. 1,000 place a 95 % interval within about 5 % of its width.
    pub replicates: u32,
    /// The confidence of intervals, between 0 and 1.
    pub confidence: f64,
    /// Seed of the draws of results. Equal seeds give equal intervals.
    pub seed: Seed,
}

impl Default for Bootstrap {
    /// 1,000 replicates, 95 %, seed 0.
    fn default() -> Self {
        Self { replicates: 1_000, confidence: 0.95, seed: Seed::new(0) }
    }
}

/// One entrant's rating.
#[derive(Clone, PartialEq, Debug)]
pub struct Rating {
    /// The number of the entrant.
    pub entrant: usize,
    /// Its strength in Elo; the mean of all entrants is 0.
    pub elo: Interval,
    /// The probability of each rank, the first rank first.
    pub ranks: Vec<f64>,
    /// The probability of being stronger than each entrant, by number; ½ for itself, and for those of another
    /// [group](Ratings::groups). Likelihood of superiority.
    pub superiority: Vec<f64>,
}

/// Strengths of entrants, by Bradley and Terry's model (Plackett and Luce's for matches of more than two).
///
/// Strengths explain all matches at once, so that neither their order nor the strength of one's opponents matters. Ties
/// count as half a win each; every entrant has one drawn match against an imagined entrant of mean strength beside its
/// own, so that ratings are finite.
///
/// Intervals, ranks and superiority come from the bootstrap: for each pairing as many [sets](Results::add) are drawn
/// as it has. A few of them are imagined: a set that one of the entrants, each with equal probability, wins whole,
/// while the others stay in their order. Of all sets of an entrant, about one is imagined, however many pairings they
/// are of; in a pairing, the entrant with the fewest sets decides. The weight of the match against the imagined
/// entrant is drawn too, from the exponential distribution of mean 1, as that of an observation in the Bayesian
/// bootstrap (Rubin 1981). The imagined sets bound the strength of an entrant that won all its matches from below, and
/// the weight from above: without it, no interval would reach beyond the estimate.
///
/// ```
/// use contests::statistics::{Bootstrap, Match, Ratings, Results};
///
/// let mut results = Results::new(2);
/// for _ in 0..10 {
///     results.add(vec![Match::new(&[0, 1], &[1, 2]), Match::new(&[1, 0], &[1, 2])]);
///     results.add(vec![Match::new(&[0, 1], &[1, 2]), Match::new(&[1, 0], &[2, 1])]);
/// }
/// let ratings = Ratings::new(&results, &Bootstrap::default());
/// let best = &ratings.ratings()[0];
/// assert_eq!(best.entrant, 0);
/// assert!(best.elo.low > 0.0 && best.superiority[1] > 0.99);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    ratings: Vec<Rating>,
    order_confidence: f64,
    groups: usize,
}

impl Ratings {
    /// Rates all entrants.
    ///
    /// # Panics
    ///
    /// Panics without replicates, or unless the confidence is between 0 and 1.
    pub fn new(results: &Results, bootstrap: &Bootstrap) -> Self {
        assert!(bootstrap.replicates > 0, "intervals need replicates");
        let confidence = bootstrap.confidence;
        assert!(confidence > 0.0 && confidence < 1.0, "a confidence is between 0 and 1, not {confidence}");
        let count = results.entrants();
        let pools = Pools::new(results);
        let estimate = pools.model.fit(&pools.parts(), PRIOR, &vec![0.0; count]);
        let (mut sets, mut weights) = (bootstrap.seed.game(), bootstrap.seed.child(0).game());
        let replicate = |_| pools.model.fit(&pools.draw(&mut sets), PRIOR * weight(&mut weights), &estimate);
        let replicates: Vec<Vec<f64>> = (0..bootstrap.replicates).map(replicate).collect();

        let mut best_first: Vec<usize> = (0..count).collect();
        best_first.sort_by(|a, b| {
            if is_tied(estimate[*a], estimate[*b]) { a.cmp(b) } else { estimate[*b].total_cmp(&estimate[*a]) }
        });
        let total = f64::from(bootstrap.replicates);
        let is_same_order = |strengths: &&Vec<f64>| {
            best_first.windows(2).all(|two| strengths[two[0]] > strengths[two[1]] + TIED)
        };
        let group_of = groups(results);
        let groups = group_of.iter().enumerate().filter(|(entrant, group)| entrant == *group).count();
        let in_this_order = if groups > 1 { 0 } else { replicates.iter().filter(is_same_order).count() };
        let order_confidence = in_this_order as f64 / total;
        let ranks = rank_probabilities(count, &replicates);
        let ratings = best_first
            .iter()
            .map(|entrant| Rating {
                entrant: *entrant,
                elo: interval(estimate[*entrant], replicates.iter().map(|own| own[*entrant]), confidence)
                    .map(|strength| strength * ELO),
                ranks: ranks[*entrant].clone(),
                superiority: (0..count)
                    .map(|other| {
                        if group_of[*entrant] != group_of[other] {
                            return 0.5;
                        }
                        let over = |strengths: &Vec<f64>| match strengths[*entrant] - strengths[other] {
                            apart if apart.abs() <= TIED => 0.5,
                            apart if apart > 0.0 => 1.0,
                            _ => 0.0,
                        };
                        replicates.iter().map(over).sum::<f64>() / total
                    })
                    .collect(),
            })
            .collect();
        Self { ratings, order_confidence, groups }
    }

    /// Returns the ratings, the best first; of equals, the one with the lower number.
    pub fn ratings(&self) -> &[Rating] {
        &self.ratings
    }

    /// Returns the probability that the order of all entrants is this one; 0 if there is more than one
    /// [group](Self::groups).
    pub fn order_confidence(&self) -> f64 {
        self.order_confidence
    }

    /// Returns the number of groups of entrants that have met, directly or through others. Nothing tells by what one
    /// group is stronger than another one: their strengths are given as if the means of all groups were equal.
    pub fn groups(&self) -> usize {
        self.groups
    }
}

/// Returns the group of each entrant that has met it, directly or through others: the lowest number in it.
fn groups(results: &Results) -> Vec<usize> {
    let mut group_of: Vec<usize> = (0..results.entrants()).collect();
    for (entrants, _) in results.groups() {
        let met: Vec<usize> = entrants.iter().map(|entrant| group_of[*entrant]).collect();
        let Some(least) = met.iter().min() else { continue };
        if met.iter().any(|group| group != least) {
            group_of.iter_mut().filter(|group| met.contains(*group)).for_each(|group| *group = *least);
        }
    }
    group_of
}

/// Returns a number of the exponential distribution of mean 1; at least a thousandth, with which strengths are still
/// found without loss of digits.
fn weight(chance: &mut Chance) -> f64 {
    (-log(share(chance))).max(0.001)
}

/// Returns a number between 0 and 1, both exclusive.
fn share(chance: &mut Chance) -> f64 {
    (f64::from(chance.below(u32::MAX)) + 0.5) / f64::from(u32::MAX)
}

fn is_tied(a: f64, b: f64) -> bool {
    (a - b).abs() <= TIED
}

/// Returns the estimate with the quantiles of the replicates that leave out equal parts on both sides.
fn interval(estimate: f64, replicates: impl Iterator<Item = f64>, confidence: f64) -> Interval {
    let mut sorted: Vec<f64> = replicates.collect();
    sorted.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of the number of replicates"
        )]
        let index = (share * (sorted.len() - 1) as f64).round() as usize;
        sorted[index]
    };
    let outside = (1.0 - confidence) / 2.0;
    // With few results the quantiles can miss the estimate.
    Interval {
        value: estimate,
        low: quantile(outside).min(estimate),
        high: quantile(1.0 - outside).max(estimate),
    }
}

/// For each entrant the share of replicates in which it has each rank; entrants that tie share their ranks.
fn rank_probabilities(count: usize, replicates: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut ranks = vec![vec![0.0; count]; count];
    let mut order: Vec<usize> = (0..count).collect();
    for strengths in replicates {
        order.sort_by(|a, b| strengths[*b].total_cmp(&strengths[*a]).then(a.cmp(b)));
        let mut first = 0;
        for tied in order.chunk_by(|a, b| is_tied(strengths[*a], strengths[*b])) {
            let share = 1.0 / (tied.len() * replicates.len()) as f64;
            for entrant in tied {
                ranks[*entrant][first..first + tied.len()].iter_mut().for_each(|rank| *rank += share);
            }
            first += tied.len();
        }
    }
    ranks
}

/// The sets of each pairing as what they add to the model, ready to be drawn from.
struct Pools {
    model: Model,
    pools: Vec<Pool>,
    /// The number of orders in the model.
    orders: usize,
}

struct Pool {
    /// The kinds of its sets.
    kinds: Vec<Kind>,
    /// Each kind as it would be if an entrant had won it whole: one after the other for the first entrant, for the
    /// second, and so on.
    won_whole: Vec<Kind>,
    /// The number of sets.
    sets: u32,
    /// The number of entrants.
    entrants: u32,
    /// Upper bounds of the random numbers that draw each kind, exclusive.
    bounds: Vec<u32>,
    /// The probability that a drawn set is imagined: about one of all sets of the entrant with the fewest is.
    imagined: f64,
}

struct Kind {
    count: u64,
    /// Orders by their index in the model, with their parts.
    orders: Vec<(usize, u32)>,
}

impl Pools {
    fn new(results: &Results) -> Self {
        let mut indices: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let mut kind = |set: &[Match], count: u64| {
            let mut parts: BTreeMap<usize, u32> = BTreeMap::new();
            for (order, part) in set.iter().flat_map(orders) {
                let next = indices.len();
                let index = *indices.entry(order).or_insert(next);
                *parts.entry(index).or_default() += part;
            }
            Kind { count, orders: parts.into_iter().collect() }
        };
        let mut sets_of = vec![0_u64; results.entrants()];
        for (entrants, sets) in results.groups() {
            entrants.iter().for_each(|entrant| sets_of[*entrant] += sets.values().sum::<u64>());
        }
        let mut pools = Vec::new();
        for (entrants, sets) in results.groups() {
            let kinds: Vec<Kind> = sets.iter().map(|(set, count)| kind(set, *count)).collect();
            let won_whole = entrants
                .iter()
                .flat_map(|winner| sets.iter().map(move |(set, count)| (won_whole(set, *winner), *count)))
                .map(|(set, count)| kind(&set, count))
                .collect();
            let mut below = 0_u32;
            let bounds: Vec<u32> = kinds
                .iter()
                .map(|kind| {
                    let count = u32::try_from(kind.count).expect("fewer than 2^32 sets");
                    below = below.checked_add(count).expect("fewer than 2^32 sets of a pairing");
                    below
                })
                .collect();
            // One entrant may have many sets, and another one few: no result of few sets is certain.
            let fewest = entrants.iter().map(|entrant| sets_of[*entrant]).min().unwrap_or(0);
            pools.push(Pool {
                kinds,
                won_whole,
                sets: below,
                entrants: u32::try_from(entrants.len()).expect("few entrants meet in one set"),
                bounds,
                imagined: 1.0 / (fewest as f64 + 1.0),
            });
        }
        let mut all = vec![Vec::new(); indices.len()];
        for (order, index) in indices {
            all[index] = order;
        }
        let orders = all.len();
        Self { model: Model::new(results.entrants(), all), pools, orders }
    }

    /// Returns the parts of each order in the results themselves.
    fn parts(&self) -> Vec<u64> {
        let mut parts = vec![0; self.orders];
        for kind in self.pools.iter().flat_map(|pool| &pool.kinds) {
            kind.add(kind.count, &mut parts);
        }
        parts
    }

    /// Returns the parts of each order in results drawn from these.
    fn draw(&self, chance: &mut Chance) -> Vec<u64> {
        let mut parts = vec![0; self.orders];
        let mut drawn = Vec::new();
        for pool in &self.pools {
            drawn.clear();
            drawn.resize(pool.kinds.len(), 0_u64);
            let imagined = pool.draw_imagined(chance);
            for _ in imagined..pool.sets {
                drawn[pool.draw_kind(chance)] += 1;
            }
            for (kind, count) in pool.kinds.iter().zip(&drawn).filter(|(_, count)| **count > 0) {
                kind.add(*count, &mut parts);
            }
            for _ in 0..imagined {
                let winner = chance.below(pool.entrants) as usize;
                pool.won_whole[winner * pool.kinds.len() + pool.draw_kind(chance)].add(1, &mut parts);
            }
        }
        parts
    }
}

impl Pool {
    /// Returns the number of imagined sets among as many as the pairing has. The distances between them have a
    /// geometric distribution.
    fn draw_imagined(&self, chance: &mut Chance) -> u32 {
        let (mut imagined, mut at) = (0, 0.0);
        loop {
            at += (log(share(chance)) / log1p(-self.imagined)).floor();
            if at >= f64::from(self.sets) {
                return imagined;
            }
            imagined += 1;
            at += 1.0;
        }
    }

    fn draw_kind(&self, chance: &mut Chance) -> usize {
        let ticket = chance.below(self.sets);
        self.bounds.partition_point(|bound| *bound <= ticket)
    }
}

impl Kind {
    fn add(&self, count: u64, parts: &mut [u64]) {
        for (order, part) in &self.orders {
            parts[*order] += u64::from(*part) * count;
        }
    }
}

/// Returns a set like this one, in which this entrant wins every match it takes part in, and the others stay in their
/// order.
fn won_whole(set: &[Match], winner: usize) -> Vec<Match> {
    let won = |result: &Match| {
        let seats = result.seats();
        let (entrants, _): (Vec<usize>, Vec<u8>) = seats.iter().copied().unzip();
        if !entrants.contains(&winner) {
            return result.clone();
        }
        let others = || seats.iter().filter(|(entrant, _)| *entrant != winner);
        let place = |(entrant, own): &(usize, u8)| {
            let before = others().filter(|(_, place)| place < own).count();
            if *entrant == winner { 1 } else { 2 + u8::try_from(before).expect("a match has few sides") }
        };
        Match::new(&entrants, &seats.iter().map(place).collect::<Vec<u8>>())
    };
    set.iter().map(won).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays pairs between two entrants of these strengths in Elo.
    fn pair(chance: &mut Chance, (first, second): (usize, usize), elo: &[f64]) -> Vec<Match> {
        let score = super::super::score_of_elo(elo[first] - elo[second]);
        let play = |chance: &mut Chance| {
            let places = if chance.happens(score) { [1, 2] } else { [2, 1] };
            Match::new(&[first, second], &places)
        };
        vec![play(chance), play(chance)]
    }

    fn round_robin(elo: &[f64], pairs: u32, seed: u64) -> Results {
        let mut chance = Seed::new(seed).game();
        let mut results = Results::new(elo.len());
        for first in 0..elo.len() {
            for second in first + 1..elo.len() {
                for _ in 0..pairs {
                    results.add(pair(&mut chance, (first, second), elo));
                }
            }
        }
        results
    }

    fn quick() -> Bootstrap {
        Bootstrap { replicates: 300, ..Bootstrap::default() }
    }

    #[test]
    fn ratings_find_the_strengths_that_results_came_from() {
        let elo = [150.0, -50.0, 20.0, -120.0];
        let ratings = Ratings::new(&round_robin(&elo, 1_500, 3), &quick());
        let order: Vec<usize> = ratings.ratings().iter().map(|rating| rating.entrant).collect();
        assert_eq!(order, [0, 2, 1, 3]);
        for rating in ratings.ratings() {
            let off = rating.elo.value - elo[rating.entrant];
            assert!(off.abs() < 12.0, "{rating:?}");
            assert!(rating.elo.high - rating.elo.low < 24.0, "{rating:?}");
        }
        assert!(ratings.order_confidence() > 0.99);
    }

    /// 95 % intervals hold the truth in 95 % of all leagues: 200 leagues of three entrants each, i.e. 600 intervals;
    /// three standard deviations, taking the three of a league as one.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let elo = [60.0, 0.0, -60.0];
        let mut held = 0;
        for seed in 0..200 {
            let ratings = Ratings::new(&round_robin(&elo, 40, 100 + seed), &quick());
            let holds = |rating: &&Rating| (rating.elo.low..=rating.elo.high).contains(&elo[rating.entrant]);
            held += ratings.ratings().iter().filter(holds).count();
        }
        let share = held as f64 / 600.0;
        assert!((0.95 - 0.046..0.95 + 0.046).contains(&share), "{share}");
    }

    /// Two entrants so far apart that one of them often wins everything: then the results bound the distance from below
    /// alone, and the interval has to reach far beyond the estimate.
    #[test]
    fn intervals_hold_the_truth_of_entrants_that_are_far_apart() {
        for apart in [400.0, 800.0, 1_000.0] {
            let elo = [apart / 2.0, -apart / 2.0];
            let held = (0..100).filter(|seed| {
                let ratings = Ratings::new(&round_robin(&elo, 10, 1_000 + seed), &quick());
                let best = ratings.ratings().iter().find(|rating| rating.entrant == 0).unwrap();
                (best.elo.low..=best.elo.high).contains(&elo[0])
            });
            let held = held.count();
            assert!(held >= 90, "{held} of 100 at {apart} Elo");
        }
    }

    /// Returns the share of the intervals of leagues that hold the truth.
    fn held(elo: &[f64], leagues: u64, results: impl Fn(u64) -> Results) -> f64 {
        let holds = |rating: &&Rating| (rating.elo.low..=rating.elo.high).contains(&elo[rating.entrant]);
        let held = (0..leagues)
            .map(|seed| Ratings::new(&results(seed), &quick()).ratings().iter().filter(holds).count())
            .sum::<usize>();
        held as f64 / (leagues * elo.len() as u64) as f64
    }

    /// Few sets of many pairings: with an imagined set in each pairing, the intervals of the strongest and the weakest
    /// entrants ended far from the truth.
    #[test]
    fn intervals_hold_the_truth_in_leagues_of_many_entrants() {
        let elo = [600.0, 400.0, 200.0, 0.0, 0.0, -200.0, -400.0, -600.0];
        let held = held(&elo, 40, |seed| round_robin(&elo, 4, 300 + seed));
        assert!(held > 0.9, "{held}");
    }

    #[test]
    fn intervals_hold_the_truth_in_matches_of_three() {
        let elo = [200.0, 200.0, 200.0, -600.0];
        let league = |seed| {
            let (mut chance, mut results) = (Seed::new(seed).game(), Results::new(4));
            for absent in 0..4 {
                for _ in 0..10 {
                    let set = (0..3).map(|_| {
                        let entrants: Vec<usize> = (0..4).filter(|entrant| *entrant != absent).collect();
                        let (mut left, mut places) = (entrants.clone(), vec![0; 3]);
                        for place in 1..=3 {
                            let strengths: Vec<f64> =
                                left.iter().map(|entrant| 10_f64.powf(elo[*entrant] / 400.0)).collect();
                            let mut drawn = share(&mut chance) * strengths.iter().sum::<f64>();
                            let is_drawn = |strength: &f64| {
                                drawn -= strength;
                                drawn < 0.0
                            };
                            let next = left.remove(strengths.iter().position(is_drawn).unwrap_or(0));
                            places[entrants.iter().position(|entrant| *entrant == next).unwrap()] = place;
                        }
                        Match::new(&entrants, &places)
                    });
                    results.add(set.collect());
                }
            }
            results
        };
        let held = held(&elo, 40, |seed| league(500 + seed));
        assert!(held > 0.9, "{held}");
    }

    /// In a gauntlet the champion has many sets and each challenger few.
    #[test]
    fn a_challenger_that_won_its_few_sets_is_not_certain_to_be_stronger() {
        let mut results = Results::new(9);
        for challenger in 1..9 {
            for set in 0..4 {
                let wins = challenger == 1 || set % 2 == 0;
                let places = if wins { [2, 1] } else { [1, 2] };
                results.add(vec![Match::new(&[0, challenger], &places); 2]);
            }
        }
        let ratings = Ratings::new(&results, &Bootstrap::default());
        let best = &ratings.ratings()[0];
        assert!(best.entrant == 1 && best.superiority[0] < 0.99, "{best:?}");
    }

    #[test]
    fn an_imagined_winner_leaves_the_others_in_their_order() {
        let set = [Match::new(&[4, 1, 7], &[1, 2, 3]), Match::new(&[1, 4], &[1, 1])];
        let places =
            |winner| won_whole(&set, winner).iter().map(|own| own.seats().to_vec()).collect::<Vec<_>>();
        assert_eq!(places(7), [vec![(1, 3), (4, 2), (7, 1)], vec![(1, 1), (4, 1)]]);
        assert_eq!(places(1), [vec![(1, 1), (4, 2), (7, 3)], vec![(1, 1), (4, 2)]]);
    }

    #[test]
    fn nobody_is_certain_of_having_won_everything() {
        let mut results = Results::new(2);
        for _ in 0..50 {
            results.add(vec![Match::new(&[0, 1], &[1, 2]), Match::new(&[0, 1], &[1, 2])]);
        }
        let ratings = Ratings::new(&results, &Bootstrap::default());
        let best = &ratings.ratings()[0];
        assert_eq!(best.entrant, 0);
        assert!(best.elo.value.is_finite() && best.elo.low < best.elo.value - 50.0, "{best:?}");
        assert!(best.elo.high > best.elo.value + 200.0, "{best:?}");
        assert_eq!(best.superiority, [0.5, 1.0]);
    }

    #[test]
    fn equals_share_ranks_and_superiority() {
        let mut results = Results::new(3);
        for (first, second) in [(0, 1), (1, 2), (0, 2)] {
            for _ in 0..20 {
                results
                    .add(vec![Match::new(&[first, second], &[1, 2]), Match::new(&[first, second], &[2, 1])]);
            }
        }
        let ratings = Ratings::new(&results, &Bootstrap::default());
        for rating in ratings.ratings() {
            assert!(rating.elo.value.abs() < 1e-6, "{rating:?}");
            assert!((rating.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for other in (0..3).filter(|other| *other != rating.entrant) {
                assert!((rating.superiority[other] - 0.5).abs() < 0.1, "{rating:?}");
            }
        }
        assert!(ratings.order_confidence() < 0.5);
        let order: Vec<usize> = ratings.ratings().iter().map(|rating| rating.entrant).collect();
        assert_eq!(order, [0, 1, 2], "of equals the lower number comes first");
    }

    /// Three entrants in every match, all rotations of the seats.
    #[test]
    fn matches_of_three_are_rated() {
        let mut chance = Seed::new(9).game();
        let mut results = Results::new(3);
        for _ in 0..300 {
            let play = |chance: &mut Chance| {
                // Odds of 4 : 2 : 1 for the first place, then for the second.
                let mut rest = vec![(0, 4), (1, 2), (2, 1)];
                let mut places = [0; 3];
                for place in 1..=3 {
                    let mut ticket = chance.below(rest.iter().map(|(_, odds)| *odds).sum());
                    let drawn = rest.iter().position(|(_, odds)| {
                        let is_drawn = ticket < *odds;
                        ticket = ticket.saturating_sub(*odds);
                        is_drawn
                    });
                    let (entrant, _): (usize, u32) = rest.remove(drawn.unwrap());
                    places[entrant] = place;
                }
                Match::new(&[0, 1, 2], &places)
            };
            results.add((0..3).map(|_| play(&mut chance)).collect());
        }
        let ratings = Ratings::new(&results, &quick());
        for (rating, expected) in ratings.ratings().iter().zip([120.4, 0.0, -120.4]) {
            assert!((rating.elo.value - expected).abs() < 25.0, "{rating:?}");
            assert!((rating.elo.low..rating.elo.high).contains(&expected), "{rating:?}");
        }
    }

    /// The first four have met as two pairs, and the last one nobody.
    #[test]
    fn groups_that_have_not_met_are_not_compared() {
        let mut results = Results::new(5);
        for _ in 0..20 {
            results.add(vec![Match::new(&[0, 3], &[1, 2]), Match::new(&[3, 0], &[1, 2])]);
            results.add(vec![Match::new(&[1, 2], &[1, 2]), Match::new(&[2, 1], &[2, 1])]);
        }
        let ratings = Ratings::new(&results, &quick());
        let of = |entrant: usize| ratings.ratings().iter().find(|rating| rating.entrant == entrant).unwrap();
        assert!(of(1).superiority[2] > 0.99 && of(0).superiority[3] > 0.2);
        for (entrant, others) in [(1, [0, 3, 4]), (4, [0, 1, 2])] {
            assert_eq!(others.map(|other| of(entrant).superiority[other]), [0.5; 3], "{entrant}");
        }
        assert_eq!((ratings.groups(), ratings.order_confidence()), (3, 0.0));
        results.add(vec![Match::new(&[3, 2], &[1, 2])]);
        results.add(vec![Match::new(&[4, 0], &[1, 2])]);
        assert_eq!(Ratings::new(&results, &quick()).groups(), 1);
    }

    #[test]
    fn without_results_everybody_is_equal() {
        let ratings = Ratings::new(&Results::new(2), &quick());
        assert_eq!(ratings.ratings()[0].elo, Interval { value: 0.0, low: 0.0, high: 0.0 });
        assert_eq!(ratings.order_confidence(), 0.0);
        assert!(Ratings::new(&Results::new(0), &quick()).ratings().is_empty());
    }

    /// The bootstrap's error against the likelihood's own: for two entrants with n independent matches of score p the
    /// standard error of the logit is 1/√(n·p·(1 − p)).
    #[test]
    fn an_interval_is_as_wide_as_theory_says() {
        let mut results = Results::new(2);
        // 400 pairs as independent matches of score 0.6 give: 0.16, 0.48, 0.36 of them.
        for (count, places) in [(64, [[2, 1]; 2]), (192, [[1, 2], [2, 1]]), (144, [[1, 2]; 2])] {
            for _ in 0..count {
                results.add(places.iter().map(|places| Match::new(&[0, 1], places)).collect());
            }
        }
        let ratings = Ratings::new(&results, &Bootstrap { replicates: 4_000, ..Bootstrap::default() });
        let expected = 1.96 / (800.0_f64 * 0.6 * 0.4).sqrt() * ELO / 2.0;
        let elo = ratings.ratings()[0].elo;
        let half = (elo.high - elo.low) / 2.0;
        assert!((half / expected - 1.0).abs() < 0.06, "{half}, not {expected}");
    }
}
