//! Games for programs that learn: the decisions of some agents come from outside as numbers, those of the others from
//! strategies and programs.
//!
//! A room makes an [`ArrayGame`] of its game ([`Room::array_game`](crate::room::Room::array_game)). The game plays on
//! by itself until an agent from outside is to decide. With the same seed and the same decisions it is, hash by hash,
//! the game of a match in process.
//!
//! ```
//! use game_env::{Parameters, Seed};
//! use strategies::arrays::{ArrayGame as _, Sight};
//!
//! // Dots & Boxes: player 0 from outside against `greedy`.
//! let dots = strategies::room::find("dots")?;
//! let mut game = dots.array_game(&Parameters::new(), &[None, Some("greedy".to_owned())], Sight::Knowledge)?;
//! game.begin(Seed::new(7))?;
//! let mut decisions = 0;
//! while game.asked().is_some() {
//!     let first = game.mask().iter().position(|possible| *possible == 1).expect("a player in its turn can act");
//!     game.act(first)?;
//!     decisions += 1;
//! }
//! let episode = game.episode().expect("nobody is asked any more");
//! assert!(decisions < episode.steps);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this module does not do
//!
//! It knows no framework, no reward and no memory of arrays: callers lend slices.

use std::str::FromStr;

use game_env::arrays::{ArrayAgent, Layout};
use game_env::environment::teams;
use game_env::matches::MatchLimits;
use game_env::rollout::Progress;
use game_env::text::counted;
use game_env::{
    AgentId, ConfigError, Environment, Episode, NotationError, Policy, Rollout, Running, Seed, SimTime,
    TeamId,
};

use crate::programs::Either;

/// One game after another, with agents that are decided for from outside.
pub trait ArrayGame: Send {
    /// Returns the arrays of an agent.
    fn layout(&self) -> &Layout;

    /// Returns the team of each agent, in the order of agent ids.
    fn teams(&self) -> &[TeamId];

    /// Returns whether an agent is decided for from outside.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    fn is_outside(&self, agent: AgentId) -> bool;

    /// Begins a game, and plays on to the first decision from outside. A game that is not over is given up.
    ///
    /// # Errors
    ///
    /// Names a strategy or a program that does not exist.
    fn begin(&mut self, seed: Seed) -> Result<(), ArrayGameError>;

    /// Returns the agent that is to decide; none before the first game and after the end of one.
    fn asked(&self) -> Option<AgentId>;

    /// Returns the actions that the asked agent may choose: 1 for those that are possible, 0 for the others. Zeros if
    /// no agent is asked.
    fn mask(&self) -> &[i8];

    /// Returns whether an agent is to decide at this moment, as far as nobody acts before it. In games in real time
    /// several agents can be due at once; one of them is asked.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    fn is_due(&self, agent: AgentId) -> bool;

    /// Returns the moment of the last decision.
    fn now(&self) -> SimTime;

    /// Decides for the asked agent by the number of an action, and plays on to the next decision from outside.
    ///
    /// # Errors
    ///
    /// If no agent is asked, or the action is not possible. Then nothing has changed.
    fn act(&mut self, number: usize) -> Result<(), ArrayGameError>;

    /// Writes the actions that an agent can choose if it [is due](ArrayGame::is_due); zeros if it is not.
    ///
    /// # Panics
    ///
    /// As [`ArrayGame::write`].
    fn mask_of(&mut self, agent: AgentId, mask: &mut [i8]);

    /// Writes the view of an agent at this moment, and the actions that it can choose if it [is
    /// due](ArrayGame::is_due); zeros if it is not. The slices have the lengths of the layout. Before the first game,
    /// nothing is written.
    ///
    /// # Panics
    ///
    /// If there is no such agent, the agent is not decided for from outside, or a slice has another length.
    fn write(&mut self, agent: AgentId, planes: &mut [u8], vector: &mut [f32], mask: &mut [i8]);

    /// Returns the notices that an agent has got since its last decision, the oldest first, each as a JSON object in
    /// the words of the [agent protocol](wire::agent); none with another sight than [`Sight::Notices`], and before the
    /// first game.
    ///
    /// # Panics
    ///
    /// If there is no such agent, or it is not decided for from outside.
    fn notices(&mut self, agent: AgentId) -> Vec<String>;

    /// Returns the points of a team at this moment; 0 before the first game.
    ///
    /// # Panics
    ///
    /// If there is no such team.
    fn points(&self, team: TeamId) -> i32;

    /// Returns the result, if the game is over.
    fn episode(&self) -> Option<Episode>;

    /// Returns the hash of the state at this moment; 0 before the first game.
    fn hash(&self) -> u64;
}

/// The view of agents that are decided for from outside, in games whose agents know more than their observation shows.
/// In other games all but the last one are the same.
///
/// ```
/// use strategies::arrays::Sight;
///
/// assert_eq!("board".parse(), Ok(Sight::Board));
/// let error = "all".parse::<Sight>().unwrap_err().to_string();
/// assert_eq!(error, "`all` is no observation: expected `knowledge`, `readings`, `board` or `notices`");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sight {
    /// All that an author of strategies has, in a window around the agent.
    #[default]
    Knowledge,
    /// The agent's own readings in this window: less, and faster.
    Readings,
    /// All that an author of strategies has, of the whole board.
    Board,
    /// The notices of the game master, and no planes.
    Notices,
}

impl Sight {
    /// All, in the order of their declaration.
    pub const ALL: [Self; 4] = [Self::Knowledge, Self::Readings, Self::Board, Self::Notices];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Knowledge => "knowledge",
            Self::Readings => "readings",
            Self::Board => "board",
            Self::Notices => "notices",
        }
    }
}

impl FromStr for Sight {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let expected = "`knowledge`, `readings`, `board` or `notices`";
        let found = Self::ALL.into_iter().find(|sight| sight.name() == text);
        found.ok_or_else(|| NotationError::new("observation", text, expected))
    }
}

/// Reasons why a game cannot be made or played on.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ArrayGameError {
    /// The configuration has faults.
    #[error("the configuration is faulty: {0}")]
    Config(ConfigError),
    /// There are more or fewer names than agents.
    #[error("{} for {}", counted(*.found as u64, "entrant", "entrants"), counted(*.expected as u64, "agent", "agents"))]
    Agents {
        /// The number of names.
        found: usize,
        /// The number of agents.
        expected: usize,
    },
    /// There is no such strategy.
    #[error("agent {agent}: {reason}")]
    Entrant {
        /// The agent.
        agent: AgentId,
        /// The fault, and the expected value.
        reason: String,
    },
    /// The agents of this game get no notices.
    #[error("the game {0} has no notices: expected another observation")]
    NoNotices(&'static str),
    /// No agent is asked: there was no game yet, or it is over.
    #[error("no agent is to decide: expected a game that has begun and is not over")]
    NobodyIsAsked,
    /// No action has the number.
    #[error("action {number}: expected a number from 0 to {}", .count - 1)]
    NoAction {
        /// The number.
        number: usize,
        /// The number of actions.
        count: usize,
    },
    /// The action is not possible now.
    #[error(
        "agent {agent} cannot choose action {number}, `{action}`, now: expected one that its mask allows"
    )]
    Impossible {
        /// The agent.
        agent: AgentId,
        /// The number.
        number: usize,
        /// The action.
        action: String,
    },
}

/// An agent from outside, or another one.
type Agent<A, S> = Either<A, S>;

/// The game of a room. `outside` makes an agent that is decided for from outside, `inside` the seat of an entrant.
struct Game<E: Environment, A, S, F, G> {
    config: E::Config,
    layout: Layout,
    teams: Vec<TeamId>,
    names: Vec<Option<String>>,
    outside: F,
    inside: G,
    points: fn(&E, TeamId) -> i32,
    running: Option<Begun<E, A, S>>,
    asked: Option<AgentId>,
    mask: Vec<i8>,
}

/// A game that has begun.
struct Begun<E: Environment, A, S> {
    state: E,
    run: Running<E>,
    agents: Vec<Agent<A, S>>,
    episode: Option<Episode>,
}

/// Returns a game of this configuration whose agents without a name are decided for from outside.
///
/// # Errors
///
/// If there are more or fewer names than agents.
pub(crate) fn game<E, A, S>(
    config: E::Config,
    names: &[Option<String>],
    layout: Layout,
    outside: impl Fn(&E, AgentId, Seed) -> A + Send + 'static,
    inside: impl Fn(&E, AgentId, &str, Seed) -> Result<S, String> + Send + 'static,
    points: fn(&E, TeamId) -> i32,
) -> Result<Box<dyn ArrayGame>, ArrayGameError>
where
    E: Environment<Config: Send, Action: Send, Observation: Send> + Send + 'static,
    A: ArrayAgent<E> + Send + 'static,
    S: Policy<E> + Send + 'static,
{
    let teams = teams::<E>(&config);
    if names.len() != teams.len() {
        return Err(ArrayGameError::Agents { found: names.len(), expected: teams.len() });
    }
    let mask = vec![0; layout.actions.len()];
    Ok(Box::new(Game {
        teams,
        names: names.to_vec(),
        config,
        layout,
        outside,
        inside,
        points,
        running: None,
        asked: None,
        mask,
    }))
}

/// The parts of a game beside its agents.
struct Beside<'a, E: Environment> {
    state: &'a E,
    run: &'a Running<E>,
}

/// Returns an agent that is decided for from outside, and the rest of its game; none before the first game.
fn outside<E: Environment, A, S>(
    running: &mut Option<Begun<E, A, S>>,
    agent: AgentId,
) -> Option<(Beside<'_, E>, &mut A)> {
    let Begun { state, run, agents, .. } = running.as_mut()?;
    match &mut agents[agent.index()] {
        Agent::Left(outside) => Some((Beside { state, run }, outside)),
        Agent::Right(_) => panic!("agent {agent} is not decided for from outside"),
    }
}

impl<E, A, S, F, G> Game<E, A, S, F, G>
where
    E: Environment,
    A: ArrayAgent<E>,
    S: Policy<E>,
{
    /// Plays on to the next decision from outside.
    fn play_on(&mut self) {
        let Some(Begun { state, run, agents, episode }) = &mut self.running else { return };
        let is_asked = |agent: &Agent<A, S>| match agent {
            Agent::Left(outside) => outside.is_asked(),
            Agent::Right(_) => false,
        };
        match run.play(state, agents, &mut (), is_asked) {
            Progress::Over(over) => {
                (self.asked, *episode) = (None, Some(over));
                self.mask.fill(0);
            }
            Progress::Paused(agent) => {
                self.asked = Some(agent);
                if let Agent::Left(outside) = &mut agents[agent.index()] {
                    outside.mask(state, agent, &mut self.mask);
                }
            }
        }
    }
}

impl<E, A, S, F, G> ArrayGame for Game<E, A, S, F, G>
where
    E: Environment<Config: Send, Action: Send, Observation: Send> + Send,
    A: ArrayAgent<E> + Send,
    S: Policy<E> + Send,
    F: Fn(&E, AgentId, Seed) -> A + Send,
    G: Fn(&E, AgentId, &str, Seed) -> Result<S, String> + Send,
{
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn teams(&self) -> &[TeamId] {
        &self.teams
    }

    fn is_outside(&self, agent: AgentId) -> bool {
        self.names[agent.index()].is_none()
    }

    fn begin(&mut self, seed: Seed) -> Result<(), ArrayGameError> {
        let state = E::new(&self.config, seed);
        let seat = |(agent, name): (AgentId, &Option<String>)| match name {
            None => Ok(Agent::Left((self.outside)(&state, agent, seed))),
            Some(name) => (self.inside)(&state, agent, name, seed)
                .map(Agent::Right)
                .map_err(|reason| ArrayGameError::Entrant { agent, reason }),
        };
        let agents = AgentId::all(self.names.len()).zip(&self.names).map(seat);
        let agents = agents.collect::<Result<Vec<_>, _>>()?;
        let rollout = Rollout { limits: MatchLimits::default().into(), ..Rollout::default() };
        let run = rollout.begin(&state);
        self.running = Some(Begun { state, run, agents, episode: None });
        self.play_on();
        Ok(())
    }

    fn asked(&self) -> Option<AgentId> {
        self.asked
    }

    fn mask(&self) -> &[i8] {
        &self.mask
    }

    fn now(&self) -> SimTime {
        self.running.as_ref().map_or(SimTime::START, |begun| begun.run.now())
    }

    fn act(&mut self, number: usize) -> Result<(), ArrayGameError> {
        let (Some(agent), Some(begun)) = (self.asked, &mut self.running) else {
            return Err(ArrayGameError::NobodyIsAsked);
        };
        match self.mask.get(number) {
            None => return Err(ArrayGameError::NoAction { number, count: self.mask.len() }),
            Some(0) => {
                let action = self.layout.actions[number].clone();
                return Err(ArrayGameError::Impossible { agent, number, action });
            }
            Some(_) => {}
        }
        if let Agent::Left(outside) = &mut begun.agents[agent.index()] {
            outside.give(begun.run.now(), number);
        }
        self.play_on();
        Ok(())
    }

    fn is_due(&self, agent: AgentId) -> bool {
        self.running.as_ref().is_some_and(|Begun { state, run, .. }| run.is_due(state, agent))
    }

    fn mask_of(&mut self, agent: AgentId, mask: &mut [i8]) {
        let Some((begun, outside)) = outside(&mut self.running, agent) else { return };
        if self.asked == Some(agent) {
            mask.copy_from_slice(&self.mask);
        } else if begun.run.is_due(begun.state, agent) {
            outside.mask(begun.state, agent, mask);
        } else {
            mask.fill(0);
        }
    }

    fn write(&mut self, agent: AgentId, planes: &mut [u8], vector: &mut [f32], mask: &mut [i8]) {
        let lengths = [planes.len(), vector.len(), mask.len()];
        let Layout { vector: numbers, actions, .. } = &self.layout;
        assert_eq!(
            lengths,
            [self.layout.plane_bytes(), numbers.len(), actions.len()],
            "the lengths of the layout"
        );
        if let Some((begun, outside)) = outside(&mut self.running, agent) {
            outside.write(begun.state, begun.run.now(), agent, planes, vector);
        }
        self.mask_of(agent, mask);
    }

    fn notices(&mut self, agent: AgentId) -> Vec<String> {
        outside(&mut self.running, agent).map_or_else(Vec::new, |(_, outside)| outside.notices())
    }

    fn points(&self, team: TeamId) -> i32 {
        self.running.as_ref().map_or(0, |begun| (self.points)(&begun.state, team))
    }

    fn episode(&self) -> Option<Episode> {
        self.running.as_ref().and_then(|begun| begun.episode)
    }

    fn hash(&self) -> u64 {
        self.running.as_ref().map_or(0, |begun| begun.state.hash())
    }
}
