//! Rates at which pieces come and go.

use game_env::{Millis, SimTime};

use super::window::USUAL;

/// Rates at which pieces come and go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// The pieces in play, and those of them that lie on the board on average.
    pub(super) pieces: f64,
    pub(super) lying: f64,
    /// The other agents.
    pub(super) others: f64,
    /// The time from one piece to the next that an agent is expected to need, in milliseconds.
    pub(super) cycle: f64,
    /// Number of pieces that the agent itself has picked up.
    pub(super) taken: u32,
}

impl Rates {
    /// Returns the number of pieces that come to a window of this share meanwhile, and the probability that a piece
    /// that lies there stays.
    pub(super) fn changes(&self, passed: Millis, now: SimTime, share: f64) -> (f64, f64) {
        // The agent's own pace counts as much as two expected cycles.
        let cycle = (2.0 * self.cycle + now.as_millis() as f64) / (2.0 + f64::from(self.taken));
        let taken = self.others * f64::from(passed.as_millis()) / cycle.max(1.0);
        let missing = (1.0 - self.lying / self.pieces.max(1.0)).max(0.05);
        let come = (taken * share / missing).min(USUAL);
        (come, 1.0 / (1.0 + taken / self.lying.max(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three agents that take a piece a second take one and a half in half a second; for each, a new one appears.
    #[test]
    fn pieces_go_and_come_at_the_pace_of_the_game() {
        let rates = Rates { pieces: 8.0, lying: 6.0, others: 3.0, cycle: 1_000.0, taken: 1 };
        let changes = |passed, share| rates.changes(Millis::new(passed), SimTime::from_millis(1_000), share);
        // A quarter of the pieces is carried, so each world draws four times as often as pieces come.
        assert_eq!(changes(500, 0.5), (3.0, 0.8));
        assert_eq!(changes(0, 0.5), (0.0, 1.0));
        assert_eq!(changes(60_000, 1.0).0, USUAL, "no more than a window holds");
        let slow = rates.changes(Millis::new(500), SimTime::from_millis(4_000), 0.5);
        assert_eq!(slow.0, 1.5, "the agent has needed twice as long for its piece");
    }
}
