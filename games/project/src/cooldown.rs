//! The queue of agents: a tournament tree over the times at which agents are ready.
//!
//! The leaves are the agents. Each inner node holds the earlier of the two agents below it, and the root the
//! earliest of all. A change costs one comparison per level; reading the earliest agent costs nothing.

use game_env::{AgentId, Digest, Ready, SimTime};

/// The moment at which each agent is ready, and the agent that is first.
///
/// Agents that are ready at the same moment come in the order in which they were served last.
#[derive(Clone, Debug)]
pub(crate) struct Cooldowns {
    /// One entry per agent, padded to a power of two with [`NEVER`].
    keys: Vec<Key>,
    /// `winners[1]` is the root, `winners[n]` has the children `2n` and `2n + 1`; the second half are the
    /// leaves, every agent in its own place.
    winners: Vec<u16>,
    agents: usize,
    /// The place in the queue that the next service gives.
    next_order: u64,
}

/// A [`Ready`] as one number, the moment above the order: compared without a branch, since which of two
/// agents is first cannot be predicted.
type Key = u128;

/// The key of an agent that is gone, and of the padding.
const NEVER: Key = Key::MAX;

const fn key(ready: Ready) -> Key {
    (ready.at.as_millis() as Key) << 64 | ready.order as Key
}

const fn ready(key: Key) -> Ready {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
    let order = key as u64;
    Ready { at: SimTime::from_millis((key >> 64) as u64), order }
}

impl Cooldowns {
    /// All agents are ready at the start, in this order.
    pub(crate) fn new(order: &[AgentId]) -> Self {
        let leaves = order.len().next_power_of_two().max(2);
        let mut keys = vec![NEVER; leaves];
        for (agent, place) in order.iter().zip(0..) {
            keys[agent.index()] = key(Ready { at: SimTime::START, order: place });
        }
        let mut winners = vec![0; leaves];
        winners.extend((0..leaves).map(|leaf| u16::try_from(leaf).expect("ids have 16 bits")));
        let mut tree = Self { keys, winners, agents: order.len(), next_order: order.len() as u64 };
        for node in (1..leaves).rev() {
            tree.winners[node] = tree.better(tree.winners[2 * node], tree.winners[2 * node + 1]);
        }
        tree
    }

    /// Returns the agent that is ready first; `None` if all agents are gone.
    #[inline]
    pub(crate) fn first(&self) -> Option<(AgentId, Ready)> {
        let first = AgentId::new(self.winners[1]);
        Some((first, self.of(first)?))
    }

    /// Returns the moment at which this agent is ready; `None` if it is gone.
    #[inline]
    pub(crate) fn of(&self, agent: AgentId) -> Option<Ready> {
        Some(self.keys[agent.index()]).filter(|key| *key != NEVER).map(ready)
    }

    /// Makes an agent that was served ready again at this moment, behind all agents that are then ready already.
    #[inline]
    pub(crate) fn serve(&mut self, agent: AgentId, until: SimTime) {
        let order = self.next_order;
        self.next_order += 1;
        self.set(agent, key(Ready { at: until, order }));
    }

    /// Removes an agent that is gone.
    pub(crate) fn remove(&mut self, agent: AgentId) {
        self.set(agent, NEVER);
    }

    pub(crate) fn digest(&self, digest: &mut Digest) {
        for key in &self.keys[..self.agents] {
            digest.bytes(&key.to_le_bytes());
        }
        digest.u64(self.next_order);
    }

    #[inline]
    fn set(&mut self, agent: AgentId, key: Key) {
        self.keys[agent.index()] = key;
        let mut node = self.keys.len() + agent.index();
        let mut best = self.winners[node];
        while node > 1 {
            best = self.better(best, self.winners[node ^ 1]);
            node /= 2;
            self.winners[node] = best;
        }
    }

    #[inline]
    fn better(&self, one: u16, two: u16) -> u16 {
        let second = self.keys[usize::from(two)] < self.keys[usize::from(one)];
        std::hint::select_unpredictable(second, two, one)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The tree always has the same first agent as a scan over all agents.
        #[test]
        fn the_first_is_the_least(
            agents in 1usize..40,
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0u64..50, prop::bool::weighted(0.1)), 0..200),
        ) {
            let order: Vec<AgentId> = AgentId::all(agents).rev().collect();
            let mut tree = Cooldowns::new(&order);
            prop_assert_eq!(tree.first().map(|(agent, _)| agent), order.first().copied());
            for (agent, until, gone) in changes {
                let agent = AgentId::from_index(agent.index(agents));
                if gone {
                    tree.remove(agent);
                } else {
                    tree.serve(agent, SimTime::from_millis(until));
                }
                let least = AgentId::all(agents).filter_map(|agent| Some((tree.of(agent)?, agent))).min();
                prop_assert_eq!(tree.first(), least.map(|(ready, agent)| (agent, ready)));
            }
        }
    }
}
