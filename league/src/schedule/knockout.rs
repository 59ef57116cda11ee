//! Knockout schedule: the losers of each round are eliminated.

use contests::entrant::EntrantId;

use super::{Pairing, Points, Round, matches_of};

/// A knockout of a game with two sides, in the bracket that keeps the first entrants of the league file apart for as
/// long as possible.
///
/// If the number of entrants is no power of two, the first ones have a bye in the first round. The entrant with more
/// points in all sets of a pairing advances. A tie is played on, one set at a time; if it lasts for
/// [`Knockout::MOST_EXTENSIONS`] sets, the entrant that comes first in the league file advances.
#[derive(Clone, Debug)]
pub struct Knockout {
    entrants: usize,
    sets: u32,
    /// Entrants that are left, in the order of the bracket; none for a bye. Empty before the first round.
    bracket: Vec<Option<EntrantId>>,
    /// For each entrant, the number of rounds after which it was left.
    rounds_won: Vec<u32>,
    /// The ties that are played on, and the number of sets that they were played on for.
    tied: Vec<Pairing>,
    extensions: u32,
    /// The number of sets by which ties have been extended so far.
    extending_sets: u64,
}

impl Knockout {
    /// The most sets that a tie is played on for. Two entrants that play alike tie every mirrored pair, so that some
    /// number has to be the last.
    pub const MOST_EXTENSIONS: u32 = 20;

    /// Creates a knockout of this number of entrants.
    ///
    /// # Panics
    ///
    /// If there are fewer than two.
    pub fn new(entrants: usize, sets: u32) -> Self {
        assert!(entrants >= 2, "{entrants} entrants cannot meet");
        let rounds_won = vec![0; entrants];
        let (bracket, tied) = (Vec::new(), Vec::new());
        Self { entrants, sets, bracket, rounds_won, tied, extensions: 0, extending_sets: 0 }
    }

    pub(super) fn next_round(&mut self, points: &Points) -> Option<Round> {
        if self.bracket.is_empty() {
            self.bracket = bracket(self.entrants);
        } else {
            let is_tied = |pairing: &Pairing| {
                let points = points.of_pairing(pairing);
                points[0] == points[1]
            };
            let under_way =
                if self.tied.is_empty() { self.pairings() } else { std::mem::take(&mut self.tied) };
            let tied: Vec<_> = under_way.into_iter().filter(is_tied).collect();
            if !tied.is_empty() && self.extensions < Self::MOST_EXTENSIONS {
                self.extensions += 1;
                self.extending_sets += tied.len() as u64;
                self.tied = tied.clone();
                return Some(Round { pairings: tied, sets: 1 });
            }
            self.extensions = 0;
            self.bracket = self.bracket.chunks_exact(2).map(|two| winner(two, points)).collect();
            for left in self.bracket.iter().flatten() {
                self.rounds_won[left.index()] += 1;
            }
        }
        let pairings = self.pairings();
        (!pairings.is_empty()).then_some(Round { pairings, sets: self.sets })
    }

    /// Returns for each entrant, the number of rounds that it has won so far, those with a bye included.
    pub(super) fn rounds_won(&self) -> &[u32] {
        &self.rounds_won
    }

    pub(super) fn number_of_matches(&self) -> Option<u64> {
        let planned = matches_of(self.entrants as u64 - 1, 2, self.sets)?;
        planned.checked_add(matches_of(self.extending_sets, 2, 1)?)
    }

    /// Returns the pairings of this round.
    fn pairings(&self) -> Vec<Pairing> {
        let pairing = |two: &[Option<EntrantId>]| Some(Pairing::new([two[0]?, two[1]?]));
        self.bracket.chunks_exact(2).filter_map(pairing).collect()
    }
}

/// Returns the entrant that advances of two neighbours in the bracket.
fn winner(two: &[Option<EntrantId>], points: &Points) -> Option<EntrantId> {
    let (Some(one), Some(other)) = (two[0], two[1]) else { return two[0].or(two[1]) };
    let pairing = Pairing::new([one, other]);
    let points = points.of_pairing(&pairing);
    Some(pairing.entrants()[usize::from(points[1] > points[0])])
}

/// Returns the entrants in the order in which neighbours meet, then the winners of neighbours, and so on. The first one
/// meets the last, and the first two can only meet in the last round.
fn bracket(entrants: usize) -> Vec<Option<EntrantId>> {
    let mut places = vec![0];
    while places.len() < entrants {
        let last = 2 * places.len() - 1;
        places = places.into_iter().flat_map(|place| [place, last - place]).collect();
    }
    places.into_iter().map(|place| (place < entrants).then(|| EntrantId::from_index(place))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entrants_are_kept_apart() {
        let shown = |entrants| {
            let bracket = bracket(entrants);
            let places = bracket.iter().map(|one| one.map_or("-".to_owned(), |entrant| entrant.to_string()));
            places.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(2), "1 2");
        assert_eq!(shown(8), "1 8 4 5 2 7 3 6");
        assert_eq!(shown(5), "1 - 4 5 2 - 3 -");
    }
}
