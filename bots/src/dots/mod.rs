//! Dots & Boxes: its strategies.
//!
//! A strategy of this game is a [`Policy`]: observation in, edge out. [`policy`] makes one from a text.

pub mod chains;
mod field;
pub mod graph;
pub mod greedy;
pub mod values;

use game_dots::{Edge, State};
use game_env::{Chance, Policy, RandomPolicy};

use crate::budget::Budget;
use crate::notation::{count, number};
use crate::policy_room::{Entry, PolicyRoom};
use crate::room::StrategyInfo;

/// The strategy of this text, e.g. `greedy:slip=0.1`, which draws from this source.
///
/// A budget goes before the parameter `nodes`: a program that plays on a clock gives one, a match in process none.
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

/// The strategies of Dots & Boxes.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom { entries: &ENTRIES };

static ENTRIES: [Entry<State>; 3] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any edge, all equally likely", parameters: &[] },
        construct: |_, chance, _| Box::new(RandomPolicy::<Edge>::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "greedy",
            summary: "completes boxes, and gives away as few as it can",
            parameters: &[greedy::SLIP],
        },
        construct: |values, chance, _| {
            Box::new(greedy::Greedy::slipping(chance, number(values, greedy::SLIP.name)))
        },
    },
    Entry {
        info: StrategyInfo {
            name: "chains",
            summary: "counts chains and loops, and plays perfectly as soon as it can compute",
            parameters: &[chains::NODES],
        },
        construct: |values, chance, budget| {
            let budget = budget.unwrap_or_else(|| Budget::nodes(count(values, chains::NODES.name)));
            Box::new(chains::Chains::new(chance, budget))
        },
    },
];
