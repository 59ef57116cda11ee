//! Round robin schedule: every entrant meets every other.

use contests::entrant::EntrantId;
use itertools::Itertools as _;

use super::{Pairing, Round, assert_can_meet, matches_of, number_of_choices};

/// One round in which every choice of as many entrants as the game has sides meets.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    entrants: usize,
    sides: usize,
    sets: u32,
    is_over: bool,
}

impl RoundRobin {
    /// Creates a round robin of this number of entrants in a game with this number of sides.
    ///
    /// # Panics
    ///
    /// If there are fewer entrants than sides, or no game has this number of sides.
    pub fn new(entrants: usize, sides: usize, sets: u32) -> Self {
        assert_can_meet(entrants, sides);
        Self { entrants, sides, sets, is_over: false }
    }

    pub(super) fn next_round(&mut self) -> Option<Round> {
        if std::mem::replace(&mut self.is_over, true) {
            return None;
        }
        let choices = EntrantId::all(self.entrants).combinations(self.sides);
        Some(Round { pairings: choices.map(Pairing::new).collect(), sets: self.sets })
    }

    pub(super) fn number_of_matches(&self) -> Option<u64> {
        matches_of(number_of_choices(self.entrants, self.sides)?, self.sides, self.sets)
    }
}
