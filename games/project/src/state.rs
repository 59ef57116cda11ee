//! The state of one game.

use std::sync::Arc;

use game_env::{
    AgentId, ByTeam, Chance, Description, Digest, Disruption, Environment, Outcome, Ranking, Ready, Returns,
    Seed, SimTime, Sink, TeamId, Termination, TimeModel, Turn,
};

use crate::action::Action;
use crate::board::Board;
use crate::config::{Config, LARGEST_TEAM, RawConfig};
use crate::cooldown::Cooldowns;
use crate::event::Event;
use crate::geometry::Position;
use crate::information::Information;
use crate::observation::{Announcement, Briefing, Observation, Question};
use crate::piece::Piece;
use crate::setup::{Placement, Setup, SetupError};
use crate::team::Team;

/// The momentary state of a game, and with [`Environment`] the rules that change it.
///
/// A value: a clone is a game of its own. On a board of a million fields it takes about a quarter of a
/// megabyte.
#[derive(Clone, Debug)]
pub struct State {
    /// The information of all agents at the start; the configuration is part of it.
    pub(crate) announcement: Arc<Announcement>,
    pub(crate) board: Board,
    pub(crate) agents: Vec<Agent>,
    pub(crate) cooldowns: Cooldowns,
    pub(crate) chance: Chance,
    pub(crate) clock: SimTime,
    pub(crate) outcome: Option<Outcome>,
    /// The example of an answer in lists of legal actions.
    pub(crate) nothing_known: Arc<Information>,
}

/// One agent, on the board or gone.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub(crate) briefing: Arc<Briefing>,
    pub(crate) position: Position,
    pub(crate) hand: Option<Piece>,
    /// The questions it has not answered, the oldest first; one per asker at most.
    pub(crate) questions: Vec<Question>,
    /// The agents that it has asked and that have not answered, the first asked first.
    pub(crate) asked: Vec<AgentId>,
    pub(crate) gone: bool,
}

/// The most open questions of one asker. If more were allowed, thousands of agents that all ask each other would need
/// memory with the square of their number. See the book's page "Asking again".
pub(crate) const MOST_OPEN: usize = 256;

/// The number of questions for which memory is allocated at the start, so that asking does not allocate later.
const ROOM_FOR_QUESTIONS: usize = 64;

impl State {
    /// Begins a game from a situation written as a board (see [`notation`](crate::notation)), with the default
    /// penalties, probability of shams and landing pick-up.
    ///
    /// # Errors
    ///
    /// If the text is no board, or the situation is impossible.
    pub fn from_board(board: &str, seed: Seed) -> Result<Self, SetupError> {
        board.parse::<Setup>()?.play(&RawConfig::default(), seed)
    }

    /// Begins a game from a situation that was checked.
    pub(crate) fn begin(config: Config, setup: &Setup, mut chance: Chance) -> Self {
        let mut board = Board::new(config.geometry(), config.pieces(), config.goals());
        for at in setup.goals.iter().chain(setup.covered.iter()).flatten() {
            board.hide_goal(*at);
        }
        for at in setup.covered.iter().flatten() {
            board.cover_goal(*at);
        }
        setup.pieces.iter().for_each(|(at, piece)| board.lay(*at, *piece));
        let teams: Vec<Team> = setup.agents.iter().map(|placement| placement.team).collect();
        let announcement = Arc::new(Announcement { config, teams, leaders: setup.leaders });
        let room = setup.agents.len().saturating_sub(1).min(ROOM_FOR_QUESTIONS);
        let seat = |placement: &Placement| {
            let Placement { agent, team, position, hand } = *placement;
            board.enter(position);
            let game = announcement.clone();
            Agent {
                briefing: Arc::new(Briefing { agent, team, start: position, game }),
                position,
                hand,
                questions: Vec::with_capacity(room),
                asked: Vec::with_capacity(room),
                gone: false,
            }
        };
        let agents: Vec<Agent> = setup.agents.iter().map(seat).collect();
        let mut order: Vec<AgentId> = AgentId::all(agents.len()).collect();
        chance.shuffle(&mut order);
        let mut state = Self {
            announcement,
            board,
            agents,
            cooldowns: Cooldowns::new(&order),
            chance,
            clock: SimTime::START,
            outcome: None,
            nothing_known: Arc::default(),
        };
        if state.agents.is_empty() {
            state.end(None, Termination::AgentLost, None);
        }
        // A situation may be one in which a team has just won.
        for team in Team::ALL {
            if state.board.goals_left(team) == 0 && !state.board.covered(team).is_empty() {
                state.end(Some(team), Termination::Normal, None);
            }
        }
        state
    }

    /// Returns the configuration of this game.
    pub fn config(&self) -> &Config {
        &self.announcement.config
    }

    /// Returns the number of goals that each team has covered.
    pub fn points(&self) -> ByTeam<u32> {
        let covered = |team| self.board.covered(team).len();
        ByTeam::new(Team::ALL.map(|team| u32::try_from(covered(team)).expect("a board has fewer fields")))
    }

    /// Returns the field on which an agent stands; `None` if it has left. For referees and spectators.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn position(&self, agent: AgentId) -> Option<Position> {
        let agent = &self.agents[agent.index()];
        (!agent.gone).then_some(agent.position)
    }

    /// Returns the piece in an agent's hand. For referees and spectators.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn hand(&self, agent: AgentId) -> Option<Piece> {
        self.agents[agent.index()].hand
    }

    /// Returns the information of the agent at the start.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn briefing(&self, agent: AgentId) -> &Arc<Briefing> {
        &self.agents[agent.index()].briefing
    }

    /// Returns whether the agent leads its team.
    pub(crate) fn is_leader(&self, agent: AgentId) -> bool {
        self.announcement.leaders.iter().any(|leader| *leader == Some(agent))
    }

    /// Ends the game, by the fault of this agent if it is not a normal end; only the first end counts.
    pub(crate) fn end(&mut self, winner: Option<Team>, termination: Termination, fault: Option<AgentId>) {
        let points = self.points().map(|points| i32::try_from(points).expect("goals fit on a board"));
        let returns = Returns::new(&points.into_inner());
        let teams = Team::ALL.len();
        let ranking =
            winner.map_or_else(|| Ranking::tied(teams), |winner| Ranking::won_by(winner.into(), teams));
        let outcome = Outcome { ranking, termination, fault, returns };
        self.outcome.get_or_insert(outcome);
    }
}

impl Environment for State {
    type Config = Config;
    type Action = Action;
    type Observation = Observation;
    type Event = Event;

    const DESCRIPTION: Description = Description {
        title: "The Project Game",
        agents: 1..=2 * LARGEST_TEAM as usize,
        teams: 2..=2,
        information: game_env::Information::Imperfect,
        has_chance: true,
        time: TimeModel::RealTime,
    };

    fn new(config: &Config, seed: Seed) -> Self {
        let mut chance = seed.game();
        let setup = Setup::draw(config, &mut chance);
        Self::begin(config.clone(), &setup, chance)
    }

    fn agents(&self) -> usize {
        self.agents.len()
    }

    fn team(&self, agent: AgentId) -> TeamId {
        self.agents[agent.index()].briefing.team.into()
    }

    fn clock(&self) -> SimTime {
        self.clock
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.outcome {
            Some(outcome) => Turn::Over(outcome),
            None => {
                let (agent, ready) = self.cooldowns.first().expect("a game without agents is over");
                Turn::Act { agent, from: ready.at, until: None }
            }
        }
    }

    fn ready(&self, agent: AgentId) -> Option<Ready> {
        self.cooldowns.of(agent).filter(|_| self.outcome.is_none())
    }

    fn legal_actions(&self, agent: AgentId, out: &mut Vec<Action>) {
        out.clear();
        if self.ready(agent).is_some() {
            self.list_legal(agent, &self.nothing_known, out);
        }
    }

    #[inline]
    fn observe(&self, agent: AgentId, out: &mut Observation) {
        let own = &self.agents[agent.index()];
        if !Arc::ptr_eq(&out.briefing, &own.briefing) {
            out.briefing = own.briefing.clone();
        }
        out.position = own.position;
        out.holding = own.hand.is_some();
        out.ready = self.cooldowns.of(agent).map_or(SimTime::NEVER, |ready| ready.at);
        out.questions.clear();
        out.questions.extend_from_slice(&own.questions);
    }

    fn step(&mut self, now: SimTime, agent: AgentId, action: Action, sink: &mut impl Sink<Event>) {
        self.clock.advance(now);
        self.serve(agent, action, sink);
    }

    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<Event>) {
        self.clock.advance(now);
        if self.outcome.is_some() {
            return;
        }
        match disruption {
            // An agent that gives up leaves the game; its team plays on.
            Disruption::AgentLost(agent) | Disruption::Forfeited(agent, _) => self.lose(agent, sink),
            // The game knows no deadlines: an agent that does nothing does nothing.
            Disruption::DeadlineMissed(_) => {}
            Disruption::Ended(termination) => self.stop(termination),
        }
        self.announce_end(sink);
    }

    fn reseed(&mut self, seed: Seed) {
        self.chance = seed.game();
    }

    fn digest(&self, digest: &mut Digest) {
        self.board.digest(digest);
        for agent in &self.agents {
            digest.u16(agent.position.x);
            digest.u16(agent.position.y);
            digest.u8(agent.hand.map_or(0, |piece| 1 + u8::from(piece.is_sham())));
            digest.flag(agent.gone);
            digest.length(agent.questions.len());
            for question in &agent.questions {
                digest.length(question.by.index());
                digest.flag(question.must_answer);
            }
            // Their order matters as soon as the next question drops the oldest.
            if agent.asked.len() >= MOST_OPEN {
                agent.asked.iter().for_each(|asked| digest.length(asked.index()));
            }
        }
        self.cooldowns.digest(digest);
        self.chance.digest(digest);
        digest.flag(self.outcome.is_some());
    }
}
