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

    /// A note on the intervals of the rows.
    pub fn note(&self) -> String {
        format!("The intervals hold all best values together with {:.0} %.", 100.0 * self.confidence)
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
    let Some(Interval { value, low, high }) = found.gain else {
        return format!("{best} keeps the values of the start: no better ones are certain");
    };
    let pairs = counted(plan.size.held_out, "held-out pair", "held-out pairs");
    let gain = format!(
        "{:+.1} % ± {:.1} of the points on {pairs} of games each",
        100.0 * value,
        50.0 * (high - low)
    );
    if low > 0.0 {
        format!("{best} is stronger than the start: {gain}")
    } else if high < 0.0 {
        format!("{best} is weaker than the start: {gain}; more samples may find better values")
    } else {
        format!("{best} is no stronger than the start for certain: {gain}")
    }
}
