//! The search of the best values of parameters: which samples to play next, and what their results say.

use game_env::{Chance, Seed};
use libm::pow;

use super::space::Parameter;
use super::surface::{Difference, Fit, Surface, unit};
use crate::statistics::Interval;

/// A search for the best values of parameters.
///
/// First, *simultaneous perturbation* (SPSA, Spall 1992) moves towards better values: each sample changes all
/// parameters at once, each up or down by chance at its first point and the other way at its second, and the difference
/// of the two results changes the values. Then follow two designed series of samples around the values that were found,
/// with fresh seeds. A quadratic surface with a cubic term for each parameter is fitted to each series. The last fit
/// gives the best values and their intervals: its results are used for nothing before. At the end, the values that were
/// found play against those of the start, on held-out seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuner {
    parameters: Vec<Parameter>,
    size: Size,
    /// The values of the start in units.
    start: Vec<f64>,
    /// The present ones.
    place: Vec<f64>,
    /// The values after each batch of the walk.
    path: Vec<Vec<f64>>,
    /// The number of samples with results.
    done: u64,
    stage: Stage,
    pending: Vec<Pending>,
}

/// The size of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    /// The number of samples of all stages; at least [`Size::LEAST_SAMPLES`].
    pub samples: u64,
    /// The probability with which the intervals of all parameters together hold the best values.
    pub confidence: f64,
    /// The number of samples on seeds that were held out, beside the others.
    pub held_out: u64,
    /// The seed of the choice of samples.
    pub seed: Seed,
}

impl Size {
    /// With fewer samples, the intervals would be the whole ranges.
    pub const LEAST_SAMPLES: u64 = 100;
}

/// Two points whose results are compared, on the same seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// Its number, from 0 on; that of those on held out seeds from 0 on too.
    pub number: u64,
    /// Whether it is played on seeds that were held out. The first point are then the values that were found, the
    /// second those of the start.
    pub is_held_out: bool,
    /// The values of the parameters at the two points.
    pub values: [Vec<f64>; 2],
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The result for each parameter.
    pub parameters: Vec<Tuned>,
    /// The gain in the score on held out seeds, from the values of the start, with its interval of 95 %; none if the
    /// values are the same, or nothing was held out.
    pub gain: Option<Interval>,
}

/// The result of a search for a parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned {
    /// The best value, with the interval that holds the true one.
    pub value: Interval,
    /// Whether the interval is the whole range: the parameter does not matter, or the samples were too few. Then the
    /// value is the one that was found before the last series.
    pub is_open: bool,
}

#[derive(Clone, PartialEq, Debug)]
enum Stage {
    Walk,
    /// A series of samples in a box, and the differences that it has brought.
    Series {
        region: Region,
        is_last: bool,
        found: Vec<Difference>,
    },
    /// The values that were found, and the gains of the samples on held out seeds.
    HeldOut {
        tuned: Vec<Tuned>,
        gains: Option<Vec<f64>>,
    },
}

/// A box in the space: its centre, and half of its widths, in units.
#[derive(Clone, PartialEq, Debug)]
struct Region {
    centre: Vec<f64>,
    half: Vec<f64>,
}

/// A sample without a result, in units.
#[derive(Clone, PartialEq, Debug)]
struct Pending {
    /// The direction and the size of the move that was planned.
    moved: Vec<f64>,
    /// The two points that are played, after rounding.
    points: [Vec<f64>; 2],
}

/// Samples that are played from the same values. Their number does not depend on the machine, so the path does not
/// either.
const BATCH: u64 = 32;

/// The exponents of the gains (Spall 1998), and the part of the samples by which the first steps are held back.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
const HELD_BACK: f64 = 0.1;

/// The last move of a parameter in the walk, in units.
const LAST_MOVE: f64 = 0.15;

/// The loss of the score, by the noise of the walk, that is accepted at its end.
const ACCEPTED_LOSS: f64 = 0.0036;

/// Half of the width of the box of the first series.
const FIRST_HALF: f64 = 0.3;

/// The loss of the score at the edge of the box of the last series, and the bounds of half of its width.
const EDGE_LOSS: f64 = 0.06;
const LAST_HALF: [f64; 2] = [0.05, 0.35];

/// The number of surfaces that are drawn for the intervals.
const DRAWN: usize = 4_000;

impl Tuner {
    /// Creates a search from these values.
    ///
    /// # Panics
    ///
    /// Panics without parameters, with another number of values than parameters, with too few samples, or unless the
    /// confidence is between 0 and 1.
    pub fn new(parameters: Vec<Parameter>, start: &[f64], size: Size) -> Self {
        assert!(!parameters.is_empty() && parameters.len() == start.len(), "each parameter has a value");
        assert!(size.samples >= Size::LEAST_SAMPLES, "{} samples say nothing", size.samples);
        assert!(size.confidence > 0.0 && size.confidence < 1.0, "a confidence of {}", size.confidence);
        let units = parameters.iter().zip(start).map(|(own, value)| own.unit(*value).clamp(0.0, 1.0));
        let start: Vec<f64> = units.collect();
        Self {
            parameters,
            size,
            place: start.clone(),
            start,
            path: Vec::new(),
            done: 0,
            stage: Stage::Walk,
            pending: Vec::new(),
        }
    }

    /// Returns the samples to play next; none when the search has ended. Their results go to [`add`](Self::add).
    pub fn batch(&mut self) -> Vec<Sample> {
        let walk = self.walk();
        let count = match &self.stage {
            Stage::Walk => BATCH.min(walk - self.done),
            Stage::Series { is_last: false, .. } => self.first_series(),
            Stage::Series { is_last: true, .. } => self.size.samples - walk - self.first_series(),
            Stage::HeldOut { gains: None, .. } => self.held_out(),
            Stage::HeldOut { .. } => 0,
        };
        let is_held_out = matches!(self.stage, Stage::HeldOut { .. });
        let first = if is_held_out { 0 } else { self.done };
        self.pending = (first..first + count).map(|number| self.pending(number)).collect();
        let sample = |(number, pending): (u64, &Pending)| {
            let values = pending.points.each_ref().map(|point| self.values(point));
            Sample { number, is_held_out, values }
        };
        (first..).zip(&self.pending).map(sample).collect()
    }

    /// Returns the number of samples on held out seeds; none if they would compare equal values.
    fn held_out(&self) -> u64 {
        if self.present() == self.values(&self.start) { 0 } else { self.size.held_out }
    }

    /// Adds the results of the batch in order: the score of the first point less that of the second, from −1 to 1; none
    /// for a sample that says nothing.
    ///
    /// # Panics
    ///
    /// Panics if there are more or fewer results than samples.
    pub fn add(&mut self, results: &[Option<f64>]) {
        assert_eq!(results.len(), self.pending.len(), "each sample of the batch has a result");
        let pending = std::mem::take(&mut self.pending);
        self.done += results.len() as u64;
        let known =
            pending.into_iter().zip(results).filter_map(|(pending, result)| Some((pending, (*result)?)));
        match &mut self.stage {
            Stage::Walk => {
                let known: Vec<_> = known.collect();
                self.step(&known);
                if self.done >= self.walk() {
                    self.stage = self.series(self.settled(), vec![FIRST_HALF; self.parameters.len()], false);
                }
            }
            Stage::Series { region, is_last, found } => {
                let difference = |(Pending { points: [one, other], .. }, height): (Pending, f64)| {
                    let around = |at: usize| f64::midpoint(one[at], other[at]) - region.centre[at];
                    let middle = (0..one.len()).map(around).collect();
                    let half = one.iter().zip(&other).map(|(one, other)| (one - other) / 2.0).collect();
                    Difference { middle, half, height }
                };
                found.extend(known.map(difference));
                let fit = Fit::new(self.parameters.len(), found);
                let (region, is_last) = (region.clone(), *is_last);
                self.stage = if is_last {
                    Stage::HeldOut { tuned: self.tuned(&region, &fit), gains: None }
                } else {
                    let surface = fit.surface();
                    self.series(region.highest(&surface, &region.edges()), self.widths(&surface), true)
                };
            }
            Stage::HeldOut { gains, .. } => {
                gains.get_or_insert_with(Vec::new).extend(known.map(|(_, gain)| gain));
            }
        }
    }

    /// Returns the number of samples of the walk.
    fn walk(&self) -> u64 {
        self.size.samples * 3 / 8
    }

    fn first_series(&self) -> u64 {
        self.size.samples * 3 / 16
    }

    /// Half of the size of the moves of the walk, for the sample with this number from 1 on.
    fn moved(&self, number: f64) -> f64 {
        LAST_MOVE * pow(self.walk() as f64 / number, GAMMA)
    }

    /// Returns the change of the values per result and move, for this sample.
    fn rate(&self, number: f64) -> f64 {
        let (walk, parameters) = (self.walk() as f64, self.parameters.len() as f64);
        let held_back = HELD_BACK * walk;
        // The noise of the values costs `rate · variance / 8` for each parameter, at a variance of ¼.
        let last = 8.0 * ACCEPTED_LOSS / (parameters * 0.25);
        let falling = pow((held_back + walk) / (held_back + number), ALPHA) * LAST_MOVE * LAST_MOVE;
        last * falling / (self.moved(number) * self.moved(number))
    }

    /// Moves the values by the results of a batch.
    fn step(&mut self, results: &[(Pending, f64)]) {
        let number = self.done as f64;
        let (rate, most) = (self.rate(number), self.moved(number));
        for (own, place) in self.place.iter_mut().enumerate() {
            let change: f64 =
                results.iter().map(|(pending, height)| rate * height * pending.moved[own]).sum();
            *place = (*place + change.clamp(-most, most)).clamp(0.0, 1.0);
        }
        self.path.push(self.place.clone());
    }

    /// Returns the mean of the values in the last half of the walk.
    fn settled(&self) -> Vec<f64> {
        let last = &self.path[self.path.len() / 2..];
        let mean = |own: usize| last.iter().map(|place| place[own]).sum::<f64>() / last.len().max(1) as f64;
        if last.is_empty() { self.place.clone() } else { (0..self.place.len()).map(mean).collect() }
    }

    /// Returns a series in a box with this centre, or as near to it as the range allows.
    fn series(&self, centre: Vec<f64>, half: Vec<f64>, is_last: bool) -> Stage {
        let steps = self.parameters.iter().map(|parameter| 1.5 * parameter.step());
        let half: Vec<f64> =
            half.into_iter().zip(steps).map(|(half, step)| half.max(step).min(0.5)).collect();
        let centre = centre.into_iter().zip(&half).map(|(at, half)| at.clamp(*half, 1.0 - half)).collect();
        Stage::Series { region: Region { centre, half }, is_last, found: Vec::new() }
    }

    /// Half of the widths of the box of the last series, given the surface of the first.
    fn widths(&self, surface: &Surface) -> Vec<f64> {
        let [least, most] = LAST_HALF;
        let width = |own| {
            let bend = surface.bend(own);
            if bend > 0.0 { (2.0 * EDGE_LOSS / bend).sqrt().clamp(least, most) } else { most }
        };
        (0..self.parameters.len()).map(width).collect()
    }

    /// Plans the sample with this number.
    fn pending(&self, number: u64) -> Pending {
        /// The path of the seeds of the plan.
        const PLAN: u64 = u64::MAX;
        if matches!(self.stage, Stage::HeldOut { .. }) {
            let units = |values: Vec<f64>| {
                self.parameters.iter().zip(values).map(|(parameter, value)| parameter.unit(value)).collect()
            };
            return Pending { moved: Vec::new(), points: [units(self.present()), self.start.clone()] };
        }
        let mut chance = self.size.seed.child(PLAN).child(number).game();
        let sign = |chance: &mut Chance| if chance.below(2) == 0 { 1.0 } else { -1.0 };
        let (middle, moved): (Vec<f64>, Vec<f64>) = (0..self.place.len())
            .map(|own| match &self.stage {
                Stage::Series { region, .. } => {
                    // The edges of the box tell most about the bend, its middle about other shapes.
                    let share = [-0.5, -0.5, 0.0, 0.5, 0.5][chance.index(5)];
                    let moved = sign(&mut chance) * region.half[own] / 2.0;
                    (region.centre[own] + share * region.half[own], moved)
                }
                Stage::Walk | Stage::HeldOut { .. } => {
                    (self.place[own], sign(&mut chance) * self.moved((number + 1) as f64))
                }
            })
            .unzip();
        let rests: Vec<f64> = middle.iter().map(|_| 1.0 - unit(&mut chance)).collect();
        let points = [1.0, -1.0].map(|side| {
            let at = |own: usize| {
                let parameter = &self.parameters[own];
                parameter.unit(parameter.value(middle[own] + side * moved[own], rests[own]))
            };
            (0..middle.len()).map(at).collect()
        });
        Pending { moved, points }
    }

    /// Returns the values at a place.
    fn values(&self, place: &[f64]) -> Vec<f64> {
        self.parameters.iter().zip(place).map(|(parameter, unit)| parameter.value(*unit, 0.5)).collect()
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the number of samples with results.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Returns the number of all samples.
    pub fn samples(&self) -> u64 {
        self.size.samples + self.size.held_out
    }

    /// Returns the present values.
    pub fn present(&self) -> Vec<f64> {
        match &self.stage {
            Stage::Walk => self.values(&self.place),
            Stage::Series { region, .. } => self.values(&region.centre),
            Stage::HeldOut { tuned, .. } => tuned.iter().map(|own| own.value.value).collect(),
        }
    }

    /// Returns the values after each batch of the walk, with the number of samples until then.
    pub fn path(&self) -> impl Iterator<Item = (u64, Vec<f64>)> + '_ {
        let walk = self.walk();
        (1..).zip(&self.path).map(move |(batch, place)| ((batch * BATCH).min(walk), self.values(place)))
    }

    /// Returns the result; none before all samples but those on held out seeds have results.
    pub fn found(&self) -> Option<Found> {
        let Stage::HeldOut { tuned, gains } = &self.stage else { return None };
        let gain = gains
            .as_ref()
            .filter(|gains| !gains.is_empty())
            .map(|gains| Interval::of_differences(gains, 0.95));
        Some(Found { parameters: tuned.clone(), gain })
    }

    /// Returns the interval of each parameter, in units: from surfaces that may have given the samples as well.
    fn intervals(&self, region: &Region, fit: &Fit) -> Vec<[f64; 2]> {
        /// The path of the seeds of the surfaces that are drawn.
        const DRAWS: u64 = u64::MAX - 1;
        let mut chance = self.size.seed.child(DRAWS).game();
        let edges = region.edges();
        let drawn: Vec<Vec<f64>> =
            (0..DRAWN).map(|_| region.highest(&fit.drawn(&mut chance), &edges)).collect();
        let wrong = (1.0 - self.size.confidence) / self.parameters.len() as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of a small number"
        )]
        let cut = (wrong / 2.0 * DRAWN as f64) as usize;
        let interval = |(own, [lowest, highest]): (usize, &[f64; 2])| {
            let mut units: Vec<f64> = drawn.iter().map(|place| place[own]).collect();
            units.sort_unstable_by(f64::total_cmp);
            let [low, high] = [units[cut], units[DRAWN - 1 - cut]];
            // At an edge of the box, the best value may lie anywhere beyond it.
            [if low <= *lowest { 0.0 } else { low }, if high >= *highest { 1.0 } else { high }]
        };
        edges.iter().enumerate().map(interval).collect()
    }

    /// Returns the result for each parameter. One of which the last series says nothing keeps the value that was found
    /// before it.
    fn tuned(&self, region: &Region, fit: &Fit) -> Vec<Tuned> {
        let edges = region.edges();
        let intervals = if fit.has_enough() {
            self.intervals(region, fit)
        } else {
            vec![[0.0, 1.0]; self.parameters.len()]
        };
        let is_open = |[low, high]: [f64; 2]| low <= 0.0 && high >= 1.0;
        let kept = |(interval, centre): (&[f64; 2], &f64)| is_open(*interval).then_some([*centre, *centre]);
        let kept = intervals.iter().zip(&region.centre).map(kept);
        let bounds: Vec<[f64; 2]> = kept.zip(&edges).map(|(kept, edges)| kept.unwrap_or(*edges)).collect();
        let best = self.values(&region.highest(&fit.surface(), &bounds));
        let tuned = |(own, parameter): (usize, &Parameter)| {
            let [low, high] = intervals[own];
            let is_open = is_open(intervals[own]);
            // Of whole numbers, the next ones outside may be the best as well.
            let [low, high] =
                [(low, 0.0), (high, 1.0 - f64::EPSILON)].map(|(unit, rest)| parameter.value(unit, rest));
            let value = best[own];
            Tuned { value: Interval { value, low: low.min(value), high: high.max(value) }, is_open }
        };
        self.parameters.iter().enumerate().map(tuned).collect()
    }
}

impl Region {
    /// Returns the bounds of the box. Beyond them, a surface that was fitted in the box says nothing.
    fn edges(&self) -> Vec<[f64; 2]> {
        self.centre.iter().zip(&self.half).map(|(centre, half)| [centre - half, centre + half]).collect()
    }

    /// Returns the highest place of a surface around the centre within these bounds, in units.
    fn highest(&self, surface: &Surface, bounds: &[[f64; 2]]) -> Vec<f64> {
        let around = |(bounds, centre): (&[f64; 2], &f64)| bounds.map(|bound| bound - centre);
        let bounds: Vec<[f64; 2]> = bounds.iter().zip(&self.centre).map(around).collect();
        let place = surface.highest(&bounds);
        place.iter().zip(&self.centre).map(|(at, centre)| centre + at).collect()
    }
}
