//! The kind of a game: the facts that a driver, a league, a command line or a page needs before it plays one.
//!
//! A [`Description`] is a constant of the game ([`Environment::DESCRIPTION`](crate::Environment::DESCRIPTION)), after
//! OpenSpiel's `GameType`. It does not describe one configuration: ranges cover all of them.

use std::fmt;
use std::ops::RangeInclusive;

/// The facts about a game that hold for every configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// The game's name as people write it, e.g. "Dots & Boxes".
    pub title: &'static str,
    /// The number of agents with which an episode may begin.
    pub agents: RangeInclusive<usize>,
    /// The number of teams that play against each other.
    pub teams: RangeInclusive<usize>,
    /// The agents' information about the state.
    pub information: Information,
    /// Whether anything is drawn after the first state.
    pub has_chance: bool,
    /// The meaning of time in the game.
    pub time: TimeModel,
}

/// The agents' information about the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Information {
    /// Every agent sees all that decides the future.
    Perfect,
    /// A part of the state is hidden from some agent.
    Imperfect,
}

/// The meaning of time in a game.
///
/// In the first two models at most one agent is ready at any moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeModel {
    /// Turns without a clock: [`Environment::clock`](crate::Environment::clock) stays at
    /// [`SimTime::START`](crate::SimTime::START), and so does every driver's clock.
    Turns,
    /// Turns, and the mover's time may be limited.
    ClockedTurns,
    /// Several agents may be ready at once, each from its own moment on.
    RealTime,
}

impl TimeModel {
    /// Returns whether at most one agent is ready at any moment.
    pub const fn has_turns(self) -> bool {
        matches!(self, Self::Turns | Self::ClockedTurns)
    }
}

impl fmt::Display for Information {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Perfect => "perfect",
            Self::Imperfect => "imperfect",
        })
    }
}

impl fmt::Display for TimeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Turns => "turns",
            Self::ClockedTurns => "turns with a clock",
            Self::RealTime => "real time",
        })
    }
}
