//! The course of the chances over a recorded game: coarse first, then finer where they change most.
//!
//! The chance at a moment is the share of its [futures](crate::futures) that a team wins, so each point has an
//! interval. A fall is the loss of a team between two neighbouring points.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use contests::statistics::Interval;
use game_env::matches::PlayError;
use game_env::{Seed, SimTime};
use strategies::recorded_game::RecordedGame;

use crate::futures::{CONFIDENCE, Futures, Question, share};
use crate::moment::Moment;

/// The settings of a curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The number of moments.
    pub moments: usize,
    /// The number of futures of each moment.
    pub games: u64,
    /// The seed of the futures of each moment, as of [`Question::seed`].
    pub seed: Seed,
    /// The number of threads; it does not change the result.
    pub jobs: NonZeroUsize,
}

/// The chances at moments of a recorded game, in the order of the moments.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curve {
    points: Vec<Point>,
}

/// The chances at a moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// The number of inputs before the moment.
    pub inputs: usize,
    /// The moment.
    pub moment: Moment,
    /// Its futures.
    pub futures: Futures,
}

/// A loss of a team between two moments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fall<'a> {
    /// The moment before.
    pub from: &'a Point,
    /// The moment after.
    pub to: &'a Point,
    /// The loss, as a share of all futures, with its interval: that of Newcombe (1998, method 10) with a confidence for
    /// all falls of the curve at once.
    pub loss: Interval,
}

/// The share of the moments that are spread evenly over the game before the curve is refined.
const COARSE: usize = 4;

/// The change of the chances that is assumed between any two moments, so that long spans without a change are looked
/// into as well.
const LEAST_CHANGE: f64 = 0.02;

impl Curve {
    /// Plays the futures of moments all over a game, with these entrants. In a game that has time, all that happens
    /// at its start is before the first moment. `watch` is called after each future, and returns whether to go on; if
    /// it breaks off, the curve has the moments that are done.
    ///
    /// # Errors
    ///
    /// As [`RecordedGame::play_on`].
    pub fn play(
        game: &dyn RecordedGame,
        entrants: &[String],
        setup: &Setup,
        mut watch: impl FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<Self, PlayError> {
        let times = game.moments();
        let mut curve = Self::default();
        let all = Moment::all(&times);
        let most = setup.moments.min(all.len());
        let coarse = (setup.moments / COARSE).max(2).min(most);
        let mut due = evenly(&times, coarse);
        due.reverse();
        while curve.points.len() < most {
            let Some(inputs) = due.pop().or_else(|| curve.next_split(&all)) else { break };
            let question = Question { game, inputs, entrants: entrants.to_vec(), seed: setup.seed };
            let mut is_over = false;
            let futures = Futures::play(&question, setup.games, setup.jobs, |_| {
                let flow = watch(&curve);
                is_over = flow.is_break();
                flow
            })?;
            if futures.games() == setup.games {
                curve.add(Point { inputs, moment: Moment::after(&times, inputs), futures });
            }
            if is_over {
                break;
            }
        }
        Ok(curve)
    }

    fn add(&mut self, point: Point) {
        let place = self.points.partition_point(|own| own.inputs < point.inputs);
        self.points.insert(place, point);
    }

    /// Returns the moment nearest to the middle of the two neighbours with the largest product of two numbers: the
    /// change of the chances between them, and the number of inputs between them.
    fn next_split(&self, all: &[usize]) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for pair in self.points.windows(2) {
            let [from, to] = [pair[0].inputs, pair[1].inputs];
            let middle = usize::midpoint(from, to);
            let between = all.iter().filter(|inputs| (from + 1..to).contains(*inputs));
            let Some(split) = between.min_by_key(|inputs| inputs.abs_diff(middle)) else { continue };
            let worth = (change(&pair[0], &pair[1]) + LEAST_CHANGE) * (to - from) as f64;
            if best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, *split));
            }
        }
        best.map(|(_, inputs)| inputs)
    }

    /// Returns the points, in the order of their moments.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the losses of a team between neighbouring moments, the largest first: those whose intervals lie above 0.
    /// By chance alone, at most about one curve in twenty has one.
    ///
    /// # Panics
    ///
    /// If there is no such team.
    pub fn falls(&self, team: usize) -> Vec<Fall<'_>> {
        let pairs = self.points.windows(2);
        // Bonferroni's correction, over the falls of all teams. Of two teams, one falls where the other one rises.
        let teams = self.points.first().map_or(2, |point| point.futures.counts().len());
        let falls = pairs.len().max(1) as f64 * teams as f64 / 2.0;
        let confidence = 1.0 - (1.0 - CONFIDENCE) / falls;
        let falls = pairs.map(|pair| {
            let [from, to] = [&pair[0], &pair[1]];
            let [before, after] = [from, to].map(|point| share(point.futures.counts()[team], confidence));
            Fall { from, to, loss: loss(before, after) }
        });
        let mut falls: Vec<Fall<'_>> = falls.filter(|fall| fall.loss.low > 0.0).collect();
        falls.sort_by(|a, b| b.loss.value.total_cmp(&a.loss.value));
        falls
    }
}

/// Returns the difference of two shares, with the interval that follows from theirs as if the shares were independent.
/// Futures of two moments have the same seeds, so the shares may rise and fall together: the interval is then wider
/// than need be.
fn loss(before: Interval, after: Interval) -> Interval {
    let value = before.value - after.value;
    let down = (before.value - before.low).hypot(after.high - after.value);
    let up = (before.high - before.value).hypot(after.value - after.low);
    Interval { value, low: value - down, high: value + up }
}

/// Returns the largest change of a team's chance between two points.
fn change(from: &Point, to: &Point) -> f64 {
    let both = from.futures.chances().into_iter().zip(to.futures.chances());
    both.map(|(before, after)| (before.0.value - after.0.value).abs()).fold(0.0, f64::max)
}

/// Moments from the first to the last: evenly spread over the time of a game that has time, otherwise over its inputs.
fn evenly(times: &[SimTime], count: usize) -> Vec<usize> {
    let last = times.last().map_or(0, |last| last.as_millis());
    let spans = count.saturating_sub(1).max(1);
    let mut moments: Vec<usize> = (0..count)
        .map(|number| match last {
            0 => times.len() * number / spans,
            last => times.partition_point(|time| time.as_millis() <= last * number as u64 / spans as u64),
        })
        .collect();
    moments.dedup();
    moments
}
