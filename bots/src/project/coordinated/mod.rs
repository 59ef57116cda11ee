//! `coordinated`: a team whose agents share the work, and ask each other late and rarely.
//!
//! The goal columns are assigned to the agents one by one in turn, beginning with the leader, so each agent has own
//! fields near every place where it finds a piece. An agent tries other agents' fields only if it has no own ones
//! left. All agents compute the same assignment; they need no message for it.
//!
//! An agent without untried fields of its own asks the owner of the field that it would try next, if the fields
//! that the owner may have tried meanwhile are worth the penalties. If the owner has left or does not answer, the
//! agent goes on alone; it asks the owner again only after the owner has asked a question itself.
//!
//! About its own fields, an agent believes only what it saw; about other fields only their owner, as long as it
//! trusts the owner. This costs little, shows which agents lie, and lets a liar mislead others only about the
//! liar's own fields. Agents search for pieces like `greedy`.

mod deal;

use game_env::parameter::Parameter;
use sdk::nav;
use sdk::prelude::*;

use self::deal::Deal;
use crate::project::tactics::{self, Squatters};

/// How long an agent waits before it asks an owner.
pub const PATIENCE: Parameter = Parameter::real(
    "patience",
    "how long it waits before it asks an owner, as a multiple of the usual time",
    1.0,
    0.0,
    1000.0,
);

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Coordinated {
    deal: Option<Deal>,
    squatters: Squatters,
    belief: Belief,
    patience: f64,
}

/// How far it goes by what others say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Belief {
    /// As far as they have earned it.
    #[default]
    Earned,
    /// In everything, for comparisons.
    Blind,
}

impl Default for Coordinated {
    fn default() -> Self {
        Self::patient(1.0)
    }
}

impl Coordinated {
    /// One with this [`PATIENCE`].
    pub fn patient(patience: f64) -> Self {
        Self { deal: None, squatters: Squatters::default(), belief: Belief::Earned, patience }
    }

    /// One that pools everything: it asks its team one after the other, now and then, and believes whatever it is
    /// told. To see what lies can do.
    pub fn credulous() -> Self {
        Self { belief: Belief::Blind, ..Self::default() }
    }

    /// What to do next; the strategy of a team may be more than this.
    fn decide(&mut self, view: &mut View<'_>) -> Choice<Action> {
        if !view.own.hand.is_full() {
            return tactics::hunt(view, &mut self.squatters);
        }
        let Some(deal) = &mut self.deal else { return Action::Discover.into() };
        let target = deal.next_field(view, &self.squatters);
        if let Some(target) = target
            && let Some(owner) = deal.whom_to_ask(view, target)
        {
            view.notes.remark(|| format!("asks {owner} before trying {target}, which is its own"));
            return Action::Ask(owner).into();
        }
        tactics::deliver(view, target, &mut self.squatters)
    }
}

impl Strategy for Coordinated {
    fn begin(&mut self, view: &mut View<'_>) {
        self.deal = Some(Deal::new(view, self.belief, self.patience));
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        if let Some(deal) = &mut self.deal {
            deal.hear(view, notice);
        }
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        let choice = self.decide(view);
        if view.notes.is_wanted()
            && let Some(target) = self.deal.as_ref().and_then(Deal::target)
            && view.own.hand.is_full()
        {
            let moves = nav::moves(view.position(), target);
            view.notes.remark(|| format!("{moves} moves to {target}"));
            view.notes.line(view.position(), target);
        }
        choice
    }
}
