//! `coordinated`: a team whose agents share the work, and ask each other late and rarely.
//!
//! - **Deal.** The goal fields are numbered column by column, and in a column from the row next to the task area
//!   outwards. Each agent owns a block of neighbouring numbers, as many as the others; the blocks go by the agents'
//!   ids, as those of the other shipped strategies do. All agents compute the same deal, so they need no message for
//!   it.
//! - **Help.** An agent without untried fields of its own tries other agents' fields, beginning at the far end, because
//!   owners begin near the task area. It first asks the owner, if the fields that the owner may have tried meanwhile
//!   are worth the penalties. If the owner does not answer, the agent goes on alone, and asks the owner again only
//!   after the owner has asked a question itself. A silent owner may be of another kind, with an order of its own: help
//!   for silent owners begins next to the task area, and at the other end after two tries in a row that covered no
//!   goal.
//! - **Trust.** About its own fields, an agent believes only its own tries; about other fields only their owner, as
//!   long as it trusts the owner. A liar can therefore mislead others only about the liar's own fields.
//! - **Pieces.** An agent weighs all pieces that may lie around it ([`Pieces`]), and prefers those in front of its own
//!   goal fields and those farther out. So teammates do not meet, and pieces near home stay for later.
//! - **Way home.** An agent with a piece repeats a refused move before it gives way.
//!
//! Each of these ideas has a parameter that turns it off, so that its gain can be measured.

mod carry;
mod choice;
mod deal;

use game_env::parameter::{self, Parameter};
use game_env::{Parameters, Value};
use sdk::knowledge::Pieces;
use sdk::prelude::*;

use self::carry::Push;
use self::choice::{Step, Worth};
pub(in crate::project) use self::deal::Deal;
use crate::notation::number;
use crate::project::slip::SLIP;
use crate::project::tactics::{self, IdleAgents};

/// Time that an agent waits before it asks an owner, as a multiple of the usual time.
pub const PATIENCE: Parameter = Parameter::real(
    "patience",
    "how long it waits before it asks an owner, as a multiple of the usual time",
    1.0,
    0.0,
    1000.0,
);

/// The number of refused moves in one search after which an agent searches for the nearest piece only: that search
/// walks around agents that never move.
const MOST_REFUSALS: u32 = 8;

/// Whether the goal fields are dealt out in blocks.
pub const BLOCKS: Parameter = Parameter::flag(
    "blocks",
    "whether each agent owns neighbouring goal fields, as many as the others; else columns in turn",
    true,
);

/// Whether help begins at the far end.
pub const FAR_END: Parameter = Parameter::flag(
    "farEnd",
    "whether an agent that helps another one begins with the fields farthest from the task area",
    true,
);

/// Number of times that a loaded agent repeats a refused move.
pub const PUSHES: Parameter =
    Parameter::whole("pushes", "how often an agent with a piece repeats a refused move", 2, 0, 100);

/// Whether it weighs all pieces.
pub const WORLDS: Parameter = Parameter::flag(
    "worlds",
    "whether an agent weighs all pieces by sampled worlds; else it walks to the nearest",
    true,
);

/// Weight of its lane in the choice of a piece, in moves for each column outside.
pub const LANES: Parameter = Parameter::real(
    "lanes",
    "moves that a column outside the agent's own ones counts for, in the choice of a piece",
    2.0,
    0.0,
    100.0,
);

/// Preference for pieces farther out, in moves for each row.
pub const OUTWARD: Parameter = Parameter::real(
    "outward",
    "moves by which a piece is preferred for each row that it lies farther from home",
    0.25,
    0.0,
    1.0,
);

/// Every parameter, in the order of help.
pub const PARAMETERS: [Parameter; 8] = [PATIENCE, SLIP, BLOCKS, FAR_END, PUSHES, WORLDS, LANES, OUTWARD];

/// Values of the parameters; [`SLIP`] is that of any strategy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// [`PATIENCE`].
    pub patience: f64,
    /// [`BLOCKS`].
    pub blocks: bool,
    /// [`FAR_END`].
    pub far_end: bool,
    /// [`PUSHES`].
    pub pushes: u32,
    /// [`WORLDS`].
    pub worlds: bool,
    /// [`LANES`].
    pub lanes: f64,
    /// [`OUTWARD`].
    pub outward: f64,
}

/// Those of a strategy without parameters in its name.
impl Default for Options {
    fn default() -> Self {
        let (values, _) = parameter::check(&PARAMETERS, &Parameters::new());
        Self::of(&values)
    }
}

impl Options {
    /// Reads the parameters of a table of values.
    pub fn of(values: &Parameters) -> Self {
        let flag = |parameter: Parameter| values.get(parameter.name) == Some(&Value::Flag(true));
        let number = |parameter: Parameter| number(values, parameter.name);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the table has bounds")]
        let pushes = number(PUSHES) as u32;
        Self {
            patience: number(PATIENCE),
            blocks: flag(BLOCKS),
            far_end: flag(FAR_END),
            pushes,
            worlds: flag(WORLDS),
            lanes: number(LANES),
            outward: number(OUTWARD),
        }
    }
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Coordinated {
    deal: Option<Deal>,
    pieces: Option<Pieces>,
    idle: IdleAgents,
    push: Push,
    /// The number of refused moves since it had its last piece.
    refusals: u32,
    /// The field where it discovered last, until it moves.
    discovered: Option<Position>,
    belief: Belief,
    options: Options,
}

/// Degree to which it believes other agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Belief {
    /// As much as their answers so far justify.
    #[default]
    Earned,
    /// Completely, for comparisons.
    Blind,
}

impl Coordinated {
    /// Creates one with these parameters.
    pub fn with(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Returns an agent that pools all knowledge: it asks its team one after the other, now and then, and believes all
    /// answers. It shows the effect of lies.
    pub fn credulous() -> Self {
        Self { belief: Belief::Blind, ..Self::default() }
    }

    /// Returns the deal; none before the game begins.
    pub(in crate::project) fn deal(&mut self) -> Option<&mut Deal> {
        self.deal.as_mut()
    }

    /// Decides the next action; the strategy of a team may be more than this.
    fn decide(&mut self, view: &mut View<'_>) -> Choice {
        if !view.own.hand.is_full() {
            return self.search(view);
        }
        let Some(deal) = &mut self.deal else { return view.discover() };
        let target = deal.next_field(view, &self.idle);
        if let Some(target) = target
            && let Some(owner) = deal.whom_to_ask(view, target)
        {
            view.notes.remark(|| format!("asks {owner} before trying {target}, which is its own"));
            return view.ask(owner);
        }
        self.push.deliver(view, target, &mut self.idle, self.options.pushes)
    }

    /// Decides the next action to get hold of a piece.
    fn search(&mut self, view: &mut View<'_>) -> Choice {
        let (Some(deal), Some(pieces)) = (&self.deal, &self.pieces) else {
            return tactics::find_piece(view, &mut self.idle);
        };
        let search = view.knowledge.piece_search();
        let is_here = search.last().is_some_and(|last| last.at == view.position() && last.moves == 0);
        let is_held = tactics::is_held(view, &mut self.idle) || !self.idle.is_empty();
        // Nothing to choose from, or agents that never move.
        if is_here || search.is_bare() || is_held || self.refusals >= MOST_REFUSALS {
            return tactics::find_piece(view, &mut self.idle);
        }
        #[expect(clippy::cast_possible_truncation, reason = "as exact as a guess has to be")]
        let worth = Worth {
            lanes: self.options.lanes as f32,
            outward: self.options.outward as f32,
            lane: deal.lane(),
            row: deal.next_row(view),
        };
        // A second discovery on the same field would tell little.
        let may_discover = self.discovered != Some(view.position());
        match choice::choose(view, pieces, &worth, may_discover) {
            Some(Step::Walk(direction)) => view.step(direction),
            Some(Step::Blocked) | None => view.give_way(None),
            Some(Step::Discover) => view.discover(),
        }
    }
}

impl Strategy for Coordinated {
    fn begin(&mut self, view: &mut View<'_>) {
        self.deal = Some(Deal::new(view, self.belief, self.options));
        self.pieces = self.options.worlds.then(|| Pieces::new(view));
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        if let Some(deal) = &mut self.deal {
            deal.hear(view, notice);
        }
        match notice {
            Notice::Moved { .. } => self.discovered = None,
            Notice::Discovered { .. } => self.discovered = Some(view.position()),
            Notice::MoveRefused { .. } => self.refusals += 1,
            Notice::PickedUp => self.refusals = 0,
            _ => {}
        }
        if let Some(pieces) = &mut self.pieces {
            pieces.hear(view, notice);
        }
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let choice = self.decide(view);
        if view.notes.is_wanted()
            && let Some(target) = self.deal.as_ref().and_then(Deal::target)
            && view.own.hand.is_full()
        {
            let moves = view.position().moves_to(target);
            view.notes.remark(|| format!("{moves} moves to {target}"));
            view.notes.line(view.position(), target);
        }
        choice
    }
}
