//! What an author of agents for The Project Game imports.
//!
//! Write a [`Strategy`](strategy::Strategy): a view in, an action out. Everything else is here already: the
//! protocol, the penalties, a board that remembers what the agent was told and by whom, ways over it.
//! The same strategy plays over TCP ([`agent`]) and in process on a virtual clock ([`local`]), unchanged.
//!
//! ```
//! use sdk::game::RawConfig;
//! use sdk::local;
//! use sdk::prelude::*;
//!
//! /// Climbs the distances that its moves tell, and tries the goal fields from the near ones on.
//! struct Climber;
//!
//! impl Strategy for Climber {
//!     fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
//!         let here = view.position();
//!         if view.own.hand.is_full() {
//!             // `open` holds the fields of the own goal area that are worth a try.
//!             return match view.knowledge.open().nearest(here) {
//!                 Some(field) if field == here => Action::Put.into(),
//!                 Some(field) => nav::walk_to(view, field), // around whoever is in the way
//!                 None => Action::Destroy.into(),
//!             };
//!         }
//!         if view.area() == Area::Task && view.distance() == Some(Distance::new(0)) {
//!             return Action::PickUp.into();
//!         }
//!         // `hunt` knows where the nearest piece can be by all distances that were told lately.
//!         match view.knowledge.hunt().candidates().first() {
//!             Some(place) => nav::walk_to(view, *place),
//!             None => Action::Discover.into(),
//!         }
//!     }
//! }
//!
//! /// A game of four of them, in this process and on a virtual clock: a moment later it is over.
//! fn main() -> Result<(), sdk::game::ConfigError> {
//!     let small = RawConfig { board_x: 6, board_y: 9, goal_area_height: 1, ..RawConfig::default() };
//!     let played = local::play(&small.check()?, Seed::new(7), |_agent, _team| Climber);
//!     println!("{played}"); // who won and when; of panics and nonsense the first, with what the strategy saw
//!     Ok(())
//! }
//! ```
//!
//! # What this crate does not do
//!
//! It never decides for a strategy, with three exceptions: the own leader is answered, as the rules demand; what
//! cannot be is not sent; and a found sham that the game master leaves in the hand is destroyed. It reconnects to
//! nobody. It prints nothing: where strategies panic, the panic hook is silent, and whoever plays the game is told
//! ([`Blunder`](actor::Blunder)). Nothing in it reads a clock but [`agent`].
//!
//! # Where to read on
//!
//! [`strategy`] is what you write, [`view`] what you are handed, [`knowledge`] the board in it, [`nav`] the ways
//! over it, [`testing`] how to test single decisions. The folder `examples` of the workspace has programs that
//! show one thing each.
//!
//! # Features
//!
//! Both are on unless switched off: `net` adds [`agent`] and with it a runtime, sockets and a clock; `replay` adds
//! recorded games, and with them JSON and compression.

pub mod prelude;
pub mod strategy;

pub mod heard;
pub mod knowledge;
pub mod nav;
pub mod notes;
pub mod view;

pub mod actor;
pub mod game;
mod kept_sham;
pub mod local;
pub mod penalty;
pub mod session;

mod panics;

#[cfg(feature = "net")]
pub mod agent;

pub mod testing;
