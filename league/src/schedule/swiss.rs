//! Swiss schedule: entrants with like points meet.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use contests::entrant::EntrantId;

use super::{Pairing, Points, Round, assert_can_meet, matches_of};

/// A Swiss system: a fixed number of rounds, in each of which all entrants meet others with like points that they have
/// not met.
///
/// Entrants are ranked by points, then by their order in the league file. From the best down, each meets the next below
/// it that it has not met. With two sides, no two entrants meet twice in half as many rounds as there are entrants;
/// beyond that, and with more sides, repetitions are few. If the number of entrants is no multiple of the number of
/// sides, the lowest of those with the fewest byes have a bye, which counts as winning all matches of the round: for
/// the pairings of later rounds, not for standings.
#[derive(Clone, Debug)]
pub struct Swiss {
    entrants: usize,
    sides: usize,
    sets: u32,
    rounds: u32,
    round: u32,
    /// Number of times that two entrants have met.
    met: BTreeMap<(EntrantId, EntrantId), u32>,
    byes: BTreeMap<EntrantId, u64>,
}

impl Swiss {
    /// Creates a Swiss system of this number of rounds.
    ///
    /// # Panics
    ///
    /// If there are fewer entrants than sides, or no game has this number of sides.
    pub fn new(entrants: usize, sides: usize, sets: u32, rounds: u32) -> Self {
        assert_can_meet(entrants, sides);
        Self { entrants, sides, sets, rounds, round: 0, met: BTreeMap::new(), byes: BTreeMap::new() }
    }

    /// Returns the number of rounds that find one winner if the better one always wins: the base 2 logarithm of the
    /// number of entrants, rounded up.
    pub fn usual_rounds(entrants: usize) -> u32 {
        entrants.next_power_of_two().trailing_zeros().max(1)
    }

    pub(super) fn next_round(&mut self, points: &Points) -> Option<Round> {
        if self.round == self.rounds {
            return None;
        }
        self.round += 1;
        let mut ranked: Vec<_> = EntrantId::all(self.entrants).collect();
        ranked.sort_by_key(|entrant| Reverse(self.points(points, *entrant))); // stable: then by id
        for entrant in self.choose_byes(&ranked) {
            *self.byes.entry(entrant).or_default() += 1;
            ranked.retain(|other| *other != entrant);
        }
        let mut groups = self.group(ranked);
        self.remove_repetitions(&mut groups);
        let pairings: Vec<_> = groups.into_iter().map(Pairing::new).collect();
        for pairing in &pairings {
            for (place, one) in pairing.entrants().iter().enumerate() {
                for other in &pairing.entrants()[place + 1..] {
                    *self.met.entry((*one, *other)).or_default() += 1;
                }
            }
        }
        Some(Round { pairings, sets: self.sets })
    }

    pub(super) fn number_of_matches(&self) -> Option<u64> {
        let pairings = (self.entrants / self.sides) as u64 * u64::from(self.rounds);
        matches_of(pairings, self.sides, self.sets)
    }

    /// Returns the points that count for pairings.
    fn points(&self, points: &Points, entrant: EntrantId) -> u64 {
        let byes = self.byes.get(&entrant).copied().unwrap_or(0);
        // In a match, two half points for each other side; a set is a match for each side.
        let bye = 2 * (self.sides as u64 - 1) * self.sides as u64 * u64::from(self.sets);
        points.total(entrant).halves() + byes * bye
    }

    /// Returns the lowest of those with the fewest byes, as many as are left over.
    fn choose_byes(&self, ranked: &[EntrantId]) -> Vec<EntrantId> {
        let mut lowest: Vec<_> = ranked.iter().rev().copied().collect();
        lowest.sort_by_key(|entrant| self.byes.get(entrant).copied().unwrap_or(0)); // stable
        lowest.truncate(self.entrants % self.sides);
        lowest
    }

    fn times_met(&self, one: EntrantId, other: EntrantId) -> u32 {
        self.met.get(&(one.min(other), one.max(other))).copied().unwrap_or(0)
    }

    /// From the best down, each takes those below it that the group has met least often.
    fn group(&self, mut ranked: Vec<EntrantId>) -> Vec<Vec<EntrantId>> {
        let mut groups = Vec::new();
        while !ranked.is_empty() {
            let mut group = vec![ranked.remove(0)];
            while group.len() < self.sides {
                let times =
                    |other: &EntrantId| group.iter().map(|one| self.times_met(*one, *other)).sum::<u32>();
                let places = 0..ranked.len();
                let place = places.min_by_key(|place| times(&ranked[*place])).expect("groups come out even");
                group.push(ranked.remove(place));
            }
            groups.push(group);
        }
        groups
    }

    /// Exchanges members of two groups for as long as that makes repetitions fewer, groups that are near first.
    ///
    /// With two sides this leaves none before the round after half as many as there are entrants. Let `a` and `b` meet
    /// again, after `r` rounds among `n` entrants. At least `n - 1 - r` others have not met `a`, and at most `r - 1` of
    /// these have an opponent that `b` has met; if `2r < n`, one is left that meets `a` while `b` meets its opponent.
    fn remove_repetitions(&self, groups: &mut [Vec<EntrantId>]) {
        for group in 0..groups.len() {
            while self.repetitions(&groups[group]) > 0 && self.exchange(groups, group) {}
        }
    }

    /// Exchanges one member of this group for one of another if that makes repetitions fewer; returns whether it did.
    fn exchange(&self, groups: &mut [Vec<EntrantId>], group: usize) -> bool {
        let mut others: Vec<usize> = (0..groups.len()).filter(|other| *other != group).collect();
        others.sort_by_key(|other| (other.abs_diff(group), Reverse(*other)));
        for other in others {
            let before = self.repetitions(&groups[group]) + self.repetitions(&groups[other]);
            for own in (0..self.sides).rev() {
                for foreign in 0..self.sides {
                    let exchanged = |groups: &mut [Vec<EntrantId>]| {
                        let one = groups[group][own];
                        groups[group][own] = groups[other][foreign];
                        groups[other][foreign] = one;
                    };
                    exchanged(groups);
                    if self.repetitions(&groups[group]) + self.repetitions(&groups[other]) < before {
                        return true;
                    }
                    exchanged(groups);
                }
            }
        }
        false
    }

    /// Returns the number of earlier meetings between members of a group.
    fn repetitions(&self, group: &[EntrantId]) -> u32 {
        let pairs = group.iter().enumerate().flat_map(|(place, one)| {
            group[place + 1..].iter().map(move |other| self.times_met(*one, *other))
        });
        pairs.sum()
    }
}
