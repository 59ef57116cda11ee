//! `climber`: follows the distances that its moves return, like several agents of 2020. It serves for comparison.
//!
//! It is weaker than the best of those agents: it won one of six games against a team of them.
//!
//! It walks on while distances fall, and turns when they rise. It discovers only if it knows no direction. It
//! checks a piece only if that pays. Each agent of the team has its own goal columns and tries them row by row,
//! then the others'. It asks no other agent.

use sdk::prelude::*;

use crate::project::tactics::{self, Share, Squatters};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Climber {
    heading: Option<Direction>,
    last: Option<(Position, Distance)>,
    /// The directions that lead away from the nearest piece, by the order of [`Direction::ALL`].
    leads_away: [bool; 4],
    /// How often in a row the way on led nearer.
    run: u32,
    /// Whether the last step went one too far.
    has_overshot: bool,
    share: Option<Share>,
    squatters: Squatters,
}

impl Climber {
    /// Where to go for a piece.
    fn climb(&mut self, view: &mut View<'_>) -> Choice<Action> {
        let here = view.position();
        let inward = view.homeward().opposite();
        let Some(distance) = view.distance().filter(|_| view.area() == Area::Task) else {
            self.forget();
            return tactics::walk(view, inward);
        };
        let before = self.last.replace((here, distance));
        if let (Some((from, before)), Some(heading)) = (before, self.heading) {
            let back = heading.opposite() as usize;
            let change =
                distance.moves().zip(before.moves()).map(|(now, before)| i32::from(now) - i32::from(before));
            match change {
                _ if from == here => return nav::give_way(view, None), // somebody is in the way
                Some(-1) if self.has_overshot => {
                    // One step back: the piece is neither this way nor that.
                    (self.leads_away[heading as usize], self.leads_away[back]) = (true, true);
                    self.has_overshot = false;
                }
                Some(-1) => {
                    self.leads_away[back] = true;
                    self.run += 1;
                }
                Some(1) => {
                    self.leads_away[heading as usize] = true;
                    if std::mem::take(&mut self.run) > 0 {
                        self.has_overshot = true;
                        self.heading = Some(heading.opposite());
                        return tactics::walk(view, heading.opposite());
                    }
                    self.leads_away[back] = false;
                }
                // Another piece is the nearest now.
                _ => self.forget_ways(),
            }
        }
        let mut open = Direction::ALL.to_vec();
        open.retain(|direction| !self.leads_away[*direction as usize] && view.is_passable(*direction));
        let back = self.heading.map(Direction::opposite);
        let heading = self.heading.filter(|heading| open.contains(heading)).or_else(|| {
            if open.len() > 1 {
                open.retain(|direction| Some(*direction) != back);
            }
            (!open.is_empty()).then(|| open[view.chance.index(open.len())])
        });
        if heading != self.heading {
            self.run = 0;
        }
        self.heading = heading;
        match heading {
            Some(heading) => tactics::walk(view, heading),
            None => {
                self.forget_ways();
                Action::Discover.into()
            }
        }
    }

    fn forget(&mut self) {
        self.forget_ways();
        self.last = None;
    }

    fn forget_ways(&mut self) {
        self.heading = None;
        self.leads_away = [false; 4];
        (self.run, self.has_overshot) = (0, false);
    }
}

impl Strategy for Climber {
    fn begin(&mut self, view: &mut View<'_>) {
        self.share = Some(Share::columns(view));
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        if view.own.hand.is_full() {
            self.forget();
            let share = self.share.as_ref().map(Share::fields);
            let goal = tactics::nearest_open(view, share, &self.squatters);
            return tactics::deliver(view, goal, &mut self.squatters);
        }
        if view.area() == Area::Task && view.distance() == Some(Distance::new(0)) {
            self.forget();
            return Action::PickUp.into();
        }
        self.climb(view)
    }
}
