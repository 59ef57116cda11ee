//! Results of a race so far. It plays no matches.

use game_env::matches::MatchRecord;

use super::plan::Plan;
use crate::incidents::Incidents;
use crate::setup::half_points;
use crate::statistics::{Elimination, Ending};

/// The variants with their results so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    test: Elimination,
    games: u64,
    left_out: u64,
    incidents: Incidents,
}

impl Standings {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { test: plan.test(), games: 0, left_out: 0, incidents: Incidents::default() }
    }

    /// Counts a block: the records of all variants that are left, in their order. If a match says nothing about its
    /// agents, the block counts for nobody: the variants would not have met the same boards.
    pub(super) fn add(&mut self, block: &[Vec<[MatchRecord; 2]>]) {
        for record in block.iter().flatten().flatten() {
            self.incidents.add(record);
            self.games += 1;
        }
        let results = block.iter().map(|pairs| {
            let outcomes = pairs.iter().map(|pair| pair.each_ref().map(|record| &record.outcome));
            outcomes.map(half_points).collect()
        });
        match results.collect::<Option<Vec<Vec<u8>>>>() {
            Some(results) => self.test.add(&results),
            None => self.left_out += 1,
        }
    }

    /// Returns the test of the variants.
    pub fn test(&self) -> &Elimination {
        &self.test
    }

    /// Returns the places of the variants that are left.
    pub fn left(&self) -> &[usize] {
        self.test.left()
    }

    /// Returns whether the race has ended by its statistics, and with which variant.
    pub fn ending(&self) -> Option<Ending> {
        self.test.ending()
    }

    /// Returns the number of games, of all variants.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the number of blocks that count for nobody.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the endings of the games and the blunders in them.
    pub fn incidents(&self) -> &Incidents {
        &self.incidents
    }
}
