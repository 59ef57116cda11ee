//! The study of recorded games: why did my agent lose, and what would have happened?
//!
//! A replay holds every input of a game, and its players are strategies and programs that can be seated again. So a
//! recorded game can be played on from any of its [moments](moment::Moment), by the same players or by others, who know
//! what the agents knew.
//!
//! - [`futures`] plays a game on from a moment many times, with other random numbers each time: the probability that
//!   each team wins.
//! - [`curve`] does so at moments all over the game: the course of the chances, and the moments at which they fell
//!   most.
//! - [`differences`] replays the game to another entrant in the place of an agent: the decisions that it would have
//!   made otherwise, and the worth of each.
//! - [`suspects`] are the decisions that a reference would not have made.
//! - [`why`] finds the suspect that cost a team most: it replaces single decisions by those of the reference.
//! - [`habits`] measures kinds of suspects over many games.
//! - [`pairs`] are what both measure by: two futures that differ in a decision, or in all of a kind.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::ops::ControlFlow;
//!
//! use game_env::matches::{MatchLimits, MatchSpec};
//! use game_env::replay::Reader;
//! use game_env::{Parameters, Seed};
//! use study::futures::{Futures, Question};
//!
//! let dots = strategies::room::find("dots")?;
//! let entrants = vec!["greedy".to_owned(), "random".to_owned()];
//! let (config, limits) = (Parameters::new(), MatchLimits::default());
//! let spec = MatchSpec { game: "dots".to_owned(), config, seed: Seed::new(7), entrants, limits };
//! let mut replay = Vec::new();
//! dots.play(&spec, "docs 1.0", Some(&mut replay))?;
//!
//! let game = dots.recorded_game(Reader::open(&replay[..])?)?;
//! let question = Question { game: &*game, inputs: 20, entrants: game.players(), seed: Seed::new(1) };
//! let futures = Futures::play(&question, 50, NonZeroUsize::MIN, |_| ControlFlow::Continue(()))?;
//! assert_eq!(futures.games(), 50);
//! println!("greedy wins {}", futures.chances()[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//!
//! It reads no files, prints nothing and starts no programs: the commands of `bots` do. The futures of a strategy
//! are no proof about the author's intentions: they show what these players would do with this knowledge.

pub mod curve;
pub mod differences;
pub mod futures;
pub mod habits;
pub mod moment;
pub mod pairs;
pub mod suspects;
pub mod why;
