//! The flag `--times`: the wall time of decisions in process, on this machine.

use std::fmt;
use std::time::{Duration, Instant};

use contests::text::{counted, wall_time};
use game_env::matches::MatchSpec;

use super::contest;
use crate::executor::CannotPlay;
use crate::in_process::InProcess;

/// The line above the times of several entrants.
pub(super) const HEADING: &str = "time of a decision on this machine:";

/// Plays a match, as all are played, without a clock. Then lets its players decide again along its replay, and returns
/// the times of these decisions for each agent.
///
/// # Errors
///
/// If the match cannot be played.
pub(super) fn of_agents(plays: &InProcess, spec: &MatchSpec) -> Result<Vec<Vec<Duration>>, CannotPlay> {
    let replay = contest::play(plays, spec, true)?.replay.unwrap_or_default();
    let game = plays.recorded_game(&replay).map_err(CannotPlay)?;
    let begun = Instant::now();
    game.decision_times(&|| begun.elapsed()).map_err(|error| CannotPlay(error.to_string()))
}

/// The times of decisions, in ascending order.
pub(super) struct DecisionTimes(Vec<Duration>);

impl DecisionTimes {
    /// Returns the least time that this part of the decisions did not exceed; none without decisions.
    fn at(&self, per_mille: usize) -> Option<Duration> {
        let rank = (self.0.len() * per_mille).div_ceil(1000);
        self.0.get(rank.checked_sub(1)?).copied()
    }
}

impl FromIterator<Duration> for DecisionTimes {
    fn from_iter<T: IntoIterator<Item = Duration>>(times: T) -> Self {
        let mut times: Vec<Duration> = times.into_iter().collect();
        times.sort_unstable();
        Self(times)
    }
}

/// Without the name of the entrant.
impl fmt::Display for DecisionTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [Some(median), Some(rare), Some(most)] = [500, 999, 1000].map(|per_mille| self.at(per_mille))
        else {
            return f.write_str("no decisions");
        };
        let [median, rare, most] = [median, rare, most].map(wall_time);
        let decisions = counted(self.0.len() as u64, "decision", "decisions");
        write!(f, "median {median}, 99.9th percentile {rare}, maximum {most} ({decisions})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_by_their_percentiles() {
        let told = |micros: std::ops::Range<u64>| {
            micros.map(Duration::from_micros).rev().collect::<DecisionTimes>().to_string()
        };
        assert_eq!(
            told(0..2_001),
            "median 1.0 ms, 99.9th percentile 2.0 ms, maximum 2.0 ms (2,001 decisions)"
        );
        assert_eq!(told(40..42), "median 40 µs, 99.9th percentile 41 µs, maximum 41 µs (2 decisions)");
        assert_eq!(told(0..0), "no decisions");
    }
}
