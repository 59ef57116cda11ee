//! Observations, options and actions as arrays of numbers, for programs that learn.
//!
//! A game implements [`Arrays`] once: the [`Layout`] of its arrays, and functions that fill them. An [`Outside`] is an
//! agent whose choices come from such a program: an episode pauses when it is asked (see [`Running`](crate::Running)).
//! A game whose agents know more than their observation shows has an [`ArrayAgent`] of its own.
//!
//! ```
//! use game_env::arrays::{ArrayAgent as _, Outside};
//! use game_env::examples::pebbles::{Pebbles, Take};
//! use game_env::rollout::Progress;
//! use game_env::{Environment, Rollout, Seed, TeamId};
//!
//! let mut game = Pebbles::new(&21, Seed::new(7));
//! let mut agents: Vec<Outside<Pebbles>> = (0..2).map(|_| Outside::new(&21)).collect();
//! let mut run = Rollout::default().begin(&game);
//! let mut mask = [0; 3];
//! let episode = loop {
//!     match run.play(&mut game, &mut agents, &mut (), Outside::is_asked) {
//!         Progress::Over(episode) => break episode,
//!         Progress::Paused(agent) => {
//!             let outside = &mut agents[agent.index()];
//!             outside.mask(&game, agent, &mut mask);
//!             // The first action that is possible: one pebble.
//!             let first = mask.iter().position(|possible| *possible == 1).unwrap();
//!             outside.give(run.now(), first);
//!         }
//!     }
//! };
//! assert_eq!(episode.outcome.winner(), Some(TeamId::new(0))); // 21 is odd
//! ```
//!
//! # What this module does not do
//!
//! It knows no framework and no reward, and learns nothing.

use crate::environment::{Environment, Options as _, Turn};
use crate::ids::{AgentId, TeamId};
use crate::policy::{Choice, Policy};
use crate::time::SimTime;

/// The arrays of a game with one configuration: their shapes, and the meaning of each part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// The meaning of each plane. A plane has a number from 0 to 255 for each field of the board, row by row.
    pub planes: Vec<String>,
    /// The number of rows of a plane; 0 in a game without planes.
    pub rows: usize,
    /// The number of columns of a plane; 0 in a game without planes.
    pub columns: usize,
    /// The meaning of each number of the vector.
    pub vector: Vec<String>,
    /// The action of each number, as text.
    pub actions: Vec<String>,
}

impl Layout {
    /// Returns the number of bytes of all planes.
    pub fn plane_bytes(&self) -> usize {
        self.planes.len() * self.rows * self.columns
    }
}

/// A game whose observations show all that its agents know, as arrays.
pub trait Arrays: Environment {
    /// Returns the planes and the vector with this configuration. The actions are those of [`Arrays::actions`].
    fn layout(config: &Self::Config) -> Layout;

    /// Returns every action that is possible at some time with this configuration, each once. The place of an action is
    /// its number.
    ///
    /// Of an action with free content it holds one example.
    fn actions(config: &Self::Config) -> Vec<Self::Action>;

    /// Returns the number of an action; none if the list does not have it.
    fn number(config: &Self::Config, action: &Self::Action) -> Option<usize>;

    /// Writes an observation. Both slices hold zeros and have the lengths of the [layout](Arrays::layout).
    fn write(observation: &Self::Observation, planes: &mut [u8], vector: &mut [f32]);

    /// Returns the points of a team at this moment, as [`Outcome::returns`](crate::Outcome::returns) has them at the
    /// end.
    ///
    /// The default is for games without points: 0 before the end.
    ///
    /// # Panics
    ///
    /// If there is no such team.
    fn points(&self, team: TeamId) -> i32 {
        match self.turn() {
            Turn::Over(outcome) => outcome.returns.points()[team.index()],
            Turn::Act { .. } => 0,
        }
    }
}

/// An agent whose choices come from outside as numbers, and whose view is arrays.
///
/// When it is asked without a choice, it is [asked](ArrayAgent::is_asked), and the episode has to pause.
pub trait ArrayAgent<E: Environment>: Policy<E> {
    /// Returns whether it was asked and has no choice yet.
    fn is_asked(&self) -> bool;

    /// Writes which actions this agent could choose in this state if it was asked: 1 for those that are possible, 0 for
    /// the others.
    fn mask(&mut self, state: &E, agent: AgentId, mask: &mut [i8]);

    /// Gives it the choice with this number, which has to be possible.
    ///
    /// # Panics
    ///
    /// If no action has the number.
    fn give(&mut self, now: SimTime, number: usize);

    /// Writes its view of this state. `agent` is the agent itself. Both slices have the lengths of the layout; their
    /// content is replaced.
    fn write(&mut self, state: &E, now: SimTime, agent: AgentId, planes: &mut [u8], vector: &mut [f32]);

    /// Returns the notices that it has got since its last choice, the oldest first, each as a JSON object. By default
    /// it keeps none.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An agent of a game whose observations show all, decided for from outside.
pub struct Outside<E: Arrays> {
    config: E::Config,
    actions: Vec<E::Action>,
    options: Vec<E::Action>,
    /// A buffer.
    observation: E::Observation,
    choice: Option<Choice<E::Action>>,
    is_asked: bool,
}

impl<E: Arrays<Config: Clone>> Outside<E> {
    /// Creates an agent of a game with this configuration.
    pub fn new(config: &E::Config) -> Self {
        Self {
            config: config.clone(),
            actions: E::actions(config),
            options: Vec::new(),
            observation: E::Observation::default(),
            choice: None,
            is_asked: false,
        }
    }
}

impl<E: Arrays> Policy<E> for Outside<E> {
    #[inline]
    fn choose(&mut self, _: SimTime, _: AgentId, _: &E::Observation) -> Choice<E::Action> {
        self.is_asked = self.choice.is_none();
        self.choice.take().unwrap_or(Choice::Wait(SimTime::NEVER))
    }
}

impl<E: Arrays> ArrayAgent<E> for Outside<E> {
    fn is_asked(&self) -> bool {
        self.is_asked
    }

    fn mask(&mut self, state: &E, agent: AgentId, mask: &mut [i8]) {
        mask.fill(0);
        state.observe(agent, &mut self.observation);
        self.observation.options(&mut self.options);
        for action in &self.options {
            if let Some(number) = E::number(&self.config, action) {
                mask[number] = 1;
            }
        }
    }

    fn give(&mut self, _: SimTime, number: usize) {
        self.choice = Some(Choice::Act(self.actions[number].clone()));
    }

    fn write(&mut self, state: &E, _: SimTime, agent: AgentId, planes: &mut [u8], vector: &mut [f32]) {
        state.observe(agent, &mut self.observation);
        planes.fill(0);
        vector.fill(0.0);
        E::write(&self.observation, planes, vector);
    }
}
