//! Eriantys: its strategies.
//!
//! A strategy of this game is a [`Policy`](game_env::Policy): observation in, action out.
//! [`policy`](crate::room::policy) makes one from a text. [`worth`] computes the value of a table for a team.

pub mod greedy;
pub mod planner;
pub mod worth;

use game_env::RandomPolicy;
use game_eriantys::{Action, State};

use crate::budget::Budget;
use crate::notation::count;
use crate::policy_room::{Entry, PolicyGame, PolicyRoom};
use crate::room::StrategyInfo;

/// The strategies of Eriantys.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom::of(&ENTRIES, "planner");

impl PolicyGame for State {
    fn room() -> &'static PolicyRoom<Self> {
        &ROOM
    }
}

static ENTRIES: [Entry<State>; 3] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any action, all equally likely", parameters: &[] },
        construct: |_, chance, _| Box::new(RandomPolicy::<Action>::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "greedy",
            summary: "what brings most towers, professors and influence at once",
            parameters: &[],
        },
        construct: |_, chance, _| Box::new(greedy::Greedy::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "planner",
            summary: "plays the best actions to the end of the next round, with other bags and assistants each time",
            parameters: &[planner::SIMULATIONS],
        },
        construct: |values, chance, budget| {
            let budget = budget.unwrap_or_else(|| Budget::nodes(count(values, planner::SIMULATIONS.name)));
            Box::new(planner::Planner::new(chance, budget))
        },
    },
];
