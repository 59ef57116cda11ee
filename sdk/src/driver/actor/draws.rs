//! The random numbers of a strategy: each call has its own.

use game_env::{AgentId, SimTime};

use super::Actor;

/// A call of a strategy, for its random numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    Begin,
    Hear,
    Answer(AgentId),
    Act,
    End,
}

impl Actor {
    /// Sets the random numbers of the next call of the strategy.
    ///
    /// They follow from the seed, the agent, and the data of a replay at the moment of the call: the number of requests
    /// that the agent has sent and the time, or for a message the number of messages before it. So a strategy that is
    /// put in its own place in a recorded game draws the same numbers, although a replay does not hold the moments at
    /// which it chose to wait.
    pub(super) fn draw_for(&mut self, call: Call, now: SimTime) {
        let (heard, sent) = self.counts;
        let moment = |call: u64| [1, sent, now.as_millis(), call];
        let (seed, agent) = (self.seed, self.own.agent);
        match call {
            Call::Begin => self.chance.start_again(seed, &[], agent),
            Call::Hear => self.chance.start_again(seed, &[2, heard], agent),
            Call::Answer(by) => self.chance.start_again(seed, &moment(1 + by.index() as u64), agent),
            Call::Act => self.chance.start_again(seed, &moment(0), agent),
            Call::End => self.chance.start_again(seed, &[3], agent),
        }
    }
}
