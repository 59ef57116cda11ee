//! Strategies in a rollout: the same agents, in process, on the virtual clock.
//!
//! ```
//! use sdk::game::RawConfig;
//! use sdk::local;
//! use sdk::prelude::*;
//!
//! struct Lookout;
//! impl Strategy for Lookout {
//!     fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
//!         Action::Discover.into()
//!     }
//! }
//!
//! struct Sleeper;
//! impl Strategy for Sleeper {
//!     fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
//!         Choice::Wait(SimTime::NEVER)
//!     }
//! }
//!
//! let config = RawConfig::default().check()?;
//! // One strategy for all is returned as it is; different ones are boxed.
//! let played = local::play(&config, Seed::new(7), |_agent, _team| Sleeper);
//! assert_eq!((played.winner(), played.episode.steps), (None, 0));
//!
//! // With limits, latency, a replay: seats in a rollout.
//! use sdk::game::{Environment, Limits, Rollout, State};
//! use sdk::local::Seat;
//!
//! let mut game = State::new(&config, Seed::new(7));
//! let mut seats = Seat::all(&game, Seed::new(7), |_agent, team| -> Box<dyn Strategy> {
//!     if team == Team::Red { Box::new(Lookout) } else { Box::new(Sleeper) }
//! });
//! let rollout = Rollout { limits: Limits { steps: 100, ..Limits::default() }, ..Rollout::default() };
//! assert_eq!(rollout.play(&mut game, &mut seats, &mut ()).steps, 100);
//! # Ok::<(), sdk::game::ConfigError>(())
//! ```

use std::sync::Arc;

use game_env::{AgentId, Choice, Environment, Episode, Note, Policy, Rollout, Seed, SimTime};
use game_project::observation::Announcement;
use game_project::{Action, Briefing, Config, Event, Observation, State, Team};

use crate::actor::{Actor, Blunder};
use crate::heard::Heard;
use crate::strategy::Strategy;

/// Plays a game to its end; `strategy` is asked for the strategy of each agent, in the order of their ids.
///
/// The seed decides everything: the board, and the chance of every agent. A game that does not end by itself is
/// given up after ten million actions, and one in which everybody waits for somebody else at once; nobody wins
/// then. For other limits, latencies or a recorder put [`Seat`]s into a [`Rollout`].
pub fn play<S: Strategy>(config: &Config, seed: Seed, strategy: impl FnMut(AgentId, Team) -> S) -> Played {
    let mut game = State::new(config, seed);
    let mut seats = Seat::all(&game, seed, strategy);
    let episode = Rollout::default().play(&mut game, &mut seats, &mut ());
    let blunders = seats.iter_mut().flat_map(Seat::take_blunders).collect();
    Played { episode, blunders }
}

/// What came of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// How it ended, when, and after how many actions.
    pub episode: Episode,
    /// What strategies did that cost their agents a turn, agent by agent.
    pub blunders: Vec<Blunder>,
}

impl Played {
    /// The team that won, if any did.
    pub fn winner(&self) -> Option<Team> {
        self.episode.outcome.winner.and_then(|winner| Team::try_from(winner).ok())
    }
}

/// One agent of a rollout: its strategy, and all that the SDK does for it.
#[derive(Clone, Debug)]
pub struct Seat<S> {
    actor: Actor,
    strategy: S,
}

impl<S: Strategy> Seat<S> {
    /// The seat of one agent of a game that is about to begin, or to go on from where it stands.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn new(game: &State, agent: AgentId, seed: Seed, strategy: S) -> Self {
        Self { actor: Actor::new(briefing(game, agent), seed), strategy }
    }

    /// The seats of all agents in the order of their ids; `strategy` is asked for the strategy of each.
    pub fn all(game: &State, seed: Seed, mut strategy: impl FnMut(AgentId, Team) -> S) -> Vec<Self> {
        AgentId::all(game.agents())
            .map(|agent| Self::new(game, agent, seed, strategy(agent, game.briefing(agent).team)))
            .collect()
    }

    /// The same seat, whose remarks and drawings somebody will look at.
    pub fn with_notes(self) -> Self {
        Self { actor: self.actor.with_notes(), ..self }
    }

    /// The agent, as the SDK sees it.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The agent, to be asked from outside a rollout.
    pub fn actor_mut(&mut self) -> &mut Actor {
        &mut self.actor
    }

    /// The strategy.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// The blunders since this was last asked.
    pub fn take_blunders(&mut self) -> Vec<Blunder> {
        self.actor.take_blunders()
    }
}

impl<S: Strategy> Policy<State> for Seat<S> {
    fn choose(&mut self, now: SimTime, _: AgentId, _: &Observation) -> Choice<Action> {
        let choice = self.actor.decide(now, &mut self.strategy);
        if let Choice::Act(action) = &choice {
            self.actor.sent(action);
        }
        choice
    }

    fn hear(&mut self, now: SimTime, _: AgentId, event: &Event) {
        let own = self.actor.own();
        let Some(heard) = Heard::event(now, event, own.position, own.hand.is_full()) else { return };
        if let Heard::Over { winner } = heard {
            self.actor.hear(now, heard);
            return self.actor.end(now, &mut self.strategy, winner);
        }
        self.actor.hear(now, heard);
    }

    fn note(&mut self) -> Option<Note> {
        self.actor.take_note()
    }
}

/// What message 105 tells an agent: of leaders only its own.
fn briefing(game: &State, agent: AgentId) -> Arc<Briefing> {
    let own = game.briefing(agent);
    let mut leaders = own.game.leaders;
    leaders[own.team.opponent()] = None;
    let told = Announcement { leaders, ..(*own.game).clone() };
    Arc::new(Briefing { game: Arc::new(told), ..(**own).clone() })
}
