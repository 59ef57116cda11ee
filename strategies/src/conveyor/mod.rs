//! Conveyor: its strategies.
//!
//! A strategy of this game is a [`Policy`](game_env::Policy): observation in, action out.
//! [`policy`](crate::room::policy) makes one from a text. [`belief`] keeps the probabilities of the places of a player
//! and of its home.

pub mod belief;
pub mod hints;
mod lookahead;
mod marginals;
mod offset;
pub mod optimal;
mod visited;

use game_conveyor::{Action, State};
use game_env::RandomPolicy;

use crate::policy_room::{Entry, PolicyGame, PolicyRoom};

/// The strategies of Conveyor.
pub(crate) static ROOM: PolicyRoom<State> = PolicyRoom::of(&ENTRIES, "hints");

impl PolicyGame for State {
    fn room() -> &'static PolicyRoom<Self> {
        &ROOM
    }
}

static ENTRIES: [Entry<State>; 2] = [
    Entry::new("random", "any action, all equally likely", &[], |_, chance, _| {
        Box::new(RandomPolicy::<Action>::new(chance))
    }),
    Entry::new(
        "hints",
        "keeps the places and homes that agree with every answer, and goes to the likely ones",
        &[],
        |_, chance, _| Box::new(hints::Hints::new(chance)),
    ),
];
