//! Gauntlet schedule: one entrant meets all others.

use contests::entrant::EntrantId;
use itertools::Itertools as _;

use super::{Pairing, Round, assert_can_meet, matches_of, number_of_choices};

/// One round in which the champion meets every choice of as many others as the game has further sides.
#[derive(Clone, Debug)]
pub struct Gauntlet {
    champion: EntrantId,
    entrants: usize,
    sides: usize,
    sets: u32,
    is_over: bool,
}

impl Gauntlet {
    /// Creates a gauntlet of this champion against all others of this number of entrants.
    ///
    /// # Panics
    ///
    /// If there are fewer entrants than sides, no game has this number of sides, or the champion is no entrant.
    pub fn new(champion: EntrantId, entrants: usize, sides: usize, sets: u32) -> Self {
        assert_can_meet(entrants, sides);
        assert!(champion.index() < entrants, "the champion is one of the entrants");
        Self { champion, entrants, sides, sets, is_over: false }
    }

    pub(super) fn next_round(&mut self) -> Option<Round> {
        if std::mem::replace(&mut self.is_over, true) {
            return None;
        }
        let champion = self.champion;
        let others = EntrantId::all(self.entrants).filter(|entrant| *entrant != champion);
        let choices = others.combinations(self.sides - 1);
        let pairings = choices.map(|others| Pairing::new(others.into_iter().chain([champion])));
        Some(Round { pairings: pairings.collect(), sets: self.sets })
    }

    pub(super) fn number_of_matches(&self) -> Option<u64> {
        matches_of(number_of_choices(self.entrants - 1, self.sides - 1)?, self.sides, self.sets)
    }
}
