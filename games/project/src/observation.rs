//! The observation of one agent when it is about to act.

use std::sync::Arc;

use game_env::{AgentId, ByTeam, Options, SimTime};

use crate::action::Action;
use crate::config::Config;
use crate::geometry::{Area, Direction, Position};
use crate::team::Team;

/// The facts about an agent that the game master would report to it at any moment.
///
/// All other knowledge of an agent comes from [`Event`](crate::Event)s. The observation does not show whether the piece
/// in hand is a sham.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observation {
    /// The agent's briefing from the start.
    pub briefing: Arc<Briefing>,
    /// The field on which it stands.
    pub position: Position,
    /// Whether it has a piece in hand.
    pub holding: bool,
    /// The moment at which its lock ends; a moment in the past if it is not locked.
    pub ready: SimTime,
    /// The questions it has not answered, the oldest first.
    pub questions: Vec<Question>,
}

/// A question that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// The agent that asked.
    pub by: AgentId,
    /// Whether it must be answered before anything else is done: the leader of the own team asked, and `leaderBinds` is
    /// set.
    pub must_answer: bool,
}

/// The information of an agent at the start of the game (specification, section 6, message 105).
#[derive(Clone, PartialEq, Debug)]
pub struct Briefing {
    /// The agent itself.
    pub agent: AgentId,
    /// Its team.
    pub team: Team,
    /// The field on which it starts.
    pub start: Position,
    /// The part that is the same for all agents.
    pub game: Arc<Announcement>,
}

/// The information of all agents at the start.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Announcement {
    /// Board, penalties, numbers of goals and pieces, probability of shams.
    pub config: Config,
    /// The team of each agent, in the order of their ids.
    pub teams: Vec<Team>,
    /// The leaders; `None` for a team without agents.
    pub leaders: ByTeam<Option<AgentId>>,
}

/// An action that only hidden facts would refuse stays an option: a step onto a field where another agent may stand,
/// picking up where no piece may lie, a question to an agent that may have left.
impl Options<Action> for Observation {
    fn options(&self, out: &mut Vec<Action>) {
        out.clear();
        let answer = |question: &Question| Action::Answer { to: question.by, information: Arc::default() };
        if let Some(question) = self.questions.iter().find(|question| question.must_answer) {
            return out.push(answer(question));
        }
        let Briefing { agent, team, ref game, .. } = *self.briefing;
        let geometry = game.config.geometry();
        let may_enter = |direction: &Direction| {
            geometry
                .neighbour(self.position, *direction)
                .is_some_and(|to| geometry.area(to) != Area::Goal(team.opponent()))
        };
        out.extend(Direction::ALL.into_iter().filter(may_enter).map(Action::Move));
        out.push(Action::Discover);
        if self.holding {
            out.extend([Action::Put, Action::Check, Action::Destroy]);
        } else if geometry.area(self.position) == Area::Task {
            out.push(Action::PickUp);
        }
        let others = AgentId::all(game.teams.len()).filter(|other| *other != agent);
        out.extend(others.map(Action::Ask));
        out.extend(self.questions.iter().map(answer));
    }
}

impl Briefing {
    /// Returns the other agents of the own team.
    pub fn allies(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.game.members(self.team).filter(|agent| *agent != self.agent)
    }

    /// Returns the agents of the other team.
    pub fn enemies(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.game.members(self.team.opponent())
    }

    /// Returns the leader of the own team.
    pub fn leader(&self) -> Option<AgentId> {
        self.game.leaders[self.team]
    }
}

impl Announcement {
    /// Returns the agents of a team.
    pub fn members(&self, team: Team) -> impl Iterator<Item = AgentId> + '_ {
        AgentId::all(self.teams.len()).filter(move |agent| self.teams[agent.index()] == team)
    }
}

/// The briefing of a game without agents, which a fresh buffer holds until it is filled.
impl Default for Briefing {
    fn default() -> Self {
        Self { agent: AgentId::new(0), team: Team::Red, start: Position::default(), game: Arc::default() }
    }
}
