//! `sweeper`: sweeps a strip of the board. A sparring partner, like one of the agents of 2020.
//!
//! Each agent of a team has a strip of columns. It walks up and down its strip, discovers after each step, and takes
//! pieces that are near. It checks none. It tries the goal fields of its strip row by row, beginning next to the task
//! area, and then the nearest fields of the other strips. It asks no other agent.

use sdk::prelude::*;

use crate::project::tactics::{self, IdleAgents, Share};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Sweeper {
    share: Option<Share>,
    /// The columns of the strip, both included.
    strip: (u16, u16),
    /// The target after the last discovery: a piece, or, if none is near, the next field of its strip.
    target: Option<Position>,
    /// Whether it walks home through its strip.
    is_homeward: bool,
    idle: IdleAgents,
}

/// The moves within which a piece is near.
const NEAR: u16 = 4;

impl Sweeper {
    fn search(&mut self, view: &mut View<'_>) -> Choice {
        let is_task = view.area() == Area::Task;
        if is_task && view.distance() == Some(Distance::new(0)) {
            return view.pick_up();
        }
        match self.target {
            Some(_) if !is_task => {
                let inward = view.homeward().opposite();
                tactics::walk(view, inward)
            }
            Some(target) if target != view.position() => {
                self.idle.knock(view, target);
                if self.idle.hold(target) {
                    self.target = None;
                }
                view.walk_to(target)
            }
            _ => view.discover(),
        }
    }

    /// Returns the target after a discovery.
    fn after_discovery(&self, view: &View<'_>) -> Option<Position> {
        let near = view.distance().and_then(Distance::moves).is_some_and(|moves| moves <= NEAR);
        let (west, east) = self.strip;
        let outside = |at: Position| west.saturating_sub(at.x) + at.x.saturating_sub(east);
        if near { tactics::downhill(view, outside) } else { None }
    }

    /// Returns the next field of the strip, there and back.
    fn along(&mut self, view: &View<'_>) -> Position {
        let geometry = view.geometry();
        let (here, (west, east)) = (view.position(), self.strip);
        let (south, north) = (geometry.goal_rows(), geometry.goal_rows() + geometry.task_rows() - 1);
        let homeward_is_north = view.own.team == Team::Red;
        let step = |is_homeward: bool| {
            let y = if is_homeward == homeward_is_north { here.y + 1 } else { here.y.saturating_sub(1) };
            Position::new(here.x.clamp(west, east), y.clamp(south, north))
        };
        if step(self.is_homeward) == here {
            self.is_homeward = !self.is_homeward;
        }
        step(self.is_homeward)
    }

    /// Returns the next field to try: row by row from the task area.
    fn next_field(&self, view: &View<'_>) -> Option<Position> {
        let share = self.share.as_ref()?.fields();
        let open = view.knowledge.open();
        let homeward_is_north = view.own.team == Team::Red;
        let here = view.position();
        let key =
            |at: &Position| (if homeward_is_north { at.y } else { u16::MAX - at.y }, at.x.abs_diff(here.x));
        let own = open.iter().filter(|at| share.contains(*at) && !self.idle.hold(*at)).min_by_key(key);
        own.or_else(|| tactics::nearest_open(view, None, &self.idle))
    }
}

impl Strategy for Sweeper {
    fn begin(&mut self, view: &mut View<'_>) {
        let share = Share::columns(view);
        let columns = || share.fields().iter().map(|at| at.x);
        self.strip = columns().min().zip(columns().max()).unwrap_or((0, view.geometry().columns() - 1));
        self.share = Some(share);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        match notice {
            Notice::Discovered { .. } => {
                let near = self.after_discovery(view);
                self.target = Some(near.unwrap_or_else(|| self.along(view)));
            }
            Notice::Moved { .. } => self.target = None,
            Notice::PickedUp => (self.target, self.is_homeward) = (None, false),
            _ => {}
        }
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if !view.own.hand.is_full() {
            return self.search(view);
        }
        let Some(goal) = self.next_field(view).filter(|goal| *goal != view.position()) else {
            return view.put();
        };
        self.idle.knock(view, goal);
        view.walk_to(goal)
    }
}
