//! The numbers of connections in the names of a game's agents.

use std::collections::BTreeSet;

use wire::project::{AgentNumber, Seats};

/// The number of a connection in a player's name, `agent 7` or `greedy, agent 7`, and what comes before it; of any
/// other name, all of it.
pub fn known_number(name: &str) -> (&str, Option<AgentNumber>) {
    let number = |digits: &str| digits.parse().ok().map(AgentNumber);
    if let Some(number) = name.strip_prefix("agent ").and_then(number) {
        return (name, Some(number));
    }
    match name.rsplit_once(", agent ") {
        Some((strategy, digits)) if number(digits).is_some() => (strategy, number(digits)),
        _ => (name, None),
    }
}

/// The seats of a game, if all these names have the numbers of different ones.
pub fn known_seats(names: &[String]) -> Option<Seats> {
    let numbers: Option<Vec<_>> = names.iter().map(|name| known_number(name).1).collect();
    let numbers = numbers?;
    let different: BTreeSet<_> = numbers.iter().collect();
    (different.len() == numbers.len()).then(|| Seats::new(numbers.clone()))
}
