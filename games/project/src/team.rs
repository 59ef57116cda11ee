//! The two teams.

use game_env::{NotationError, TeamId};

/// Red or blue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Team {
    /// Its goal area is at the top of the board.
    Red,
    /// Its goal area is at the bottom of the board.
    Blue,
}

game_env::words! { Team, "team": Red = "red", Blue = "blue" }

impl Team {
    /// Returns the other one.
    pub const fn opponent(self) -> Self {
        match self {
            Self::Red => Self::Blue,
            Self::Blue => Self::Red,
        }
    }

    /// Returns the letter that stands for it in the text of boards.
    pub const fn letter(self) -> char {
        match self {
            Self::Red => 'R',
            Self::Blue => 'B',
        }
    }
}

impl From<Team> for TeamId {
    fn from(team: Team) -> Self {
        match team {
            Team::Red => Self::new(0),
            Team::Blue => Self::new(1),
        }
    }
}

impl TryFrom<TeamId> for Team {
    type Error = NotationError;

    fn try_from(team: TeamId) -> Result<Self, NotationError> {
        Self::ALL
            .into_iter()
            .find(|own| TeamId::from(*own) == team)
            .ok_or_else(|| NotationError::new("team", &team.index().to_string(), "0 for red or 1 for blue"))
    }
}
