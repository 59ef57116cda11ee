//! The endings of games and the blunders in them, which a reader of results should know.

use std::collections::BTreeMap;

use game_env::Seed;
use game_env::matches::MatchRecord;

use crate::text::with_commas;
use crate::verdict::{self, Verdict};

/// The verdicts on games, and the blunders of their agents.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Incidents {
    verdicts: BTreeMap<Verdict, u64>,
    blunders: u64,
    /// The first blunder that was recorded, with the seed of its game.
    first: Option<(Seed, String)>,
}

impl Incidents {
    /// Counts a game.
    pub fn add(&mut self, record: &MatchRecord) {
        *self.verdicts.entry(Verdict::of(record.outcome.termination)).or_default() += 1;
        self.blunders += record.blunders;
        if self.first.is_none() {
            self.first = record.first_blunders.first().map(|text| (record.spec.seed, text.clone()));
        }
    }

    /// Returns the remarks for people: on games that ended otherwise than by the rules, and on blunders.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> = verdict::unusual(&self.verdicts).into_iter().collect();
        if let Some((seed, first)) = &self.first {
            let blunders = with_commas(self.blunders);
            remarks.push(format!("blunders of strategies: {blunders}; the first, with seed {seed}: {first}"));
        }
        remarks
    }
}
