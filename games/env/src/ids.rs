//! The participants of a game: agents, teams, and tables indexed by team.
//!
//! Ids are positions in a game's own tables, from 0.
//! Names from outside (a connection's number, a file's name) are mapped to ids at the point where they enter.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use crate::text::{NotationError, number};

/// One agent of an episode: its place in the game's tables, from 0.
///
/// Written `#3`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct AgentId(u16);

impl AgentId {
    /// Returns the agent at this place.
    pub const fn new(index: u16) -> Self {
        Self(index)
    }

    /// Returns the agent at this place of a table.
    ///
    /// # Panics
    ///
    /// Past 65,535: no game has that many agents.
    pub fn from_index(index: usize) -> Self {
        Self(u16::try_from(index).expect("games seat fewer than 65,536 agents"))
    }

    /// Returns the place in a table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the other agent of a game of two agents.
    ///
    /// # Panics
    ///
    /// If this is neither of them.
    pub const fn opponent(self) -> Self {
        assert!(self.0 < 2, "a game of two agents has the agents #0 and #1");
        Self(1 - self.0)
    }

    /// Returns every agent of a game with this number of agents, in order.
    pub fn all(agents: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..u16::try_from(agents).expect("games seat fewer than 65,536 agents")).map(Self)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl FromStr for AgentId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix('#')
            .and_then(number)
            .map(Self)
            .ok_or_else(|| NotationError::new("agent", text, "`#` and a number, e.g. `#3`"))
    }
}

/// One side of a game: the agents that win and lose together. A single player is a team of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TeamId(u8);

impl TeamId {
    /// The most sides that a game may have.
    pub const MAX: usize = 4;

    /// Returns the team at this place.
    ///
    /// # Panics
    ///
    /// At or past [`TeamId::MAX`].
    pub const fn new(index: u8) -> Self {
        assert!((index as usize) < Self::MAX, "games have at most four sides");
        Self(index)
    }

    /// Returns the team of an agent in a game in which every agent plays for itself: agent 2 is team 2.
    ///
    /// # Panics
    ///
    /// At or past [`TeamId::MAX`].
    pub fn of_lone_agent(agent: AgentId) -> Self {
        Self::new(u8::try_from(agent.0).expect("games have at most four sides"))
    }

    /// Returns the number of teams of a game whose agents have these teams.
    ///
    /// ```
    /// use game_env::TeamId;
    ///
    /// let of_agents = [0, 1, 0, 1].map(TeamId::new);
    /// assert_eq!((TeamId::count(&of_agents), TeamId::count(&[])), (2, 0));
    /// ```
    pub fn count(of_agents: &[Self]) -> usize {
        of_agents.iter().map(|team| team.index() + 1).max().unwrap_or(0)
    }

    /// Returns the place in a table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One value per team, indexed by the game's own team type.
///
/// ```
/// use game_env::{ByTeam, TeamId};
///
/// let mut points: ByTeam<u32> = ByTeam::default();
/// points[TeamId::new(1)] += 3;
/// assert_eq!(points.into_inner(), [0, 3]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByTeam<T, const N: usize = 2>([T; N]);

impl<T, const N: usize> ByTeam<T, N> {
    /// Creates a table with these values, the first team's first.
    pub const fn new(values: [T; N]) -> Self {
        Self(values)
    }

    /// Returns the values, the first team's first.
    pub fn into_inner(self) -> [T; N] {
        self.0
    }

    /// Returns the values, the first team's first.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// Applies `f` to each value, and returns the table of the results.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> ByTeam<U, N> {
        ByTeam(self.0.map(f))
    }
}

impl<T: Default, const N: usize> Default for ByTeam<T, N> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| T::default()))
    }
}

impl<T, I: Into<TeamId>, const N: usize> Index<I> for ByTeam<T, N> {
    type Output = T;

    fn index(&self, team: I) -> &T {
        &self.0[team.into().index()]
    }
}

impl<T, I: Into<TeamId>, const N: usize> IndexMut<I> for ByTeam<T, N> {
    fn index_mut(&mut self, team: I) -> &mut T {
        &mut self.0[team.into().index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_reads_as_it_is_written() {
        let agent = AgentId::new(65_535);
        assert_eq!(agent.to_string(), "#65535");
        assert_eq!(agent.to_string().parse(), Ok(agent));
    }

    #[test]
    fn two_agents_are_the_opponents_of_each_other() {
        assert_eq!([0, 1].map(|index| AgentId::new(index).opponent()), [AgentId::new(1), AgentId::new(0)]);
        assert!(std::panic::catch_unwind(|| AgentId::new(2).opponent()).is_err());
    }

    #[test]
    fn what_is_no_agent_is_refused_with_what_would_be_one() {
        for text in ["", "3", "#", "#-1", "#+3", "#65536", "# 3"] {
            let error = text.parse::<AgentId>().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("`{text}` is no agent: expected `#` and a number, e.g. `#3`")
            );
        }
    }
}
