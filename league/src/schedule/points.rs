//! Points of a match, and the sums of the points so far.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use contests::entrant::EntrantId;
use game_env::Ranking;

use super::pairing::Pairing;

/// Points in halves: one point for each side that did worse, half a point for each that did as well.
///
/// With two sides a win is worth one point, and a tie half a point to both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct HalfPoints(u64);

impl HalfPoints {
    /// This number of half points.
    pub const fn new(halves: u64) -> Self {
        Self(halves)
    }

    /// Points that this ranking gives to the team with this index; the index is not the place of the team.
    ///
    /// # Panics
    ///
    /// If there is no such team.
    pub fn of(ranking: &Ranking, team: usize) -> Self {
        Self(ranking.half_points(team).into())
    }

    /// Returns the number of half points.
    pub const fn halves(self) -> u64 {
        self.0
    }
}

impl AddAssign for HalfPoints {
    fn add_assign(&mut self, more: Self) {
        self.0 += more.0;
    }
}

/// As a number of points: `3` or `3.5`.
impl fmt::Display for HalfPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = if self.0 % 2 == 1 { ".5" } else { "" };
        f.pad(&format!("{}{half}", self.0 / 2))
    }
}

/// The points that entrants have, in all and in each pairing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Points {
    totals: BTreeMap<EntrantId, HalfPoints>,
    pairings: BTreeMap<Pairing, Vec<HalfPoints>>,
}

impl Points {
    /// Adds a scored match: its pairing, its rotation, and the places of the sides.
    ///
    /// # Panics
    ///
    /// If the ranking has another number of sides than the pairing.
    pub fn add(&mut self, pairing: &Pairing, rotation: usize, ranking: &Ranking) {
        assert_eq!(ranking.places().len(), pairing.sides(), "a ranking ranks those who met");
        if !self.pairings.contains_key(pairing) {
            self.pairings.insert(pairing.clone(), vec![HalfPoints::default(); pairing.sides()]);
        }
        for (side, entrant) in pairing.seated(rotation).enumerate() {
            let points = HalfPoints::of(ranking, side);
            *self.totals.entry(entrant).or_default() += points;
            let place = (side + rotation) % pairing.sides();
            if let Some(own) = self.pairings.get_mut(pairing) {
                own[place] += points;
            }
        }
    }

    /// Returns all points of an entrant.
    pub fn total(&self, entrant: EntrantId) -> HalfPoints {
        self.totals.get(&entrant).copied().unwrap_or_default()
    }

    /// Returns the points that these entrants won from each other, in the order of [`Pairing::entrants`].
    pub(crate) fn of_pairing(&self, pairing: &Pairing) -> Vec<HalfPoints> {
        let none = || vec![HalfPoints::default(); pairing.sides()];
        self.pairings.get(pairing).cloned().unwrap_or_else(none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_that_did_worse_is_a_point() {
        for (places, halves) in [
            (&[1, 2][..], &[2, 0][..]),
            (&[1, 1], &[1, 1]),
            (&[2, 1, 3], &[2, 4, 0]),
            (&[1, 1, 3, 3], &[5, 5, 1, 1]),
            (&[1, 1, 1, 1], &[3, 3, 3, 3]),
        ] {
            let ranking = Ranking::from_places(places).unwrap();
            let points: Vec<_> =
                (0..places.len()).map(|team| HalfPoints::of(&ranking, team).halves()).collect();
            assert_eq!(points, halves, "{places:?}");
        }
        assert_eq!([0, 1, 2, 7].map(|halves| HalfPoints::new(halves).to_string()), ["0", "0.5", "1", "3.5"]);
    }

    #[test]
    fn points_go_to_the_entrant_that_played_the_side() {
        let [a, b, c] = [0, 1, 2].map(EntrantId::from_index);
        let pairing = Pairing::new([c, a]);
        let mut points = Points::default();
        let first_side_wins = Ranking::from_places(&[1, 2]).unwrap();
        points.add(&pairing, 0, &first_side_wins);
        assert_eq!([a, b, c].map(|entrant| points.total(entrant).halves()), [2, 0, 0]);
        points.add(&pairing, 1, &first_side_wins);
        points.add(&pairing, 1, &first_side_wins);
        assert_eq!([a, b, c].map(|entrant| points.total(entrant).halves()), [2, 0, 4]);
        assert_eq!(points.of_pairing(&pairing), [2, 4].map(HalfPoints::new));
        assert_eq!(points.of_pairing(&Pairing::new([a, b])), [0, 0].map(HalfPoints::new));
    }
}
