//! Plan of a comparison: the game, the two line-ups, the limits and the error rates. It plays no matches.

use std::fmt;

use game_env::matches::{MatchLimits, MatchSpec};
use game_env::{AgentId, Parameters, Seed, TeamId};

use crate::statistics::SequentialComparison;
use crate::text::counted;

/// A comparison of two line-ups in one game.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The game.
    pub game: String,
    /// Its configuration.
    pub config: Parameters,
    /// The team of each agent, in the order of agent ids.
    pub teams: Vec<TeamId>,
    /// Names of the two line-ups.
    pub names: [String; 2],
    /// The strategies of each, as matches name them; repeated if a team has more agents.
    pub line_ups: [Vec<String>; 2],
    /// Limits at which a match is given up.
    pub limits: MatchLimits,
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

/// Reason why two line-ups cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// The game has another number of teams than two.
    #[error("the game has {}: two line-ups are compared in a game of two; a league compares more", counted(*.0 as u64, "team", "teams"))]
    Teams(usize),
    /// A line-up has no strategy.
    #[error("the line-up of `{0}` is empty")]
    NoStrategy(String),
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
    /// The two matches of a pair.
    pub fn both(pair: u64) -> [Self; 2] {
        [false, true].map(|swapped| Self { pair, swapped })
    }

    /// The side of the first line-up: 0 or 1.
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
    pub fn check(&self) -> Result<(), PlanError> {
        let teams = TeamId::count(&self.teams);
        if teams != 2 {
            return Err(PlanError::Teams(teams));
        }
        let empty = self.line_ups.iter().position(Vec::is_empty);
        empty.map_or(Ok(()), |place| Err(PlanError::NoStrategy(self.names[place].clone())))
    }

    /// The agents of both line-ups in a match, those of the first line-up first; in the order of their ids.
    pub fn agents(&self, which: PairMatch) -> [Vec<AgentId>; 2] {
        let first = which.side_of_first();
        [first, 1 - first].map(|side| {
            let agents = AgentId::all(self.teams.len()).zip(&self.teams);
            agents.filter(|(_, team)| team.index() == side).map(|(agent, _)| agent).collect()
        })
    }

    /// The match as a value.
    ///
    /// # Panics
    ///
    /// Panics if the plan fails its [check](Self::check).
    pub fn spec(&self, which: PairMatch) -> MatchSpec {
        let mut placed = [0; 2];
        let entrant = |team: &TeamId| {
            let side = team.index();
            // Both sides are 0 or 1, and swapping exchanges them.
            let line_up = &self.line_ups[side ^ which.side_of_first()];
            placed[side] += 1;
            line_up[(placed[side] - 1) % line_up.len()].clone()
        };
        MatchSpec {
            game: self.game.clone(),
            config: self.config.clone(),
            seed: self.seed.child(which.pair),
            entrants: self.teams.iter().map(entrant).collect(),
            limits: self.limits,
        }
    }

    pub(super) fn test(&self) -> SequentialComparison {
        SequentialComparison::new(self.margin, self.alpha, self.beta)
    }
}
