//! A quadratic surface with a cubic term for each coordinate, and its fit to differences of its height between two
//! points.
//!
//! All sums are in the order of the samples, and no function of the system's mathematics library is used: the same
//! samples give the same bits on every machine.

use game_env::Chance;
use libm::{cos, log};

/// The height `slope · x − x · curvature x / 2 + Σ skew x³` at the place `x`, which is relative to a centre.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Surface {
    slope: Vec<f64>,
    /// Symmetric.
    curvature: Vec<Vec<f64>>,
    /// For each coordinate: a fit without it would put the highest place onto the flatter side.
    skew: Vec<f64>,
}

/// The difference of height between two points.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Difference {
    /// The place in the middle between them, relative to the centre.
    pub(super) middle: Vec<f64>,
    /// Half of the way from the second to the first.
    pub(super) half: Vec<f64>,
    /// The height of the first less that of the second, as measured.
    pub(super) height: f64,
}

/// The surface that fits best, and how sure it is.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fit {
    /// The number of coordinates.
    size: usize,
    coefficients: Vec<f64>,
    /// The lower triangle whose product with its transpose is the covariance of the coefficients.
    scatter: Matrix,
    /// The number of differences.
    differences: usize,
}

type Matrix = Vec<Vec<f64>>;

/// With more coordinates, their interactions are taken as none: there would be too many of them.
const MOST_WITH_INTERACTIONS: usize = 6;

/// A part of the largest number on the diagonal that is added to all: coordinates that were never varied have a
/// solution.
const RIDGE: f64 = 1e-9;

impl Surface {
    /// Returns the highest place within these bounds, found coordinate by coordinate from the centre. Along a
    /// coordinate that bends down there, this is the maximum around the centre, if there is one: the cubic term, which
    /// makes one side steeper than the other, rises without end far beyond it.
    pub(super) fn highest(&self, bounds: &[[f64; 2]]) -> Vec<f64> {
        const ROUNDS: usize = 200;
        let mut place: Vec<f64> = bounds.iter().map(|[low, high]| 0.0_f64.clamp(*low, *high)).collect();
        for _ in 0..ROUNDS {
            let before = place.clone();
            for (own, [low, high]) in bounds.iter().enumerate() {
                let others = (0..place.len()).filter(|other| *other != own);
                let slope = self.slope[own]
                    - others.map(|other| self.curvature[own][other] * place[other]).sum::<f64>();
                let (bend, skew) = (self.curvature[own][own], self.skew[own]);
                let height = |at: f64| slope * at - bend * at * at / 2.0 + skew * at * at * at;
                // The slope has no zero where this is negative; else the lesser zero is the maximum.
                let root = bend * bend - 12.0 * skew * slope;
                place[own] = if bend > 0.0 && root >= 0.0 {
                    (2.0 * slope / (bend + root.sqrt())).clamp(*low, *high)
                } else if bend > 0.0 {
                    if slope < 0.0 { *low } else { *high }
                } else if height(*low) > height(*high) {
                    *low
                } else {
                    *high
                };
            }
            if place == before {
                break;
            }
        }
        place
    }

    /// Returns the height of a place.
    #[cfg(test)]
    fn height(&self, place: &[f64]) -> f64 {
        let bend: f64 = self.curvature.iter().zip(place).map(|(row, own)| own * product(row, place)).sum();
        let skew: f64 = self.skew.iter().zip(place).map(|(skew, own)| skew * own * own * own).sum();
        product(&self.slope, place) - bend / 2.0 + skew
    }

    /// Returns the bend along a coordinate.
    pub(super) fn bend(&self, coordinate: usize) -> f64 {
        self.curvature[coordinate][coordinate]
    }
}

impl Fit {
    /// Fits a surface by least squares. The covariance allows for noise that depends on the place (White's estimate
    /// HC3; MacKinnon and White 1985).
    pub(super) fn new(size: usize, differences: &[Difference]) -> Self {
        let rows: Matrix = differences.iter().map(|difference| regressors(size, difference)).collect();
        let count = 3 * size + pairs(size).count();
        let mut normal = zeros(count);
        let mut moments = vec![0.0; count];
        for (row, difference) in rows.iter().zip(differences) {
            add_product(&mut normal, row, 1.0);
            moments.iter_mut().zip(row).for_each(|(sum, own)| *sum += own * difference.height);
        }
        let inverse = inverse(&triangle(normal));
        let found: Vec<f64> = inverse.iter().map(|row| product(row, &moments)).collect();
        let mut noise = zeros(count);
        for (row, difference) in rows.iter().zip(differences) {
            let leverage = product(row, &inverse.iter().map(|own| product(own, row)).collect::<Vec<_>>());
            let error = (difference.height - product(row, &found)) / (1.0 - leverage).max(1e-3);
            add_product(&mut noise, row, error * error);
        }
        let covariance = times(&times(&inverse, &noise), &inverse);
        Self { size, coefficients: found, scatter: triangle(covariance), differences: differences.len() }
    }

    /// Returns whether the differences were clearly more than the coefficients. Otherwise the surface passes through
    /// nearly all of them, and looks surer than it is.
    pub(super) fn has_enough(&self) -> bool {
        2 * self.differences >= 3 * self.coefficients.len()
    }

    /// Returns the surface that fits best.
    pub(super) fn surface(&self) -> Surface {
        self.shaped(&self.coefficients)
    }

    /// Returns a surface that may have given the samples as well, drawn by its probability.
    pub(super) fn drawn(&self, chance: &mut Chance) -> Surface {
        let normal: Vec<f64> = self.coefficients.iter().map(|_| normal(chance)).collect();
        let off = self.scatter.iter().map(|row| product(row, &normal));
        self.shaped(&self.coefficients.iter().zip(off).map(|(own, off)| own + off).collect::<Vec<_>>())
    }

    fn shaped(&self, coefficients: &[f64]) -> Surface {
        let (slope, rest) = coefficients.split_at(self.size);
        let (bends, rest) = rest.split_at(self.size);
        let (skew, interactions) = rest.split_at(self.size);
        let mut curvature = zeros(self.size);
        for (own, bend) in bends.iter().enumerate() {
            curvature[own][own] = *bend;
        }
        for ((own, other), value) in pairs(self.size).zip(interactions) {
            curvature[own][other] = *value;
            curvature[other][own] = *value;
        }
        Surface { slope: slope.to_vec(), curvature, skew: skew.to_vec() }
    }
}

/// Returns the pairs of coordinates that interact.
fn pairs(size: usize) -> impl Iterator<Item = (usize, usize)> {
    let size = if size > MOST_WITH_INTERACTIONS { 0 } else { size };
    (0..size).flat_map(move |own| (own + 1..size).map(move |other| (own, other)))
}

/// The factors of the coefficients in a difference: `2 half · (slope − curvature middle)`, and for the skew the
/// difference of the cubes.
fn regressors(size: usize, Difference { middle, half, .. }: &Difference) -> Vec<f64> {
    let slopes = half.iter().map(|half| 2.0 * half);
    let bends = half.iter().zip(middle).map(|(half, middle)| -2.0 * half * middle);
    let interactions =
        pairs(size).map(|(own, other)| -2.0 * (half[own] * middle[other] + half[other] * middle[own]));
    let skews =
        half.iter().zip(middle).map(|(half, middle)| 2.0 * half * (3.0 * middle * middle + half * half));
    slopes.chain(bends).chain(skews).chain(interactions).collect()
}

fn zeros(size: usize) -> Matrix {
    vec![vec![0.0; size]; size]
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Adds the product of a vector with itself, times a weight.
fn add_product(to: &mut Matrix, vector: &[f64], weight: f64) {
    for (row, own) in to.iter_mut().zip(vector) {
        row.iter_mut().zip(vector).for_each(|(sum, other)| *sum += weight * own * other);
    }
}

fn times(one: &Matrix, other: &Matrix) -> Matrix {
    let column = |at: usize| other.iter().map(|row| row[at]).collect::<Vec<_>>();
    let columns: Matrix = (0..other.len()).map(column).collect();
    one.iter().map(|row| columns.iter().map(|column| product(row, column)).collect()).collect()
}

/// Returns the lower triangle whose product with its transpose is this symmetric matrix, which has no negative
/// direction (Cholesky).
fn triangle(mut matrix: Matrix) -> Matrix {
    let largest = (0..matrix.len()).map(|at| matrix[at][at]).fold(0.0, f64::max);
    for (at, row) in matrix.iter_mut().enumerate() {
        row[at] += RIDGE * largest + f64::MIN_POSITIVE;
    }
    let mut lower = zeros(matrix.len());
    for at in 0..matrix.len() {
        for before in 0..=at {
            let left = matrix[at][before] - product(&lower[at][..before], &lower[before][..before]);
            lower[at][before] =
                if at == before { left.max(f64::MIN_POSITIVE).sqrt() } else { left / lower[before][before] };
        }
    }
    lower
}

/// Returns the inverse of the product of a lower triangle with its transpose.
fn inverse(lower: &Matrix) -> Matrix {
    let size = lower.len();
    let mut columns = zeros(size);
    for (unit, column) in columns.iter_mut().enumerate() {
        for at in 0..size {
            let one = if at == unit { 1.0 } else { 0.0 };
            column[at] = (one - product(&lower[at][..at], &column[..at])) / lower[at][at];
        }
        for at in (0..size).rev() {
            let after: f64 = (at + 1..size).map(|below| lower[below][at] * column[below]).sum();
            column[at] = (column[at] - after) / lower[at][at];
        }
    }
    // It is symmetric.
    columns
}

/// Returns a number of the normal distribution with mean 0 and variance 1 (Box and Muller).
fn normal(chance: &mut Chance) -> f64 {
    let [one, other] = [(); 2].map(|()| unit(chance));
    (-2.0 * log(one)).sqrt() * cos(2.0 * std::f64::consts::PI * other)
}

/// Returns a number above 0 and at most 1.
pub(super) fn unit(chance: &mut Chance) -> f64 {
    f64::from(chance.below(u32::MAX) + 1) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use game_env::Seed;

    use super::*;

    fn surface() -> Surface {
        Surface {
            slope: vec![0.2, -0.1],
            curvature: vec![vec![1.0, 0.3], vec![0.3, 0.8]],
            skew: vec![0.0, 0.4],
        }
    }

    /// Differences of the surface at drawn places, with noise of this width.
    fn differences(surface: &Surface, count: usize, width: f64, seed: u64) -> Vec<Difference> {
        let mut chance = Seed::new(seed).game();
        let drawn = |_| {
            let mut place =
                |size: f64| -> Vec<f64> { (0..2).map(|_| size * (2.0 * unit(&mut chance) - 1.0)).collect() };
            let (middle, half) = (place(0.3), place(0.15));
            let at = |sign: f64| {
                middle.iter().zip(&half).map(|(middle, half)| middle + sign * half).collect::<Vec<_>>()
            };
            let height = surface.height(&at(1.0)) - surface.height(&at(-1.0)) + width * normal(&mut chance);
            Difference { middle, half, height }
        };
        (0..count).map(drawn).collect()
    }

    #[test]
    fn a_surface_without_noise_is_found_exactly() {
        let found = Fit::new(2, &differences(&surface(), 40, 0.0, 1)).surface();
        let is_near = |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(
            is_near(&found.slope, &surface().slope) && is_near(&found.skew, &surface().skew),
            "{found:?}"
        );
        assert!(found.curvature.iter().zip(&surface().curvature).all(|(a, b)| is_near(a, b)), "{found:?}");
    }

    /// By hand: the slope is 0 where x + 0.3 y = 0.2 and 0.3 x + 0.8 y = −0.1, at (19, −16) / 71. With a skew of 1, the
    /// slope 0.1 − x + 3 x² is 0 at (1 − √−0.2) / 6, which there is not, and 0.05 − x + 3 x² at (1 − √0.4) / 6.
    #[test]
    fn the_highest_place_is_where_the_slope_ends_or_a_bound() {
        let surface = || Surface { skew: vec![0.0; 2], ..surface() };
        let wide = surface().highest(&[[-1.0, 1.0]; 2]);
        assert!((wide[0] - 19.0 / 71.0).abs() < 1e-9 && (wide[1] + 16.0 / 71.0).abs() < 1e-9, "{wide:?}");
        let narrow = surface().highest(&[[-1.0, 0.1], [-1.0, 1.0]]);
        assert!(narrow[0] == 0.1 && (narrow[1] + 0.13 / 0.8).abs() < 1e-9, "{narrow:?}");
        let valley = Surface { slope: vec![0.1], curvature: vec![vec![-1.0]], skew: vec![0.0] };
        assert_eq!(valley.highest(&[[-0.5, 0.5]]), [0.5]);
        let skewed = |slope| Surface { slope: vec![slope], curvature: vec![vec![1.0]], skew: vec![1.0] };
        assert_eq!(skewed(0.1).highest(&[[-0.5, 0.5]]), [0.5]);
        let place = skewed(0.05).highest(&[[-0.5, 0.5]])[0];
        assert!((place - (1.0 - 0.4_f64.sqrt()) / 6.0).abs() < 1e-9, "{place}");
    }

    /// The spread of drawn surfaces is that of fits to other samples.
    #[test]
    fn drawn_surfaces_scatter_as_fits_do() {
        let mut chance = Seed::new(9).game();
        let fits = (0..400).map(|seed| Fit::new(2, &differences(&surface(), 300, 0.2, seed)).surface());
        let fit = Fit::new(2, &differences(&surface(), 300, 0.2, 1_000));
        let drawn = (0..400).map(|_| fit.drawn(&mut chance)).collect::<Vec<_>>();
        let spread = |surfaces: &[Surface], of: fn(&Surface) -> f64| {
            let mean = surfaces.iter().map(of).sum::<f64>() / surfaces.len() as f64;
            let squares: f64 = surfaces.iter().map(|own| (of(own) - mean) * (of(own) - mean)).sum();
            (squares / surfaces.len() as f64).sqrt()
        };
        let fits: Vec<Surface> = fits.collect();
        let sizes: [fn(&Surface) -> f64; 3] =
            [|own| own.slope[0], |own| own.bend(1), |own| own.curvature[0][1]];
        for of in sizes {
            let ratio = spread(&drawn, of) / spread(&fits, of);
            assert!((0.8..1.25).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn a_coordinate_that_is_never_varied_stays_unknown() {
        let mut samples = differences(&surface(), 100, 0.1, 3);
        samples.iter_mut().for_each(|sample| sample.half[1] = 0.0);
        let fit = Fit::new(2, &samples);
        assert!(fit.surface().slope[0] > 0.0 && fit.surface().bend(1).is_finite());
    }
}
