//! Result of a comparison in words.

use std::fmt;

use super::plan::{PairMatch, Plan};
use super::sample::Sample;
use super::tally::{MetricTally, Tally};
use crate::statistics::{Decision, Interval, elo_of_score, luck};
use crate::text::{self, columns, counted, metric as named, value, with_commas as count};

/// Result of a comparison for people.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// One sentence.
    pub sentence: String,
    /// Metrics that differ between the line-ups, most distinct first.
    pub differences: Vec<Difference>,
    /// Length of a match: its actions, and its game time if the game has one.
    pub length: Vec<String>,
    /// Matches to look at.
    pub examples: Vec<Example>,
    /// Remarks: games that ended otherwise than by the rules, pairs that are left out, blunders.
    pub remarks: Vec<String>,
    names: [String; 2],
}

/// A metric that differs, as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Name of the metric for people.
    pub name: String,
    /// The mean of a match for each line-up.
    pub means: [String; 2],
    /// The median of a match for each line-up.
    pub medians: [String; 2],
}

/// A match to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The match.
    pub which: PairMatch,
    /// Reason to look at it.
    pub why: String,
}

/// With fewer pairs, the interval of a median is not one of 95 %: not even from the least value to the largest.
const LEAST_PAIRS_OF_MEDIAN: u64 = 6;

/// Most metrics that are reported.
const MOST_DIFFERENCES: usize = 5;

/// Most matches that are named.
const MOST_EXAMPLES: usize = 3;

/// More than this is as good as never.
const RAREST: f64 = 1e6;

impl Findings {
    /// Returns the findings of these pairs.
    pub fn new(plan: &Plan, tally: &Tally) -> Self {
        let mut distinct: Vec<&MetricTally> =
            tally.metrics().iter().filter(|metric| metric.is_distinct()).collect();
        distinct.sort_by(|a, b| b.distinctness().abs().total_cmp(&a.distinctness().abs()));
        let shown = distinct.iter().take(MOST_DIFFERENCES);
        let differences = shown.map(|metric| {
            let shown =
                |of: fn(&Sample) -> f64| metric.samples().each_ref().map(|own| value(&metric.name, of(own)));
            let (means, medians) = (shown(Sample::mean), shown(|own| own.median().value));
            Difference { name: named(&metric.name), means, medians }
        });
        Self {
            sentence: sentence(plan, tally),
            differences: differences.collect(),
            length: length(tally),
            examples: examples(plan, tally, &distinct),
            remarks: remarks(tally),
            names: plan.line_ups.each_ref().map(|line_up| line_up.name.clone()),
        }
    }
}

/// The sentence, the metrics that differ, the length of a match, and remarks; the examples are left to the program,
/// which knows how to open them.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.sentence)?;
        if !self.differences.is_empty() {
            writeln!(f, "\nwhere they differ most in a game, as mean and median:")?;
            let [own, other] = &self.names;
            let head = ["", own, "median", other, "median"].map(str::to_owned);
            let row = |difference: &Difference| {
                let Difference { name, means: [own, other], medians: [own_median, other_median] } =
                    difference;
                [name, own, own_median, other, other_median].map(String::clone)
            };
            let rows: Vec<_> = std::iter::once(head).chain(self.differences.iter().map(row)).collect();
            f.write_str(&columns(&rows))?;
        }
        for length in &self.length {
            writeln!(f, "{length}")?;
        }
        for remark in &self.remarks {
            writeln!(f, "{remark}")?;
        }
        Ok(())
    }
}

fn sentence(plan: &Plan, tally: &Tally) -> String {
    let games = games(tally.meeting().matches());
    let once_in = |rate: f64| 1.0 / rate;
    match tally.decision() {
        Some(Decision::Equal) => {
            let missed = count_down(once_in(plan.beta));
            format!(
                "no difference of {} Elo or more: {} won {} of {games}; such a difference would be missed \
                 about once in {missed} at most",
                plan.margin,
                plan.line_ups[0].name,
                text::share(tally.score()),
            )
        }
        Some(decision @ (Decision::First | Decision::Second)) => {
            let first = decision == Decision::First;
            let score = if first { tally.score() } else { mirrored(tally.score()) };
            // The test's own promise holds for every decision; the lead itself is often rarer still.
            let rare = count_down(luck(tally.pairs()).max(once_in(plan.alpha)).min(RAREST));
            format!(
                "{} is stronger: {} of {games}; it would be luck less than once in {rare}",
                plan.line_ups[usize::from(!first)].name,
                text::share(score),
            )
        }
        None => undecided(plan, tally, &games),
    }
}

/// Returns the sentence without a decision. An interval without 50 % is evidence, although the test wants more.
fn undecided(plan: &Plan, tally: &Tally, games: &str) -> String {
    let (score, fewest) = (tally.score(), tally.test().fewest_pairs());
    let needed = match tally.test().pairs_left(tally.pairs()) {
        Some(left) => format!("about {}", count_up(left.saturating_add(tally.pairs().pairs()).max(fewest))),
        None => format!("at least {}", count(fewest)),
    };
    let ahead = if score.low > 0.5 {
        Some((&plan.line_ups[0].name, score))
    } else {
        (score.high < 0.5).then(|| (&plan.line_ups[1].name, mirrored(score)))
    };
    match ahead {
        Some((name, score)) => format!(
            "{name} is probably stronger: {} of {games}; to be sure, the test needs {needed} pairs in all",
            text::share(score)
        ),
        None => format!(
            "undecided after {games}: {} won {}; the test needs {needed} pairs in all",
            plan.line_ups[0].name,
            text::share(score)
        ),
    }
}

/// Returns the matches to look at, from the side of the line-up that is ahead.
fn examples(plan: &Plan, tally: &Tally, distinct: &[&MetricTally]) -> Vec<Example> {
    let is_first = tally.score().value >= 0.5;
    let [ahead, behind] = if is_first { [0, 1] } else { [1, 0] }.map(|place| &plan.line_ups[place].name);
    let (win, loss) = if is_first {
        (tally.clearest_win(), tally.clearest_loss())
    } else {
        (tally.clearest_loss(), tally.clearest_win())
    };
    let clear =
        [(win, format!("the clearest win of {ahead}")), (loss, format!("the clearest win of {behind}"))];
    let shows = distinct
        .iter()
        .map(|metric| (metric.example(), format!("the largest difference in {}", named(&metric.name))));
    let mut examples: Vec<Example> = Vec::new();
    for (which, why) in clear.into_iter().chain(shows) {
        let Some(which) = which else { continue };
        if examples.len() < MOST_EXAMPLES && examples.iter().all(|example| example.which != which) {
            examples.push(Example { which, why });
        }
    }
    examples
}

fn remarks(tally: &Tally) -> Vec<String> {
    let mut remarks = tally.incidents().remarks();
    if tally.left_out() > 0 {
        remarks.push(format!("pairs that count for nobody: {}", count(tally.left_out())));
    }
    remarks
}

/// `1 game`, `2,300 games`.
fn games(number: u64) -> String {
    counted(number, "game", "games")
}

/// Returns the lines about the length of a match.
fn length(tally: &Tally) -> Vec<String> {
    if tally.meeting().matches() == 0 {
        return Vec::new();
    }
    let told = |what: &str, mean: &str, median: Interval, show: fn(f64) -> String| {
        let [median, low, high] = [median.value, median.low, median.high].map(show);
        let interval = if tally.pairs().pairs() < LEAST_PAIRS_OF_MEDIAN {
            String::new()
        } else {
            format!(" (95 % interval: {low} to {high})")
        };
        format!("a game {what} {mean} on average, median {median}{interval}")
    };
    let seconds = |ms: f64| format!("{} s", tenth(ms / 1_000.0));
    let actions = match tenth(tally.actions().mean()) {
        one if one == "1" => "1 action".to_owned(),
        mean => format!("{mean} actions"),
    };
    let mut length = vec![told("has", &actions, tally.actions().median(), tenth)];
    let mean = tally.times().mean();
    // Games of turns take no time in process, or a millisecond for each.
    if mean >= 1_000.0 {
        length.push(told("lasts", &seconds(mean), tally.times().median(), seconds));
    }
    length
}

/// To one decimal place, without a zero there: `54`, `57.3`.
fn tenth(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn mirrored(score: Interval) -> Interval {
    Interval { value: 1.0 - score.value, low: 1.0 - score.high, high: 1.0 - score.low }
}

/// Returns the greatest of 1, 2, 5, 10, 20, … that is not above this number, with commas.
pub(crate) fn count_down(number: f64) -> String {
    let mut step = 1_u64;
    // Rounding must not turn a promise of 20 into one of 10.
    while step as f64 * 10.0 <= number * (1.0 + 1e-9) {
        step *= 10;
    }
    let times = [5, 2, 1].into_iter().find(|times| (step * times) as f64 <= number * (1.0 + 1e-9));
    count(step * times.unwrap_or(1))
}

/// Returns the smallest of 1, 2, 5, 10, 20, … that is not below this number, with commas.
fn count_up(number: u64) -> String {
    let mut step = 1_u64;
    while step.saturating_mul(10) < number {
        step = step.saturating_mul(10);
    }
    let times = [1, 2, 5, 10].map(|times| step.saturating_mul(times));
    count(times.into_iter().find(|rounded| *rounded >= number).unwrap_or(u64::MAX))
}

impl Tally {
    /// Returns the state of the comparison in one line: `1,204 games  68.1 % (65.5 to 70.6)  +132 Elo  LLR 2.10 of
    /// 3.64`.
    pub fn line(&self) -> String {
        let score = self.score();
        let elo = elo_of_score(score.value);
        let elo = if elo.is_finite() { format!("  {elo:+.0} Elo") } else { String::new() };
        let ([first, second], (_, upper)) = self.test().llr();
        let games = games(self.meeting().matches());
        format!("{games}  {}{elo}  LLR {:.2} of {upper:.2}", text::share(score), first.max(second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        let down = [1.0, 1.99, 4.0, 20.0, 49.0, 50.0, 999.0, 1e6].map(count_down);
        assert_eq!(down, ["1", "1", "2", "20", "20", "50", "500", "1,000,000"]);
        assert_eq!(count_down(1.0 / 0.05), "20");
        let up = [0, 1, 3, 20, 21, 51, 129, 1_000, 1_001].map(count_up);
        assert_eq!(up, ["1", "1", "5", "20", "50", "100", "200", "1,000", "2,000"]);
        assert_eq!(count_up(u64::MAX), count(u64::MAX));
        assert_eq!([54.0, 57.26, 0.0].map(tenth), ["54", "57.3", "0"]);
        assert_eq!([0, 1, 2].map(games), ["0 games", "1 game", "2 games"]);
    }
}
