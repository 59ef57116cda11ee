//! The allowance of a connection: the messages that it may send.

use game_env::SimTime;

/// The messages that a connection may send at once: it grows with time, up to those of two seconds.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    per_second: u32,
    left: u32,
    /// When it was last raised.
    raised: SimTime,
}

impl Allowance {
    /// Creates the allowance of a connection that has sent nothing.
    pub const fn new(now: SimTime, per_second: u32) -> Self {
        Self { per_second, left: 2 * per_second, raised: now }
    }

    /// Takes a message from the allowance; returns false if none is left.
    pub fn take(&mut self, now: SimTime) -> bool {
        let earned = u64::from((now - self.raised).as_millis()) * u64::from(self.per_second) / 1000;
        if earned > 0 {
            let earned = u32::try_from(earned).unwrap_or(u32::MAX);
            self.left = self.left.saturating_add(earned).min(2 * self.per_second);
            self.raised = now;
        }
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }

    /// Gives a message back that is to cost nothing.
    pub const fn give_back(&mut self) {
        self.left += 1;
    }
}
