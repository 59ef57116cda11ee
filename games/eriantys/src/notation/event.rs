//! Events as text. Teams are numbered from 1, as in results.

use std::fmt;

use crate::state::Event;

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Round { round, first } => write!(f, "round {round} begins with {first}"),
            Self::Filled { cloud, students } => write!(f, "cloud {cloud} gets {students}"),
            Self::LastRound => f.write_str("last round"),
            Self::Assistant { player, assistant } => write!(f, "{player} assistant {assistant}"),
            Self::ToDining { player, color } => write!(f, "{player} dining {color}"),
            Self::ToIsland { player, color, island } => write!(f, "{player} island {color} {island}"),
            Self::Coin(player) => write!(f, "{player} gets a coin"),
            Self::Professor { color, player } => write!(f, "{player} gets the {color} professor"),
            Self::MotherNature { player, steps, island } => {
                write!(f, "{player} steps {steps} to island {island}")
            }
            Self::Lifted(island) => write!(f, "ban lifted on island {island}"),
            Self::Conquered { island, team, towers, from } => {
                write!(f, "team {} conquers island {island} with {towers}", team.index() + 1)?;
                from.map_or(Ok(()), |from| write!(f, " from team {}", from.index() + 1))
            }
            Self::Merged { island, gone } => write!(f, "island {gone} merges into {island}"),
            Self::Cloud { player, cloud, students } => write!(f, "{player} cloud {cloud} {students}"),
            Self::Character { player, play, price } => write!(f, "{player} {play} price {price}"),
            Self::Refilled { character, color } => write!(f, "{character} gets {color}"),
            Self::Returned { player, students } => write!(f, "{player} returns {students}"),
            Self::Refused { player, action, refusal } => write!(f, "{player} refused {action} {refusal}"),
            Self::Over(outcome) => {
                match outcome.winner() {
                    Some(team) => write!(f, "over team {} {}", team.index() + 1, outcome.termination)?,
                    None => write!(f, "over nobody {}", outcome.termination)?,
                }
                for (place, towers) in outcome.returns.points().iter().enumerate() {
                    write!(f, "{}{towers}", if place == 0 { " " } else { ":" })?;
                }
                outcome.fault.map_or(Ok(()), |agent| write!(f, " by {agent}"))
            }
        }
    }
}
