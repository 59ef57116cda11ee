//! `leader`: `coordinated` with a leader that deals out the goal fields by messages.
//!
//! All agents search, carry and try as [`coordinated`](super::coordinated) does. The difference is the choice of the
//! fields that an agent tries:
//!
//! - **Start.** The first deal is that of `coordinated`, which needs no message. With the parameter `briefed`, each
//!   agent asks its leader for its first share as well.
//! - **Order.** An agent with a piece to carry and no untried field of its own asks its leader, and no other agent. The
//!   answer holds an order, which is the agent's new share. An answer is all that the rules let an agent say to another
//!   one, so orders are written into answers; the module `order` says how.
//! - **Report.** The leader takes fields from the agent with the most work left. If that is the leader itself, it
//!   answers at once. If not, it first asks that agent what it has tried, and answers when it has the report.
//! - **The outer half.** A question by the leader also takes the outer half of the asked agent's untried fields. Both
//!   sides compute which these are, so no further message is needed. An agent works from the task area outwards, and
//!   would have reached these fields last.
//! - **Lost and jammed agents.** An agent that does not answer is lost, and one that has tried few fields for the time
//!   that has passed is slow, for any reason. Their fields are dealt out to the others without further questions.
//! - **Lies.** The leader believes an agent about that agent's own share, as long as it trusts it. An agent that claims
//!   more tries than the time allows is not believed. If no untried field is left and the game goes on, an agent lied:
//!   the leader deals out the fields that others claim to have tried. An order says nothing about the own goals, so
//!   no lie is repeated under the leader's name.
//! - **Other strategies.** A `leader` agent whose leader answers without an order, or not at all, plays as
//!   `coordinated` from then on. An agent that asks its `leader` leader before it can have tried its share is of
//!   another strategy, and gets true answers without orders.

mod ledger;
mod order;

use std::sync::Arc;

use game_env::parameter::Parameter;
use game_env::{Parameters, Value};
use sdk::prelude::*;

use self::ledger::Ledger;
use crate::project::coordinated::{Coordinated, Deal};
use crate::project::tactics;

/// Whether the first deal takes messages too.
pub const BRIEFED: Parameter = Parameter::flag(
    "briefed",
    "whether each agent asks its leader for its first share; else the first deal needs no message",
    false,
);

/// Whether the leader asks before it deals.
pub const REPORTS: Parameter = Parameter::flag(
    "reports",
    "whether the leader asks an agent what it has tried before it deals out that agent's fields",
    true,
);

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Leader {
    tactics: Coordinated,
    role: Role,
    briefed: bool,
    reports: bool,
}

/// Role of an agent with regard to orders.
#[derive(Clone, Debug, Default)]
enum Role {
    /// The game has not begun, no agent gives orders, or the leader gives none: play as `coordinated`.
    #[default]
    Free,
    Leads(Box<Ledger>),
    Led(Led),
}

/// State of an agent that takes orders.
#[derive(Clone, Copy, Debug)]
struct Led {
    leader: AgentId,
    /// Whether it has not received its first share.
    is_new: bool,
    /// Whether it has asked with the piece that it has in hand.
    has_asked: bool,
    /// Refused questions in a row.
    refused: u32,
}

/// A leader that cannot be asked this often has left.
const MOST_REFUSED: u32 = 2;

impl Leader {
    /// Creates one with these parameters.
    pub fn of(values: &Parameters) -> Self {
        let flag = |parameter: Parameter| values.get(parameter.name) == Some(&Value::Flag(true));
        Self {
            tactics: Coordinated::default(),
            role: Role::default(),
            briefed: flag(BRIEFED),
            reports: flag(REPORTS),
        }
    }

    fn untried(&mut self) -> Option<&FieldSet> {
        self.tactics.deal().map(|deal| deal.untried())
    }

    /// Returns whether the agent is about to carry a piece home: it has one that it will not check.
    fn is_loaded(&mut self, view: &View<'_>) -> bool {
        match view.own.hand {
            Hand::Empty => false,
            Hand::Real => true,
            Hand::Unchecked => {
                let nearest = self.untried().and_then(|untried| untried.nearest(view.position()));
                let rows = view.geometry().goal_rows();
                let moves = nearest.map_or(rows, |at| view.position().moves_to(at));
                !tactics::pays_to_check(view, moves)
            }
        }
    }

    /// Returns the agent to ask now: the leader, or as the leader an agent for a report.
    fn question(&mut self, view: &View<'_>) -> Option<AgentId> {
        let is_loaded = self.is_loaded(view);
        let is_out_of_work = self.untried().is_some_and(FieldSet::is_empty);
        match &mut self.role {
            Role::Free => None,
            Role::Leads(ledger) => ledger.whom_to_ask(view, is_out_of_work && is_loaded),
            Role::Led(led) => {
                let is_due = is_loaded && (is_out_of_work || led.is_new) && !led.has_asked;
                if !is_due {
                    return None;
                }
                if view.is_silent(led.leader) || view.knowledge.trust(led.leader) < Knowledge::TRUSTED {
                    self.go_alone();
                    return None;
                }
                led.has_asked = true;
                Some(led.leader)
            }
        }
    }

    fn go_alone(&mut self) {
        self.role = Role::Free;
        if let Some(deal) = self.tactics.deal() {
            deal.ask_owners(true);
        }
    }

    /// The leader has a piece and no field left: it takes over what it can.
    fn deal_to_itself(&mut self, view: &View<'_>) {
        let (Role::Leads(ledger), Some(deal)) = (&mut self.role, self.tactics.deal()) else { return };
        if deal.untried().is_empty()
            && let Some(share) = ledger.take_over(view)
        {
            deal.take(view, &share);
        }
    }

    /// Returns the order that an agent waits for, if it can be given now.
    fn next_order(&mut self, view: &View<'_>) -> Option<Action> {
        let (Role::Leads(ledger), Some(deal)) = (&mut self.role, self.tactics.deal()) else { return None };
        let mut own = deal.untried().clone();
        let (to, share) = ledger.next_order(view, &mut own)?;
        keep(view, deal, &own);
        let is_open = view.own.questions.iter().any(|question| question.by == to);
        is_open.then(|| Action::Answer { to, information: Arc::new(order::write(view, &share)) })
    }

    /// The leader asks: the fields that the agent gives up now are dealt to others.
    fn give_up(&mut self, view: &View<'_>) {
        let Some(deal) = self.tactics.deal() else { return };
        let mut own = deal.untried().clone();
        ledger::give_up(view, &mut own);
        keep(view, deal, &own);
    }

    fn obey(&mut self, view: &View<'_>, information: &Information) {
        match order::read(view, information) {
            Some(share) => {
                if let (Role::Led(led), Some(deal)) = (&mut self.role, self.tactics.deal()) {
                    led.is_new = false;
                    led.refused = 0;
                    deal.take(view, &share);
                }
            }
            None => self.go_alone(),
        }
    }
}

impl Strategy for Leader {
    fn begin(&mut self, view: &mut View<'_>) {
        self.tactics.begin(view);
        let Some(leader) = view.briefing.leader() else { return };
        let (briefed, reports) = (self.briefed, self.reports);
        let Some(deal) = self.tactics.deal() else { return };
        if view.is_leader() {
            self.role = Role::Leads(Box::new(Ledger::new(view, deal, briefed, reports)));
        } else {
            self.role = Role::Led(Led { leader, is_new: briefed, has_asked: false, refused: 0 });
        }
        deal.ask_owners(false);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.tactics.hear(view, notice);
        match (&mut self.role, notice) {
            (Role::Led(led), Notice::PickedUp) => led.has_asked = false,
            (Role::Led(led), Notice::Asked { by, .. }) if *by == led.leader => self.give_up(view),
            (Role::Led(led), Notice::Refused { .. }) if led.has_asked && !view.is_silent(led.leader) => {
                led.refused += 1;
                if led.refused >= MOST_REFUSED {
                    self.go_alone();
                }
            }
            (Role::Led(led), Notice::Answered { by: Some(by), information }) if *by == led.leader => {
                self.obey(view, information);
            }
            (Role::Leads(ledger), Notice::Answered { by: Some(by), information }) => {
                ledger.hear_report(view, *by, information);
            }
            (Role::Leads(ledger), Notice::Refused { .. }) => ledger.hear_refusal(view),
            (Role::Leads(ledger), Notice::Put { .. }) => {
                let here = view.position();
                let is_tried = view.knowledge.goal(here).is_some_and(|known| known.from == Source::Own);
                if is_tried && view.area() == Area::Goal(view.own.team) {
                    ledger.note_own_try(here);
                }
            }
            _ => {}
        }
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if let Some(asked) = self.question(view) {
            let leads = matches!(self.role, Role::Leads(_));
            view.notes.remark(|| {
                let why = if leads { "for a report" } else { "its leader, for an order" };
                format!("asks {asked}, {why}")
            });
            return view.ask(asked);
        }
        if let Some(answer) = self.next_order(view) {
            return answer.into();
        }
        if self.is_loaded(view) {
            self.deal_to_itself(view);
        }
        self.tactics.act(view)
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        if !view.is_ally(question.by) {
            return None;
        }
        let (Role::Leads(ledger), Some(deal)) = (&mut self.role, self.tactics.deal()) else {
            return Some(view.knowledge.report());
        };
        if !ledger.takes_orders(view, question.by) {
            return Some(view.knowledge.report());
        }
        let mut own = deal.untried().clone();
        // Without a share another agent has to report first; the order is given later.
        let share = ledger.deal_out(view, question.by, &mut own)?;
        keep(view, deal, &own);
        view.notes.remark(|| format!("orders {} to try {} fields", question.by, share.len()));
        Some(order::write(view, &share))
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        self.tactics.end(view, winner);
    }
}

/// The agent's own share becomes this part of it.
fn keep(view: &View<'_>, deal: &mut Deal, own: &FieldSet) {
    if own.len() < deal.untried().len() {
        deal.take(view, own);
    }
}
