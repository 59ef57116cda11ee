//! Duels that a player has lost by its time while the machine was too slow: they are played again.
//!
//! A slow machine can make a player late. It does not change a brick that a player has put, so that every other result
//! counts.

use child_process::host::{HostLimits, Load};
use wire::bricks::Reason;

/// The largest number of attempts at a duel.
pub const MOST_ATTEMPTS: u32 = 3;

/// The doubt about a result that the speed of the machine gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The number of attempts at the duel; the last one counts.
    pub attempts: u32,
    /// The doubt about the last attempt, if there is one.
    pub doubt: Option<String>,
}

/// Returns the doubt about a loss for this reason on a machine with this load and these limits, if there is one.
pub fn doubt(reason: &Reason, load: &Load, limits: &HostLimits) -> Option<String> {
    let by_time = match reason {
        Reason::Late(..) | Reason::OpeningLate(..) | Reason::Silent(_) | Reason::Deaf(_) => true,
        Reason::Normal
        | Reason::Illegal(..)
        | Reason::NoBrick(..)
        | Reason::NoAnswer(..)
        | Reason::Ahead(_)
        | Reason::Gone(_)
        | Reason::CannotStart(_)
        | Reason::Stopped => false,
    };
    by_time.then(|| load.fault(limits)).flatten()
}

/// Plays a duel until its result is not in doubt, at most [`MOST_ATTEMPTS`] times. `play` gets the number of the
/// attempt, from 1, and returns the duel and the doubt.
///
/// # Errors
///
/// The first error of `play`.
pub async fn settle<T, E>(
    mut play: impl AsyncFnMut(u32) -> Result<(T, Option<String>), E>,
) -> Result<(T, Check), E> {
    let mut attempts = 1;
    loop {
        let (played, doubt) = play(attempts).await?;
        if doubt.is_none() || attempts == MOST_ATTEMPTS {
            return Ok((played, Check { attempts, doubt }));
        }
        attempts += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use game_env::Millis;

    use super::*;

    #[test]
    fn a_loss_by_time_is_in_doubt_on_a_slow_machine() {
        let doubt = |reason: &Reason, longest| {
            let longest = Duration::from_millis(longest);
            doubt(reason, &Load { beats: 1000, late: 1, longest, pressure: None }, &HostLimits::default())
        };
        let time = Millis::new(600);
        let by_time = [
            Reason::Late(time, time),
            Reason::OpeningLate(time, time),
            Reason::Silent(time),
            Reason::Deaf(time),
        ];
        for reason in by_time {
            let told = doubt(&reason, 300);
            let expected = "this machine did not run the match for 300 ms (limit 100 ms)";
            assert_eq!(told.as_deref(), Some(expected), "{reason}");
            assert_eq!(doubt(&reason, 20), None, "{reason}");
        }
        for reason in [Reason::Normal, Reason::Gone("ended".to_owned()), Reason::Stopped] {
            assert_eq!(doubt(&reason, 300), None, "{reason}");
        }
    }

    #[tokio::test]
    async fn a_duel_in_doubt_is_played_again_and_counts_at_last() {
        for (doubtful, attempts, has_doubt) in [(0, 1, false), (1, 2, false), (2, 3, false), (9, 3, true)] {
            let play = async |attempt| {
                let doubt = (attempt <= doubtful).then(|| "slow".to_owned());
                Ok::<_, String>((attempt, doubt))
            };
            let doubt = has_doubt.then(|| "slow".to_owned());
            assert_eq!(settle(play).await, Ok((attempts, Check { attempts, doubt })));
        }
        let failing = async |_| Err::<((), _), _>("no room on the disk");
        assert_eq!(settle(failing).await, Err("no room on the disk"));
    }
}
