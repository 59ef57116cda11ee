//! A policy that does everything: it draws one of the runs of options of a kind first, then any option of this kind.
//! Drawn from all options, most students would go to islands.

use std::mem::discriminant;

use game_env::{AgentId, Chance, Choice, Options as _, Policy, SimTime};
use game_eriantys::{Action, Observation, State};

pub(crate) struct Lively {
    chance: Chance,
    options: Vec<Action>,
}

impl Lively {
    pub(crate) fn new(chance: Chance) -> Self {
        Self { chance, options: Vec::new() }
    }
}

impl Policy<State> for Lively {
    fn choose(&mut self, _: SimTime, _: AgentId, seen: &Observation) -> Choice<Action> {
        seen.options(&mut self.options);
        let mut kinds: Vec<_> = self.options.iter().map(discriminant).collect();
        kinds.dedup();
        let kind = kinds[self.chance.index(kinds.len())];
        self.options.retain(|action| discriminant(action) == kind);
        Choice::Act(self.options[self.chance.index(self.options.len())])
    }
}
