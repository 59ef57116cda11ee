//! What a comparison came to, in words.

use std::fmt;

use super::plan::{PairMatch, Plan};
use super::tally::{MetricTally, Tally};
use crate::statistics::{Interval, Verdict, elo_of_score, luck};

/// What a comparison came to, as people read it.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// One sentence.
    pub sentence: String,
    /// Where the difference comes from: metric, means of both line-ups, most distinct first.
    pub differences: Vec<(String, [String; 2])>,
    /// Matches to look at.
    pub examples: Vec<Example>,
    /// What else there is to know: matches that ended otherwise than by the rules, blunders.
    pub remarks: Vec<String>,
    names: [String; 2],
}

/// A match to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// Which match.
    pub which: PairMatch,
    /// Why to look at it.
    pub why: String,
}

/// Metrics whose difference is within this many standard errors may differ by chance: one in about 1,000 does.
const DISTINCT: f64 = 3.3;

/// How many metrics are told.
const MOST_DIFFERENCES: usize = 5;

/// How many matches are named.
const MOST_EXAMPLES: usize = 3;

/// More than this is as good as never.
const RAREST: f64 = 1e6;

impl Findings {
    /// What these pairs say.
    pub fn new(plan: &Plan, tally: &Tally) -> Self {
        let mut distinct: Vec<&MetricTally> =
            tally.metrics().iter().filter(|metric| metric.distinctness().abs() >= DISTINCT).collect();
        distinct.sort_by(|a, b| b.distinctness().abs().total_cmp(&a.distinctness().abs()));
        let shown = distinct.iter().take(MOST_DIFFERENCES);
        let differences = shown.map(|metric| {
            let (name, scale) = named(&metric.name);
            (name, metric.means().map(|mean| scale.show(mean)))
        });
        Self {
            sentence: sentence(plan, tally),
            differences: differences.collect(),
            examples: examples(plan, tally, &distinct),
            remarks: remarks(plan, tally),
            names: plan.names.clone(),
        }
    }
}

/// The sentence, where the difference comes from, and remarks; the examples are left to the program, which knows how to open them.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.sentence)?;
        if !self.differences.is_empty() {
            let head = self.names.clone();
            let rows = self.differences.iter().map(|(name, means)| (name.as_str(), means));
            let rows: Vec<(&str, &[String; 2])> = std::iter::once(("", &head)).chain(rows).collect();
            let chars = |text: &str| text.chars().count();
            let first = rows.iter().map(|(name, _)| chars(name)).max().unwrap_or(0);
            let width = |side: usize| rows.iter().map(|(_, own)| chars(&own[side])).max().unwrap_or(0);
            let widths = [width(0), width(1)];
            writeln!(f, "\nwhere they differ most, in the mean of a game:")?;
            for (name, [own, other]) in rows {
                writeln!(f, "  {name:first$}  {own:>0$}  {other:>1$}", widths[0], widths[1])?;
            }
        }
        for remark in &self.remarks {
            writeln!(f, "{remark}")?;
        }
        Ok(())
    }
}

fn sentence(plan: &Plan, tally: &Tally) -> String {
    let games = count(tally.meeting().matches());
    let once_in = |rate: f64| 1.0 / rate;
    match tally.verdict() {
        Some(Verdict::Equal) => {
            let missed = count_down(once_in(plan.beta));
            format!(
                "no difference of {} Elo or more: {} won {} of {games} games; such a difference would be missed \
                 at most once in {missed}",
                plan.margin,
                plan.names[0],
                percent(tally.score()),
            )
        }
        Some(verdict @ (Verdict::First | Verdict::Second)) => {
            let first = verdict == Verdict::First;
            let score = if first { tally.score() } else { mirrored(tally.score()) };
            // The test's own promise holds for every verdict; the lead itself is often rarer still.
            let rare = count_down(luck(tally.pairs()).max(once_in(plan.alpha)).min(RAREST));
            format!(
                "{} is stronger: {} of {games} games; it would be luck less than once in {rare}",
                plan.names[usize::from(!first)],
                percent(score),
            )
        }
        None => format!(
            "undecided after {games} games: {} won {}; more games tell a difference of {} Elo",
            plan.names[0],
            percent(tally.score()),
            plan.margin
        ),
    }
}

/// The matches to look at, from the side of the line-up that is ahead.
fn examples(plan: &Plan, tally: &Tally, distinct: &[&MetricTally]) -> Vec<Example> {
    let is_first = tally.score().value >= 0.5;
    let [ahead, behind] = if is_first { [0, 1] } else { [1, 0] }.map(|place| &plan.names[place]);
    let (win, loss) = if is_first {
        (tally.clearest_win(), tally.clearest_loss())
    } else {
        (tally.clearest_loss(), tally.clearest_win())
    };
    let clear =
        [(win, format!("the clearest win of {ahead}")), (loss, format!("the clearest win of {behind}"))];
    let shows = distinct
        .iter()
        .map(|metric| (metric.example(), format!("the largest difference in {}", named(&metric.name).0)));
    let mut examples: Vec<Example> = Vec::new();
    for (which, why) in clear.into_iter().chain(shows) {
        let Some(which) = which else { continue };
        if examples.len() < MOST_EXAMPLES && examples.iter().all(|example| example.which != which) {
            examples.push(Example { which, why });
        }
    }
    examples
}

fn remarks(plan: &Plan, tally: &Tally) -> Vec<String> {
    use crate::verdict::Verdict as Ending;

    let odd = tally.verdicts().iter().filter(|(ending, _)| **ending != Ending::Normal);
    let odd: Vec<String> = odd.map(|(ending, games)| format!("{ending} {}", count(*games))).collect();
    let mut remarks = Vec::new();
    if !odd.is_empty() {
        remarks.push(format!("games that ended otherwise than by the rules: {}", odd.join(", ")));
    }
    if tally.left_out() > 0 {
        remarks.push(format!("pairs that count for nobody: {}", count(tally.left_out())));
    }
    if let (blunders, Some((which, first))) = tally.blunders() {
        let seed = plan.seed.child(which.pair);
        remarks.push(format!(
            "blunders of strategies: {}; the first, with seed {seed}: {first}",
            count(blunders)
        ));
    }
    remarks
}

/// How a metric's numbers are shown.
#[derive(Clone, Copy)]
enum Scale {
    Seconds,
    Number,
}

impl Scale {
    fn show(self, value: f64) -> String {
        match self {
            Self::Seconds => format!("{:.2} s", value / 1_000.0),
            Self::Number => format!("{value:.2}"),
        }
    }
}

/// The metric as people call it: `carrying_ms` is "carrying", in seconds.
fn named(metric: &str) -> (String, Scale) {
    let (name, scale) =
        metric.strip_suffix("_ms").map_or((metric, Scale::Number), |name| (name, Scale::Seconds));
    (name.replace('_', " "), scale)
}

fn mirrored(score: Interval) -> Interval {
    Interval { value: 1.0 - score.value, low: 1.0 - score.high, high: 1.0 - score.low }
}

/// `71.3 % ± 1.9`.
pub(super) fn percent(score: Interval) -> String {
    format!("{:.1} % ± {:.1}", 100.0 * score.value, 100.0 * score.half_width())
}

/// A count with commas: `2,300`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    groups.join(",")
}

/// The greatest of 1, 2, 5, 10, 20, … that is not above this number, with commas.
fn count_down(number: f64) -> String {
    let mut step = 1_u64;
    // Rounding must not turn a promise of 20 into one of 10.
    while step as f64 * 10.0 <= number * (1.0 + 1e-9) {
        step *= 10;
    }
    let times = [5, 2, 1].into_iter().find(|times| (step * times) as f64 <= number * (1.0 + 1e-9));
    count(step * times.unwrap_or(1))
}

impl Tally {
    /// How things stand, on one line: `1,204 games  68.1 % ± 2.6  +132 Elo  LLR 2.10 of 3.64`.
    pub fn line(&self) -> String {
        let score = self.score();
        let elo = elo_of_score(score.value);
        let elo = if elo.is_finite() { format!("  {elo:+.0} Elo") } else { String::new() };
        let ([first, second], (_, upper)) = self.test().llr();
        let games = count(self.meeting().matches());
        format!("{games} games  {}{elo}  LLR {:.2} of {upper:.2}", percent(score), first.max(second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        let down = [1.0, 1.99, 4.0, 20.0, 49.0, 50.0, 999.0, 1e6].map(count_down);
        assert_eq!(down, ["1", "1", "2", "20", "20", "50", "500", "1,000,000"]);
        assert_eq!(count_down(1.0 / 0.05), "20");
        assert_eq!(named("carrying_ms").0, "carrying");
        assert_eq!(named("repeated_tries").0, "repeated tries");
    }
}
