//! How an episode ended: who won, why it ended, and what each side had by then.
//!
//! The three are apart on purpose: a league counts winners, a host wants to know why a game stopped, and a
//! statistics page shows points.

use std::fmt;
use std::str::FromStr;

use crate::ids::TeamId;
use crate::notation::NotationError;

/// The end of an episode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The side that won; none for a tie or a game that nobody could win any more.
    pub winner: Option<TeamId>,
    /// Why the episode ended.
    pub termination: Termination,
    /// What each side had at the end.
    pub returns: Returns,
}

/// Why an episode ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Termination {
    /// By the rules: somebody won, or nothing was left to play for.
    Normal,
    /// The operator ended it.
    Stopped,
    /// Too few agents were left to play on.
    AgentLost,
    /// A side was out of time.
    Time,
    /// A side broke a rule that ends the game.
    Illegal,
    /// A side's program ended.
    Crash,
    /// Nothing happened any more: the steps or the time that the driver allows were used up.
    Stall,
    /// The driver went away in mid-game: the process was ended, the server was lost.
    Interrupted,
}

impl Termination {
    /// Every reason, in the order of their declaration.
    pub const ALL: [Self; 8] = [
        Self::Normal,
        Self::Stopped,
        Self::AgentLost,
        Self::Time,
        Self::Illegal,
        Self::Crash,
        Self::Stall,
        Self::Interrupted,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Stopped => "stopped",
            Self::AgentLost => "agent-lost",
            Self::Time => "time",
            Self::Illegal => "illegal",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Termination {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|reason| reason.word() == text).ok_or_else(|| {
            let words = Self::ALL.map(Self::word).join(", ");
            NotationError::new("termination", text, &format!("one of {words}"))
        })
    }
}

/// What each side had when the episode ended, in the game's own points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Returns {
    points: [i32; TeamId::MAX],
    sides: u8,
}

impl Returns {
    /// These points, the first side's first.
    ///
    /// # Panics
    ///
    /// With more than [`TeamId::MAX`] sides.
    pub fn new(points: &[i32]) -> Self {
        assert!(points.len() <= TeamId::MAX, "games have at most four sides");
        let mut all = [0; TeamId::MAX];
        all[..points.len()].copy_from_slice(points);
        Self { points: all, sides: u8::try_from(points.len()).expect("at most four") }
    }

    /// The points, the first side's first.
    pub fn points(&self) -> &[i32] {
        &self.points[..usize::from(self.sides)]
    }

    /// The side with strictly most points.
    pub fn leader(&self) -> Option<TeamId> {
        let most = self.points().iter().max()?;
        let mut leaders = self.points().iter().enumerate().filter(|(_, points)| *points == most);
        match (leaders.next(), leaders.next()) {
            (Some((side, _)), None) => Some(TeamId::new(u8::try_from(side).expect("at most four"))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminations_read_as_they_are_written() {
        for reason in Termination::ALL {
            assert_eq!(reason.to_string().parse(), Ok(reason));
        }
        assert!(
            "won".parse::<Termination>().unwrap_err().to_string().contains("normal, stopped, agent-lost")
        );
    }

    #[test]
    fn the_leader_is_strictly_ahead() {
        assert_eq!(Returns::new(&[1, 3]).leader(), Some(TeamId::new(1)));
        assert_eq!(Returns::new(&[3, 3]).leader(), None);
        assert_eq!(Returns::new(&[-1, -2, -3]).leader(), Some(TeamId::new(0)));
        assert_eq!(Returns::new(&[]).leader(), None);
    }
}
