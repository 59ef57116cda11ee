//! Assigns the goal fields to the agents of a team.

use sdk::prelude::*;

use super::{Belief, Options};
use crate::project::tactics::{IdleAgents, depth};

/// Assignment of the goal fields of a team, and the results of the tries so far.
#[derive(Clone, Debug)]
pub(in crate::project) struct Deal {
    /// The team by ids.
    members: Vec<Member>,
    /// The place of the agent itself among them.
    own: usize,
    /// The own fields that the agent has not tried itself.
    untried: FieldSet,
    /// The others' fields that neither the agent nor, by its own word, their owner has tried. Statements of other
    /// agents about a field count for nothing: a liar closes no fields but its own.
    others: FieldSet,
    /// With blind belief: the fields of all agents that are not said to be tried.
    believed: Option<FieldSet>,
    target: Option<Position>,
    options: Options,
    /// The columns of the own share, both included.
    lane: (u16, u16),
    /// Whether owners are asked before their fields are tried.
    asks_owners: bool,
    /// Help for silent owners begins at the far end if set.
    silent_from_far_end: bool,
    /// Tries in a row on fields of silent owners that covered no goal.
    misses: u32,
}

/// Knowledge about another agent of the team.
#[derive(Clone, Copy, Debug)]
struct Member {
    agent: AgentId,
    /// Time of its last report on the fields that it has tried; at first the start of the game.
    told: SimTime,
    /// Time of the last question that it has not answered yet; with blind belief, of the last question.
    asked: Option<SimTime>,
}

/// With blind belief: the pause between an answer and the next question, in multiples of the penalty of an exchange.
const BETWEEN_QUESTIONS: u32 = 60;

/// The number of misses on fields of silent owners after which help for them begins at the other end.
const MOST_MISSES: u32 = 2;

/// Time that an agent waits before it asks, in penalties of an exchange for each field that is left to the owner.
const USUAL_PATIENCE: u64 = 4;

impl Deal {
    pub(super) fn new(view: &View<'_>, belief: Belief, options: Options) -> Self {
        let agents: Vec<AgentId> = view.briefing.game.members(view.own.team).collect();
        let own = agents.iter().position(|agent| *agent == view.own.agent).unwrap_or(0);
        let member = |agent| Member { agent, told: SimTime::START, asked: None };
        let mut deal = Self {
            members: agents.into_iter().map(member).collect(),
            own,
            untried: view.knowledge.open().clone(),
            others: Self::untold(view),
            believed: (belief == Belief::Blind).then(|| view.knowledge.open().clone()),
            target: None,
            options,
            lane: (0, view.geometry().columns() - 1),
            asks_owners: true,
            silent_from_far_end: false,
            misses: 0,
        };
        for at in Self::untold(view).iter() {
            if deal.owner(view, at) == own {
                deal.others.remove(at);
            } else {
                deal.untried.remove(at);
            }
        }
        deal.keep_to_own_columns();
        deal
    }

    /// The own lane becomes the columns of the own fields.
    fn keep_to_own_columns(&mut self) {
        let columns = || self.untried.iter().map(|at| at.x);
        if self.options.blocks
            && let (Some(west), Some(east)) = (columns().min(), columns().max())
        {
            self.lane = (west, east);
        }
    }

    /// Returns the team in the order of the deal.
    pub(in crate::project) fn members(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.members.iter().map(|member| member.agent)
    }

    /// Returns the fields that are dealt to the member at this place at the start.
    pub(in crate::project) fn share(&self, view: &View<'_>, place: usize) -> FieldSet {
        let mut share = view.knowledge.open().clone();
        share.fill();
        for at in share.clone().iter().filter(|at| self.owner(view, *at) != place) {
            share.remove(at);
        }
        share
    }

    /// Returns the own fields that the agent has not tried itself.
    pub(in crate::project) fn untried(&self) -> &FieldSet {
        &self.untried
    }

    /// The agent's own share is this one from now on, and what it gives up is the others'.
    pub(in crate::project) fn take(&mut self, view: &View<'_>, share: &FieldSet) {
        let given_up = std::mem::take(&mut self.untried);
        self.untried = Self::untold(view);
        for at in Self::untold(view).iter() {
            if share.contains(at) {
                self.others.remove(at);
                continue;
            }
            self.untried.remove(at);
            if given_up.contains(at) {
                self.others.insert(at);
            }
        }
        self.keep_to_own_columns();
    }

    /// Returns whether owners are asked before their fields are tried.
    pub(in crate::project) fn ask_owners(&mut self, asks_owners: bool) {
        self.asks_owners = asks_owners;
    }

    /// Returns the columns of the own fields, both included.
    pub(super) fn lane(&self) -> (u16, u16) {
        self.lane
    }

    /// Returns the row of the field that the agent will try with the next piece, as far as it knows.
    pub(super) fn next_row(&self, view: &View<'_>) -> u16 {
        let here = view.position();
        let next = self.untried.nearest(here).or_else(|| self.others.nearest(here));
        let geometry = view.geometry();
        next.map_or(geometry.goal_area_start(view.own.team), |at| at.y)
    }

    /// Returns the fields that the agent has not tried itself, without regard to messages about them.
    fn untold(view: &View<'_>) -> FieldSet {
        let mut fields = view.knowledge.open().clone();
        fields.fill();
        for at in fields.clone().iter() {
            if view.knowledge.goal(at).is_some_and(|learnt| learnt.from == Source::Own) {
                fields.remove(at);
            }
        }
        fields
    }

    /// Returns the field that the agent is on its way to.
    pub(super) fn target(&self) -> Option<Position> {
        self.target
    }

    /// Returns the field to try next: the nearest own one, then the nearest of the others'.
    ///
    /// Fields that another agent does not leave come last.
    pub(super) fn next_field(&mut self, view: &View<'_>, idle: &IdleAgents) -> Option<Position> {
        let here = view.position();
        let open = view.knowledge.open();
        self.target = match &self.believed {
            None => {
                let others = if self.others.is_empty() { open } else { &self.others };
                if idle.is_empty() {
                    self.untried.nearest(here).or_else(|| self.help(view, others))
                } else {
                    let own = idle.without(&self.untried).nearest(here);
                    let own = own.filter(|field| !idle.hold(*field));
                    own.or_else(|| self.help(view, &idle.without(others)))
                }
            }
            Some(believed) => {
                // With nothing left to believe in, everything may be a goal that was not tried here.
                let believed = if believed.is_empty() { open } else { believed };
                believed.nearest_in(here, &self.untried).or_else(|| believed.nearest(here))
            }
        };
        self.target
    }

    /// Returns the other agents' field to try: owners work from the rows next to the task area, so help begins at the
    /// far end.
    ///
    /// An owner that is silent may be of another kind, with another order of its own: see [`Self::note_try`].
    fn help(&self, view: &View<'_>, others: &FieldSet) -> Option<Position> {
        let here = view.position();
        if !self.options.far_end {
            return others.nearest(here);
        }
        let last_row = view.geometry().goal_rows() - 1;
        let cost = |at: &Position| {
            let depth = depth(view, *at);
            let from_far_end = self.silent_from_far_end || !self.is_of_silent(view, *at);
            let preference = if from_far_end { depth } else { last_row - depth };
            i32::from(here.moves_to(*at)) - 2 * i32::from(preference)
        };
        others.iter().min_by_key(cost)
    }

    /// Returns true if the field was dealt to an agent that does not answer.
    fn is_of_silent(&self, view: &View<'_>, at: Position) -> bool {
        let owner = self.owner(view, at);
        owner != self.own && view.is_silent(self.members[owner].agent)
    }

    /// Learns from a try at which end silent owners begin.
    ///
    /// A goal shows that its owner has not tried the field. A field without a goal may be one whose goal the owner has
    /// covered: after some of these in a row, help begins at the other end.
    fn note_try(&mut self, view: &View<'_>, result: PutResult) {
        if !self.is_of_silent(view, view.position()) {
            return;
        }
        self.misses = if result == PutResult::OnGoal { 0 } else { self.misses + 1 };
        if self.misses == MOST_MISSES {
            self.misses = 0;
            self.silent_from_far_end = !self.silent_from_far_end;
        }
    }

    /// Returns the agent to ask before trying a field: its owner, if it may have tried the field since its last report,
    /// and if the answer is worth the time of both.
    ///
    /// In the time that a question and an answer take, the owner might try some of the fields that are left to it: the
    /// longer its last report is ago, and the fewer these are, the likelier it is to have tried this one.
    pub(super) fn whom_to_ask(&mut self, view: &View<'_>, field: Position) -> Option<AgentId> {
        if self.believed.is_some() {
            return self.next_in_turn(view);
        }
        let place = self.owner(view, field);
        if place == self.own || !self.asks_owners {
            return None;
        }
        let exchange = view.penalty(ActionKind::Ask).as_millis();
        let left = view.knowledge.open().iter().filter(|at| self.owner(view, *at) == place).count();
        let member = &mut self.members[place];
        // One question without an answer is enough: the agent is gone, or cannot deal with questions.
        if view.is_silent(member.agent) {
            return None;
        }
        let worth = USUAL_PATIENCE * u64::from(exchange) * u64::try_from(left).unwrap_or(u64::MAX);
        let is_due = f64::from((view.now - member.told).as_millis()) > worth as f64 * self.options.patience;
        if !is_due {
            return None;
        }
        member.asked = Some(view.now);
        Some(member.agent)
    }

    /// With blind belief: returns the next agent to ask, in turn; none if the last question or answer is too recent.
    fn next_in_turn(&mut self, view: &View<'_>) -> Option<AgentId> {
        let last =
            self.members.iter().map(|member| member.told.max(member.asked.unwrap_or_default())).max()?;
        let pause = view.penalty(ActionKind::Ask).as_millis().saturating_mul(BETWEEN_QUESTIONS);
        if (view.now - last).as_millis() < pause {
            return None;
        }
        let others = self.members.iter_mut().enumerate().filter(|(place, _)| *place != self.own);
        let others = others.filter(|(_, member)| !view.is_silent(member.agent));
        let (_, member) = others.min_by_key(|(_, member)| member.asked)?;
        member.asked = Some(view.now);
        Some(member.agent)
    }

    pub(super) fn hear(&mut self, view: &View<'_>, notice: &Notice) {
        match notice {
            Notice::Put { result } if *result != Some(PutResult::WasSham) => {
                // A piece that may have been a sham, put without a word about it, settles nothing.
                let here = view.position();
                if let Some(result @ (PutResult::OnGoal | PutResult::OnNoGoal)) = result {
                    self.note_try(view, *result);
                }
                if !view.knowledge.open().contains(here) {
                    self.untried.remove(here);
                    self.others.remove(here);
                    if let Some(believed) = &mut self.believed {
                        believed.remove(here);
                    }
                }
            }
            Notice::Answered { by: Some(by), information } => {
                if let Some(member) = self.members.iter_mut().find(|member| member.agent == *by) {
                    member.told = view.now;
                    if self.believed.is_none() {
                        member.asked = None;
                    }
                }
                self.believe_owner(view, *by, information);
                self.believe(view, information);
            }
            _ => {}
        }
    }

    /// Notes the statements of an agent about its own fields, if it is trusted.
    fn believe_owner(&mut self, view: &View<'_>, by: AgentId, information: &Information) {
        let Some(place) = self.members.iter().position(|member| member.agent == by) else { return };
        if place == self.own || view.knowledge.trust(by) < Knowledge::TRUSTED {
            return;
        }
        let is_tried = |at: &Position| view.knowledge.goal_said(information, *at) != GoalBelief::Unknown;
        let tried: Vec<Position> =
            self.others.iter().filter(|at| self.owner(view, *at) == place).filter(is_tried).collect();
        for at in tried {
            self.others.remove(at);
        }
    }

    fn believe(&mut self, view: &View<'_>, information: &Information) {
        let Some(believed) = &mut self.believed else { return };
        let geometry = view.geometry();
        let first = geometry.goal_area_start(view.own.team);
        for (place, belief) in (0u32..).zip(&information.goals[view.own.team]) {
            if *belief != GoalBelief::Unknown {
                let at = geometry.position(place + u32::from(first) * u32::from(geometry.columns()));
                believed.remove(at);
            }
        }
    }

    /// Returns the place of the member whose field this is.
    ///
    /// In blocks: the fields are numbered column by column, and in a column from the task area outwards; each member
    /// has as many neighbouring ones as the other. Otherwise whole columns, round and round.
    fn owner(&self, view: &View<'_>, at: Position) -> usize {
        let members = self.members.len().max(1);
        if !self.options.blocks {
            return usize::from(at.x) % members;
        }
        let geometry = view.geometry();
        let rows = usize::from(geometry.goal_rows());
        let number = usize::from(at.x) * rows + usize::from(depth(view, at));
        number * members / geometry.goal_fields() as usize
    }
}

#[cfg(test)]
mod tests {
    use sdk::local::RawConfig;
    use sdk::testing::Situation;

    use super::*;

    /// `#0` owns the western column, `#1` the eastern one.
    const BOARD: &str = "
        .         g
        .         .
        .         g
        .         SECOND
        FIRST     .
        -----------
        ppppppppR0+p R1!
        .         B2
        -----------
        .         .
        .         .
        .         g
        .         g
        .         g";

    /// Carries a piece to the field with this many rows before it.
    fn carry(is_eastern: bool, depth: u16) -> Vec<&'static str> {
        let north = vec!["move N"; usize::from(depth) + 1];
        let east = if is_eastern { vec!["move E"] } else { Vec::new() };
        [north, east, vec!["put"]].concat()
    }

    /// Comes back for the next piece.
    fn come_back(is_eastern: bool, depth: u16) -> Vec<&'static str> {
        let west = if is_eastern { vec!["move W"] } else { Vec::new() };
        [west, vec!["move S"; usize::from(depth) + 1], vec!["pick-up"]].concat()
    }

    /// Returns the depths of the fields of the eastern column that `#0` tries after its own ones, one after the other.
    fn tries(has_second: bool, asks: bool) -> Vec<u16> {
        let [first, second] = if has_second { [".", "g"] } else { ["g", "."] };
        let board = BOARD.replace("FIRST", first).replace("SECOND", second);
        let rules = RawConfig { landing_pick_up: false, sham_piece_probability: 0.0, ..RawConfig::default() };
        let mut situation = Situation::with(&board, &rules, AgentId::new(0));
        for depth in 0..5 {
            situation = situation.after(&carry(false, depth)).after(&come_back(false, depth));
        }
        if asks {
            situation = situation.after(&["ask #1"]);
        }
        let mut deal = situation.see(|view| Deal::new(view, Belief::Earned, Options::default()));
        let mut tried: Vec<u16> = Vec::new();
        while tried.len() < 3 {
            if let Some(last) = tried.last() {
                situation = situation.after(&come_back(true, *last));
            }
            let next = situation.see(|view| {
                deal.next_field(view, &IdleAgents::default()).filter(|at| at.x == 1).map(|at| depth(view, at))
            });
            let next = next.expect("the fields of the other agent are left");
            tried.push(next);
            situation = situation.after(&carry(true, next));
            situation.see(|view| {
                let goal = view.knowledge.goal(view.position()).expect("it has tried the field");
                let is_goal = goal.value == GoalBelief::Goal;
                let result = if is_goal { PutResult::OnGoal } else { PutResult::OnNoGoal };
                deal.hear(view, &Notice::Put { result: Some(result) });
            });
        }
        tried
    }

    #[test]
    fn help_begins_at_the_end_where_the_owner_does_not() {
        assert_eq!(tries(false, false), [4, 3, 2], "the owner answers, so it begins next to the task area");
        assert_eq!(tries(false, true), [0, 1, 4], "a silent owner: two misses, then the other end");
        assert_eq!(tries(true, true), [0, 1, 2], "the owner has not tried the goal");
    }
}
