//! The library for writing agents for The Project Game.
//!
//! Implement [`Strategy`](strategy::Strategy): it takes a view of the game and returns an action. This crate does the
//! rest: it implements the protocol, waits for penalties, stores the agent's knowledge and its sources, and finds paths
//! on the board. The same strategy plays over TCP ([`agent`]) and in process on a virtual clock ([`local`]).
//!
//! ```
//! use sdk::local::{self, Preset};
//! use sdk::prelude::*;
//!
//! /// Goes to the nearest piece, and puts it on the nearest field that it has not tried.
//! struct Seeker;
//!
//! impl Strategy for Seeker {
//!     fn act(&mut self, view: &mut View<'_>) -> Choice {
//!         let here = view.position();
//!         if view.own.hand.is_full() {
//!             // `open` holds the fields of the own goal area that can be a goal.
//!             return match view.knowledge.open().nearest(here) {
//!                 Some(field) if field != here => view.walk_to(field), // around agents in the way
//!                 _ => view.put(),
//!             };
//!         }
//!         match view.knowledge.nearest_piece() {
//!             Some(field) if field != here => view.walk_to(field),
//!             Some(_) => view.pick_up(),
//!             None => view.discover(),
//!         }
//!     }
//! }
//!
//! /// Plays a game of four such agents in this process, on a virtual clock.
//! fn main() {
//!     let played = local::play(&Preset::Quick.config(), Seed::new(7), |_agent, _team| Seeker);
//!     println!("{played}"); // who won, when, the points, and the strategy's first mistake with its view, if any
//! }
//! ```
//!
//! # What this crate does not do
//!
//! It never decides for a strategy, with three exceptions: it answers the agent's own leader, as the rules require. It
//! does not send impossible actions. It destroys a found sham that the game master leaves in the hand.
//!
//! It does not reconnect. It prints nothing: if a strategy panics, the caller gets a
//! [`Blunder`](driver::actor::Blunder). Rust's panic hook also reports the panic, unless the program calls
//! [`quiet_hook`]. Only [`agent`] reads a clock.
//!
//! # Modules for authors of agents
//!
//! | module | what it has |
//! |---|---|
//! | [`prelude`] | the names that a strategy needs: `use sdk::prelude::*;` |
//! | [`strategy`] | the trait that you implement, the choices that it returns and the messages that it hears |
//! | [`view`] | the input of a strategy: the agent, the rules, its knowledge, its random numbers, its notes; and its choices |
//! | [`knowledge`] | the agent's knowledge of each field, with its time and its source; the search for pieces |
//! | [`testing`] | tests of single decisions, and a strategy in the place of an agent of a recorded game |
//! | [`local`] | games in this process: configurations, states and rollouts |
//! | [`agent`] | games on a server |
//!
//! The folder `examples` of the workspace has programs that show one thing each.
//!
//! # Modules for programs that run agents in another way
//!
//! [`driver`] has one agent with all that the SDK does for it, the agent's side of the protocol, and the time at which
//! an agent may act again. [`local`] and [`agent`] use it; strategies do not need it. [`program`] has agents that are
//! programs in any language, [`arrays`] agents of programs that learn.
//!
//! # Features
//!
//! None is on by default. `net` adds [`agent`], and with it a runtime, sockets and a clock. `replay` adds recorded
//! games, and with them JSON and compression.

pub use game_env::panics::quiet_hook;

pub mod prelude;
pub mod strategy;

pub mod knowledge;
pub mod view;

pub mod local;
pub mod testing;

#[cfg(feature = "net")]
pub mod agent;

pub mod arrays;
pub mod driver;
pub mod program;
mod quirks;
