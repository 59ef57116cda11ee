//! `greedy`: plays for itself, as well as one agent can, on goal fields of its own.
//!
//! It computes from all recent distances where the nearest piece can be, and takes the step that loses the least time
//! on average over these fields. It discovers instead if a discovery loses less time than this step. It checks a piece
//! if the expected time lost by carrying a sham exceeds the penalty of the check.
//!
//! The goal fields are numbered column by column. The agents of a team divide these numbers into runs of equal length,
//! in the order of their ids: all agents compute the same runs, and need no message for it. An agent tries the nearest
//! of its own fields first. Then it tries the fields of other agents, beginning with the outermost, because their
//! owners begin next to the task area. It walks around other agents. It asks no other agent, and answers its team.

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
