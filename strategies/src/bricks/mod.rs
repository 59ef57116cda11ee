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
use crate::policy_room::{Entry, PolicyGame, PolicyRoom};

/// The strategies of Bricks.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom::of(&ENTRIES, "perfect");

impl PolicyGame for State {
    fn room() -> &'static PolicyRoom<Self> {
        &ROOM
    }
}

static ENTRIES: [Entry<State>; 3] = [
    Entry::new("random", "any brick, all equally likely", &[], |_, chance, _| {
        Box::new(RandomPolicy::<Brick>::new(chance))
    }),
    Entry::new("greedy", "leaves the opponent as few replies as it can", &[], |_, chance, _| {
        Box::new(greedy::Greedy::new(chance))
    }),
    Entry::new(
        "perfect",
        "wins every won position that it can compute",
        &[perfect::NODES],
        |values, chance, budget| {
            let budget = Budget::or_nodes(budget, values, &perfect::NODES);
            Box::new(perfect::Perfect::new(chance, budget))
        },
    ),
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
