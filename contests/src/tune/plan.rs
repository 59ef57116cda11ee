//! Plan of a search: the games, the line-up, and its parameters. It plays no matches.

use game_env::matches::MatchSpec;
use game_env::{Outcome, Seed};

use super::space::{Parameter, filled};
use super::tuner::{Sample, Size, Tuner};
use crate::setup::{NamedLineUp, Pool, SetupError, half_points};

/// A search for the best values of the parameters of a line-up.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The line-up as text, with the names of parameters in braces: `coordinated:patience={patience}`.
    pub template: String,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The value of each parameter with which the search begins.
    pub start: Vec<f64>,
    /// The line-ups that it plays against.
    pub pool: Pool,
    /// The numbers of samples, and the seed of all but those that are held out.
    pub size: Size,
    /// The seed of the matches that are held out.
    pub held_out_seed: Seed,
}

/// Reason why there can be no such search.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PlanError {
    /// There is no parameter.
    #[error("there is no parameter to tune")]
    NoParameter,
    /// A parameter is named twice.
    #[error("the parameter `{0}` is named twice")]
    Twice(String),
    /// A parameter is not in the line-up.
    #[error("`{{{name}}}` is not in the line-up `{template}`")]
    Unused {
        /// The name of the parameter.
        name: String,
        /// The line-up.
        template: String,
    },
    /// A value with which the search begins is outside the range.
    #[error("{parameter} does not begin with {value}: expected a value of this range")]
    Start {
        /// The parameter with its range.
        parameter: String,
        /// The value.
        value: f64,
    },
    /// The search and its last comparison have the same seed.
    #[error(
        "the held-out pairs have the seed of the search, {0}: they would be games that the search has used"
    )]
    SeedOfSearch(Seed),
    /// The line-ups cannot meet.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Plan {
    /// The matches of a sample.
    pub const MATCHES: usize = 4;

    /// Returns whether there can be such a search.
    ///
    /// # Errors
    ///
    /// Fails without parameters, if one is named twice, is not in the line-up or begins outside its range, if the
    /// held-out pairs have the seed of the search, or if there is no opponent or a game of another number of teams than
    /// two.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.parameters.is_empty() {
            return Err(PlanError::NoParameter);
        }
        for (place, parameter) in self.parameters.iter().enumerate() {
            let (name, value) = (&parameter.name, self.start[place]);
            if self.parameters[..place].iter().any(|other| other.name == *name) {
                return Err(PlanError::Twice(name.clone()));
            }
            if !self.template.contains(&format!("{{{name}}}")) {
                return Err(PlanError::Unused { name: name.clone(), template: self.template.clone() });
            }
            let is_fit = !parameter.is_whole || value.fract() == 0.0;
            if !is_fit || !(parameter.low..=parameter.high).contains(&value) {
                return Err(PlanError::Start { parameter: parameter.to_string(), value });
            }
        }
        if self.held_out_seed == self.size.seed {
            return Err(PlanError::SeedOfSearch(self.held_out_seed));
        }
        Ok(self.pool.check(&[])?)
    }

    /// Returns the search at its beginning.
    ///
    /// # Panics
    ///
    /// As [`Tuner::new`].
    pub fn tuner(&self) -> Tuner {
        Tuner::new(self.parameters.clone(), &self.start, self.size)
    }

    /// Returns the line-up with these values, as text.
    pub fn line_up(&self, values: &[f64]) -> String {
        filled(&self.template, &self.parameters, values)
    }

    /// Returns the place in the pool at which a sample is played.
    pub fn place(&self, sample: &Sample) -> usize {
        let pool = self.pool.len() as u64;
        usize::try_from(sample.number % pool).expect("it is below the number of places")
    }

    /// Returns the matches of a sample: a mirrored pair of the line-up of its first point, and one of the second, on
    /// the same seeds.
    ///
    /// # Panics
    ///
    /// If the pool is empty, or the line-ups cannot meet in it.
    pub fn matches(&self, sample: &Sample, line_ups: [&NamedLineUp; 2]) -> [MatchSpec; Self::MATCHES] {
        let seed = if sample.is_held_out { self.held_out_seed } else { self.size.seed };
        let (place, number) = (self.place(sample), sample.number / self.pool.len() as u64);
        let [first, second] = line_ups.map(|line_up| self.pool.pair(line_up, place, seed, number));
        let ([a, b], [c, d]) = (first, second);
        [a, b, c, d]
    }

    /// Returns the result of a sample, given the outcomes of its [matches](Self::matches): the share of the points of
    /// its first point less that of the second; none if a match says nothing about its agents.
    ///
    /// # Panics
    ///
    /// Unless there is an outcome of each match.
    pub fn result(outcomes: &[Outcome]) -> Option<f64> {
        let [a, b, c, d] = outcomes else { panic!("a sample has {} matches", Self::MATCHES) };
        let [one, other] = [[a, b], [c, d]].map(half_points);
        Some((f64::from(one?) - f64::from(other?)) / 4.0)
    }
}
