//! Verdicts: the reason of a match's end, beside the ranking. They do not say who won.

use std::collections::BTreeMap;

use game_env::Termination;

use crate::text::with_commas;

/// Reason of a match's end, as a league counts it.
///
/// It follows from the match's [`Termination`], and is kept apart from the places of the sides: a side whose program
/// crashed has lost by the rules, and the verdict says why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// By the rules.
    Normal,
    /// The operator ended it.
    Stopped,
    /// Too few agents were left to play on.
    AgentLost,
    /// An agent was out of time, or did not answer.
    Timeout,
    /// An agent's program crashed.
    Crash,
    /// Nothing changed any more, or the limits of the league were reached.
    Stall,
    /// An agent broke a rule that ends the game.
    Illegal,
    /// An agent sent a message outside the protocol.
    Protocol,
    /// An agent could not be started or did not join.
    NeverJoined,
    /// The host failed the agents: the match says nothing about them, and is repeated.
    HostFault,
}

game_env::words! { Verdict, "verdict":
    Normal = "normal",
    Stopped = "stopped",
    AgentLost = "agent-lost",
    Timeout = "timeout",
    Crash = "crash",
    Stall = "stall",
    Illegal = "illegal",
    Protocol = "protocol",
    NeverJoined = "never-joined",
    HostFault = "host-fault",
}

/// Treatment of a match by a league.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    /// The places of the sides count.
    Scored,
    /// It is left out: it is in no standing.
    Discarded,
    /// It is played again.
    Repeated,
}

impl Verdict {
    /// Returns the verdict on a match that ended like this.
    pub const fn of(termination: Termination) -> Self {
        match termination {
            Termination::Normal => Self::Normal,
            Termination::Stopped => Self::Stopped,
            Termination::AgentLost => Self::AgentLost,
            Termination::Time | Termination::Silence => Self::Timeout,
            Termination::Crash => Self::Crash,
            Termination::Stall => Self::Stall,
            Termination::Illegal => Self::Illegal,
            Termination::Protocol => Self::Protocol,
            Termination::CannotStart => Self::NeverJoined,
            // The driver is the league's own: what ends it is no agent's doing.
            Termination::Interrupted | Termination::HostFault => Self::HostFault,
        }
    }

    /// Returns the treatment of a match with this verdict.
    pub const fn treatment(self) -> Treatment {
        match self {
            Self::Stopped => Treatment::Discarded,
            Self::HostFault => Treatment::Repeated,
            Self::Normal
            | Self::AgentLost
            | Self::Timeout
            | Self::Crash
            | Self::Stall
            | Self::Illegal
            | Self::Protocol
            | Self::NeverJoined => Treatment::Scored,
        }
    }
}

/// Returns a remark on games that ended otherwise than by the rules, given the number with each verdict; none if none
/// has.
pub(crate) fn unusual(games: &BTreeMap<Verdict, u64>) -> Option<String> {
    let odd = games.iter().filter(|(verdict, _)| **verdict != Verdict::Normal);
    let odd: Vec<String> = odd.map(|(verdict, games)| format!("{verdict} {}", with_commas(*games))).collect();
    (!odd.is_empty()).then(|| format!("games that ended otherwise than by the rules: {}", odd.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_read_as_they_are_written() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.to_string().parse(), Ok(verdict));
        }
        assert!("won".parse::<Verdict>().unwrap_err().to_string().contains("normal, stopped, agent-lost"));
    }

    /// Terminations that are no agent's doing change no standing.
    #[test]
    fn only_what_agents_are_answerable_for_is_scored() {
        for termination in Termination::ALL {
            let expected = match termination {
                Termination::Stopped => Treatment::Discarded,
                Termination::HostFault | Termination::Interrupted => Treatment::Repeated,
                _ => Treatment::Scored,
            };
            assert_eq!(Verdict::of(termination).treatment(), expected, "{termination}");
        }
    }

    #[test]
    fn every_verdict_has_a_termination() {
        for verdict in Verdict::ALL {
            assert!(Termination::ALL.into_iter().any(|reason| Verdict::of(reason) == verdict), "{verdict}");
        }
    }
}
