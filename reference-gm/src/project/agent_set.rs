//! Agents that an operator names: whole teams, agents with a habit, and single agents by number.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use game_env::text::fit_for_a_log;
use game_project::Team;
use wire::project::{AgentNumber, Habit};

/// A set of agents: whole teams, agents that [write in a certain way](Habit), and single agents by the numbers of
/// their connections.
///
/// As text: all three in any order, joined by commas, for example `red,payload-first,7`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentSet {
    teams: BTreeSet<Team>,
    habits: BTreeSet<Habit>,
    agents: BTreeSet<AgentNumber>,
}

/// A word that names no agents.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown agents `{word}`: expected a team, the number of an agent or a habit ({habits})", word = fit_for_a_log(.0), habits = Habit::ALL.map(Habit::word).join(", "))]
pub struct UnknownAgent(String);

impl AgentSet {
    /// Returns whether this agent of this team belongs to the set; `habit` is the one that its request to join has
    /// shown.
    pub fn includes(&self, team: Team, agent: AgentNumber, habit: Option<Habit>) -> bool {
        self.teams.contains(&team)
            || self.agents.contains(&agent)
            || habit.is_some_and(|habit| self.habits.contains(&habit))
    }
}

impl FromStr for AgentSet {
    type Err = UnknownAgent;

    fn from_str(text: &str) -> Result<Self, UnknownAgent> {
        let mut read = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            if let Ok(team) = word.parse() {
                read.teams.insert(team);
            } else if let Some(habit) = Habit::ALL.into_iter().find(|habit| habit.word() == word) {
                read.habits.insert(habit);
            } else if let Some(number) = word.parse().ok().filter(|number| *number >= 0) {
                read.agents.insert(AgentNumber(number));
            } else {
                return Err(UnknownAgent(word.to_owned()));
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
        let habits = self.habits.iter().map(|habit| habit.word().to_owned());
        let agents = self.agents.iter().map(AgentNumber::to_string);
        let words: Vec<String> = teams.chain(habits).chain(agents).collect();
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_habits_and_numbers_are_read_in_any_order() {
        let read: AgentSet = "3, null-agent,red,14".parse().unwrap();
        assert_eq!(read.to_string(), "red,null-agent,3,14");
        let includes = [
            (Team::Red, 9, None),
            (Team::Blue, 3, None),
            (Team::Blue, 14, None),
            (Team::Blue, 9, Some(Habit::NullAgent)),
            (Team::Blue, 9, Some(Habit::PayloadFirst)),
            (Team::Blue, 9, None),
        ]
        .map(|(team, agent, habit)| read.includes(team, AgentNumber(agent), habit));
        assert_eq!(includes, [true, true, true, true, false, false]);
        assert_eq!("".parse(), Ok(AgentSet::default()));
        for senseless in ["green", "red;blue", "-1", "1.5", "NullAgent"] {
            assert!(senseless.parse::<AgentSet>().is_err(), "{senseless}");
        }
        let hidden = "re\u{feff}d".parse::<AgentSet>().unwrap_err().to_string();
        assert!(hidden.starts_with("unknown agents `re\\u{feff}d`: "), "{hidden}");
    }
}
