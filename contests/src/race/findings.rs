//! Result of a race in words.

use std::cmp::{Ordering, Reverse};
use std::fmt;

use super::plan::Plan;
use super::standings::Standings;
use crate::compare::count_down;
use crate::statistics::{Ending, Interval, score_of_elo};
use crate::text::{self, columns, counted, with_commas as count};

/// Result of a race for people.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// One sentence.
    pub sentence: String,
    /// All variants, the strongest first.
    pub rows: Vec<Row>,
    /// Remarks: games that ended otherwise than by the rules, blunders, blocks that are left out.
    pub remarks: Vec<String>,
}

/// A variant as people read it.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The number of its pairs.
    pub pairs: u64,
    /// Its share of the points, with the interval that holds the true share with 95 %. That of the strongest is a
    /// little too high, because it was chosen by it.
    pub score: Interval,
    /// Its state at the end: `strongest`, `left` or `dropped`.
    pub state: &'static str,
}

impl Findings {
    /// Returns the findings of these results.
    pub fn new(plan: &Plan, standings: &Standings) -> Self {
        let test = standings.test();
        let mut order: Vec<usize> = (0..plan.variants.len()).collect();
        let best = standings.ending().map(Ending::best);
        // The strongest, those that are left by their points, then the dropped ones, the last one first.
        order.sort_by(|a, b| {
            let key =
                |variant: usize| (best != Some(variant), Reverse(test.dropped(variant).unwrap_or(u64::MAX)));
            let by_score = test.pairs(*b).score().partial_cmp(&test.pairs(*a).score());
            key(*a).cmp(&key(*b)).then(by_score.unwrap_or(Ordering::Equal))
        });
        let row = |variant: usize| Row {
            name: plan.variants[variant].name.clone(),
            pairs: test.pairs(variant).pairs(),
            score: test.pairs(variant).wilson(0.95),
            state: match test.dropped(variant) {
                Some(_) => "dropped",
                None if best == Some(variant) => "strongest",
                None => "left",
            },
        };
        let mut remarks = standings.incidents().remarks();
        if standings.left_out() > 0 {
            let blocks = counted(standings.left_out(), "block counts", "blocks count");
            remarks.push(format!("{blocks} for nobody, with the pairs of all variants in it"));
        }
        Self { sentence: sentence(plan, standings), rows: order.into_iter().map(row).collect(), remarks }
    }
}

/// The sentence, a table of the variants, and remarks.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.sentence)?;
        let head = ["variant", "pairs", "points", ""].map(str::to_owned);
        let cells =
            |row: &Row| [row.name.clone(), count(row.pairs), text::share(row.score), row.state.to_owned()];
        let rows: Vec<_> = std::iter::once(head).chain(self.rows.iter().map(cells)).collect();
        f.write_str(&columns(&rows))?;
        for remark in &self.remarks {
            writeln!(f, "{remark}")?;
        }
        Ok(())
    }
}

fn sentence(plan: &Plan, standings: &Standings) -> String {
    let name = |variant: usize| &plan.variants[variant].name;
    let variants = plan.variants.len();
    let games = counted(standings.games(), "game", "games");
    let once_in = |rate: f64| count_down(1.0 / rate);
    match standings.ending() {
        Some(Ending::Alone(best)) => format!(
            "{} is the strongest of {variants} variants, after {games}; the strongest is dropped at most once in {} races",
            name(best),
            once_in(plan.error)
        ),
        Some(Ending::WithinMargin(best)) => format!(
            "{} is the strongest of {variants} variants, or less than {:.1} % of the points behind it, after {games}; this is \
             wrong at most once in {} races",
            name(best),
            100.0 * (score_of_elo(plan.margin) - 0.5),
            once_in(2.0 * plan.error)
        ),
        None => format!(
            "undecided after {games}: {} of {variants} variants are left, {} with the most points",
            standings.left().len(),
            name(standings.test().leader())
        ),
    }
}

impl Standings {
    /// Returns the state of the race in one line:
    /// `17,000 games  3 of 8 variants left  coordinated leads with 61.2 % (59.4 to 63.0)`.
    pub fn line(&self, plan: &Plan) -> String {
        let (leader, games) = (self.test().leader(), counted(self.games(), "game", "games"));
        format!(
            "{games}  {} of {} variants left  {} leads with {}",
            self.left().len(),
            plan.variants.len(),
            plan.variants[leader].name,
            text::share(self.test().pairs(leader).wilson(0.95))
        )
    }
}
