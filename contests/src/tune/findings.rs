//! Result of a search in words.

use std::fmt;

use super::plan::Plan;
use super::tuner::{Found, Tuned};
use crate::statistics::Interval;
use crate::text::{columns, counted};

/// Result of a search for people.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// One sentence.
    pub sentence: String,
    /// A row for each parameter: its name, the value of the start, the best value, the bounds of its interval, and a
    /// remark.
    pub rows: Vec<[String; 6]>,
    confidence: f64,
}

impl Findings {
    /// The head of the rows.
    pub const HEAD: [&str; 6] = ["parameter", "start", "best", "from", "to", ""];

    /// Returns the findings of a search.
    pub fn new(plan: &Plan, found: &Found) -> Self {
        let row = |((own, start), Tuned { value, is_open }): ((_, &f64), &Tuned)| {
            let own: &super::Parameter = own;
            let [start, best, low, high] =
                [*start, value.value, value.low, value.high].map(|value| own.text(value));
            let remark = if *is_open { "undecided" } else { "" };
            [own.name.clone(), start, best, low, high, remark.to_owned()]
        };
        let rows = plan.parameters.iter().zip(&plan.start).zip(&found.parameters).map(row).collect();
        Self { sentence: sentence(plan, found), rows, confidence: plan.size.confidence }
    }

    /// Returns a note on the intervals of the rows.
    pub fn note(&self) -> String {
        // As many decimals as the number has: 99.95 % is not 100 %.
        let percent = (100.0 * self.confidence * 1e6).round() / 1e6;
        format!("The intervals hold all best values together with {percent} %.")
    }
}

/// The sentence, a table of the parameters, and a note.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.sentence)?;
        let head = Self::HEAD.map(str::to_owned);
        let rows: Vec<_> = std::iter::once(head).chain(self.rows.iter().cloned()).collect();
        for line in columns(&rows).lines() {
            writeln!(f, "{}", line.trim_end())?;
        }
        writeln!(f, "{}", self.note())
    }
}

fn sentence(plan: &Plan, found: &Found) -> String {
    let values: Vec<f64> = found.parameters.iter().map(|own| own.value.value).collect();
    let best = plan.line_up(&values);
    if best == plan.line_up(&plan.start) {
        return format!("{best} keeps the values of the start: no better ones are certain");
    }
    let Some(Interval { value, low, high }) = found.gain else {
        return format!("{best} has the best values; no held-out pair says by how much");
    };
    let pairs = counted(plan.size.held_out, "held-out pair", "held-out pairs");
    let gain = format!(
        "{:+.1} % ({:+.1} to {:+.1}) of the points on {pairs} of games each",
        100.0 * value,
        100.0 * low,
        100.0 * high
    );
    if low > 0.0 {
        format!("{best} is stronger than the start: {gain}")
    } else if high < 0.0 {
        format!("{best} is weaker than the start: {gain}; more samples may find better values")
    } else {
        format!("{best} is no stronger than the start for certain: {gain}")
    }
}

#[cfg(test)]
mod tests {
    use game_env::Seed;

    use super::super::tuner::Size;
    use super::*;
    use crate::setup::Pool;

    #[test]
    fn a_sentence_says_what_was_found_and_what_was_measured() {
        let plan = Plan {
            template: "a:x={x}".to_owned(),
            parameters: vec!["x=0.0..4".parse().unwrap()],
            start: vec![2.0],
            pool: Pool { games: Vec::new(), opponents: Vec::new() },
            size: Size { samples: 100, confidence: 0.9, held_out: 7, seed: Seed::new(1) },
            held_out_seed: Seed::new(2),
        };
        let told = |best: f64, gain: Option<[f64; 3]>| {
            let interval = |[low, value, high]: [f64; 3]| Interval { value, low, high };
            let value = interval([0.0, best, 4.0]);
            let found = Found { parameters: vec![Tuned { value, is_open: false }], gain: gain.map(interval) };
            sentence(&plan, &found)
        };
        let of = "of the points on 7 held-out pairs of games each";
        assert_eq!(told(2.0, None), "a:x=2 keeps the values of the start: no better ones are certain");
        assert_eq!(told(1.0, None), "a:x=1 has the best values; no held-out pair says by how much");
        assert_eq!(
            told(1.0, Some([0.01, 0.03, 0.05])),
            format!("a:x=1 is stronger than the start: +3.0 % (+1.0 to +5.0) {of}")
        );
        assert_eq!(
            told(1.0, Some([-0.01, 0.01, 0.03])),
            format!("a:x=1 is no stronger than the start for certain: +1.0 % (-1.0 to +3.0) {of}")
        );
    }
}
