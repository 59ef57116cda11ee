//! Strength of entrants and its certainty: pure functions of results.
//!
//! Nothing here plays, reads or writes. No function depends on the order in which matches were played: [`Results`]
//! counts them.
//!
//! The unit of all statistics is the [set](Results::add): the matches of one seed, with the sides swapped or the
//! seats rotated. They share their board and are not independent of each other; sets are.
//!
//! | question | answer |
//! |---|---|
//! | How strong is each entrant, and in which order? | [`Ratings`], from all matches at once |
//! | Is the order certain enough to stop? | [`EarlyStop`] |
//! | Which share of the points did one of two win? | [`Pentanomial`] |
//! | Which of two is stronger? | [`SequentialComparison`], and [`luck`] for the odds |
//! | Which of several is the strongest? | [`Elimination`] |
//!
//! # Sources
//!
//! [`luck`] and [`Elimination`] bet on results: who assumes that the mean of bounded results is 0 or less, and bets on
//! each before it is known, reaches N times the wealth of the start with a probability of at most 1/N, at any time
//! (Ville's inequality; Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024). The
//! tests of [`SequentialComparison`] are Wald's.

mod early_stop;
mod elimination;
mod luck;
mod pentanomial;
mod plackett_luce;
mod ratings;
mod results;
mod sprt;
mod wealth;

pub use early_stop::{EarlyStop, Look};
pub use elimination::{Elimination, Ending};
pub use luck::luck;
pub use pentanomial::{Interval, Pentanomial, elo_of_score, score_of_elo};
pub use ratings::{Bootstrap, Rating, Ratings};
pub use results::{HeadToHead, Match, Results};
pub use sprt::{Decision, SequentialComparison, Sprt};
