//! The way home of an agent with a piece: it repeats refused moves before it gives way.
//!
//! Most blocked moves have one cause: a teammate without a piece is in the way. It can walk elsewhere.
//! So an agent with a piece takes a free step towards home if there is one, and otherwise repeats the refused move
//! before it gives way.

use sdk::prelude::*;

use crate::project::tactics::{self, IdleAgents};

/// The refused moves that an agent has repeated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Push {
    at: Option<(Position, Direction)>,
    count: u32,
}

impl Push {
    /// Decides the next action with the piece in hand: as [`tactics::deliver`], with up to this many refused moves
    /// repeated.
    pub(super) fn deliver(
        &mut self,
        view: &mut View<'_>,
        goal: Option<Position>,
        idle: &mut IdleAgents,
        most: u32,
    ) -> Choice {
        let here = view.position();
        let Some(goal) = goal.filter(|goal| *goal != here) else {
            return tactics::deliver(view, goal, idle);
        };
        let way = here.towards(goal).find(|direction| view.is_passable(*direction));
        let is_blocked = !here.towards(goal).any(|direction| view.is_free(direction));
        let choice = tactics::deliver(view, Some(goal), idle);
        // A check comes before all steps.
        if let (Some(direction), true) = (way, is_blocked)
            && !matches!(choice, Choice::Act(Action::Check))
        {
            if self.at != Some((here, direction)) {
                *self = Self { at: Some((here, direction)), count: 0 };
            }
            if self.count < most {
                self.count += 1;
                return view.step(direction);
            }
        }
        choice
    }
}
