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
use crate::policy_room::{Entry, PolicyGame, PolicyRoom};

/// The strategies of Eriantys.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom::of(&ENTRIES, "planner");

impl PolicyGame for State {
    fn room() -> &'static PolicyRoom<Self> {
        &ROOM
    }
}

static ENTRIES: [Entry<State>; 3] = [
    Entry::new("random", "any action, all equally likely", &[], |_, chance, _| {
        Box::new(RandomPolicy::<Action>::new(chance))
    }),
    Entry::new("greedy", "what brings most towers, professors and influence at once", &[], |_, chance, _| {
        Box::new(greedy::Greedy::new(chance))
    }),
    Entry::new(
        "planner",
        "plays the best actions to the end of the next round, with other bags and assistants each time",
        &[planner::SIMULATIONS],
        |values, chance, budget| {
            let budget = Budget::or_nodes(budget, values, &planner::SIMULATIONS);
            Box::new(planner::Planner::new(chance, budget))
        },
    ),
];
