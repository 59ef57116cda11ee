//! The matches of a round: every set with every rotation of the sides.

use std::collections::BTreeMap;
use std::fmt;

use game_env::{Digest, Seed};

use super::Round;
use super::pairing::Pairing;
use crate::entrant::EntrantId;

/// What tells a match of a league from all others, whatever was played before it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MatchKey {
    /// Who meets.
    pub pairing: Pairing,
    /// Which of the pairing's sets it belongs to, from 0 through all rounds.
    pub set: u32,
    /// Which rotation of the sides, from 0; see [`Pairing::seated`].
    pub rotation: u8,
}

/// `1-3/17/0`: entrants 1 and 3 of the file, their 17th set, its rotation 0.
impl fmt::Display for MatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.pairing, u64::from(self.set) + 1, self.rotation)
    }
}

/// A match that is to be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduledMatch {
    /// What tells it from all others.
    pub key: MatchKey,
    /// What decides chance in it; the same in all rotations of a set.
    pub seed: Seed,
}

/// Derives the seed of each set from the league's seed and from who meets.
///
/// Entrants count by name: who moves them within the file, or adds one, leaves the seeds of the others as they are.
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

    /// The seed of a set.
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
///
/// `played` says how many sets each pairing had before; they are counted on, so that no set repeats an earlier one.
pub fn matches<'a>(
    round: &'a Round,
    played: &'a BTreeMap<Pairing, u32>,
    seeds: &'a SeedSource,
) -> impl Iterator<Item = ScheduledMatch> + 'a {
    let sets = (0..round.sets).flat_map(|set| round.pairings.iter().map(move |pairing| (set, pairing)));
    sets.flat_map(move |(set, pairing)| {
        let set = played.get(pairing).copied().unwrap_or(0) + set;
        let seed = seeds.seed(pairing, set);
        let rotations = 0..u8::try_from(pairing.sides()).expect("at most four sides");
        rotations.map(move |rotation| {
            let key = MatchKey { pairing: pairing.clone(), set, rotation };
            ScheduledMatch { key, seed }
        })
    })
}
