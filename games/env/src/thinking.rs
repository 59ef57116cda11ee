//! The rule of a match for the time that programs of others think.

use std::time::Duration;

use crate::time::Millis;

/// The rule of a match for the time that programs think. Strategies in the same process have no time limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "configuration", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "configuration", serde(rename_all = "snake_case"))]
pub enum Thinking {
    /// Thinking takes no game time and has no limit. The result follows from the seed and the programs alone.
    #[default]
    Free,
    /// A decision may take this many milliseconds on the wall clock. It takes no game time.
    LimitMs(u32),
    /// Each millisecond of a decision on the wall clock takes this many milliseconds of game time. In a game without
    /// time this has no effect.
    ChargeMs(u32),
    /// The game is played on a server, and goes on while a program thinks.
    RealTime,
}

impl Thinking {
    /// The highest rate of [`ChargeMs`](Self::ChargeMs).
    pub const MOST_CHARGE_MS: u32 = 1_000_000;

    /// Returns whether this is [`Thinking::Free`].
    pub fn is_free(&self) -> bool {
        *self == Self::Free
    }

    /// Returns the game time of a decision that took this long on the wall clock, to the nearest millisecond.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use game_env::{Millis, Thinking};
    ///
    /// assert_eq!(Thinking::ChargeMs(10).charge(Duration::from_micros(250)), Millis::new(3));
    /// assert_eq!(Thinking::Free.charge(Duration::from_secs(1)), Millis::ZERO);
    /// ```
    pub fn charge(self, took: Duration) -> Millis {
        let Self::ChargeMs(rate) = self else { return Millis::ZERO };
        let millis = (took.as_micros() * u128::from(rate) + 500) / 1_000;
        Millis::new(u32::try_from(millis).unwrap_or(u32::MAX))
    }
}
