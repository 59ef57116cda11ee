//! The game of a contest, and the line-ups that meet in it.

use game_env::matches::{MatchLimits, MatchSpec, TooManyAgents, check_line_up, entrants};
use game_env::{Outcome, Parameters, Seed, TeamId};

use crate::text::counted;
use crate::verdict::{Treatment, Verdict};

/// Everything of a match but the line-ups and the seed.
#[derive(Clone, PartialEq, Debug)]
pub struct GameSetup {
    /// The game.
    pub game: String,
    /// Its configuration.
    pub config: Parameters,
    /// The team of each agent, in the order of agent ids.
    pub teams: Vec<TeamId>,
    /// Limits at which a match is given up.
    pub limits: MatchLimits,
}

/// The strategies of a team, under one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedLineUp {
    /// The name for people.
    pub name: String,
    /// The strategies, as matches name them; repeated if the team has more agents.
    pub strategies: Vec<String>,
}

/// The opponents of line-ups, in one or several games. Each opponent in each game has a place: first all in the first
/// game, then all in the next.
#[derive(Clone, PartialEq, Debug)]
pub struct Pool {
    /// The games, each with its configuration.
    pub games: Vec<GameSetup>,
    /// The opponents.
    pub opponents: Vec<NamedLineUp>,
}

/// Reason why line-ups cannot meet in a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupError {
    /// The game has another number of teams than two.
    #[error("the game has {}: two line-ups are compared in a game of two; a league compares more", counted(*.0 as u64, "team", "teams"))]
    Teams(usize),
    /// A line-up has no strategy.
    #[error("the line-up of `{0}` is empty")]
    NoStrategy(String),
    /// A line-up names more agents than a team has.
    #[error("{0}: {1}")]
    TooLong(String, TooManyAgents),
    /// There is no opponent.
    #[error("there is no opponent")]
    NoOpponent,
}

impl Pool {
    /// Returns whether these line-ups can meet the opponents.
    ///
    /// # Errors
    ///
    /// Fails if there is no opponent, a game has not two teams, or a line-up is empty.
    pub fn check<'a>(
        &'a self,
        line_ups: impl IntoIterator<Item = &'a NamedLineUp> + Clone,
    ) -> Result<(), SetupError> {
        if self.is_empty() {
            return Err(SetupError::NoOpponent);
        }
        self.games.iter().try_for_each(|game| game.check(line_ups.clone().into_iter().chain(&self.opponents)))
    }

    /// Returns the number of places.
    pub fn len(&self) -> usize {
        self.games.len() * self.opponents.len()
    }

    /// Returns whether there is no opponent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the two matches of a mirrored pair of a line-up against the opponent at this place: first it plays the
    /// first side, then the second. The seeds of pairs with different numbers or places have nothing in common; those
    /// of different line-ups are the same.
    ///
    /// # Panics
    ///
    /// Panics if there is no such place, or if the line-ups fail the [check](Self::check).
    pub fn pair(&self, line_up: &NamedLineUp, place: usize, seed: Seed, number: u64) -> [MatchSpec; 2] {
        let game = &self.games[place / self.opponents.len()];
        let opponent = &self.opponents[place % self.opponents.len()];
        let seed = seed.child(place as u64).child(number);
        [false, true].map(|is_swapped| game.spec([line_up, opponent], is_swapped, seed))
    }
}

/// Returns the half points, from 0 to 4, of the line-up in a [pair](Pool::pair) of a pool; none if one of the matches
/// says nothing about its agents.
pub fn half_points(pair: [&Outcome; 2]) -> Option<u8> {
    let of = |side: usize| {
        let outcome = pair[side];
        let is_scored = Verdict::of(outcome.termination).treatment() == Treatment::Scored;
        is_scored.then(|| outcome.ranking.half_points(side))
    };
    Some(of(0)? + of(1)?)
}

impl GameSetup {
    /// Returns whether these line-ups can meet in the game.
    ///
    /// # Errors
    ///
    /// Fails if the game has not two teams, or a line-up is empty or names more agents than a team has.
    pub fn check<'a>(&self, line_ups: impl IntoIterator<Item = &'a NamedLineUp>) -> Result<(), SetupError> {
        let teams = TeamId::count(&self.teams);
        if teams != 2 {
            return Err(SetupError::Teams(teams));
        }
        line_ups.into_iter().try_for_each(|line_up| {
            if line_up.strategies.is_empty() {
                return Err(SetupError::NoStrategy(line_up.name.clone()));
            }
            let too_long = |error| SetupError::TooLong(line_up.name.clone(), error);
            check_line_up(&self.teams, &line_up.strategies).map_err(too_long)
        })
    }

    /// Returns the match of two line-ups; the first plays the second side if `is_swapped`.
    ///
    /// # Panics
    ///
    /// Panics if the line-ups fail the [check](Self::check).
    pub fn spec(&self, line_ups: [&NamedLineUp; 2], is_swapped: bool, seed: Seed) -> MatchSpec {
        let first = usize::from(is_swapped);
        let sides = [line_ups[first], line_ups[1 - first]].map(|line_up| line_up.strategies.clone());
        MatchSpec {
            game: self.game.clone(),
            config: self.config.clone(),
            seed,
            entrants: entrants(&self.teams, &sides),
            limits: self.limits,
        }
    }
}
