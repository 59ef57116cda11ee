//! Notes of a leader on its team, and its distribution of the work. Orders are written in the module `order`.
//!
//! An agent without work takes half of the fields that the agent with the most work has left (*work stealing*), from
//! the outer end. An agent has left the fields that were dealt to it, without those that it has tried by its own word
//! and those that it is likely to have tried since.

use sdk::prelude::*;

use super::order::no_fields;
use crate::project::coordinated::Deal;

/// The leader's notes.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    mates: Vec<Teammate>,
    /// Fields that agents gave up and that are not dealt out yet.
    pool: FieldSet,
    /// Number of tries of the leader itself: others can do about as many in the same time.
    own_tries: u32,
    /// Agents that wait for an order until another agent has reported.
    waiting: Vec<AgentId>,
    /// The agent that was asked for a report, until it answers or refuses.
    asking: Option<AgentId>,
    /// Whether an agent was asked for the order that comes next.
    has_asked: bool,
    /// Whether the leader asks for reports.
    asks: bool,
}

/// An agent of the leader's team.
#[derive(Clone, Debug)]
struct Teammate {
    agent: AgentId,
    /// Fields that it has to try.
    share: FieldSet,
    /// Fields of its shares that it has tried, by its own word.
    done: FieldSet,
    /// Time since which the share may have become smaller.
    since: SimTime,
    /// When it last reported, and how many fields it had tried.
    report: Option<(SimTime, u32)>,
    /// When it was asked.
    asked: Option<SimTime>,
    /// When it was given an order.
    ordered: Option<SimTime>,
    /// Whether it has no order for its first share yet: its question does not mean that the share is tried.
    is_new: bool,
    /// The tries of the leader when its share was dealt.
    tries_before: u32,
    /// Whether it takes no orders: it has asked when it cannot have tried its share.
    is_free: bool,
    lies: bool,
    has_left: bool,
}

/// A question within this many moves after an order repeats the one before: no agent tries a field in so short a time.
const MOVES_FOR_A_TRY: u32 = 4;

/// A report is as good as a new one for this many moves.
const REPORT_LASTS: u32 = 8;

/// No agent tries more than this many fields for each that the leader tries in the same time, and one more; this many
/// in any time.
const PACE: u32 = 2;

/// An agent that has tried less than this share of what the leader has in the same time is slow.
const SLOW: f64 = 0.25;

/// An agent that claims to have tried more than this many fields, and more than twice as many as the leader, lies.
const BEYOND_DOUBT: u32 = 4;

/// Least number of fields that are left to an agent that has not asked for an order.
const AT_LEAST: f64 = 0.5;

/// Rows between a field of the own goal area and the middle of the board.
fn depth(view: &View<'_>, at: Position) -> u16 {
    at.y.abs_diff(view.geometry().rows() / 2)
}

fn moves_take(view: &View<'_>, moves: u32) -> Millis {
    Millis::new(view.penalty(ActionKind::Move).as_millis().saturating_mul(moves))
}

/// Returns the time in which an agent that is present can answer: it finishes its current action first.
fn patience(view: &View<'_>) -> Millis {
    const LATENCY: u32 = 200;
    let locks = ActionKind::ALL.into_iter().map(|kind| view.penalty(kind).as_millis());
    let longest = locks.max().unwrap_or_default();
    Millis::new(longest.saturating_mul(2).saturating_add(LATENCY))
}

/// Takes this many fields out of a set, the outermost first.
pub(super) fn cut(view: &View<'_>, from: &mut FieldSet, count: u32) -> FieldSet {
    let mut fields: Vec<Position> = from.iter().collect();
    fields.sort_by_key(|at| (u16::MAX - depth(view, *at), *at));
    let mut taken = no_fields(view);
    for at in fields.into_iter().take(count as usize) {
        from.remove(at);
        taken.insert(at);
    }
    taken
}

/// Takes the fields out of a share that an agent gives up when its leader asks it: the outer half. Both agents compute
/// it, so no message names it.
pub(super) fn give_up(view: &View<'_>, share: &mut FieldSet) -> FieldSet {
    let half = share.len() / 2;
    cut(view, share, half)
}

fn add(to: &mut FieldSet, fields: &FieldSet) {
    for at in fields.iter() {
        to.insert(at);
    }
}

/// The agent that gives fields away.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Donor {
    Leader,
    Teammate(usize),
}

impl Ledger {
    pub(super) fn new(view: &View<'_>, deal: &Deal, is_new: bool, asks: bool) -> Self {
        let mate = |(place, agent)| Teammate {
            agent,
            share: deal.share(view, place),
            done: no_fields(view),
            since: SimTime::START,
            report: None,
            asked: None,
            ordered: None,
            is_new,
            tries_before: 0,
            is_free: false,
            lies: false,
            has_left: false,
        };
        let others = deal.members().enumerate().filter(|(_, agent)| *agent != view.own.agent);
        Self {
            mates: others.map(mate).collect(),
            pool: no_fields(view),
            own_tries: 0,
            waiting: Vec::new(),
            asking: None,
            has_asked: false,
            asks,
        }
    }

    /// The leader has tried a field.
    pub(super) fn note_own_try(&mut self, at: Position) {
        self.own_tries += 1;
        self.pool.remove(at);
        for mate in &mut self.mates {
            mate.share.remove(at);
        }
    }

    /// Notes that an agent asks; returns whether it takes orders. One that asks before it can have tried its share is
    /// of another kind, and keeps to an order of its own.
    pub(super) fn takes_orders(&mut self, view: &View<'_>, by: AgentId) -> bool {
        let own_tries = self.own_tries;
        let Some(mate) = self.mates.iter_mut().find(|mate| mate.agent == by) else { return true };
        let possible = (PACE * (own_tries - mate.tries_before) + 1).max(PACE);
        let is_early = !mate.is_new && !mate.is_repeating(view) && mate.share.len() > possible;
        mate.is_free |= is_early;
        mate.has_left = false;
        !mate.is_free
    }

    /// Answers an agent that asks for an order: its new share, or none if another agent has to report first. `own` are
    /// the untried fields of the leader, which may become fewer.
    pub(super) fn deal_out(&mut self, view: &View<'_>, to: AgentId, own: &mut FieldSet) -> Option<FieldSet> {
        let Some(place) = self.mates.iter().position(|mate| mate.agent == to) else {
            return Some(no_fields(view));
        };
        let mate = &mut self.mates[place];
        let is_repeated = mate.is_repeating(view);
        let is_new = std::mem::take(&mut mate.is_new);
        if !mate.share.is_empty() && (is_repeated || is_new) {
            return Some(mate.share.clone());
        }
        let tried = std::mem::replace(&mut mate.share, no_fields(view));
        if !mate.lies {
            add(&mut mate.done, &tried);
        }
        mate.report = Some((view.now, mate.done.len()));
        if self.pool.is_empty()
            && let Some(Donor::Teammate(donor)) = self.donor(view, Some(place), own)
            && self.is_worth_asking(view, donor)
        {
            if !self.waiting.contains(&to) {
                self.waiting.push(to);
            }
            return None;
        }
        Some(self.settle(view, Some(place), own))
    }

    /// Returns the orders that wait for a report: the agent, and its share.
    pub(super) fn next_order(&mut self, view: &View<'_>, own: &mut FieldSet) -> Option<(AgentId, FieldSet)> {
        let to = *self.waiting.first()?;
        if self.is_report_due(view) {
            return None;
        }
        self.waiting.remove(0);
        let place = self.mates.iter().position(|mate| mate.agent == to)?;
        Some((to, self.settle(view, Some(place), own)))
    }

    /// Returns the fields that the leader takes over when it has none left; none while it waits for a report.
    pub(super) fn take_over(&mut self, view: &View<'_>) -> Option<FieldSet> {
        (!self.is_report_due(view)).then(|| self.settle(view, None, &mut no_fields(view)))
    }

    /// Deals out what can be dealt out: to the agent at this place, or the leader.
    fn settle(&mut self, view: &View<'_>, to: Option<usize>, own: &mut FieldSet) -> FieldSet {
        self.has_asked = false;
        let share = if self.pool.is_empty() {
            match self.donor(view, to, own) {
                Some(Donor::Leader) => {
                    let half = own.len() / 2;
                    cut(view, own, half)
                }
                Some(Donor::Teammate(donor)) => self.take_from(view, donor),
                None => self.doubt(view, to),
            }
        } else {
            std::mem::replace(&mut self.pool, no_fields(view))
        };
        if let Some(place) = to {
            let mate = &mut self.mates[place];
            mate.since = view.now;
            mate.ordered = Some(view.now);
            mate.tries_before = self.own_tries;
            mate.share = share.clone();
        }
        share
    }

    /// Returns whether an answer is on its way.
    fn is_report_due(&self, view: &View<'_>) -> bool {
        self.mates.iter().any(|mate| mate.is_awaited(view))
    }

    /// Returns the agent to ask for a report: the one with the most work left, if a waiting agent or the leader has
    /// none.
    pub(super) fn whom_to_ask(&mut self, view: &View<'_>, is_out_of_work: bool) -> Option<AgentId> {
        let is_settled = !self.pool.is_empty() || self.has_asked;
        if is_settled || self.is_report_due(view) {
            return None;
        }
        let to = match self.waiting.first() {
            Some(agent) => self.mates.iter().position(|mate| mate.agent == *agent),
            None if is_out_of_work => None,
            None => return None,
        };
        let Some(Donor::Teammate(place)) = self.donor(view, to, &mut no_fields(view)) else { return None };
        if !self.is_worth_asking(view, place) {
            return None;
        }
        let mate = &mut self.mates[place];
        mate.asked = Some(view.now);
        self.has_asked = true;
        self.asking = Some(mate.agent);
        self.asking
    }

    /// Returns whether a report of an agent would be news.
    fn is_worth_asking(&self, view: &View<'_>, place: usize) -> bool {
        let lasts = moves_take(view, REPORT_LASTS);
        let is_fresh = self.mates[place].report.is_some_and(|(at, _)| view.now < at + lasts);
        self.asks && !is_fresh && !self.is_idle(view, place)
    }

    /// Takes in the report of an agent about the fields that it has tried.
    pub(super) fn hear_report(&mut self, view: &View<'_>, by: AgentId, information: &Information) {
        let Some(mate) = self.mates.iter_mut().find(|mate| mate.agent == by) else { return };
        if self.asking == Some(by) {
            self.asking = None;
        }
        let mut all = no_fields(view);
        all.fill();
        let is_tried = |at: &Position| view.knowledge.goal_said(information, *at) != GoalBelief::Unknown;
        let tried = u32::try_from(all.iter().filter(is_tried).count()).unwrap_or(u32::MAX);
        mate.has_left = false;
        mate.asked = None;
        mate.report = Some((view.now, tried));
        mate.since = view.now;
        let is_too_fast = tried > BEYOND_DOUBT && tried > 2 * self.own_tries;
        mate.lies |= is_too_fast || view.knowledge.trust(by) < Knowledge::TRUSTED;
        if mate.lies {
            // Nothing that it claims counts: what it was dealt is dealt to others.
            let done = std::mem::replace(&mut mate.done, no_fields(view));
            add(&mut mate.share, &done);
            return;
        }
        for at in mate.share.clone().iter().filter(is_tried) {
            mate.share.remove(at);
            mate.done.insert(at);
        }
        if !mate.is_free {
            let given_up = give_up(view, &mut mate.share);
            add(&mut self.pool, &given_up);
        }
    }

    /// A question was refused: the agent that was asked has left.
    pub(super) fn hear_refusal(&mut self, view: &View<'_>) {
        let asked = self.asking.filter(|agent| !view.is_silent(*agent));
        if let Some(mate) = self.mates.iter_mut().find(|mate| Some(mate.agent) == asked) {
            self.asking = None;
            mate.asked = None;
            mate.has_left = true;
        }
    }

    /// Returns the agent with the most work left; the leader if several have the same, because it need not be asked.
    fn donor(&self, view: &View<'_>, to: Option<usize>, own: &mut FieldSet) -> Option<Donor> {
        // The last field is the one that it is about to try.
        let leader = (own.len() > 1).then(|| (f64::from(own.len()) - AT_LEAST, Donor::Leader));
        let mates = (0..self.mates.len()).filter(|place| Some(*place) != to);
        let mates = mates.filter(|place| !self.mates[*place].share.is_empty());
        let mates = mates.map(|place| (self.left(view, place), Donor::Teammate(place)));
        let most =
            leader.into_iter().chain(mates).reduce(|best, next| if next.0 > best.0 { next } else { best });
        most.map(|(_, donor)| donor)
    }

    /// Estimates the number of fields that an agent has left to try.
    fn left(&self, view: &View<'_>, place: usize) -> f64 {
        let mate = &self.mates[place];
        let share = f64::from(mate.share.len());
        if mate.is_lost(view) || mate.lies {
            return share;
        }
        let pace = match mate.report {
            Some((at, tried)) => f64::from(tried) / seconds(at),
            None => f64::from(self.own_tries) / seconds(view.now),
        };
        (share - pace * (view.now - mate.since).as_millis() as f64 / 1_000.0).max(AT_LEAST)
    }

    /// Returns whether an agent does next to nothing, or is not there, or is not to be believed: there is no use in
    /// asking it again.
    fn is_idle(&self, view: &View<'_>, place: usize) -> bool {
        let mate = &self.mates[place];
        let is_slow = |(at, tried): (SimTime, u32)| {
            f64::from(tried) / seconds(at) < SLOW * f64::from(self.own_tries) / seconds(view.now)
        };
        mate.is_lost(view) || mate.lies || mate.report.is_some_and(is_slow)
    }

    /// Takes half of what an agent has left.
    fn take_from(&mut self, view: &View<'_>, donor: usize) -> FieldSet {
        let left = self.left(view, donor);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of fields")]
        let half = ((left / 2.0).round() as u32).max(1);
        cut(view, &mut self.mates[donor].share, half)
    }

    /// Deals out fields again if no agent has work left and the game goes on, because then a claim about a field was
    /// false: returns half of the fields that others claim to have tried.
    fn doubt(&mut self, view: &View<'_>, to: Option<usize>) -> FieldSet {
        let mut claimed = no_fields(view);
        for (place, mate) in self.mates.iter().enumerate() {
            if Some(place) != to {
                add(&mut claimed, &mate.done);
            }
        }
        for at in claimed.clone().iter() {
            if view.knowledge.goal(at).is_some_and(|known| known.from == Source::Own) {
                claimed.remove(at);
            }
        }
        let count = claimed.len().div_ceil(2);
        let taken = cut(view, &mut claimed, count);
        for mate in &mut self.mates {
            for at in taken.iter() {
                mate.done.remove(at);
            }
        }
        taken
    }
}

impl Teammate {
    /// Returns whether a question now repeats the one that was answered with its last order.
    fn is_repeating(&self, view: &View<'_>) -> bool {
        self.ordered.is_some_and(|at| view.now < at + moves_take(view, MOVES_FOR_A_TRY))
    }

    /// Returns whether it is gone, or has not answered in time.
    fn is_lost(&self, view: &View<'_>) -> bool {
        self.has_left || (view.is_silent(self.agent) && !self.is_awaited(view))
    }

    /// Returns whether its answer may still come.
    fn is_awaited(&self, view: &View<'_>) -> bool {
        view.is_silent(self.agent) && self.asked.is_some_and(|at| view.now < at + patience(view))
    }
}

/// Since the start of the game, at least a moment.
fn seconds(at: SimTime) -> f64 {
    ((at - SimTime::START).as_millis() as f64 / 1_000.0).max(0.001)
}
