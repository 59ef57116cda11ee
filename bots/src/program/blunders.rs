//! What strategies did that cost them turns: the first of each agent in full, the rest counted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use game_env::AgentId;
use sdk::actor::Blunder;

use super::screen::Screen;

/// How many blunders of an agent are told in full.
const TOLD: u64 = 3;

/// Tells and counts blunders. Clones count together.
#[derive(Clone)]
pub(crate) struct Blunders {
    screen: Screen,
    /// What plays the game again.
    command: Arc<str>,
    /// By agent: its strategy, and how many blunders it made.
    counts: Arc<Mutex<BTreeMap<AgentId, (String, u64)>>>,
}

impl Blunders {
    pub(crate) fn new(screen: &Screen, command: &str) -> Self {
        Self { screen: screen.clone(), command: command.into(), counts: Arc::default() }
    }

    pub(crate) fn report(&self, strategy: &str, blunder: &Blunder) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, count) = counts.entry(blunder.agent).or_insert_with(|| (strategy.to_owned(), 0));
        *count += 1;
        if *count <= TOLD {
            self.screen.say(&format!("blunder of {strategy}: {blunder}repeat: {}", self.command));
        }
    }

    /// Tells how many there were beyond those that were told; how many in all.
    pub(crate) fn sum_up(&self) -> u64 {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (agent, (strategy, count)) in counts.iter().filter(|(_, (_, count))| *count > TOLD) {
            self.screen.say(&format!("agent {agent} ({strategy}): {} further blunders", count - TOLD));
        }
        counts.values().map(|(_, count)| count).sum()
    }
}
