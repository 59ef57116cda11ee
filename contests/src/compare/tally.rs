//! Counts of a comparison: results, metrics and blunders of the pairs so far. It plays no matches.

use game_env::matches::MatchRecord;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::plan::{PairMatch, Plan};
use super::sample::Sample;
use crate::incidents::Incidents;
use crate::statistics::{Decision, HeadToHead, Interval, Pentanomial, SequentialComparison};
use crate::verdict::{Treatment, Verdict};

/// The results of a comparison so far, from the first line-up's side.
#[derive(Clone, PartialEq, Debug)]
pub struct Tally {
    pairs: Pentanomial,
    meeting: HeadToHead,
    test: SequentialComparison,
    incidents: Incidents,
    left_out: u64,
    metrics: Vec<MetricTally>,
    actions: Sample,
    times: Sample,
    clearest_win: Option<(Clearness, PairMatch)>,
    clearest_loss: Option<(Clearness, PairMatch)>,
}

/// Clearness of a result: the lead in points, then how early it came.
type Clearness = (i64, std::cmp::Reverse<u64>);

/// One metric of both line-ups over all pairs.
#[derive(Clone, PartialEq, Debug)]
pub struct MetricTally {
    /// Its name; a unit ends it, e.g. `carrying_ms`.
    pub name: String,
    pairs: u64,
    /// The values of both line-ups.
    samples: [Sample; 2],
    /// The mean of the pairs' differences, first less second, and the sum of their squared distances from it.
    difference: f64,
    squares: f64,
    /// The match with the largest difference, and with the smallest.
    most: Option<(f64, PairMatch)>,
    least: Option<(f64, PairMatch)>,
}

impl Tally {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            pairs: Pentanomial::default(),
            meeting: HeadToHead::default(),
            test: plan.test(),
            incidents: Incidents::default(),
            left_out: 0,
            metrics: Vec::new(),
            actions: Sample::default(),
            times: Sample::default(),
            clearest_win: None,
            clearest_loss: None,
        }
    }

    /// Counts a pair: the first line-up played the first side in the first record, and the second in the second.
    pub(super) fn add(&mut self, pair: u64, records: &[MatchRecord; 2]) {
        let mut points = 0.0;
        let is_scored =
            |record: &MatchRecord| Verdict::of(record.outcome.termination).treatment() == Treatment::Scored;
        records.iter().for_each(|record| self.incidents.add(record));
        if !records.iter().all(is_scored) {
            self.left_out += 1;
            return;
        }
        for (which, record) in PairMatch::both(pair).into_iter().zip(records) {
            points += self.count(which, record);
            self.actions.add(record.steps as f64);
            self.times.add(record.time.as_millis() as f64);
        }
        self.measure(pair, records);
        self.pairs.add_points(points, 1);
        self.test.observe(&self.pairs);
    }

    /// Counts a match; returns the points of the first line-up.
    fn count(&mut self, which: PairMatch, record: &MatchRecord) -> f64 {
        let side = which.side_of_first();
        let (places, returns) = (record.outcome.ranking.places(), record.outcome.returns.points());
        let lead = i64::from(returns[side]) - i64::from(returns[1 - side]);
        let early = std::cmp::Reverse(record.time.as_millis());
        match places[side].cmp(&places[1 - side]) {
            std::cmp::Ordering::Less => {
                self.meeting.won += 1;
                keep_greatest(&mut self.clearest_win, (lead, early), which);
                1.0
            }
            std::cmp::Ordering::Equal => {
                self.meeting.drawn += 1;
                0.5
            }
            std::cmp::Ordering::Greater => {
                self.meeting.lost += 1;
                keep_greatest(&mut self.clearest_loss, (-lead, early), which);
                0.0
            }
        }
    }

    fn measure(&mut self, pair: u64, records: &[MatchRecord; 2]) {
        if self.metrics.is_empty() {
            let names = records[0].metrics.iter().filter(|metric| metric.values.len() == 2);
            self.metrics = names.map(|metric| MetricTally::new(&metric.name)).collect();
        }
        for metric in &mut self.metrics {
            let values = PairMatch::both(pair).into_iter().zip(records).filter_map(|(which, record)| {
                let values = record.metrics.get(&metric.name).filter(|values| values.len() == 2)?;
                let side = which.side_of_first();
                Some((which, [values[side], values[1 - side]]))
            });
            let values: Vec<_> = values.collect();
            if let [first, second] = values[..] {
                metric.add([first, second]);
            }
        }
    }

    /// Returns the decision of the test, if there is one yet.
    pub fn decision(&self) -> Option<Decision> {
        self.test.decision()
    }

    /// Returns the test.
    pub fn test(&self) -> &SequentialComparison {
        &self.test
    }

    /// Returns the pairs that count.
    pub fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// Returns the matches that count.
    pub fn meeting(&self) -> HeadToHead {
        self.meeting
    }

    /// Returns the first line-up's share of the points with its 95 % interval.
    pub fn score(&self) -> Interval {
        self.pairs.wilson(0.95)
    }

    /// Returns the endings of all matches and the blunders in them, including those of pairs that are left out.
    pub fn incidents(&self) -> &Incidents {
        &self.incidents
    }

    /// Number of pairs that are left out because one of their matches does not count.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the metrics, in the order of the game.
    pub fn metrics(&self) -> &[MetricTally] {
        &self.metrics
    }

    /// Returns the number of actions of each match, those of both line-ups together.
    pub fn actions(&self) -> &Sample {
        &self.actions
    }

    /// Game time of each match, in milliseconds.
    pub fn times(&self) -> &Sample {
        &self.times
    }

    /// Returns the match that the first line-up won with the greatest lead in points, the earliest of equals.
    pub fn clearest_win(&self) -> Option<PairMatch> {
        self.clearest_win.map(|(_, which)| which)
    }

    /// Returns the match that it lost most clearly.
    pub fn clearest_loss(&self) -> Option<PairMatch> {
        self.clearest_loss.map(|(_, which)| which)
    }
}

/// Keeps the first of the greatest.
fn keep_greatest<K: PartialOrd>(kept: &mut Option<(K, PairMatch)>, key: K, which: PairMatch) {
    if kept.as_ref().is_none_or(|(greatest, _)| key > *greatest) {
        *kept = Some((key, which));
    }
}

impl MetricTally {
    fn new(name: &str) -> Self {
        let (name, samples) = (name.to_owned(), <[Sample; 2]>::default());
        Self { name, pairs: 0, samples, difference: 0.0, squares: 0.0, most: None, least: None }
    }

    fn add(&mut self, matches: [(PairMatch, [f64; 2]); 2]) {
        self.pairs += 1;
        let mut difference = 0.0;
        for (which, [first, second]) in matches {
            self.samples[0].add(first);
            self.samples[1].add(second);
            difference += (first - second) / 2.0;
            keep_greatest(&mut self.most, first - second, which);
            keep_greatest(&mut self.least, second - first, which);
        }
        // Welford's update: stable for any number of pairs.
        let before = difference - self.difference;
        self.difference += before / self.pairs as f64;
        self.squares += before * (difference - self.difference);
    }

    /// Returns the values of both line-ups in each match, the first's first.
    pub fn samples(&self) -> &[Sample; 2] {
        &self.samples
    }

    /// Returns the mean difference, first less second, in units of its standard error. 0 without two pairs or a
    /// difference.
    pub fn distinctness(&self) -> f64 {
        if self.pairs < 2 || self.difference == 0.0 {
            return 0.0;
        }
        let pairs = self.pairs as f64;
        self.difference / (self.squares / (pairs - 1.0) / pairs).sqrt()
    }

    /// Returns whether chance seldom makes a difference this large: Student's t test, which errs for one metric in a
    /// thousand. False with fewer than five pairs: of metrics that are small numbers, the scatter is then often none.
    pub fn is_distinct(&self) -> bool {
        const LEAST_PAIRS: u64 = 5;
        const ERROR: f64 = 0.001;
        let quantile = || {
            let student = StudentsT::new(0.0, 1.0, (self.pairs - 1) as f64).expect("there are several pairs");
            student.inverse_cdf(1.0 - ERROR / 2.0)
        };
        self.pairs >= LEAST_PAIRS && self.distinctness().abs() >= quantile()
    }

    /// Returns the match in which the difference of the means shows most.
    pub fn example(&self) -> Option<PairMatch> {
        let kept = if self.difference > 0.0 { self.most } else { self.least };
        kept.map(|(_, which)| which)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a metric whose mean difference is 5, with this number of pairs, and this far from it in turn.
    fn metric(pairs: u64, scatter: f64) -> MetricTally {
        let mut metric = MetricTally::new("shams");
        for pair in 0..pairs {
            let difference = if pair % 2 == 0 { 5.0 + scatter } else { 5.0 - scatter };
            metric.add(PairMatch::both(pair).map(|which| (which, [difference, 0.0])));
        }
        metric
    }

    #[test]
    fn few_pairs_make_no_difference_distinct() {
        for (pairs, scatter, is_distinct) in [
            (2, 0.1, false),
            (4, 0.0, false),
            (6, 2.0, false),
            (6, 1.0, true),
            (40, 8.0, true),
            (40, 10.0, false),
        ] {
            let metric = metric(pairs, scatter);
            let errors = metric.distinctness();
            assert_eq!(metric.is_distinct(), is_distinct, "{pairs} pairs: {errors} standard errors");
        }
        assert!(metric(6, 2.0).distinctness() > 3.3, "as many standard errors are enough for many pairs");
    }
}
