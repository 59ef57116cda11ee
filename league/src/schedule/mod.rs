//! Schedules of pairings, and the matches that follow from them.
//!
//! A [`Schedule`] is an iterator of [rounds](Round). A round lists [pairings](Pairing), and how many *sets* each of
//! them plays. A set is one seed, played with every rotation of the sides: with two sides that is a mirrored pair of
//! matches, with three sides three matches, with four sides four.
//!
//! Round robin and gauntlet are one round, known from the start. Swiss and knockout look at the points so far before
//! each round.
//!
//! # What it does not do
//!
//! It plays nothing, and nothing here depends on the order in which matches end: a round is made from the points of
//! whole rounds before it, and the seed of a match from the league's seed, the names of the entrants that meet, and the
//! number of the set.

mod pairing;
mod points;
mod rotation;

mod gauntlet;
mod knockout;
mod round_robin;
mod swiss;

use game_env::TeamId;

pub use self::gauntlet::Gauntlet;
pub use self::knockout::Knockout;
pub use self::pairing::Pairing;
pub use self::points::{HalfPoints, Points};
pub use self::rotation::{MatchId, RoundMatches, ScheduledMatch, SeedSource};
pub use self::round_robin::RoundRobin;
pub use self::swiss::Swiss;

/// Pairings that can be played at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// Pairings of the round, each different.
    pub pairings: Vec<Pairing>,
    /// Number of sets that each of them plays.
    pub sets: u32,
}

/// The rounds of a league.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// Every entrant meets every other.
    RoundRobin(RoundRobin),
    /// One entrant meets all others.
    Gauntlet(Gauntlet),
    /// In every round, entrants with like points meet.
    Swiss(Swiss),
    /// Losers are eliminated.
    Knockout(Knockout),
}

impl Schedule {
    /// Returns the next round; none at the end.
    ///
    /// `points` are those of all rounds before, whole.
    pub fn next_round(&mut self, points: &Points) -> Option<Round> {
        match self {
            Self::RoundRobin(schedule) => schedule.next_round(),
            Self::Gauntlet(schedule) => schedule.next_round(),
            Self::Swiss(schedule) => schedule.next_round(points),
            Self::Knockout(schedule) => schedule.next_round(points),
        }
    }

    /// Returns for each entrant, the number of rounds of a knockout that it has won, those with a bye included. Empty
    /// with a schedule that eliminates nobody.
    pub fn rounds_won(&self) -> &[u32] {
        match self {
            Self::RoundRobin(_) | Self::Gauntlet(_) | Self::Swiss(_) => &[],
            Self::Knockout(schedule) => schedule.rounds_won(),
        }
    }

    /// Returns the number of matches, with the additional sets of a knockout's ties so far. None if it is past 2^64.
    pub fn number_of_matches(&self) -> Option<u64> {
        match self {
            Self::RoundRobin(schedule) => schedule.number_of_matches(),
            Self::Gauntlet(schedule) => schedule.number_of_matches(),
            Self::Swiss(schedule) => schedule.number_of_matches(),
            Self::Knockout(schedule) => schedule.number_of_matches(),
        }
    }
}

/// # Panics
///
/// If there are fewer entrants than sides, or no game has this number of sides.
fn assert_can_meet(entrants: usize, sides: usize) {
    assert!((2..=TeamId::MAX).contains(&sides), "no game has {sides} sides that meet");
    assert!(entrants >= sides, "{entrants} entrants do not fill {sides} sides");
}

/// Returns the number of ways to choose `chosen` of this number of entrants.
fn number_of_choices(entrants: usize, chosen: usize) -> Option<u64> {
    let mut choices = 1_u64;
    for factor in 1..=chosen as u64 {
        // Exact: the product of `factor` numbers that follow each other is a multiple of each number up to `factor`.
        choices = choices.checked_mul((entrants as u64 + 1).saturating_sub(factor))? / factor;
    }
    Some(choices)
}

/// Returns the number of matches that this number of pairings takes.
fn matches_of(pairings: u64, sides: usize, sets: u32) -> Option<u64> {
    pairings.checked_mul(u64::from(sets))?.checked_mul(sides as u64)
}
