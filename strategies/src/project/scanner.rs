//! `scanner`: discovers before each step that it takes without a piece. A sparring partner that plays like an agent of
//! 2020.
//!
//! The agent steps towards the field around it with the least distance in this discovery. It checks every piece. It
//! tries its own goal columns first, from the edge of the board inwards. It asks no other agent. It answers only its
//! leader, and its answers say nothing.

use sdk::prelude::*;

use crate::project::tactics::{self, IdleAgents, Share};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Scanner {
    /// The field where it discovered last, until it tries to move.
    looked: Option<Position>,
    share: Option<Share>,
    idle: IdleAgents,
}

impl Scanner {
    fn search(&mut self, view: &mut View<'_>) -> Choice {
        let here = view.position();
        let is_task = view.area() == Area::Task;
        if is_task && view.distance() == Some(Distance::new(0)) {
            return view.pick_up();
        }
        if self.looked != Some(here) {
            return view.discover();
        }
        if !is_task {
            let inward = view.homeward().opposite();
            return tactics::walk(view, inward);
        }
        match tactics::downhill(view, |_| 0) {
            Some(to) => view.walk_to(to),
            None => view.give_way(None),
        }
    }

    /// Returns the next goal field to try: the outermost of its own untried fields, or of all untried fields if it has
    /// none.
    fn next_field(&self, view: &View<'_>) -> Option<Position> {
        let share = self.share.as_ref()?.fields();
        let is_north = view.own.team == Team::Red;
        let is_open = |at: &Position| !self.idle.hold(*at);
        let key = |at: &Position| (!share.contains(*at), if is_north { u16::MAX - at.y } else { at.y }, at.x);
        let open = view.knowledge.open();
        open.iter().filter(is_open).min_by_key(key).or_else(|| tactics::nearest_open(view, None, &self.idle))
    }
}

impl Strategy for Scanner {
    fn begin(&mut self, view: &mut View<'_>) {
        self.share = Some(Share::columns(view));
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        match notice {
            Notice::Discovered { .. } => self.looked = Some(view.position()),
            Notice::Moved { .. } | Notice::MoveRefused { .. } => self.looked = None,
            _ => {}
        }
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        match view.own.hand {
            Hand::Empty => self.search(view),
            Hand::Unchecked => view.check(),
            Hand::Real => {
                let goal = self.next_field(view);
                tactics::deliver(view, goal, &mut self.idle)
            }
        }
    }

    fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
        None
    }
}
