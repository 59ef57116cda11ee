//! `climber`: follows the distances that its moves return. A sparring partner, like the strongest of the agents of
//! 2020.
//!
//! It discovers once in each search, and again where it knows no direction. Then it walks on while distances fall, and
//! turns when they rise. It checks a piece only if that pays. Each agent of the team has its own goal columns. It tries
//! the nearest of its own fields first; if it has none left, the outermost of the others'. It asks no other agent.

use sdk::prelude::*;

use crate::project::tactics::{self, IdleAgents, Share};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Climber {
    heading: Option<Direction>,
    last: Option<(Position, Distance)>,
    /// The directions that lead away from the nearest piece, by the order of [`Direction::ALL`].
    leads_away: [bool; 4],
    /// Number of steps in a row along the heading that led nearer.
    run: u32,
    /// Whether the last step led away again after steps that led nearer.
    has_overshot: bool,
    share: Option<Share>,
    idle: IdleAgents,
    /// The field where it discovered last, until it moves.
    looked: Option<Position>,
    /// Whether it has discovered since it had its last piece.
    has_looked: bool,
}

impl Climber {
    /// Decides the next step towards a piece.
    fn climb(&mut self, view: &mut View<'_>) -> Choice {
        let here = view.position();
        let inward = view.homeward().opposite();
        if view.area() != Area::Task {
            self.forget();
            return tactics::walk(view, inward);
        }
        self.looked = self.looked.filter(|looked| *looked == here);
        let Some(distance) = view.distance() else {
            let has_looked = self.looked.is_some();
            self.forget();
            return if has_looked { tactics::walk(view, inward) } else { self.look(view) };
        };
        let before = self.last.replace((here, distance));
        if let (Some((from, before)), Some(heading)) = (before, self.heading) {
            let back = heading.opposite() as usize;
            let change =
                distance.moves().zip(before.moves()).map(|(now, before)| i32::from(now) - i32::from(before));
            match change {
                _ if from == here => return view.give_way(None), // somebody is in the way
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
        if self.heading.is_none() && !self.has_looked {
            return self.look(view);
        }
        let mut open = Direction::ALL.to_vec();
        if self.heading.is_none() && self.looked.is_some() {
            let leads_nearer = |direction: &Direction| {
                let next = view.geometry().neighbour(here, *direction);
                let next = next.and_then(|at| view.knowledge.distance(at));
                next.is_some_and(|next| next.value.moves() < distance.moves())
            };
            if open.iter().any(leads_nearer) {
                open.retain(leads_nearer);
            }
        }
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
                self.look(view)
            }
        }
    }

    fn look(&mut self, view: &View<'_>) -> Choice {
        (self.looked, self.has_looked) = (Some(view.position()), true);
        view.discover()
    }

    fn forget(&mut self) {
        self.forget_ways();
        self.last = None;
        self.has_looked = false;
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

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if view.own.hand.is_full() {
            self.forget();
            let share = self.share.as_ref().map(Share::fields);
            let goal = tactics::own_then_far(view, share, &self.idle);
            return tactics::deliver(view, goal, &mut self.idle);
        }
        if view.area() == Area::Task && view.distance() == Some(Distance::new(0)) {
            self.forget();
            return view.pick_up();
        }
        self.climb(view)
    }
}
