//! `asker`: asks its leader before it tries a field. A sparring partner, like one of the agents of 2020.
//!
//! It discovers, walks to the field with the least distance of the nine, and discovers again. It checks every piece.
//! With each piece it asks its leader which fields have been tried, and waits a while for the answer. The leader asks
//! the others in turn, and passes on their answers. Then the agent walks to the nearest field that is not known to be
//! tried, of its own columns first.

use sdk::prelude::*;

use crate::project::tactics::{self, IdleAgents, Share};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// The target after the last discovery.
    target: Option<Position>,
    /// Time until which it waits for the answer; none if it has not asked since it had its last piece.
    waits: Option<SimTime>,
    /// Number of questions that the leader has asked.
    asked: usize,
    share: Option<Share>,
    idle: IdleAgents,
}

/// Time that it waits for an answer, in penalties of an exchange; and a move's penalty more.
const PATIENCE: u32 = 2;

impl Asker {
    fn search(&mut self, view: &mut View<'_>) -> Choice {
        if view.area() != Area::Task {
            let inward = view.homeward().opposite();
            return tactics::walk(view, inward);
        }
        if view.distance() == Some(Distance::new(0)) {
            return view.pick_up();
        }
        match self.target {
            Some(target) if target != view.position() => {
                self.idle.knock(view, target);
                if self.idle.hold(target) {
                    return tactics::go_elsewhere(view, &mut self.idle);
                }
                view.walk_to(target)
            }
            _ => view.discover(),
        }
    }

    /// Returns the agent to ask: the leader; the leader itself asks the others in turn.
    fn whom_to_ask(&self, view: &View<'_>) -> Option<AgentId> {
        let whom = if view.is_leader() {
            let mates = view.briefing.game.members(view.own.team).filter(|agent| *agent != view.own.agent);
            let mates: Vec<AgentId> = mates.collect();
            mates.get(self.asked % mates.len().max(1)).copied()
        } else {
            view.briefing.leader()
        };
        whom.filter(|agent| !view.is_silent(*agent))
    }
}

impl Strategy for Asker {
    fn begin(&mut self, view: &mut View<'_>) {
        self.share = Some(Share::columns(view));
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        match notice {
            Notice::Discovered { .. } => self.target = tactics::downhill(view, |_| 0),
            Notice::MoveRefused { .. } => {
                // It discovers next, which may take longer than it remembers whom it has met.
                if let Some(target) = self.target.take() {
                    self.idle.knock(view, target);
                }
            }
            Notice::PickedUp => (self.target, self.waits) = (None, None),
            Notice::Answered { .. } if self.waits.is_some() => self.waits = Some(view.now),
            _ => {}
        }
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if !view.own.hand.is_full() {
            return self.search(view);
        }
        if view.own.hand == Hand::Unchecked {
            return view.check();
        }
        match self.waits {
            None => {
                let cost = |kind| view.penalty(kind).as_millis().saturating_mul(PATIENCE);
                let patience = cost(ActionKind::Ask).saturating_add(cost(ActionKind::Move));
                self.waits = Some(view.now + Millis::new(patience));
                if let Some(whom) = self.whom_to_ask(view) {
                    self.asked += 1;
                    return view.ask(whom);
                }
            }
            Some(until) if view.now < until && !view.own.asked.is_empty() => return Choice::Wait(until),
            Some(_) => {}
        }
        let share = self.share.as_ref().map(Share::fields);
        let goal = tactics::nearest_open(view, share, &self.idle);
        tactics::deliver(view, goal, &mut self.idle)
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        view.is_ally(question.by).then(|| view.knowledge.report_all())
    }
}
