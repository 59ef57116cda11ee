//! Conveyor: its strategies.
//!
//! A strategy of this game is a [`Policy`]: observation in, action out. [`policy`] makes one from a text. [`belief`] keeps
//! what a player may know of its place and its home.

pub mod belief;
pub mod hints;
mod marginals;

use game_conveyor::{Action, State};
use game_env::{Chance, Policy, RandomPolicy};

use crate::budget::Budget;
use crate::policy_room::{Entry, PolicyRoom};
use crate::room::StrategyInfo;

/// The strategy of this text, e.g. `hints`, which draws from this source. No strategy of this game needs a budget.
///
/// # Errors
///
/// Says what is wrong with the text and what would be right.
pub fn policy(
    text: &str,
    chance: Chance,
    budget: Option<Budget>,
) -> Result<Box<dyn Policy<State> + Send>, String> {
    ROOM.policy(text, chance, budget)
}

/// The strategies of Conveyor.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom { entries: &ENTRIES };

static ENTRIES: [Entry<State>; 2] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any action, all equally likely", parameters: &[] },
        construct: |_, chance, _| Box::new(RandomPolicy::<Action>::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "hints",
            summary: "keeps the places and homes that agree with every answer, and goes to the likely ones",
            parameters: &[],
        },
        construct: |_, _, _| Box::new(hints::Hints::new()),
    },
];
