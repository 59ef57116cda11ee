//! Dots & Boxes: its strategies.
//!
//! A strategy of this game is a [`Policy`](game_env::Policy): observation in, edge out.

pub mod greedy;

use game_dots::{Edge, State};
use game_env::RandomPolicy;

use crate::notation::number;
use crate::policy_room::{Entry, PolicyRoom};
use crate::room::StrategyInfo;

/// The strategies of Dots & Boxes.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom { entries: &ENTRIES };

static ENTRIES: [Entry<State>; 2] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any edge, all equally likely", parameters: &[] },
        construct: |_, chance| Box::new(RandomPolicy::<Edge>::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "greedy",
            summary: "completes boxes, and gives away as few as it can",
            parameters: &[greedy::SLIP],
        },
        construct: |values, chance| {
            Box::new(greedy::Greedy::slipping(chance, number(values, greedy::SLIP.name)))
        },
    },
];
