//! Pings, sans-IO: when they are due, and who has not answered them.

use game_env::{Millis, SimTime};

/// The moments of pings, and how many of them may stay without an answer.
#[derive(Clone, Copy, Debug)]
pub struct Pings {
    every: Millis,
    missed: u32,
    next: SimTime,
}

impl Pings {
    /// Creates pings of which the first is due at once. `missed` unanswered pings in a row are too many.
    pub const fn new(every: Millis, missed: u32) -> Self {
        Self { every, missed, next: SimTime::START }
    }

    /// Moves the next ping to its usual distance from this moment.
    pub fn restart(&mut self, now: SimTime) {
        self.next = now + self.every;
    }

    /// Returns whether a ping is due; the next one then follows at its usual distance.
    pub fn are_due(&mut self, now: SimTime) -> bool {
        let are_due = now >= self.next;
        if are_due {
            self.restart(now);
        }
        are_due
    }

    /// Returns the moment of the next ping.
    pub const fn next(&self) -> SimTime {
        self.next
    }

    /// Counts the last ping of someone who is connected or not; returns whether too many pings in a row were not
    /// answered.
    pub const fn count(&self, pulse: &mut Pulse, is_connected: bool) -> bool {
        let is_there = pulse.has_answered && is_connected;
        pulse.missed = if is_there { 0 } else { pulse.missed + 1 };
        pulse.has_answered = false;
        pulse.missed >= self.missed
    }
}

/// The answers of one player or of one connection to pings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pulse {
    has_answered: bool,
    missed: u32,
}

impl Pulse {
    /// Creates the pings of someone who has just come.
    pub const fn new() -> Self {
        Self { has_answered: true, missed: 0 }
    }

    /// The last ping is answered.
    pub const fn answer(&mut self) {
        self.has_answered = true;
    }

    /// Returns whether the ping before the last one was not answered.
    pub const fn is_weak(&self) -> bool {
        self.missed > 0
    }
}

impl Default for Pulse {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pings_in_a_row_without_an_answer_are_too_many() {
        let mut pings = Pings::new(Millis::new(1000), 2);
        let at = |ms| SimTime::START + Millis::new(ms);
        assert_eq!([0, 999, 1000, 1500].map(|ms| pings.are_due(at(ms))), [true, false, true, false]);
        pings.restart(at(1500));
        assert_eq!(pings.next(), at(2500));
        let mut pulse = Pulse::new();
        assert!(!pings.count(&mut pulse, true) && !pulse.is_weak());
        assert!(!pings.count(&mut pulse, true) && pulse.is_weak());
        pulse.answer();
        assert!(!pings.count(&mut pulse, true) && !pulse.is_weak());
        pulse.answer();
        assert!(!pings.count(&mut pulse, false), "an answer without a connection does not count");
        assert!(pings.count(&mut pulse, true));
    }
}
