//! The library for writing agents for The Project Game.
//!
//! Implement [`Strategy`](strategy::Strategy): it takes a view of the game and returns an action. This crate does the
//! rest: it speaks the protocol, waits for penalties, remembers what the agent learnt and from whom, and finds paths on
//! the board. The same strategy plays over TCP ([`agent`]) and in process on a virtual clock ([`local`]).
//!
//! ```
//! use sdk::game::RawConfig;
//! use sdk::local;
//! use sdk::prelude::*;
//!
//! /// Goes where the nearest piece may be, and tries the nearest untried goal field.
//! struct Seeker;
//!
//! impl Strategy for Seeker {
//!     fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
//!         let here = view.position();
//!         if view.own.hand.is_full() {
//!             // `open` holds the fields of the own goal area that are worth a try.
//!             return match view.knowledge.open().nearest(here) {
//!                 Some(field) if field == here => Action::Put.into(),
//!                 Some(field) => nav::walk_to(view, field), // around agents in the way
//!                 None => Action::Destroy.into(),
//!             };
//!         }
//!         if view.area() == Area::Task && view.distance() == Some(Distance::new(0)) {
//!             return Action::PickUp.into();
//!         }
//!         // `hunt` knows where the nearest piece can be, from all recent distances.
//!         match view.knowledge.hunt().candidates().first() {
//!             Some(place) => nav::walk_to(view, *place),
//!             None => Action::Discover.into(),
//!         }
//!     }
//! }
//!
//! /// Plays a game of four such agents in this process, on a virtual clock.
//! fn main() -> Result<(), sdk::game::ConfigError> {
//!     let small = RawConfig { board_x: 6, board_y: 9, goal_area_height: 1, ..RawConfig::default() };
//!     let played = local::play(&small.check()?, Seed::new(7), |_agent, _team| Seeker);
//!     println!("{played}"); // who won, when, the points, and the strategy's first mistake with its view, if any
//!     Ok(())
//! }
//! ```
//!
//! # What this crate does not do
//!
//! It never decides for a strategy, with three exceptions: it answers the agent's own leader, as the rules demand; it
//! does not send impossible actions; and it destroys a found sham that the game master leaves in the hand. It does
//! not reconnect. It prints nothing: if a strategy panics, the caller gets a [`Blunder`](actor::Blunder). Rust's own
//! panic hook reports the panic as well, unless the program calls [`quiet_hook`]. Only [`agent`] reads a clock.
//!
//! # Modules for authors of agents
//!
//! | module | what it has |
//! |---|---|
//! | [`prelude`] | the names that a strategy needs: `use sdk::prelude::*;` |
//! | [`strategy`] | the trait that you implement |
//! | [`view`] | what a strategy sees: the agent, the rules, its knowledge, its random numbers |
//! | [`knowledge`] | what the agent knows of each field, since when, and from whom |
//! | [`nav`] | ways over the board, sets of fields and the nearest of them |
//! | [`notice`] | what an agent is told |
//! | [`notes`] | remarks and drawings for the game page |
//! | [`testing`] | tests of single decisions, and a strategy in the place of an agent of a recorded game |
//! | [`local`] | games in this process |
//! | [`agent`] | games on a server |
//! | [`game`] | configurations, states and rollouts, for programs that host games |
//!
//! The folder `examples` of the workspace has programs that show one thing each.
//!
//! # Modules for programs that run agents their own way
//!
//! [`actor`] is one agent and all that the SDK does for it, [`session`] its side of the protocol without sockets,
//! [`penalty`] tells when it may act again. [`local`] and [`agent`] use them; a strategy does not.
//!
//! # Other games
//!
//! [`dots`] plays Dots & Boxes on a server, [`eriantys`] Eriantys, [`conveyor`] plays Conveyor through a controller, with any
//! [`Policy`](game_env::Policy) of the rules.
//!
//! # Features
//!
//! Both are on unless switched off: `net` adds [`agent`] and with it a runtime, sockets and a clock; `replay` adds
//! recorded games, and with them JSON and compression.

pub use game_env::panics::quiet_hook;

pub mod prelude;
pub mod strategy;

pub mod knowledge;
pub mod nav;
pub mod notes;
pub mod notice;
pub mod view;

pub mod actor;
pub mod game;
pub mod local;
pub mod penalty;
mod quirks;
pub mod session;

pub mod conveyor;
pub mod dots;
pub mod eriantys;

#[cfg(feature = "net")]
pub mod agent;

pub mod testing;
