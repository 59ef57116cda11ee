//! The statements of other agents, and the trust in them.
//!
//! An agent begins with some trust: an ally with enough to be believed, an enemy with so little that it has to earn
//! trust. A statement about a goal field that the agent later finds to be true adds a little trust, because most fields
//! are no goals anyway. A statement that cannot have been true when it was made takes away much trust, because an agent
//! is never wrong about its own findings.
//!
//! A statement about a field of the own goal area cannot have been true in these cases:
//! - It says no goal, and then this agent covered a goal there.
//! - An ally says goal, and then this agent covered it: the ally can know a goal only by covering it.
//! - An enemy says goal, and this agent found none: no enemy can have covered it.
//!
//! In addition, an agent cannot know more goals than there are. A wrong distance is not a lie, because pieces come and
//! go.

use game_env::{AgentId, SimTime};
use game_project::{Area, Distance, GoalBelief, Information, Position, Team};

use super::Knowledge;
use super::field::{Learnt, Source};

/// Number of statements of an agent that could be checked, by their truth.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct TrackRecord {
    right: u32,
    wrong: u32,
}

/// The record with which an ally begins: this many true statements, and this many false ones.
const CREDIT_OF_ALLIES: (f64, f64) = (4.0, 1.0);

/// The same of an enemy: it is believed when about twenty of its statements have turned out to be true.
const CREDIT_OF_ENEMIES: (f64, f64) = (1.0, 20.0);

/// Number of true statements that one false one outweighs: on the source's board, an agent that calls every field no
/// goal is right thirty-nine times in forty.
const WEIGHT_OF_A_LIE: f64 = 100.0;

impl Knowledge {
    /// The least trust with which an agent is believed.
    pub const TRUSTED: f64 = 0.5;

    /// Returns the trust in an agent, from 0 to 1: the share of true statements among the checked statements. A false
    /// statement counts a hundred times, and each agent begins with some credit.
    ///
    /// An ally without checked statements has 0.8, an enemy less than 0.1. The trust in an agent that does not exist is
    /// 0.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let trust = situation.see(|view| view.knowledge.trust(AgentId::new(1)));
    /// assert!(trust < Knowledge::TRUSTED, "an enemy is not believed without a reason: {trust}");
    /// ```
    pub fn trust(&self, agent: AgentId) -> f64 {
        let Some(record) = self.track_records.get(agent.index()) else { return 0.0 };
        let is_ally = self.teams[agent.index()] == self.team;
        let (right, wrong) = if is_ally { CREDIT_OF_ALLIES } else { CREDIT_OF_ENEMIES };
        let right = right + f64::from(record.right);
        right / (right + wrong + WEIGHT_OF_A_LIE * f64::from(record.wrong))
    }

    /// Takes in the statements of another agent.
    pub(crate) fn merge(&mut self, now: SimTime, by: AgentId, information: &Information) {
        let from = Source::Told(by);
        for team in Team::ALL {
            let beliefs = &information.goals[team];
            if beliefs.len() != self.geometry.goal_fields() as usize {
                continue;
            }
            if self.claims_too_many(team, beliefs)
                && let Some(record) = self.track_records.get_mut(by.index())
            {
                record.wrong += 1;
            }
            let (columns, rows) = (self.geometry.columns(), self.geometry.goal_area_start(team)..);
            let places = rows.flat_map(|y| (0..columns).map(move |x| Position::new(x, y)));
            for (at, value) in places.zip(beliefs.iter().copied()) {
                if value != GoalBelief::Unknown {
                    self.hear_of_goal(at, Learnt { value, at: now, from });
                }
            }
        }
        if information.distances.len() == self.geometry.fields() as usize && self.trust(by) >= Self::TRUSTED {
            for (index, distance) in (0..).zip(&information.distances) {
                let Some(value) = *distance else { continue };
                let field = self.geometry.position(index);
                // No message says when a distance was read: the agent's own reading of a moment ago is the surer.
                let is_fresh = |known: Learnt<Distance>| {
                    known.from == Source::Own && now < known.at + self.readings_last
                };
                if !self.distances.get(field).is_some_and(is_fresh) {
                    self.distances.set(field, Learnt { value, at: now, from });
                }
            }
        }
        if self.trust(by) < Self::TRUSTED {
            self.reopen();
        }
        self.doubt_if_done();
    }

    fn hear_of_goal(&mut self, at: Position, said: Learnt<GoalBelief>) {
        let Source::Told(by) = said.from else { return };
        let known = self.beliefs.get(at);
        match known {
            Some(Learnt { value, from: Source::Own, .. }) => {
                if self.contradicts(by, said.value, value)
                    && let Some(record) = self.track_records.get_mut(by.index())
                {
                    record.wrong += 1;
                }
            }
            Some(Learnt { from: Source::Told(source), .. })
                if source != by && self.trust(source) >= self.trust(by) => {}
            _ => {
                self.beliefs.set(at, said);
                if self.geometry.area(at) == Area::Goal(self.team) {
                    self.told.insert(at);
                    // The earlier statement about the field, by a less trusted agent or by the same one, does not count
                    // any more.
                    if self.trust(by) >= Self::TRUSTED && self.settles(by, said.value) {
                        self.open.remove(at);
                    } else {
                        self.open.insert(at);
                    }
                }
            }
        }
    }

    /// Compares an earlier statement of another agent with what this agent has found out about the field.
    pub(super) fn weigh(&mut self, by: AgentId, said: GoalBelief, found: GoalBelief) {
        let was_trusted = self.trust(by) >= Self::TRUSTED;
        let Some(record) = self.track_records.get_mut(by.index()) else { return };
        match (said, found) {
            (GoalBelief::NoGoal, GoalBelief::NoGoal) => record.right += 1,
            // It was an open goal until this agent covered it: an agent that tried it before would have covered it.
            (GoalBelief::NoGoal, GoalBelief::Goal) => record.wrong += 1,
            // An ally may have covered it. No enemy can have.
            (GoalBelief::Goal, GoalBelief::NoGoal) if self.teams[by.index()] != self.team => {
                record.wrong += 1;
            }
            // An enemy may know it from another agent; an ally that knew it would have covered it.
            (GoalBelief::Goal, GoalBelief::Goal) if self.teams[by.index()] != self.team => record.right += 1,
            (GoalBelief::Goal, GoalBelief::Goal) => record.wrong += 1,
            _ => {}
        }
        if was_trusted && self.trust(by) < Self::TRUSTED {
            self.reopen();
        }
    }

    /// Returns `true` if these would be more goals than there are, together with those that the agent covered itself.
    fn claims_too_many(&self, team: Team, beliefs: &[GoalBelief]) -> bool {
        if self.goals == 0 {
            return false; // A board made by hand.
        }
        let start = u32::from(self.geometry.goal_area_start(team)) * u32::from(self.geometry.columns());
        let is_own = |place: u32| {
            let known = self.beliefs.get(self.geometry.position(start + place));
            known.is_some_and(|known| (known.from, known.value) == (Source::Own, GoalBelief::Goal))
        };
        let claimed = (0..).zip(beliefs).filter(|(_, belief)| **belief == GoalBelief::Goal);
        let others = claimed.filter(|(place, _)| !is_own(*place)).count();
        let own = if team == self.team { self.points } else { 0 };
        u32::try_from(others).unwrap_or(u32::MAX).saturating_add(own) > self.goals
    }

    /// Returns `true` if a statement is false for certain, given the agent's own findings before it was made.
    ///
    /// No statement contradicts a goal that the agent covered: others may find no goal there now, or repeat that it was
    /// one. An ally that says goal may have covered it before this agent tried the field.
    fn contradicts(&self, by: AgentId, said: GoalBelief, own: GoalBelief) -> bool {
        let is_ally = self.teams.get(by.index()) == Some(&self.team);
        !self.guesses && matches!((said, own), (GoalBelief::Goal, GoalBelief::NoGoal)) && !is_ally
    }

    /// Returns `true` if there is nothing left to be done on a field of which this is said: it is no goal, or an ally
    /// covered it when it found it.
    fn settles(&self, by: AgentId, said: GoalBelief) -> bool {
        said == GoalBelief::NoGoal || self.teams.get(by.index()) == Some(&self.team)
    }

    /// Opens every field again that was closed on the word of an agent that is not believed any more.
    fn reopen(&mut self) {
        let told = std::mem::take(&mut self.told);
        for at in told.iter() {
            if let Some(Learnt { from: Source::Told(source), .. }) = self.beliefs.get(at)
                && self.trust(source) < Self::TRUSTED
            {
                self.open.insert(at);
            }
        }
        self.told = told;
    }

    /// Opens fields again if none is left to try: the game goes on, so some statement was wrong. Opens all fields that
    /// statements of others have closed or, if there are none, all fields that are not known as goals: without the
    /// results of puts, which some game masters do not report, agents guess.
    pub(super) fn doubt_if_done(&mut self) {
        if !self.open.is_empty() {
            return;
        }
        for at in self.told.iter() {
            self.open.insert(at);
        }
        if self.open.is_empty() {
            self.open.fill();
            for at in self.open.clone().iter() {
                let known = self.beliefs.get(at);
                if known.is_some_and(|known| known.value == GoalBelief::Goal) {
                    self.open.remove(at);
                }
            }
        }
    }
}
