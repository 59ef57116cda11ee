//! The beliefs of each agent and each team about every field, with their sources and moments.
//!
//! They are computed from the events of a game, for referees and spectators: agents never see them. The beliefs are
//! those of an agent that takes over everything that it hears. Of a distance it believes the last value that it
//! measured or heard. Its own finding about a goal goes before claims that it hears. A team believes the newest
//! distance of its members; of a goal, a member's own finding goes before a claim that a member heard.
//!
//! Nothing is ever heard of most fields of a large board, so [`Beliefs::hear`] returns only the changes by an event.

use std::collections::BTreeMap;

use game_env::messages::{ClaimCounts, ClaimVerdict};
use game_env::{AgentId, ByTeam, Environment, SimTime};

use crate::claims::{Claim, ClaimContent, ClaimJudge};
use crate::event::{Event, PutResult};
use crate::geometry::{Geometry, Position};
use crate::information::GoalBelief;
use crate::state::State;
use crate::team::Team;

/// The beliefs of all agents and of both teams.
#[derive(Clone, Debug)]
pub struct Beliefs {
    geometry: Geometry,
    judge: ClaimJudge,
    teams: Vec<Team>,
    agents: Vec<Fields>,
    shared: ByTeam<Fields>,
}

/// The holder of a belief.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Holder {
    /// One agent.
    Agent(AgentId),
    /// The agents of a team together.
    Team(Team),
}

/// New beliefs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The holders of these beliefs.
    pub holders: Vec<Holder>,
    /// The agent that claimed it; `None` if the agent itself, or a member of the team, found it out.
    pub by: Option<AgentId>,
    /// The new beliefs.
    pub beliefs: New,
}

/// The beliefs of a [`Change`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum New {
    /// All claims of the answer.
    Claims,
    /// These claims. The verdict is that on the claim; a finding of the agent itself has [`ClaimVerdict::Honest`].
    These(Vec<Claim>),
}

/// The changes by an event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BeliefUpdate {
    /// If the event is an answer: its claims, and the number of claims of each verdict.
    pub answer: Option<(Vec<Claim>, ClaimCounts)>,
    /// The new beliefs. A later change replaces an earlier one.
    pub changes: Vec<Change>,
}

impl Beliefs {
    /// Creates the beliefs at the start: there are none.
    pub fn new(state: &State) -> Self {
        let agents = state.agents();
        Self {
            geometry: state.config().geometry(),
            judge: ClaimJudge::new(agents),
            teams: AgentId::all(agents).map(|agent| state.briefing(agent).team).collect(),
            agents: vec![Fields::default(); agents],
            shared: ByTeam::default(),
        }
    }

    /// Handles the next event, which happens at this moment. `state` is the one after it.
    ///
    /// # Panics
    ///
    /// If the event names an agent that the game does not have.
    pub fn hear(&mut self, state: &State, now: SimTime, event: &Event) -> BeliefUpdate {
        let mut claims = Vec::new();
        let counts = self.judge.hear(state, event, |claim| claims.push(claim));
        match event {
            Event::Moved { agent, to, distance } => {
                self.find_out(now, *agent, [(*to, ClaimContent::Distance(*distance))])
            }
            Event::Discovered { agent, distances } => {
                let Some(from) = state.position(*agent) else { return BeliefUpdate::default() };
                let readings = distances.readings(self.geometry, from);
                let findings = readings.map(|(at, distance)| (at, ClaimContent::Distance(distance)));
                self.find_out(now, *agent, findings)
            }
            Event::Put { agent, result: result @ (PutResult::OnGoal | PutResult::OnNoGoal) } => {
                let Some(at) = state.position(*agent) else { return BeliefUpdate::default() };
                let is_goal = *result == PutResult::OnGoal;
                let belief = if is_goal { GoalBelief::Goal } else { GoalBelief::NoGoal };
                // A covered goal stays a goal, although another piece finds none.
                if self.agents[agent.index()]
                    .at(self.geometry, at)
                    .goal
                    .is_some_and(|best| best.is_found_goal())
                {
                    return BeliefUpdate::default();
                }
                self.find_out(now, *agent, [(at, ClaimContent::Goal(belief))])
            }
            Event::Answered { agent, by, .. } => {
                let changes = self.believe(now, *agent, *by, &claims);
                BeliefUpdate { answer: Some((claims, counts.unwrap_or_default())), changes }
            }
            _ => BeliefUpdate::default(),
        }
    }

    /// Adds findings of an agent itself.
    fn find_out(
        &mut self,
        now: SimTime,
        agent: AgentId,
        findings: impl IntoIterator<Item = (Position, ClaimContent)>,
    ) -> BeliefUpdate {
        let team = self.teams[agent.index()];
        let (mut both, mut own) = (Vec::new(), Vec::new());
        for (at, content) in findings {
            let belief = Claim { at, content, verdict: ClaimVerdict::Honest };
            let best = Best { since: now, member: agent, by: None, belief };
            self.agents[agent.index()].at_mut(self.geometry, at).offer(best);
            let is_shared = self.shared[team].at_mut(self.geometry, at).offer(best);
            if is_shared { both.push(belief) } else { own.push(belief) }
        }
        let of = |holders: Vec<Holder>, beliefs: Vec<Claim>| {
            (!beliefs.is_empty()).then_some(Change { holders, by: None, beliefs: New::These(beliefs) })
        };
        let agent = Holder::Agent(agent);
        let changes = [of(vec![agent, Holder::Team(team)], both), of(vec![agent], own)];
        BeliefUpdate { answer: None, changes: changes.into_iter().flatten().collect() }
    }

    /// Lets an agent take over the claims of an answer.
    fn believe(&mut self, now: SimTime, agent: AgentId, by: AgentId, claims: &[Claim]) -> Vec<Change> {
        if claims.is_empty() {
            return Vec::new();
        }
        let team = self.teams[agent.index()];
        let holders = [Holder::Agent(agent), Holder::Team(team)];
        // Beliefs that the agent, or its team, keeps against a claim.
        let mut kept: BTreeMap<(Holder, Option<AgentId>), Vec<Claim>> = BTreeMap::new();
        for claim in claims {
            let best = Best { since: now, member: agent, by: Some(by), belief: *claim };
            let boards = [&mut self.agents[agent.index()], &mut self.shared[team]];
            for (holder, board) in holders.into_iter().zip(boards) {
                let believed = board.at_mut(self.geometry, claim.at);
                believed.offer(best);
                if let Some(other) = believed.about(claim.content).filter(|believed| *believed != best) {
                    kept.entry((holder, other.by)).or_default().push(other.belief);
                }
            }
        }
        let claimed = Change { holders: holders.to_vec(), by: Some(by), beliefs: New::Claims };
        let exceptions = kept.into_iter().map(|((holder, by), beliefs)| Change {
            holders: vec![holder],
            by,
            beliefs: New::These(beliefs),
        });
        [claimed].into_iter().chain(exceptions).collect()
    }
}

/// The beliefs about one field.
#[derive(Clone, Copy, Debug, Default)]
struct Believed {
    distance: Option<Best>,
    goal: Option<Best>,
}

/// A belief, with its moment and its source, which decide whether it counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Best {
    since: SimTime,
    /// The agent that holds the belief; in a team, the member.
    member: AgentId,
    by: Option<AgentId>,
    belief: Claim,
}

impl Best {
    fn is_found_goal(&self) -> bool {
        self.by.is_none() && self.belief.content == ClaimContent::Goal(GoalBelief::Goal)
    }
}

impl Believed {
    /// Returns the belief about the subject of this claim: the distance or the goal.
    fn about(&self, content: ClaimContent) -> Option<Best> {
        match content {
            ClaimContent::Distance(_) => self.distance,
            ClaimContent::Goal(_) => self.goal,
        }
    }

    /// Takes over a new belief, unless the present one counts more.
    ///
    /// Among distances the newest counts; among those of one moment, that of the first member, and of these its own
    /// finding. Among beliefs about a goal, a member's own finding goes before a claim that a member heard; of one
    /// kind, that of the first member counts.
    fn offer(&mut self, new: Best) -> bool {
        let rank = |best: Best| (best.by.is_some(), best.member);
        let is_newer = |best: Best| {
            best.since < new.since || (new.member, new.by.is_some()) <= (best.member, best.by.is_some())
        };
        let place = match new.belief.content {
            ClaimContent::Distance(_) => &mut self.distance,
            ClaimContent::Goal(_) => &mut self.goal,
        };
        let counts = place.is_none_or(|best| match new.belief.content {
            ClaimContent::Distance(_) => is_newer(best),
            ClaimContent::Goal(_) => rank(new) <= rank(best),
        });
        if counts {
            *place = Some(new);
        }
        counts
    }
}

/// The beliefs about each field, in short pieces of rows: an agent sees little of a large board.
#[derive(Clone, Debug, Default)]
struct Fields {
    runs: BTreeMap<usize, [Believed; RUN]>,
}

/// The fields of a piece of a row.
const RUN: usize = 16;

impl Fields {
    fn at(&self, geometry: Geometry, at: Position) -> Believed {
        let field = geometry.index(at);
        self.runs.get(&(field / RUN)).map_or_else(Believed::default, |run| run[field % RUN])
    }

    fn at_mut(&mut self, geometry: Geometry, at: Position) -> &mut Believed {
        let field = geometry.index(at);
        &mut self.runs.entry(field / RUN).or_insert_with(|| [Believed::default(); RUN])[field % RUN]
    }
}

#[cfg(test)]
mod tests {
    use game_env::Seed;
    use insta::assert_snapshot;

    use super::*;
    use crate::geometry::Distance;
    use crate::information::Information;

    /// Four columns, goal areas of one row, a goal of each team in a corner, three agents of red and one of blue.
    const BOARD: &str = "
        .  .  R2 gR1
        R0 .  .  .
        .  .  .  .
        .  p  .  .
        .  .  .  .
        g  .  .  B3";

    /// Everybody's beliefs in a program that takes over the changes.
    struct Followed {
        state: State,
        beliefs: Beliefs,
        distances: BTreeMap<(Holder, Position), (SimTime, Option<AgentId>, ClaimContent)>,
    }

    impl Followed {
        fn new() -> Self {
            let state = State::from_board(BOARD, Seed::new(1)).unwrap();
            Self { beliefs: Beliefs::new(&state), state, distances: BTreeMap::new() }
        }

        /// Handles an event, and writes each change as a line.
        fn hear(&mut self, now: u64, event: &Event) -> String {
            let now = SimTime::from_millis(now);
            let BeliefUpdate { answer, changes } = self.beliefs.hear(&self.state, now, event);
            let mut text = String::new();
            for Change { holders, by, beliefs } in changes {
                let claims = match &beliefs {
                    New::Claims => &answer.as_ref().expect("an answer").0,
                    New::These(beliefs) => beliefs,
                };
                let what = match &beliefs {
                    New::Claims => vec!["all claims".to_owned()],
                    New::These(_) => {
                        claims.iter().map(|Claim { at, content, .. }| format!("{at} {content:?}")).collect()
                    }
                };
                text += &format!("{holders:?} by {by:?}: {}\n", what.join("; "));
                let distances =
                    claims.iter().filter(|claim| matches!(claim.content, ClaimContent::Distance(_)));
                for Claim { at, content, .. } in distances {
                    for holder in &holders {
                        self.distances.insert((*holder, *at), (now, by, *content));
                    }
                }
            }
            text
        }

        fn moved(&mut self, now: u64, agent: u16, x: u16, y: u16, distance: u16) -> String {
            let (agent, to, distance) = (AgentId::new(agent), Position::new(x, y), Distance::new(distance));
            self.hear(now, &Event::Moved { agent, to, distance })
        }

        fn put(&mut self, now: u64, agent: u16, result: PutResult) -> String {
            self.hear(now, &Event::Put { agent: AgentId::new(agent), result })
        }

        fn answered(&mut self, now: u64, agent: u16, by: u16, information: &str) -> String {
            let information: Information = information.parse().unwrap();
            let [agent, by] = [agent, by].map(AgentId::new);
            self.hear(now, &Event::Answered { agent, by, information: information.into() })
        }

        fn distance(&self, holder: Holder, x: u16, y: u16) -> Option<(u64, Option<AgentId>, ClaimContent)> {
            let (since, by, content) = self.distances.get(&(holder, Position::new(x, y)))?;
            Some((since.as_millis(), *by, *content))
        }
    }

    const RED: Holder = Holder::Team(Team::Red);

    fn agent(agent: u16) -> Holder {
        Holder::Agent(AgentId::new(agent))
    }

    fn moves(moves: u16) -> ClaimContent {
        ClaimContent::Distance(Distance::new(moves))
    }

    #[test]
    fn the_newest_distance_counts_with_its_source() {
        let mut followed = Followed::new();
        followed.moved(10, 0, 0, 3, 3);
        assert_eq!(followed.distance(agent(0), 0, 3), Some((10, None, moves(3))));
        assert_eq!(followed.distance(agent(1), 0, 3), None);
        assert_eq!(followed.distance(RED, 0, 3), Some((10, None, moves(3))));
        assert_eq!(followed.distance(Holder::Team(Team::Blue), 0, 3), None);
        followed.answered(20, 0, 1, "distances=-*12,1 red= blue=");
        let told = Some((20, Some(AgentId::new(1)), moves(1)));
        assert_eq!((followed.distance(agent(0), 0, 3), followed.distance(RED, 0, 3)), (told, told));
        followed.moved(30, 0, 0, 3, 2);
        assert_eq!(followed.distance(agent(0), 0, 3), Some((30, None, moves(2))));
    }

    #[test]
    fn of_one_moment_a_reading_counts_and_the_first_member() {
        let mut followed = Followed::new();
        followed.moved(10, 1, 1, 3, 2);
        assert_snapshot!(followed.answered(10, 1, 0, "distances=-*13,7,8 red= blue="), @r"
        [Agent(AgentId(1)), Team(Red)] by Some(AgentId(0)): all claims
        [Agent(AgentId(1))] by None: 1,3 Distance(Distance(2))
        [Team(Red)] by None: 1,3 Distance(Distance(2))
        ");
        assert_snapshot!(followed.moved(10, 2, 1, 3, 4), @"[Agent(AgentId(2))] by None: 1,3 Distance(Distance(4))");
        assert_snapshot!(followed.moved(10, 0, 1, 3, 5), @"[Agent(AgentId(0)), Team(Red)] by None: 1,3 Distance(Distance(5))");
    }

    #[test]
    fn a_discovery_is_nine_readings() {
        let mut followed = Followed::new();
        let distances = "- - - - 3 2 - 4 3".parse().unwrap();
        assert_snapshot!(followed.hear(5, &Event::Discovered { agent: AgentId::new(0), distances }), @"[Agent(AgentId(0)), Team(Red)] by None: 0,4 Distance(Distance(3)); 1,4 Distance(Distance(2)); 0,5 Distance(Distance(4)); 1,5 Distance(Distance(3))");
    }

    #[test]
    fn what_was_tried_counts_before_what_was_heard() {
        let mut followed = Followed::new();
        assert_snapshot!(followed.put(5, 2, PutResult::OnNoGoal), @"[Agent(AgentId(2)), Team(Red)] by None: 2,5 Goal(NoGoal)");
        // Agent 2 keeps its own finding, and so does the team when agent 0 hears something else.
        assert_snapshot!(followed.answered(6, 2, 1, "distances= red=?,?,G blue="), @r"
        [Agent(AgentId(2)), Team(Red)] by Some(AgentId(1)): all claims
        [Agent(AgentId(2))] by None: 2,5 Goal(NoGoal)
        [Team(Red)] by None: 2,5 Goal(NoGoal)
        ");
        assert_snapshot!(followed.answered(7, 0, 1, "distances= red=?,N,G blue="), @r"
        [Agent(AgentId(0)), Team(Red)] by Some(AgentId(1)): all claims
        [Team(Red)] by None: 2,5 Goal(NoGoal)
        ");
        // For the team, the claim that agent 0 heard goes before the one that agent 1 hears, but not before a finding
        // of agent 1.
        assert_snapshot!(followed.answered(8, 1, 2, "distances= red=?,G blue="), @r"
        [Agent(AgentId(1)), Team(Red)] by Some(AgentId(2)): all claims
        [Team(Red)] by Some(AgentId(1)): 1,5 Goal(NoGoal)
        ");
        // A covered goal stays known as a goal.
        assert_snapshot!(followed.put(9, 1, PutResult::OnGoal), @"[Agent(AgentId(1)), Team(Red)] by None: 3,5 Goal(Goal)");
        assert_snapshot!(followed.put(10, 1, PutResult::OnNoGoal), @"");
        assert_snapshot!(followed.put(11, 1, PutResult::WasSham), @"");
    }

    #[test]
    fn an_answer_says_what_its_claims_are_worth() {
        let mut followed = Followed::new();
        let event = |information: &str| {
            let information: Information = information.parse().unwrap();
            let [agent, by] = [0, 1].map(AgentId::new);
            Event::Answered { agent, by, information: information.into() }
        };
        let mut worth = |information: &str| {
            let update = followed.beliefs.hear(&followed.state, SimTime::START, &event(information));
            let (claims, counts) = update.answer.unwrap();
            (
                claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>(),
                counts.worst(),
                update.changes.len(),
            )
        };
        let all = vec![ClaimVerdict::Honest, ClaimVerdict::Mistaken, ClaimVerdict::Lie];
        assert_eq!(worth("distances=-*8,1,9 red=G blue="), (all, ClaimVerdict::Lie, 1));
        assert_eq!(worth("distances=-*24 red=? blue="), (Vec::new(), ClaimVerdict::Honest, 0));
    }
}
