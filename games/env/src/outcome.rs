//! The outcome of an episode: the teams' places, the reason of the end, the agent at fault, and the points of each
//! team.
//!
//! These are separate on purpose: a league counts places, a host wants the reason why a game stopped, and a statistics
//! page shows points.

use std::fmt;

use crate::ids::{AgentId, TeamId};

/// The end of an episode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The place of every team.
    pub ranking: Ranking,
    /// The reason of the end.
    pub termination: Termination,
    /// The agent that caused an end other than [`Termination::Normal`]: it left, was out of time, or forfeited.
    pub fault: Option<AgentId>,
    /// The points of each team at the end.
    pub returns: Returns,
}

impl Outcome {
    /// Returns the team that won; `None` for a tie at the top or a game that no team could win any more.
    pub fn winner(&self) -> Option<TeamId> {
        self.ranking.winner()
    }

    /// Returns the outcome for people, with these names of teams: `red wins, red 3 : 2 blue (goals)`. Without names it
    /// is the notation of [`Outcome`].
    pub fn text(&self, team_names: &[&str]) -> String {
        let name = |team: TeamId| team_names.get(team.index());
        let (Some(first), Some(last)) = (team_names.first(), team_names.last()) else {
            return self.to_string();
        };
        let winner = self.winner().and_then(name);
        let winner = winner.map_or_else(|| "nobody wins".to_owned(), |team| format!("{team} wins"));
        let points: Vec<String> = self.returns.points().iter().map(i32::to_string).collect();
        format!("{winner}, {first} {} {last} ({})", points.join(" : "), self.termination)
    }

    /// Writes the line of the event that ends a game in which every agent plays for itself: the winner, the reason, the
    /// points if the game counts any, and the agent at fault; e.g. `over #0 agent-lost 5:3 by #1`.
    ///
    /// # Errors
    ///
    /// As the formatter.
    pub fn write_over(&self, f: &mut fmt::Formatter<'_>, has_points: bool) -> fmt::Result {
        match self.winner() {
            Some(team) => write!(f, "over #{} {}", team.index(), self.termination)?,
            None => write!(f, "over nobody {}", self.termination)?,
        }
        for (place, points) in self.returns.points().iter().enumerate().filter(|_| has_points) {
            write!(f, "{}{points}", if place == 0 { " " } else { ":" })?;
        }
        self.fault.map_or(Ok(()), |agent| write!(f, " by {agent}"))
    }

    /// Returns the outcome that these values from a file make, or the fault of the values.
    #[cfg(any(feature = "matches", feature = "replay"))]
    pub(crate) fn from_parts(
        places: &[u8],
        termination: &str,
        fault: Option<u16>,
        returns: &[i32],
    ) -> Result<Self, String> {
        if returns.len() > TeamId::MAX {
            return Err(format!("{} returns: expected at most {}", returns.len(), TeamId::MAX));
        }
        if places.len() != returns.len() {
            return Err(format!("{} places, but {} returns", places.len(), returns.len()));
        }
        let ranking = Ranking::from_places(places)
            .ok_or_else(|| format!("places {places:?}: expected a ranking such as [1, 2] or [1, 1, 3]"))?;
        let termination = termination.parse::<Termination>().map_err(|error| error.to_string())?;
        Ok(Self { ranking, termination, fault: fault.map(AgentId::new), returns: Returns::new(returns) })
    }
}

/// The winner, the points and the reason: `team 1 wins, 9 : 7 (normal)`. Teams and agents are numbered from 1.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(team) => write!(f, "team {} wins", team.index() + 1)?,
            None => f.write_str("nobody wins")?,
        }
        for (place, points) in self.returns.points().iter().enumerate() {
            write!(f, "{} {points}", if place == 0 { "," } else { " :" })?;
        }
        write!(f, " ({}", self.termination)?;
        if let Some(agent) = self.fault {
            write!(f, " of agent {}", agent.index() + 1)?;
        }
        f.write_str(")")
    }
}

/// The place of every team, 1 for the best. Teams may share a place; the next one is then left out ("1, 1, 3").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ranking {
    places: [u8; TeamId::MAX],
    teams: u8,
}

impl Ranking {
    /// Returns a tie of all teams.
    ///
    /// # Panics
    ///
    /// Panics with more than [`TeamId::MAX`] teams.
    pub fn tied(teams: usize) -> Self {
        Self::by_points(&Returns::new(&[0; TeamId::MAX][..teams]))
    }

    /// This team wins, all others share the second place.
    ///
    /// # Panics
    ///
    /// Panics with more than [`TeamId::MAX`] teams, or if the winner is not among them.
    pub fn won_by(winner: TeamId, teams: usize) -> Self {
        let mut points = [0; TeamId::MAX];
        points[..teams][winner.index()] = 1;
        Self::by_points(&Returns::new(&points[..teams]))
    }

    /// This team is last, all others share the first place.
    ///
    /// # Panics
    ///
    /// Panics with more than [`TeamId::MAX`] teams, or if the loser is not among them.
    pub fn lost_by(loser: TeamId, teams: usize) -> Self {
        let mut points = [0; TeamId::MAX];
        points[..teams][loser.index()] = -1;
        Self::by_points(&Returns::new(&points[..teams]))
    }

    /// Returns the half points of the team with this index: two for each team with a worse place, one for each with the
    /// same.
    ///
    /// # Panics
    ///
    /// If there is no such team.
    pub fn half_points(&self, team: usize) -> u8 {
        let own = self.places()[team];
        let others = self.places().iter().enumerate().filter(|(other, _)| *other != team);
        others.map(|(_, place)| if *place > own { 2 } else { u8::from(*place == own) }).sum()
    }

    /// More points, better place.
    pub fn by_points(returns: &Returns) -> Self {
        let points = returns.points();
        let mut places = [0; TeamId::MAX];
        for (place, own) in places.iter_mut().zip(points) {
            let better = points.iter().filter(|other| *other > own).count();
            *place = 1 + u8::try_from(better).expect("at most four teams");
        }
        Self { places, teams: u8::try_from(points.len()).expect("at most four teams") }
    }

    /// Returns the ranking with these places, the first team's first; `None` unless every place is one more than the
    /// number of teams with a better one.
    pub fn from_places(places: &[u8]) -> Option<Self> {
        if places.len() > TeamId::MAX {
            return None;
        }
        let mut points = [0; TeamId::MAX];
        points.iter_mut().zip(places).for_each(|(points, place)| *points = -i32::from(*place));
        let ranking = Self::by_points(&Returns::new(&points[..places.len()]));
        (ranking.places() == places).then_some(ranking)
    }

    /// Returns the places, the first team's first.
    pub fn places(&self) -> &[u8] {
        &self.places[..usize::from(self.teams)]
    }

    /// Returns the team that has the first place for itself.
    pub fn winner(&self) -> Option<TeamId> {
        let mut first = self.places().iter().enumerate().filter(|(_, place)| **place == 1);
        match (first.next(), first.next()) {
            (Some((team, _)), None) => Some(TeamId::new(u8::try_from(team).expect("at most four teams"))),
            _ => None,
        }
    }
}

/// The reason why an episode ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Termination {
    /// By the rules: a team won, or nothing was left to play for.
    Normal,
    /// The operator ended it.
    Stopped,
    /// Too few agents were left to play on.
    AgentLost,
    /// An agent was out of time.
    Time,
    /// An agent broke a rule that ends the game.
    Illegal,
    /// An agent sent something outside the protocol.
    Protocol,
    /// An agent was connected and did not answer.
    Silence,
    /// An agent's program ended.
    Crash,
    /// An agent's program could not be started, or never joined.
    CannotStart,
    /// Nothing changed any more: the steps or the time that the driver allows were used up.
    Stall,
    /// The driver went away in mid-game: the process was ended, the server was lost.
    Interrupted,
    /// The host failed the agents, e.g. its machine was too slow: the result says nothing about the agents.
    HostFault,
}

crate::words! { Termination, "termination":
    Normal = "normal",
    Stopped = "stopped",
    AgentLost = "agent-lost",
    Time = "time",
    Illegal = "illegal",
    Protocol = "protocol",
    Silence = "silence",
    Crash = "crash",
    CannotStart = "cannot-start",
    Stall = "stall",
    Interrupted = "interrupted",
    HostFault = "host-fault",
}

/// The points of each team when the episode ended, in the game's own unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Returns {
    points: [i32; TeamId::MAX],
    teams: u8,
}

impl Returns {
    /// Creates a list of points, the first team's first.
    ///
    /// # Panics
    ///
    /// Panics with more than [`TeamId::MAX`] teams.
    pub fn new(points: &[i32]) -> Self {
        assert!(points.len() <= TeamId::MAX, "games have at most four teams");
        let mut all = [0; TeamId::MAX];
        all[..points.len()].copy_from_slice(points);
        Self { points: all, teams: u8::try_from(points.len()).expect("at most four") }
    }

    /// Returns the points, the first team's first.
    pub fn points(&self) -> &[i32] {
        &self.points[..usize::from(self.teams)]
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
    fn teams_with_equal_points_share_a_place() {
        for (points, places, winner) in [
            (&[1, 3][..], &[2, 1][..], Some(1)),
            (&[3, 3], &[1, 1], None),
            (&[-1, -2, -3], &[1, 2, 3], Some(0)),
            (&[5, 7, 7, 2], &[3, 1, 1, 4], None),
            (&[5, 5, 7, 5], &[2, 2, 1, 2], Some(2)),
            (&[4], &[1], Some(0)),
            (&[], &[], None),
        ] {
            let ranking = Ranking::by_points(&Returns::new(points));
            assert_eq!((ranking.places(), ranking.winner()), (places, winner.map(TeamId::new)), "{points:?}");
        }
    }

    #[test]
    fn places_that_cannot_be_are_no_ranking() {
        for places in [&[1, 1, 3][..], &[2, 1], &[4, 1, 2, 2], &[]] {
            assert_eq!(Ranking::from_places(places).as_ref().map(Ranking::places), Some(places));
        }
        for places in [&[0, 1][..], &[2, 2], &[1, 1, 2], &[1, 3], &[1; 5]] {
            assert_eq!(Ranking::from_places(places), None, "{places:?}");
        }
    }

    #[test]
    fn one_team_is_set_apart_and_the_others_share_a_place() {
        assert_eq!(Ranking::tied(3).places(), [1, 1, 1]);
        assert_eq!(Ranking::won_by(TeamId::new(1), 3).places(), [2, 1, 2]);
        assert_eq!(Ranking::lost_by(TeamId::new(1), 3).places(), [1, 3, 1]);
        assert_eq!(Ranking::lost_by(TeamId::new(1), 2).winner(), Some(TeamId::new(0)));
    }
}
