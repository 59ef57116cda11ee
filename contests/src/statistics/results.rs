//! Results as the statistics count them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use game_env::Ranking;

use crate::entrant::EntrantId;

/// One finished match: its entrants, and the place of each.
///
/// Entrants are the numbers of [`EntrantId::index`]; places are those of [`game_env::Ranking`], 1 for the best, equal
/// for a tie.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Match(Vec<(usize, u8)>);

impl Match {
    /// Creates a match of these entrants with these places. The order of the seats does not matter to the statistics.
    ///
    /// # Panics
    ///
    /// Panics unless there are as many entrants as places, and from two to four of them.
    pub fn new(entrants: &[usize], places: &[u8]) -> Self {
        assert_eq!(entrants.len(), places.len(), "every entrant has a place");
        assert!((2..=4).contains(&entrants.len()), "a match has two to four teams, not {}", entrants.len());
        let mut seats: Vec<_> = entrants.iter().copied().zip(places.iter().copied()).collect();
        seats.sort_unstable();
        Self(seats)
    }

    /// Returns the match with the first of these entrants on the first side, and so on, that ended with this ranking.
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    pub fn ranked(entrants: impl IntoIterator<Item = EntrantId>, ranking: &Ranking) -> Self {
        let entrants: Vec<usize> = entrants.into_iter().map(EntrantId::index).collect();
        Self::new(&entrants, ranking.places())
    }

    /// Returns the entrants with their places, sorted by entrant.
    pub fn seats(&self) -> &[(usize, u8)] {
        &self.0
    }

    /// Returns the share of the points that each entrant won, in the order of [`seats`](Self::seats): 1 for each
    /// opponent with a worse place, ½ for each with the same one, divided by the number of opponents.
    pub fn scores(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let opponents = (self.0.len() - 1) as f64;
        self.0.iter().enumerate().map(move |(seat, (entrant, place))| {
            let others = self.0.iter().enumerate().filter(|(other, _)| *other != seat);
            let halves: u32 =
                others.map(|(_, (_, other))| u32::from(place < other) + u32::from(place <= other)).sum();
            (*entrant, f64::from(halves) / 2.0 / opponents)
        })
    }
}

/// Results of one entrant in all matches against another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HeadToHead {
    /// Matches with a better place than the other.
    pub won: u64,
    /// Matches with the same place.
    pub drawn: u64,
    /// Matches with a worse place.
    pub lost: u64,
}

impl HeadToHead {
    /// Returns the number of matches.
    pub fn matches(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// Returns the points: 1 for a match won, ½ for one drawn.
    pub fn points(&self) -> f64 {
        self.won as f64 + self.drawn as f64 / 2.0
    }

    /// Returns the share of the points; none without matches.
    pub fn score(&self) -> Option<f64> {
        (self.matches() > 0).then(|| self.points() / self.matches() as f64)
    }
}

/// All results of a league, counted. Two values are equal if the same sets were added, in any order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Results {
    entrants: usize,
    /// By the entrants that take part: the kinds of sets, and the number of each.
    groups: BTreeMap<Vec<usize>, BTreeMap<Vec<Match>, u64>>,
}

impl Results {
    /// No results yet, for this many entrants.
    pub fn new(entrants: usize) -> Self {
        Self { entrants, groups: BTreeMap::new() }
    }

    /// Adds one set: the matches that share a seed, i.e. a mirrored pair, or all rotations of three or four seats.
    /// A set without matches changes nothing.
    ///
    /// # Panics
    ///
    /// Panics if a match names an entrant past the number given to [`new`](Self::new).
    pub fn add(&mut self, mut set: Vec<Match>) {
        if set.is_empty() {
            return;
        }
        set.sort_unstable();
        let mut entrants: Vec<usize> =
            set.iter().flat_map(|result| result.seats().iter().map(|(entrant, _)| *entrant)).collect();
        entrants.sort_unstable();
        entrants.dedup();
        let last = entrants.last().copied().unwrap_or_default();
        assert!(last < self.entrants, "entrant {last} of {}", self.entrants);
        *self.groups.entry(entrants).or_default().entry(set).or_default() += 1;
    }

    /// Returns the number of entrants.
    pub fn entrants(&self) -> usize {
        self.entrants
    }

    /// Returns the number of matches.
    pub fn matches(&self) -> u64 {
        self.counted().map(|(set, count)| set.len() as u64 * count).sum()
    }

    /// Returns the number of sets.
    pub fn sets(&self) -> u64 {
        self.counted().map(|(_, count)| count).sum()
    }

    /// For each entrant its matches and its points ([`Match::scores`]).
    pub fn totals(&self) -> Vec<(u64, f64)> {
        let mut totals = vec![(0, 0.0); self.entrants];
        for (set, count) in self.counted() {
            for (entrant, score) in set.iter().flat_map(Match::scores) {
                totals[entrant].0 += count;
                totals[entrant].1 += score * count as f64;
            }
        }
        totals
    }

    /// Returns the cross table: the results of the entrant of the row against that of the column.
    ///
    /// A match of three or four counts once for each pair of its entrants.
    pub fn cross_table(&self) -> Vec<Vec<HeadToHead>> {
        let mut table = vec![vec![HeadToHead::default(); self.entrants]; self.entrants];
        for (set, count) in self.counted() {
            for result in set {
                for (seat, (entrant, place)) in result.seats().iter().enumerate() {
                    for (other, (opponent, their)) in result.seats().iter().enumerate() {
                        if seat == other {
                            continue;
                        }
                        let meeting = &mut table[*entrant][*opponent];
                        match place.cmp(their) {
                            Ordering::Less => meeting.won += count,
                            Ordering::Equal => meeting.drawn += count,
                            Ordering::Greater => meeting.lost += count,
                        }
                    }
                }
            }
        }
        table
    }

    /// Returns the mirrored pairs of two entrants, from the side of the first; sets of other shapes are left out.
    pub fn pentanomial(&self, first: usize, second: usize) -> super::Pentanomial {
        let mut pairs = super::Pentanomial::default();
        let mut key = vec![first, second];
        key.sort_unstable();
        for (set, count) in self.groups.get(&key).into_iter().flatten() {
            if set.len() != 2 || set.iter().any(|result| result.seats().len() != 2) {
                continue;
            }
            let scores = set.iter().flat_map(Match::scores).filter(|(entrant, _)| *entrant == first);
            pairs.add_points(scores.map(|(_, score)| score).sum(), *count);
        }
        pairs
    }

    /// Returns the kinds of sets by the entrants that take part, with their counts.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&[usize], &BTreeMap<Vec<Match>, u64>)> {
        self.groups.iter().map(|(entrants, sets)| (&entrants[..], sets))
    }

    fn counted(&self) -> impl Iterator<Item = (&[Match], u64)> {
        self.groups.values().flatten().map(|(set, count)| (&set[..], *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Results {
        let mut results = Results::new(3);
        results.add(vec![Match::new(&[0, 1], &[1, 2]), Match::new(&[1, 0], &[1, 1])]);
        results.add(vec![Match::new(&[2, 0, 1], &[1, 2, 2])]);
        results
    }

    #[test]
    fn order_of_sets_matches_and_seats_does_not_matter() {
        let mut turned = Results::new(3);
        turned.add(vec![Match::new(&[1, 2, 0], &[2, 1, 2])]);
        turned.add(vec![Match::new(&[0, 1], &[1, 1]), Match::new(&[1, 0], &[2, 1])]);
        assert_eq!(results(), turned);
        turned.add(Vec::new());
        assert_eq!(results(), turned, "an empty set is none");
    }

    #[test]
    fn points_are_shares_of_the_opponents_left_behind() {
        let results = results();
        assert_eq!((results.matches(), results.sets()), (3, 2));
        assert_eq!(results.totals(), [(3, 1.75), (3, 0.75), (1, 1.0)]);
    }

    #[test]
    fn a_cross_table_counts_each_match_from_both_sides() {
        let table = results().cross_table();
        assert_eq!(table[0][1], HeadToHead { won: 1, drawn: 2, lost: 0 });
        assert_eq!(table[1][0], HeadToHead { won: 0, drawn: 2, lost: 1 });
        assert_eq!(table[2][0], HeadToHead { won: 1, drawn: 0, lost: 0 });
        assert_eq!(table[0][0], HeadToHead::default());
        assert_eq!(table[0][1].score(), Some(2.0 / 3.0));
        assert_eq!(table[0][0].score(), None);
    }

    #[test]
    fn mirrored_pairs_are_seen_from_the_first() {
        assert_eq!(results().pentanomial(0, 1).counts(), [0, 0, 0, 1, 0]);
        assert_eq!(results().pentanomial(1, 0).counts(), [0, 1, 0, 0, 0]);
        assert_eq!(results().pentanomial(0, 2).counts(), [0; 5], "a match of three is no pair");
    }
}
