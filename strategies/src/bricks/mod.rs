//! Bricks: its strategies.
//!
//! A strategy of this game is a [`Policy`](game_env::Policy): observation in, brick out.
//! [`policy`](crate::room::policy) makes one from a text, with a [`Budget`] of nodes or of time. [`nimbers`] computes
//! exact values of positions.

pub mod greedy;
pub mod nimbers;
pub mod perfect;
pub mod region;
mod small;

use game_bricks::{Brick, State};
use game_env::RandomPolicy;

use crate::budget::Budget;
use crate::notation::count;
use crate::policy_room::{Entry, PolicyGame, PolicyRoom};
use crate::room::StrategyInfo;

/// The strategies of Bricks.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom::of(&ENTRIES, "perfect");

impl PolicyGame for State {
    fn room() -> &'static PolicyRoom<Self> {
        &ROOM
    }
}

static ENTRIES: [Entry<State>; 3] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any brick, all equally likely", parameters: &[] },
        construct: |_, chance, _| Box::new(RandomPolicy::<Brick>::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "greedy",
            summary: "leaves the opponent as few replies as it can",
            parameters: &[],
        },
        construct: |_, chance, _| Box::new(greedy::Greedy::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "perfect",
            summary: "wins every won position that it can compute",
            parameters: &[perfect::NODES],
        },
        construct: |values, chance, budget| {
            let budget = budget.unwrap_or_else(|| Budget::nodes(count(values, perfect::NODES.name)));
            Box::new(perfect::Perfect::new(chance, budget))
        },
    },
];

/// Returns a board in the notation of the protocol: the size, and cells that are filled.
#[cfg(test)]
fn position(text: &str) -> State {
    use game_bricks::Config;
    use game_env::{Environment as _, Seed};

    let mut parts = text.split('_');
    let config = Config::new(parts.next().unwrap().parse().unwrap()).unwrap();
    let config = config.filled(parts.map(|cell| cell.parse().unwrap())).unwrap();
    State::new(&config, Seed::new(0))
}
