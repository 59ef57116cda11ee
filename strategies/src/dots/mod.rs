//! Dots & Boxes: its strategies.
//!
//! A strategy of this game is a [`Policy`](game_env::Policy): observation in, edge out. [`policy`](crate::room::policy)
//! makes one from a text.

pub mod chains;
mod field;
mod forms;
pub mod graph;
pub mod greedy;
mod table;
pub mod values;

use game_dots::{Edge, State};
use game_env::RandomPolicy;

use crate::budget::Budget;
use crate::notation::{count, number};
use crate::policy_room::{Entry, PolicyGame, PolicyRoom};
use crate::room::StrategyInfo;

/// The strategies of Dots & Boxes.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom::of(&ENTRIES, "chains");

impl PolicyGame for State {
    fn room() -> &'static PolicyRoom<Self> {
        &ROOM
    }
}

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
