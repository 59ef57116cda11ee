//! An agent that is a program in any language: the agent protocol for The Project Game, sans-IO.
//!
//! A [`Seat`] is one agent of a rollout, a [`Program`] the strategy of an agent on a server. Its [`Peer`] carries the
//! lines of the [agent protocol](wire::agent): the program gets the messages of the game master and the knowledge that
//! the SDK keeps for authors in Rust, and answers with an action, a wait or the information for another agent.
//!
//! ```
//! use std::time::Duration;
//!
//! use game_env::{Environment as _, Policy, Rollout, Seed};
//! use sdk::local::{Preset, State};
//! use sdk::program::Seat;
//! use wire::agent::message::Thinking;
//! use wire::agent::{Lost, Peer, Progress};
//!
//! /// A program that discovers again and again.
//! struct Lookout;
//!
//! impl Peer for Lookout {
//!     fn exchange(
//!         &mut self,
//!         line: &[u8],
//!         _: Duration,
//!         read: &mut dyn FnMut(&[u8]) -> Progress,
//!     ) -> Result<Duration, Lost> {
//!         let is_hello = line.starts_with(br#"{"type":"hello""#);
//!         read(if is_hello { b"{\"type\":\"ready\",\"protocol\":1}\n" } else { b"{\"do\":\"discover\"}\n" });
//!         Ok(Duration::ZERO)
//!     }
//!
//!     fn finish(self: Box<Self>, _: bool) {}
//! }
//!
//! let seed = Seed::new(7);
//! let mut game = State::new(&Preset::Quick.config(), seed);
//! let agents = game_env::AgentId::all(game.agents());
//! let mut seats: Vec<Seat> =
//!     agents.map(|agent| Seat::new(&game, agent, seed, Box::new(Lookout), Thinking::Free)).collect();
//! let limits = game_env::Limits { steps: 100, ..game_env::Limits::default() };
//! assert_eq!(Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut ()).steps, 100);
//! ```
//!
//! The other side is here as well: [`serve`] plays a [`Strategy`](crate::strategy::Strategy) as a program.
//!
//! # What this module does not do
//!
//! It starts no program and reads no clock: the peer does.

mod observation;
mod served;
mod strategy;

use game_env::seat::ReportsBlunders;
use game_env::{AgentId, Choice, Outcome, Policy, Seed, SimTime};
use game_project::{Action, Observation, State};
use wire::agent::Peer;
use wire::agent::message::Thinking;

pub use self::served::{Served, serve};
pub use self::strategy::Program;
use crate::local;

/// One agent of a rollout that is a program.
#[derive(Debug)]
pub struct Seat {
    seat: local::Seat<Program>,
}

impl Seat {
    /// Creates the seat of one agent of a game that is about to begin.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn new(game: &State, agent: AgentId, seed: Seed, peer: Box<dyn Peer>, thinking: Thinking) -> Self {
        Self { seat: local::Seat::new(game, agent, seed, Program::new(peer, seed, thinking)) }
    }

    /// Turns on the notes of the program: its remarks and drawings are kept.
    pub fn with_notes(self) -> Self {
        Self { seat: self.seat.with_notes() }
    }
}

impl Policy<State> for Seat {
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &Observation) -> Choice<Action> {
        self.seat.choose(now, agent, observation)
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<State>> {
        Some(&mut self.seat)
    }

    fn end(&mut self, now: SimTime, outcome: &Outcome) {
        self.seat.strategy_mut().finish(now, outcome);
    }
}

/// The failure of the program, lines of the program that look like answers and are none, and the blunders of the agent.
impl ReportsBlunders for Seat {
    fn blunder_count(&self) -> u64 {
        self.seat.blunder_count() + self.seat.strategy().player.failures()
    }

    fn take_blunders(&mut self) -> Vec<String> {
        let reports = self.seat.strategy_mut().player.take_reports();
        reports.into_iter().chain(ReportsBlunders::take_blunders(&mut self.seat)).collect()
    }
}
