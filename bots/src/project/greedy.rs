//! `greedy`: plays for itself, as well as one agent can.
//!
//! It computes from all recent distances where the nearest piece can be, and takes the step that brings it nearer
//! to most of these places. It discovers if a step would be a worse guess than the discovery's penalty is worth. It
//! checks a piece if carrying a sham would cost more. It carries the piece to the nearest goal field that it has
//! not tried. It walks around other agents. It asks no other agent, and answers its team.

use sdk::prelude::*;

use crate::project::tactics::{self, Squatters};

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
