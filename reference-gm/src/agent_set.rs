//! Agents that an operator names: whole teams, and single agents by number.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use game_project::Team;
use wire::project::AgentNumber;

/// A set of agents: whole teams, and single agents by the numbers of
/// their connections.
///
/// As text: both kinds in any order, joined by commas.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentSet {
    teams: BTreeSet<Team>,
    agents: BTreeSet<AgentNumber>,
}

/// A word that names neither a team nor an agent.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is neither a team nor the number of an agent")]
pub struct NobodyKnown(String);

impl AgentSet {
    /// Whether this agent of this team belongs to the set.
    pub fn includes(&self, team: Team, agent: AgentNumber) -> bool {
        self.teams.contains(&team) || self.agents.contains(&agent)
    }
}

impl FromStr for AgentSet {
    type Err = NobodyKnown;

    fn from_str(text: &str) -> Result<Self, NobodyKnown> {
        let mut read = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match (word.parse(), word.parse()) {
                (Ok(team), _) => _ = read.teams.insert(team),
                (_, Ok(number)) if number >= 0 => _ = read.agents.insert(AgentNumber(number)),
                _ => return Err(NobodyKnown(word.to_owned())),
            }
        }
        Ok(read)
    }
}

impl FromIterator<Team> for AgentSet {
    fn from_iter<I: IntoIterator<Item = Team>>(teams: I) -> Self {
        Self { teams: teams.into_iter().collect(), ..Self::default() }
    }
}

impl Extend<AgentNumber> for AgentSet {
    fn extend<I: IntoIterator<Item = AgentNumber>>(&mut self, agents: I) {
        self.agents.extend(agents);
    }
}

impl fmt::Display for AgentSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let teams = self.teams.iter().map(Team::to_string);
        let words: Vec<String> = teams.chain(self.agents.iter().map(AgentNumber::to_string)).collect();
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_and_numbers_are_read_in_any_order() {
        let read: AgentSet = "3, red,14".parse().unwrap();
        assert_eq!(read.to_string(), "red,3,14");
        let includes = [(Team::Red, 9), (Team::Blue, 3), (Team::Blue, 14), (Team::Blue, 9)]
            .map(|(team, agent)| read.includes(team, AgentNumber(agent)));
        assert_eq!(includes, [true, true, true, false]);
        assert_eq!("".parse(), Ok(AgentSet::default()));
        for senseless in ["green", "red;blue", "-1", "1.5"] {
            assert!(senseless.parse::<AgentSet>().is_err(), "{senseless}");
        }
    }
}
