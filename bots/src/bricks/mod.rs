//! Bricks: its strategies.
//!
//! A strategy of this game is a [`Policy`](game_env::Policy): observation in, brick out. [`nimbers`] computes exact values of positions.

pub mod greedy;
pub mod nimbers;
pub mod perfect;
pub mod region;

use game_bricks::{Brick, State};
use game_env::RandomPolicy;

use crate::notation::number;
use crate::policy_room::{Entry, PolicyRoom};
use crate::room::StrategyInfo;

/// The strategies of Bricks.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom { entries: &ENTRIES };

static ENTRIES: [Entry<State>; 3] = [
    Entry {
        info: StrategyInfo { name: "random", summary: "any brick, all equally likely", parameters: &[] },
        construct: |_, chance| Box::new(RandomPolicy::<Brick>::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "greedy",
            summary: "leaves the opponent as few replies as it can",
            parameters: &[],
        },
        construct: |_, chance| Box::new(greedy::Greedy::new(chance)),
    },
    Entry {
        info: StrategyInfo {
            name: "perfect",
            summary: "wins every won position that it can compute",
            parameters: &[perfect::NODES],
        },
        construct: |values, chance| {
            let nodes = number(values, perfect::NODES.name);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within the table's range"
            )]
            Box::new(perfect::Perfect::new(chance, nodes as u64))
        },
    },
];

/// A board in the notation of the protocol: the size, and cells that are filled.
#[cfg(test)]
fn position(text: &str) -> State {
    use game_bricks::Config;
    use game_env::{Environment as _, Seed};

    let mut parts = text.split('_');
    let config = Config::new(parts.next().unwrap().parse().unwrap()).unwrap();
    let config = config.filled(parts.map(|cell| cell.parse().unwrap())).unwrap();
    State::new(&config, Seed::new(0))
}
