//! The shipped strategies of every game.
//!
//! [`project`] has the strategies and the registry of The Project Game. With the feature `matches`, which adds JSON and
//! compression, `dots`, `bricks`, `conveyor` and `eriantys` have those of the other games, `room` plays any of them by
//! name, `programs` has entrants that are programs in any language, `arrays` has games for programs that learn, and
//! `budget` limits the cost of a decision. The feature `programs` starts programs as child processes.
//!
//! ```
//! use strategies::project::registry::LineUp;
//!
//! let line_up: LineUp = "coordinated:patience=2*3+liar".parse()?;
//! assert_eq!(line_up.size(), 4);
//! # Ok::<(), strategies::project::registry::StrategyError>(())
//! ```
//!
//! # What this crate does not do
//!
//! It knows no rules and no protocol: a strategy sees what the SDK or the rules show it. The crate `contests` says
//! which of two strategies is the stronger, your own included.

pub mod notation;
pub mod project;

#[cfg(feature = "matches")]
pub mod arrays;
#[cfg(feature = "matches")]
pub mod bricks;
#[cfg(feature = "matches")]
pub mod budget;
#[cfg(feature = "matches")]
pub mod conveyor;
#[cfg(feature = "matches")]
mod corrected;
#[cfg(feature = "matches")]
pub mod dots;
#[cfg(feature = "matches")]
pub mod eriantys;
#[cfg(feature = "matches")]
mod policy_room;
#[cfg(feature = "matches")]
pub mod programs;
#[cfg(feature = "matches")]
pub mod recorded_game;
#[cfg(feature = "matches")]
pub mod room;
