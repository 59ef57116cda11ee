//! Time as a value: moments and spans of an episode, in milliseconds.
//!
//! Nothing here reads a clock.
//! A rollout takes its time from the game, a game master from the one clock in its shell.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

/// A span of time, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Millis(u32);

impl Millis {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// This number of milliseconds.
    pub const fn new(milliseconds: u32) -> Self {
        Self(milliseconds)
    }

    /// Returns the number of milliseconds.
    pub const fn as_millis(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

impl From<Millis> for Duration {
    fn from(span: Millis) -> Self {
        Self::from_millis(span.0.into())
    }
}

/// A moment of an episode: milliseconds since it began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SimTime(u64);

impl SimTime {
    /// The moment at which the episode begins.
    pub const START: Self = Self(0);

    /// A moment that no episode reaches.
    pub const NEVER: Self = Self(u64::MAX);

    /// Returns the moment this number of milliseconds after the beginning.
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// Milliseconds since the beginning.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Moves a game's clock to this moment.
    ///
    /// # Panics
    ///
    /// If the moment lies before the time of the clock.
    #[inline]
    pub fn advance(&mut self, now: Self) {
        assert!(now >= *self, "time runs backwards, from {self} to {now}");
        *self = now;
    }

    /// Returns the span from `earlier` to this moment; [`Millis::ZERO`] if `earlier` is later, and the longest span
    /// that [`Millis`] can hold (49 days) if it is longer ago than that.
    pub fn since(self, earlier: Self) -> Millis {
        Millis(u32::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(u32::MAX))
    }
}

/// The moment at which a clock of the system shows this time, if it stood at zero at the start. Parts of a millisecond
/// are left out, so that a moment never lies in the future of that clock.
impl From<Duration> for SimTime {
    fn from(since_start: Duration) -> Self {
        let whole = since_start.as_secs().saturating_mul(1000);
        Self(whole.saturating_add(since_start.subsec_millis().into()))
    }
}

/// The time from the start to this moment.
impl From<SimTime> for Duration {
    fn from(moment: SimTime) -> Self {
        Self::from_millis(moment.0)
    }
}

impl Add<Millis> for SimTime {
    type Output = Self;

    fn add(self, span: Millis) -> Self {
        Self(self.0.saturating_add(u64::from(span.0)))
    }
}

impl AddAssign<Millis> for SimTime {
    fn add_assign(&mut self, span: Millis) {
        *self = *self + span;
    }
}

impl Sub for SimTime {
    type Output = Millis;

    fn sub(self, earlier: Self) -> Millis {
        self.since(earlier)
    }
}

/// Seconds with three decimals, e.g. `12.340 s`.
impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} s", self.0 / 1000, self.0 % 1000)
    }
}

/// A moment in files: its milliseconds, or `null` for [`SimTime::NEVER`].
#[cfg(any(feature = "matches", feature = "replay"))]
pub(crate) mod as_millis {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::SimTime;

    pub(crate) fn serialize<S: Serializer>(time: &SimTime, serializer: S) -> Result<S::Ok, S::Error> {
        Some(*time).filter(|time| *time != SimTime::NEVER).map(SimTime::as_millis).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SimTime, D::Error> {
        let time = Option::<u64>::deserialize(deserializer)?;
        Ok(time.map_or(SimTime::NEVER, SimTime::from_millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_add_to_moments_and_come_back() {
        let later = SimTime::from_millis(12_000) + Millis::new(340);
        assert_eq!(later.to_string(), "12.340 s");
        assert_eq!(later - SimTime::from_millis(12_000), Millis::new(340));
        assert_eq!(SimTime::START - later, Millis::ZERO);
    }

    #[test]
    fn clocks_of_the_system_are_read_in_whole_milliseconds() {
        let moment = SimTime::from(Duration::from_micros(12_340_999));
        assert_eq!(moment, SimTime::from_millis(12_340));
        assert_eq!(Duration::from(moment), Duration::from_millis(12_340));
        assert_eq!(Duration::from(Millis::new(1500)), Duration::from_millis(1500));
        assert_eq!(SimTime::from(Duration::MAX), SimTime::NEVER);
    }

    #[test]
    fn a_clock_never_runs_backwards() {
        let mut clock = SimTime::from_millis(20);
        clock.advance(SimTime::from_millis(20));
        clock.advance(SimTime::from_millis(21));
        assert_eq!(clock, SimTime::from_millis(21));
        let back = std::panic::catch_unwind(move || clock.advance(SimTime::from_millis(20)));
        let message = back.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(*message, "time runs backwards, from 0.021 s to 0.020 s");
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(SimTime::NEVER + Millis::new(1), SimTime::NEVER);
        assert_eq!(SimTime::NEVER - SimTime::START, Millis::new(u32::MAX));
    }
}
