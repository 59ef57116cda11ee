//! Judgement of a match that the rules did not end: its termination, and the agent at fault.
//!
//! The rules of the game decide the winner. They know only that an agent is gone; the cause is known here.

use child_process::Ended;
use game_env::Termination;

use super::listeners::Closed;
use crate::network::programs::has_crashed;

/// Returns the termination for an agent that is gone and whose connection and program ended like this.
pub(super) fn why_gone(closed: Option<Closed>, ended: Option<&Ended>) -> Termination {
    if closed == Some(Closed::ByServer) {
        // The server closes the connection of an agent that breaks the protocol or does not read.
        return Termination::Protocol;
    }
    if ended.is_some_and(has_crashed) { Termination::Crash } else { Termination::AgentLost }
}

#[cfg(test)]
mod tests {
    use child_process::{How, Stop, Tail};

    use super::*;

    fn ended(how: How, stop: Option<Stop>) -> Ended {
        Ended { how, stop, left_behind: 0, errors: Tail::default(), output: Tail::default() }
    }

    #[test]
    fn an_agent_is_gone_for_what_ended_first() {
        let failed = ended(How::Exited(1), None);
        let left = ended(How::Exited(0), None);
        let killed = ended(How::Signalled(9), Some(Stop::Memory));
        let stopped = ended(How::Signalled(15), Some(Stop::Asked));
        for (closed, ended, expected) in [
            // A program that fails because its connection was closed has not crashed.
            (Some(Closed::ByServer), Some(&failed), Termination::Protocol),
            (Some(Closed::ByAgent), Some(&failed), Termination::Crash),
            (Some(Closed::ByAgent), Some(&killed), Termination::Crash),
            (Some(Closed::ByAgent), Some(&left), Termination::AgentLost),
            // It closed its connection and went on; it was stopped after the game.
            (Some(Closed::ByAgent), Some(&stopped), Termination::AgentLost),
            (Some(Closed::ByAgent), None, Termination::AgentLost),
            (None, None, Termination::AgentLost),
        ] {
            assert_eq!(why_gone(closed, ended), expected, "{closed:?} {ended:?}");
        }
    }
}
