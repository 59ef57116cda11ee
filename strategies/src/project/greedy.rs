//! `greedy`: plays for itself, as well as one agent can, on goal fields of its own.
//!
//! It computes from all recent distances where the nearest piece can be, and takes the step that brings it nearer
//! to most of these places. It discovers if a step would be a worse guess than the discovery's penalty is worth. It
//! checks a piece if carrying a sham would cost more.
//!
//! The goal fields are numbered column by column. Each agent of a team owns a run of these numbers, as many as the
//! others, by its place among the ids of its team: all agents compute the same runs, and need no message for it. An
//! agent tries the nearest of its own fields first. Then it tries the others' fields, beginning with the outermost,
//! because their owners begin next to the task area. It walks around other agents. It asks no other agent, and answers
//! its team.

use sdk::prelude::*;

use crate::project::tactics::{self, IdleAgents, Share};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Greedy {
    /// The own goal fields; none before the game begins.
    share: Option<Share>,
    idle: IdleAgents,
}

impl Strategy for Greedy {
    fn begin(&mut self, view: &mut View<'_>) {
        self.share = Some(Share::run(view));
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if view.own.hand.is_full() {
            let share = self.share.as_ref().map(Share::fields);
            let goal = tactics::own_then_far(view, share, &self.idle);
            return tactics::deliver(view, goal, &mut self.idle);
        }
        tactics::find_piece(view, &mut self.idle)
    }
}
