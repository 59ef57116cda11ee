//! Moments of a recorded game.

use std::fmt;
use std::str::FromStr;

use game_env::{NotationError, SimTime};
use strategies::recorded_game::RecordedGame;

/// A moment of a recorded game, as people name it: `2:31.5` is a game time in minutes and seconds, `120` the moment
/// after 120 actions and disruptions. A game without time has only such numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// After everything that happened up to and at this time.
    Time(SimTime),
    /// After this number of inputs: actions and disruptions.
    Inputs(usize),
}

/// A moment that a recorded game does not have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoMoment {
    /// It is later than the last input.
    #[error("{asked} is after the end of this record: expected a time up to {}", clock(*.last))]
    AfterTheEnd {
        /// The moment.
        asked: Moment,
        /// The last moment.
        last: SimTime,
    },
    /// There are fewer inputs.
    #[error("{asked} is after the end of this record: expected a number up to {inputs}")]
    TooFewInputs {
        /// The moment.
        asked: Moment,
        /// The number of inputs.
        inputs: usize,
    },
    /// The game has no time.
    #[error("{asked} is a time, and this game has none: expected a number of actions, from 0 to {inputs}")]
    NoTime {
        /// The moment.
        asked: Moment,
        /// The number of inputs.
        inputs: usize,
    },
}

impl Moment {
    /// Returns the number of inputs of this game up to the moment.
    ///
    /// # Errors
    ///
    /// If the game has no such moment.
    pub fn inputs(self, game: &dyn RecordedGame) -> Result<usize, NoMoment> {
        let moments = game.moments();
        let (inputs, last) = (moments.len(), moments.last().copied().unwrap_or(SimTime::START));
        match self {
            Self::Inputs(asked) if asked > inputs => Err(NoMoment::TooFewInputs { asked: self, inputs }),
            Self::Inputs(asked) => Ok(asked),
            Self::Time(_) if last == SimTime::START => Err(NoMoment::NoTime { asked: self, inputs }),
            Self::Time(at) if at > last => Err(NoMoment::AfterTheEnd { asked: self, last }),
            Self::Time(at) => Ok(moments.partition_point(|moment| *moment <= at)),
        }
    }

    /// Returns the name of the moment after this number of inputs of a game: its time, if the game has time.
    ///
    /// # Panics
    ///
    /// If the game has fewer inputs.
    pub fn after(moments: &[SimTime], inputs: usize) -> Self {
        let has_time = moments.last().is_some_and(|last| *last > SimTime::START);
        match inputs.checked_sub(1).map(|last| moments[last]) {
            Some(at) if has_time => Self::Time(at),
            None if has_time => Self::Time(SimTime::START),
            _ => Self::Inputs(inputs),
        }
    }

    /// Returns the numbers of inputs up to each moment that has a name, in their order. In a game that has time, all
    /// that happens at one time is before the same moment; otherwise, there is a moment after each input.
    pub fn all(moments: &[SimTime]) -> Vec<usize> {
        let has_time = moments.last().is_some_and(|last| *last > SimTime::START);
        let at_start = moments.partition_point(|moment| *moment == SimTime::START);
        let is_last = |inputs: &usize| moments.get(*inputs).is_none_or(|next| *next > moments[inputs - 1]);
        if has_time {
            std::iter::once(at_start).chain((at_start + 1..=moments.len()).filter(is_last)).collect()
        } else {
            (0..=moments.len()).collect()
        }
    }

    /// Returns the moment in a sentence: `2:31.5`, or `action 120`.
    pub fn named(self) -> String {
        match self {
            Self::Time(time) => clock(time),
            Self::Inputs(number) => format!("action {number}"),
        }
    }
}

/// Returns a game time in minutes and seconds: `2:31.5`.
pub fn clock(time: SimTime) -> String {
    let millis = time.as_millis();
    let (minutes, seconds, rest) = (millis / 60_000, millis / 1_000 % 60, millis % 1_000);
    let rest = format!("{rest:03}");
    let decimals = match rest.trim_end_matches('0') {
        "" => "0",
        decimals => decimals,
    };
    format!("{minutes}:{seconds:02}.{decimals}")
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => f.pad(&clock(*time)),
            Self::Inputs(inputs) => f.pad(&inputs.to_string()),
        }
    }
}

impl FromStr for Moment {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = match text.split_once(':') {
            Some((minutes, seconds)) => time(minutes, seconds).map(Self::Time),
            None => text.parse().ok().map(Self::Inputs),
        };
        let expected = "a game time such as 2:31.5, or a number of actions such as 120";
        read.ok_or_else(|| NotationError::new("moment", text, expected))
    }
}

/// Returns the time of these minutes and seconds, with at most three decimals.
fn time(minutes: &str, seconds: &str) -> Option<SimTime> {
    let (seconds, decimals) = seconds.split_once('.').unwrap_or((seconds, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if ![minutes, seconds, decimals].into_iter().all(is_number) || seconds.len() != 2 || decimals.len() > 3 {
        return None;
    }
    let [minutes, seconds]: [u64; 2] = [minutes.parse().ok()?, seconds.parse().ok()?];
    let millis: u64 = format!("{decimals:0<3}").parse().ok()?;
    let seconds = minutes.checked_mul(60)?.checked_add(seconds).filter(|_| seconds < 60)?;
    Some(SimTime::from_millis(seconds.checked_mul(1_000)?.checked_add(millis)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_all_that_happens_at_its_time() {
        let times = |millis: &[u64]| millis.iter().map(|at| SimTime::from_millis(*at)).collect::<Vec<_>>();
        for (inputs, all) in [
            (&[0, 0, 5, 5, 5, 7][..], &[2, 5, 6][..]),
            (&[3, 3, 4], &[0, 2, 3]),
            (&[0, 0, 0], &[0, 1, 2, 3]),
            (&[], &[0]),
        ] {
            let times = times(inputs);
            assert_eq!(Moment::all(&times), all, "{inputs:?}");
            for inputs in all {
                let told = Moment::after(&times, *inputs);
                if let Moment::Time(at) = told {
                    assert_eq!(times.partition_point(|moment| *moment <= at), *inputs, "{told}");
                }
            }
        }
    }

    #[test]
    fn moments_read_as_they_are_written() {
        for text in ["0:00.0", "2:31.5", "12:00.125", "0", "120"] {
            assert_eq!(text.parse::<Moment>().map(|moment| moment.to_string()), Ok(text.to_owned()));
        }
        for (text, written) in [("2:31", "2:31.0"), ("02:07.50", "2:07.5"), ("0012", "12")] {
            assert_eq!(text.parse::<Moment>().map(|moment| moment.to_string()), Ok(written.to_owned()));
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in
            ["", "2:3", "2:60.0", "2:31.1234", ":", "-1", "2:-1", "1.5", "99999999999999999999:00", "1:2:3"]
        {
            let error = text.parse::<Moment>().unwrap_err().to_string();
            assert!(error.contains("2:31.5"), "{text}: {error}");
        }
    }
}
