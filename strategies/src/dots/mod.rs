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
use crate::notation::number;
use crate::policy_room::{Entry, PolicyGame, PolicyRoom};

/// The strategies of Dots & Boxes.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom::of(&ENTRIES, "chains");

impl PolicyGame for State {
    fn room() -> &'static PolicyRoom<Self> {
        &ROOM
    }
}

static ENTRIES: [Entry<State>; 3] = [
    Entry::new("random", "any edge, all equally likely", &[], |_, chance, _| {
        Box::new(RandomPolicy::<Edge>::new(chance))
    }),
    Entry::new(
        "greedy",
        "completes boxes, and gives away as few as it can",
        &[greedy::SLIP],
        |values, chance, _| Box::new(greedy::Greedy::slipping(chance, number(values, greedy::SLIP.name))),
    ),
    Entry::new(
        "chains",
        "counts chains and loops, and plays perfectly as soon as it can compute",
        &[chains::NODES],
        |values, chance, budget| {
            let budget = Budget::or_nodes(budget, values, &chains::NODES);
            Box::new(chains::Chains::new(chance, budget))
        },
    ),
];
