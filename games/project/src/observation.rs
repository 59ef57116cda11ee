//! What one agent sees of the state when it is about to act.

use std::sync::Arc;

use game_env::{AgentId, ByTeam, Options, SimTime};

use crate::action::Action;
use crate::config::Config;
use crate::geometry::{Area, Direction, Position};
use crate::team::Team;

/// What the game master would tell an agent about itself at any moment.
///
/// Everything else an agent knows it was told by [`Event`](crate::Event)s.
/// Whether the piece in hand is a sham is not among it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observation {
    /// What the agent was told at the start.
    pub briefing: Arc<Briefing>,
    /// Where it stands.
    pub position: Position,
    /// Whether it has a piece in hand.
    pub holding: bool,
    /// When its lock ends; a moment that has passed if it is not locked.
    pub ready: SimTime,
    /// The questions it has not answered, the oldest first.
    pub questions: Vec<Question>,
}

/// A question that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// Who asked.
    pub by: AgentId,
    /// Whether it is the leader of the own team, who must be answered before anything else is done.
    pub must_answer: bool,
}

/// What an agent is told at the start of the game (specification, section 6, message 105).
#[derive(Clone, PartialEq, Debug)]
pub struct Briefing {
    /// The agent itself.
    pub agent: AgentId,
    /// Its team.
    pub team: Team,
    /// Where it starts.
    pub start: Position,
    /// What all agents are told alike.
    pub game: Arc<Announcement>,
}

/// What all agents are told at the start.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Announcement {
    /// Board, penalties, numbers of goals and pieces, probability of shams.
    pub config: Config,
    /// Who plays for which team, in the order of their ids.
    pub teams: Vec<Team>,
    /// Who leads; none in a team without agents.
    pub leaders: ByTeam<Option<AgentId>>,
}

/// What only the truth would refuse stays an option: a step onto a field where another agent may stand, picking up
/// where no piece may lie, a question to an agent that may have left.
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
    /// The other agents of the own team.
    pub fn allies(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.game.members(self.team).filter(|agent| *agent != self.agent)
    }

    /// The agents of the other team.
    pub fn enemies(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.game.members(self.team.opponent())
    }

    /// The leader of the own team.
    pub fn leader(&self) -> Option<AgentId> {
        self.game.leaders[self.team]
    }
}

impl Announcement {
    /// The agents of a team.
    pub fn members(&self, team: Team) -> impl Iterator<Item = AgentId> + '_ {
        AgentId::all(self.teams.len()).filter(move |agent| self.teams[agent.index()] == team)
    }
}

/// Of a game without agents: what a fresh buffer holds until it is filled.
impl Default for Briefing {
    fn default() -> Self {
        Self { agent: AgentId::new(0), team: Team::Red, start: Position::default(), game: Arc::default() }
    }
}
