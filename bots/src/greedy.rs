//! `greedy`: plays for itself, as well as one agent can.
//!
//! Works out where the nearest piece can be from all distances it was told lately, and steps where most of these
//! places come nearer; discovers where a step would be a worse guess than its penalty is worth. Checks a piece
//! if the walk with a sham would cost more. Carries it to the nearest goal field that it has not tried. Walks
//! around others. Asks nobody; answers its team.

use sdk::prelude::*;

use crate::tactics::{self, Squatters};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Greedy {
    squatters: Squatters,
}

impl Strategy for Greedy {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        if view.own.hand.is_full() {
            let goal = tactics::nearest_open(view, None, &self.squatters);
            return tactics::deliver(view, goal, &mut self.squatters);
        }
        tactics::hunt(view, &mut self.squatters)
    }
}
