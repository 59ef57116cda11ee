//! The strengths that explain rankings best: Plackett and Luce's model, which for two is Bradley and Terry's.
//!
//! An entrant of strength θ is first among some with probability exp(θ) / Σ exp(θ of all of them); then the second
//! place is given among the rest, and so on. A tie counts as every order of the tied entrants, each with the same
//! weight; between two entrants that is half a win each.
//!
//! Entrants that won or lost everything have no finite strength by that alone, nor have groups of entrants that never
//! met. Therefore each entrant has also [`PRIOR`] drawn matches against an imagined entrant of strength 0; their number
//! is drawn in the bootstrap. The strengths are those with the largest posterior likelihood, found by Newton's method;
//! the likelihood is strictly concave, so that there is one maximum and the start does not matter.

use libm::{exp, log};

use super::results::Match;

/// Games that each entrant draws against an imagined one of strength 0, before any other result.
///
/// One is the least that keeps results of a few matches plausible: 10 wins of 10 then mean about 540 Elo instead of
/// infinitely many. After 100 matches against equals it moves a rating by about 1 % of its distance to the mean.
pub(super) const PRIOR: f64 = 1.0;

/// Parts into which a match's weight is split: the least common multiple of 1!, 2!, 3!, 4! and 2!·2!.
const PARTS: u32 = 24;

/// Returns the strict orders, best first, that stand for a match; the parts of all of them add up to [`PARTS`].
pub(super) fn orders(result: &Match) -> Vec<(Vec<usize>, u32)> {
    let mut seats: Vec<(u8, usize)> =
        result.seats().iter().map(|(entrant, place)| (*place, *entrant)).collect();
    seats.sort_unstable();
    let mut orders = vec![Vec::new()];
    for tied in seats.chunk_by(|a, b| a.0 == b.0) {
        let tied: Vec<usize> = tied.iter().map(|(_, entrant)| *entrant).collect();
        let permutations = permutations(&tied);
        orders = orders
            .iter()
            .flat_map(|order| permutations.iter().map(move |tail| [&order[..], tail].concat()))
            .collect();
    }
    let parts = PARTS / u32::try_from(orders.len()).expect("at most 24 orders of four entrants");
    orders.into_iter().map(|order| (order, parts)).collect()
}

fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in of.iter().enumerate() {
        let rest = [&of[..index], &of[index + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|tail| [&[*first][..], &tail].concat()));
    }
    all
}

/// The model for a fixed list of strict orders, whose weights change from one fit to the next.
#[derive(Debug)]
pub(super) struct Model {
    entrants: usize,
    orders: Vec<Vec<usize>>,
}

/// Newton's method converges in about ten steps; many more mean a mistake in this file.
const STEPS: usize = 200;

/// A step that is shorter than this ends the search: the next one would be of the order of its square.
const CLOSE: f64 = 1e-9;

/// Steps shorter than this need no check: they are too short to lead past the maximum by more than their square, and
/// the likelihood is too flat there for its last digits to tell.
const SURE: f64 = 1e-2;

/// About 700 Elo. Where hardly any result is in doubt, the likelihood is too flat to say how far the maximum is.
const LONGEST_STEP: f64 = 4.0;

impl Model {
    pub(super) fn new(entrants: usize, orders: Vec<Vec<usize>>) -> Self {
        Self { entrants, orders }
    }

    /// Returns the strengths that are most likely if each order was seen as often as `parts` says, in 24ths of a match,
    /// and if each entrant has drawn `prior` matches against the imagined one; their mean is 0. The search starts at
    /// `start`.
    pub(super) fn fit(&self, parts: &[u64], prior: f64, start: &[f64]) -> Vec<f64> {
        let weights: Vec<f64> = parts.iter().map(|parts| *parts as f64 / f64::from(PARTS)).collect();
        let mut strengths = start.to_vec();
        let mut likelihood = self.log_likelihood(&weights, prior, &strengths);
        let mut system = System::new(self.entrants);
        for _ in 0..STEPS {
            self.linearise(&weights, prior, &strengths, &mut system);
            let step = system.solve();
            let longest = step.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
            // Far from the maximum a whole step can lead far past it: no step is longer than LONGEST_STEP, and it is
            // halved until it leads uphill.
            let mut share = (LONGEST_STEP / longest).min(1.0);
            let (next, better) = loop {
                let next: Vec<f64> =
                    strengths.iter().zip(&step).map(|(strength, step)| strength + share * step).collect();
                let likelihood_there = self.log_likelihood(&weights, prior, &next);
                if likelihood_there >= likelihood || share * longest < SURE {
                    break (next, likelihood_there);
                }
                share /= 2.0;
            };
            if share * longest < CLOSE {
                break;
            }
            (strengths, likelihood) = (next, better);
        }
        let mean = strengths.iter().sum::<f64>() / self.entrants.max(1) as f64;
        strengths.iter_mut().for_each(|strength| *strength -= mean);
        strengths
    }

    fn log_likelihood(&self, weights: &[f64], prior: f64, strengths: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (order, weight) in self.orders.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            for stage in 0..order.len() - 1 {
                let rest = &order[stage..];
                let best = rest.iter().fold(f64::NEG_INFINITY, |best, entrant| best.max(strengths[*entrant]));
                let total: f64 = rest.iter().map(|entrant| exp(strengths[*entrant] - best)).sum();
                sum += weight * (strengths[order[stage]] - best - log(total));
            }
        }
        let drawn = |strength: &f64| {
            let (up, down) = (log(1.0 + exp(-strength.abs())), strength.abs());
            // Half of ln σ(θ) + ln σ(−θ).
            -(2.0 * up + down) / 2.0
        };
        sum + prior * strengths.iter().map(drawn).sum::<f64>()
    }

    /// The gradient of the likelihood and the negative of its second derivative.
    fn linearise(&self, weights: &[f64], prior: f64, strengths: &[f64], system: &mut System) {
        system.clear();
        for (order, weight) in self.orders.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            for stage in 0..order.len() - 1 {
                let rest = &order[stage..];
                let best = rest.iter().fold(f64::NEG_INFINITY, |best, entrant| best.max(strengths[*entrant]));
                let mut chances = [0.0; 4];
                for (chance, entrant) in chances.iter_mut().zip(rest) {
                    *chance = exp(strengths[*entrant] - best);
                }
                let total: f64 = chances[..rest.len()].iter().sum();
                chances[..rest.len()].iter_mut().for_each(|chance| *chance /= total);
                system.gradient[order[stage]] += weight;
                for (own, row) in chances.iter().zip(rest) {
                    system.gradient[*row] -= weight * own;
                    *system.at(*row, *row) += weight * own;
                    for (other, column) in chances.iter().zip(rest) {
                        *system.at(*row, *column) -= weight * own * other;
                    }
                }
            }
        }
        for (entrant, strength) in strengths.iter().enumerate() {
            let wins = 1.0 / (1.0 + exp(-strength));
            system.gradient[entrant] += prior * (0.5 - wins);
            *system.at(entrant, entrant) += prior * wins * (1.0 - wins);
        }
    }
}

/// Linear equations with a symmetric positive definite matrix.
struct System {
    size: usize,
    matrix: Vec<f64>,
    gradient: Vec<f64>,
}

impl System {
    fn new(size: usize) -> Self {
        Self { size, matrix: vec![0.0; size * size], gradient: vec![0.0; size] }
    }

    fn clear(&mut self) {
        self.matrix.fill(0.0);
        self.gradient.fill(0.0);
    }

    fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.matrix[row * self.size + column]
    }

    /// Solves `matrix · x = gradient` by Cholesky's decomposition; the matrix is overwritten.
    fn solve(&mut self) -> Vec<f64> {
        let size = self.size;
        let a = &mut self.matrix;
        for column in 0..size {
            let pivot = a[column * size + column]
                - (0..column).map(|k| a[column * size + k] * a[column * size + k]).sum::<f64>();
            // The prior makes the matrix positive definite; rounding may leave a trace below that.
            let root = pivot.max(f64::MIN_POSITIVE).sqrt();
            a[column * size + column] = root;
            for row in column + 1..size {
                let dot: f64 = (0..column).map(|k| a[row * size + k] * a[column * size + k]).sum();
                a[row * size + column] = (a[row * size + column] - dot) / root;
            }
        }
        let mut x = self.gradient.clone();
        for row in 0..size {
            let dot: f64 = (0..row).map(|k| a[row * size + k] * x[k]).sum();
            x[row] = (x[row] - dot) / a[row * size + row];
        }
        for row in (0..size).rev() {
            let dot: f64 = (row + 1..size).map(|k| a[k * size + row] * x[k]).sum();
            x[row] = (x[row] - dot) / a[row * size + row];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(entrants: usize, matches: &[(&[usize], &[u8], u64)], prior: f64) -> Vec<f64> {
        let (mut all, mut parts) = (Vec::new(), Vec::new());
        for (seats, places, count) in matches {
            for (order, part) in orders(&Match::new(seats, places)) {
                all.push(order);
                parts.push(u64::from(part) * count);
            }
        }
        Model::new(entrants, all).fit(&parts, prior, &vec![0.0; entrants])
    }

    fn is_about(strengths: &[f64], expected: &[f64], tolerance: f64) {
        let off = strengths.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(strengths.len() == expected.len() && off < tolerance, "{strengths:?}, not {expected:?}");
    }

    const TWO: &[u8] = &[1, 2];

    /// Wins of each of four entrants against each other, and one draw.
    const PAIRWISE: &[(&[usize], &[u8], u64)] = &[
        (&[0, 1], TWO, 14),
        (&[1, 0], TWO, 6),
        (&[0, 2], TWO, 9),
        (&[2, 0], TWO, 11),
        (&[0, 3], TWO, 18),
        (&[3, 0], TWO, 2),
        (&[1, 2], TWO, 7),
        (&[2, 1], TWO, 12),
        (&[1, 3], TWO, 16),
        (&[3, 1], TWO, 4),
        (&[2, 3], TWO, 17),
        (&[3, 2], TWO, 3),
        (&[1, 2], &[1, 1], 1),
    ];

    /// The numbers are those of `choix.ilsr_pairwise` (choix 0.4.1, alpha = 0, tol = 1e-13), less their mean. A match
    /// is two wins there, the draw one win each; the prior is a fifth item with one win and one loss against each
    /// other item. choix prints ten digits and iterates to about 1e-10: the tolerance is 1e-8.
    #[test]
    fn pairwise_strengths_are_those_of_choix() {
        is_about(
            &fit(4, PAIRWISE, 1.0),
            &[0.661_285_553, 0.003_968_108, 0.631_762_472_4, -1.297_016_133_4],
            1e-8,
        );
        // A prior of a millionth match is none.
        is_about(
            &fit(4, PAIRWISE, 1e-8),
            &[0.675_481_855_1, 0.005_600_046_2, 0.645_397_905_8, -1.326_479_807_1],
            1e-8,
        );
    }

    /// As above; entrant 0 won all of its 20 matches.
    #[test]
    fn who_won_everything_has_a_finite_strength() {
        let matches: &[(&[usize], &[u8], u64)] =
            &[(&[0, 1], TWO, 10), (&[0, 2], TWO, 10), (&[1, 2], TWO, 6), (&[2, 1], TWO, 4)];
        is_about(&fit(3, matches, 1.0), &[2.533_560_285_7, -1.080_123_199_4, -1.453_437_086_3], 1e-8);
    }

    /// The numbers are those of `choix.ilsr_rankings` and `choix.opt_rankings` (choix 0.4.1, alpha = 0), which agree in
    /// the ten digits they print; the three matches with a tie are both orders of the tied, each with half a match.
    #[test]
    fn strengths_from_rankings_are_those_of_choix() {
        let three: &[u8] = &[1, 2, 3];
        let matches: &[(&[usize], &[u8], u64)] = &[
            (&[0, 1, 2], three, 12),
            (&[0, 2, 1], three, 7),
            (&[1, 0, 2], three, 9),
            (&[1, 2, 0], three, 3),
            (&[2, 0, 1], three, 5),
            (&[2, 1, 0], three, 4),
        ];
        is_about(&fit(3, matches, 1e-8), &[0.423_216_861_4, 0.017_194_120_6, -0.440_410_982], 1e-8);

        let four: &[u8] = &[1, 2, 3, 4];
        let matches: &[(&[usize], &[u8], u64)] = &[
            (&[0, 1, 2, 3], four, 5),
            (&[3, 2, 1, 0], four, 2),
            (&[4, 0, 1, 2], four, 3),
            (&[1, 4, 3, 0], four, 4),
            (&[2, 3, 4, 1], four, 3),
            (&[0, 2, 4, 3], four, 2),
            (&[3, 0, 4, 2], four, 2),
            (&[1, 0, 2, 4], four, 3),
            (&[0, 1, 3, 2], &[1, 2, 2, 4], 3),
        ];
        let expected =
            [0.369_592_523_2, 0.295_504_497_6, -0.382_112_535_7, -0.275_772_863_2, -0.007_211_621_9];
        is_about(&fit(5, matches, 1e-8), &expected, 1e-8);
    }

    /// Closed forms: p/(1 − p) for two, and equality of those with equal results.
    #[test]
    fn two_entrants_are_apart_by_the_odds() {
        let strengths = fit(2, &[(&[0, 1], TWO, 3), (&[1, 0], TWO, 1)], 1e-9);
        is_about(&strengths, &[3_f64.ln() / 2.0, -(3_f64.ln()) / 2.0], 1e-8);
        is_about(&fit(2, &[(&[0, 1], &[1, 1], 7)], 1.0), &[0.0, 0.0], 1e-12);
        is_about(&fit(3, &[], 1.0), &[0.0; 3], 1e-12);
    }

    #[test]
    fn a_search_from_far_away_finds_the_same_strengths() {
        let (mut all, mut parts) = (Vec::new(), Vec::new());
        for (seats, places, count) in PAIRWISE {
            for (order, part) in orders(&Match::new(seats, places)) {
                all.push(order);
                parts.push(u64::from(part) * count);
            }
        }
        let model = Model::new(4, all);
        let near = model.fit(&parts, PRIOR, &[0.0; 4]);
        for start in [[9.0, -9.0, 9.0, -9.0], [-30.0, 0.0, 0.0, 30.0], [50.0; 4]] {
            is_about(&model.fit(&parts, PRIOR, &start), &near, 1e-8);
        }
    }

    #[test]
    fn a_tie_is_every_order_of_the_tied() {
        let all = orders(&Match::new(&[2, 0, 1], &[1, 2, 2]));
        assert_eq!(all, [(vec![2, 0, 1], 12), (vec![2, 1, 0], 12)]);
        assert_eq!(orders(&Match::new(&[0, 1, 2, 3], &[1, 1, 1, 1])).len(), 24);
        assert_eq!(orders(&Match::new(&[0, 1, 2, 3], &[1, 1, 3, 3])).len(), 4);
        assert_eq!(orders(&Match::new(&[1, 0], &[1, 2])), [(vec![1, 0], 24)]);
    }
}
