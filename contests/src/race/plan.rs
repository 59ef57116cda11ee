//! Plan of a race: the games, the variants, their opponents, and the error rate. It plays no matches.

use game_env::Seed;
use game_env::matches::MatchSpec;

use crate::setup::{NamedLineUp, Pool, SetupError};
use crate::statistics::Elimination;

/// A race of several variants.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The line-ups of which the strongest is sought.
    pub variants: Vec<NamedLineUp>,
    /// The line-ups that they play against.
    pub pool: Pool,
    /// Seed of the race; the seeds of all matches are derived from it.
    pub seed: Seed,
    /// The smallest difference that matters, in Elo.
    pub margin: f64,
    /// Largest probability that the strongest variant is dropped, and that the race ends with one that is not within
    /// the margin of a stronger one that is left.
    pub error: f64,
    /// Largest number of pairs of a variant, rounded up to whole blocks.
    pub most_pairs: u64,
}

/// Reason why a race cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// There are fewer than two variants.
    #[error("a race has at least two variants, not {0}")]
    Variants(usize),
    /// Two variants have the same name.
    #[error("the variant `{0}` is named twice")]
    Twice(String),
    /// The line-ups cannot meet.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Plan {
    /// Returns whether there can be such a race.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer than two variants or two of the same name, no opponent, a game of another number of
    /// teams than two, or an empty line-up.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.variants.len() < 2 {
            return Err(PlanError::Variants(self.variants.len()));
        }
        for (place, variant) in self.variants.iter().enumerate() {
            if self.variants[..place].iter().any(|other| other.name == variant.name) {
                return Err(PlanError::Twice(variant.name.clone()));
            }
        }
        Ok(self.pool.check(&self.variants)?)
    }

    /// Returns the largest number of blocks.
    pub(super) fn most_blocks(&self) -> u64 {
        self.most_pairs.div_ceil(self.pool.len().max(1) as u64)
    }

    /// Returns the pairs of matches of a variant in a block, one for each place of the pool.
    ///
    /// # Panics
    ///
    /// Panics if the plan fails its [check](Self::check), or has no such variant.
    pub fn pairs(&self, variant: usize, block: u64) -> impl Iterator<Item = [MatchSpec; 2]> + '_ {
        (0..self.pool.len())
            .map(move |place| self.pool.pair(&self.variants[variant], place, self.seed, block))
    }

    pub(super) fn test(&self) -> Elimination {
        Elimination::new(self.variants.len(), self.margin, self.error)
    }
}
