//! The random numbers of a strategy: each call has its own.

use game_env::{AgentId, Chance, Seed, SimTime};

/// A call of a strategy, for its random numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    Begin,
    Hear,
    Answer(AgentId),
    Act,
    End,
}

/// The random numbers of an agent, and the counts from which they follow.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    seed: Seed,
    agent: AgentId,
    /// Random numbers for the call of the strategy that comes next; see [`Draws::start`].
    pub(super) chance: Chance,
    /// Number of messages that the strategy has heard.
    pub(super) heard: u64,
    /// Number of requests that the agent has sent.
    pub(super) sent: u64,
}

impl Draws {
    pub(super) fn new(seed: Seed, agent: AgentId) -> Self {
        Self { seed, agent, chance: seed.agent(agent), heard: 0, sent: 0 }
    }

    /// Takes the random numbers of the calls from now on from this seed.
    pub(super) fn reseed(&mut self, seed: Seed) {
        self.seed = seed;
    }

    /// Sets the random numbers of the next call of the strategy.
    ///
    /// They follow from the seed, the agent, and the data of a replay at the moment of the call: the number of requests
    /// that the agent has sent and the time, or for a message the number of messages before it. So a strategy that is
    /// put in its own place in a recorded game draws the same numbers, although a replay does not hold the moments at
    /// which it chose to wait.
    pub(super) fn start(&mut self, call: Call, now: SimTime) {
        let Self { seed, agent, heard, sent, .. } = *self;
        let moment = |call: u64| [1, sent, now.as_millis(), call];
        match call {
            Call::Begin => self.chance.start_again(seed, &[], agent),
            Call::Hear => self.chance.start_again(seed, &[2, heard], agent),
            Call::Answer(by) => self.chance.start_again(seed, &moment(1 + by.index() as u64), agent),
            Call::Act => self.chance.start_again(seed, &moment(0), agent),
            Call::End => self.chance.start_again(seed, &[3], agent),
        }
    }
}
