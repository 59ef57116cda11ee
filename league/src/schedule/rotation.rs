//! The matches of a round: every set with every rotation of the sides.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use contests::entrant::EntrantId;
use game_env::{Digest, NotationError, Seed, TeamId};

use super::Round;
use super::pairing::Pairing;

/// Identifier of a match in a league, independent of the matches played before it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MatchId {
    /// Entrants that meet.
    pub pairing: Pairing,
    /// Number of the set among those of the pairing, from 0 through all rounds.
    pub set: u32,
    /// Number of the rotation of the sides, from 0; see [`Pairing::seated`].
    pub rotation: u8,
}

impl MatchId {
    /// Returns the entrants by side, that of the first side first.
    pub fn seated(&self) -> impl Iterator<Item = EntrantId> {
        self.pairing.seated(self.rotation.into())
    }
}

/// `1-3/17/0`: entrants 1 and 3 of the file, their 17th set, its rotation 0.
impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.pairing, u64::from(self.set) + 1, self.rotation)
    }
}

impl FromStr for MatchId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            let (pairing, rest) = text.split_once('/')?;
            let (set, rotation) = rest.split_once('/')?;
            let number =
                |text: &str, most: u64| text.parse().ok().filter(|number| (1..=most).contains(number));
            let place = |text: &str| usize::try_from(number(text, EntrantId::MAX as u64)? - 1).ok();
            let places: Vec<usize> = pairing.split('-').map(place).collect::<Option<_>>()?;
            let is_pairing =
                (2..=TeamId::MAX).contains(&places.len()) && places.is_sorted_by(|one, next| one < next);
            let pairing = is_pairing.then(|| Pairing::new(places.into_iter().map(EntrantId::from_index)))?;
            let set = u32::try_from(number(set, 1 << 32)? - 1).ok()?;
            let rotation =
                rotation.parse().ok().filter(|rotation| usize::from(*rotation) < pairing.sides())?;
            Some(Self { pairing, set, rotation })
        };
        read().ok_or_else(|| NotationError::new("match", text, "entrants, set and rotation, e.g. `1-3/17/0`"))
    }
}

/// A match that is to be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduledMatch {
    /// Identifier of the match.
    pub id: MatchId,
    /// Seed of the match; the same in all rotations of a set.
    pub seed: Seed,
}

/// Derives the seed of each set from the league's seed and from the entrants that meet.
///
/// Entrants count by name: a file that moves them, or adds one, leaves the seeds of the others as they are.
#[derive(Clone, Debug)]
pub struct SeedSource {
    league: Seed,
    names: Vec<String>,
}

impl SeedSource {
    /// Seeds for entrants with these names, in the order of their ids.
    pub fn new(league: Seed, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { league, names: names.into_iter().map(Into::into).collect() }
    }

    /// Returns a match with its seed.
    ///
    /// # Panics
    ///
    /// As [`SeedSource::seed`].
    pub fn schedule(&self, id: MatchId) -> ScheduledMatch {
        let seed = self.seed(&id.pairing, id.set);
        ScheduledMatch { id, seed }
    }

    /// Returns the seed of a set.
    ///
    /// # Panics
    ///
    /// If the pairing has an entrant without a name.
    pub fn seed(&self, pairing: &Pairing, set: u32) -> Seed {
        let name = |entrant: &EntrantId| self.names[entrant.index()].as_str();
        let mut names: Vec<&str> = pairing.entrants().iter().map(name).collect();
        names.sort_unstable();
        let mut digest = Digest::new();
        for name in names {
            digest.length(name.len());
            digest.bytes(name.as_bytes());
        }
        self.league.child(digest.finish()).child(set.into())
    }
}

/// The matches of a round, set by set: all pairings have played their first set before one begins its second.
#[derive(Clone, Debug)]
pub struct RoundMatches {
    round: Round,
    /// The number of sets that each pairing of the round had played before.
    played: Vec<u32>,
    sides: usize,
}

impl RoundMatches {
    /// Returns the matches of this round. `played` says how many sets each pairing had before; they are counted on, so
    /// that no set repeats an earlier one.
    pub fn new(round: Round, played: &BTreeMap<Pairing, u32>) -> Self {
        let before = round.pairings.iter().map(|pairing| played.get(pairing).copied().unwrap_or(0)).collect();
        let sides = round.pairings.first().map_or(0, Pairing::sides);
        Self { round, played: before, sides }
    }

    /// Returns the round.
    pub fn round(&self) -> &Round {
        &self.round
    }

    /// Returns the number of matches.
    pub fn count(&self) -> usize {
        self.round.pairings.len() * self.sides * self.round.sets as usize
    }

    /// Returns the number of matches of each pairing that are left after this number of matches.
    pub fn left(&self, begun: usize) -> Vec<(Pairing, u64)> {
        let in_set = self.sides * self.round.pairings.len();
        let (whole, rest) = (begun / in_set, begun % in_set);
        let all = self.sides * self.round.sets as usize;
        let pairings = self.round.pairings.iter().enumerate();
        let left = pairings.map(|(place, pairing)| {
            let begun = self.sides * whole + rest.saturating_sub(self.sides * place).min(self.sides);
            (pairing.clone(), (all - begun) as u64)
        });
        left.filter(|(_, left)| *left > 0).collect()
    }

    /// Returns the match at this place, from 0 on. The matches of a set stand together, in the order of their
    /// rotations.
    pub fn get(&self, place: usize) -> Option<MatchId> {
        if place >= self.count() {
            return None;
        }
        let rotation = u8::try_from(place % self.sides).expect("at most four sides");
        let (set, pairing) = (place / self.sides / self.played.len(), place / self.sides % self.played.len());
        let set = self.played[pairing] + u32::try_from(set).expect("sets are counted in 32 bits");
        Some(MatchId { pairing: self.round.pairings[pairing].clone(), set, rotation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_reads_as_it_is_written() {
        for text in ["1-3/17/0", "1-2-4-1000/4294967296/3"] {
            assert_eq!(text.parse::<MatchId>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "1-3",
            "1-3/1",
            "1/1/0",
            "3-1/1/0",
            "1-1/1/0",
            "0-1/1/0",
            "1-1001/1/0",
            "1-2-3-4-5/1/0",
            "1-3/0/0",
            "1-3/4294967297/0",
            "1-3/1/2",
            "1-3/1/-1",
            "1-3/1/0/0",
        ] {
            let error = text.parse::<MatchId>().unwrap_err().to_string();
            assert!(
                error.ends_with("expected entrants, set and rotation, e.g. `1-3/17/0`"),
                "{text}: {error}"
            );
        }
    }
}
