//! `coordinated`: a team that shares out its work, and asks each other late and little.
//!
//! The goal columns are dealt out among the team, the leader first, one after the other as cards are, so that
//! everyone's own fields are near wherever a piece was found; nobody tries a field of somebody else's while there
//! are own ones. All agents work the same deal out for themselves: no message is needed for it.
//! Who has no own field left asks the owner of the field it would try next, if what the owner may have tried
//! meanwhile is worth the penalties, and goes on alone if the owner is gone or does not answer: it is asked again only if it asks
//! something itself.
//! Of its own fields an agent believes only what it saw, of another one's only its owner, as long as that is trusted:
//! that costs little, shows who tells lies, and leaves a liar nothing to close but its own fields.
//! Pieces are looked for as `greedy` does.

mod deal;

use sdk::nav;
use sdk::prelude::*;

use self::deal::Deal;
use crate::tactics::{self, Squatters};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Coordinated {
    deal: Option<Deal>,
    squatters: Squatters,
    belief: Belief,
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

impl Coordinated {
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
        self.deal = Some(Deal::new(view, self.belief));
    }

    fn hear(&mut self, view: &mut View<'_>, heard: &Heard) {
        if let Some(deal) = &mut self.deal {
            deal.hear(view, heard);
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
