//! Plan of a comparison: the game, the two line-ups, the limits and the error rates. It plays no matches.

use std::fmt;

use game_env::matches::MatchSpec;
use game_env::{AgentId, Seed};

use crate::setup::{GameSetup, NamedLineUp, SetupError};
use crate::statistics::SequentialComparison;

/// A comparison of two line-ups in one game.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The game.
    pub setup: GameSetup,
    /// The two line-ups.
    pub line_ups: [NamedLineUp; 2],
    /// Seed of the comparison; the seeds of all pairs are derived from it.
    pub seed: Seed,
    /// The smallest difference looked for, in Elo.
    pub margin: f64,
    /// Largest probability that equal line-ups are called different.
    pub alpha: f64,
    /// Largest probability that a difference of the margin is missed.
    pub beta: f64,
    /// Largest number of pairs.
    pub most_pairs: u64,
}

/// One match of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PairMatch {
    /// Number of the pair, from 0 on.
    pub pair: u64,
    /// Whether the first line-up plays the second side.
    pub swapped: bool,
}

impl PairMatch {
    /// Returns the two matches of a pair.
    pub fn both(pair: u64) -> [Self; 2] {
        [false, true].map(|swapped| Self { pair, swapped })
    }

    /// Returns the side of the first line-up: 0 or 1.
    pub fn side_of_first(self) -> usize {
        usize::from(self.swapped)
    }
}

/// As files are named: `17a` is the first match of the 17th pair, `17b` the one with the sides swapped.
impl fmt::Display for PairMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = if self.swapped { 'b' } else { 'a' };
        write!(f, "{}{letter}", self.pair + 1)
    }
}

impl Plan {
    /// Returns whether these line-ups can be compared.
    ///
    /// # Errors
    ///
    /// Fails if the game has not two teams, or a line-up is empty.
    pub fn check(&self) -> Result<(), SetupError> {
        self.setup.check(&self.line_ups)
    }

    /// Returns the agents of both line-ups in a match, those of the first line-up first; in the order of their ids.
    pub fn agents(&self, which: PairMatch) -> [Vec<AgentId>; 2] {
        let first = which.side_of_first();
        [first, 1 - first].map(|side| {
            let agents = AgentId::all(self.setup.teams.len()).zip(&self.setup.teams);
            agents.filter(|(_, team)| team.index() == side).map(|(agent, _)| agent).collect()
        })
    }

    /// Returns the match as a value.
    ///
    /// # Panics
    ///
    /// Panics if the plan fails its [check](Self::check).
    pub fn spec(&self, which: PairMatch) -> MatchSpec {
        self.setup.spec(self.line_ups.each_ref(), which.swapped, self.seed.child(which.pair))
    }

    pub(super) fn test(&self) -> SequentialComparison {
        SequentialComparison::new(self.margin, self.alpha, self.beta)
    }
}
