//! The protocol of Bricks: lines of text between a referee and a player's program.
//!
//! [`crate::lines`] splits a stream into lines, [`dialect`] reads and writes them, [`referee`] conducts a duel of two
//! programs, [`verdict`] says how it ended, [`mod@line`] keeps the line of a player that made a fault, and [`player`]
//! is the other side of the conversation.
//!
//! ```text
//! referee → player 1   7_2x3_4x5      the size of the board, and its filled cells
//! player 1 → referee   OK             within a second
//! referee → player 2   7_2x3_4x5
//! player 2 → referee   OK
//! referee → player 1   START
//! player 1 → referee   1x2_2x2        within half a second
//! referee → player 2   1x2_2x2
//! player 2 → referee   3x0_3x1        and so on
//! referee → both       STOP
//! ```
//!
//! # What this module does not do
//!
//! It starts no program, reads no clock and waits for nothing: a shell hands in bytes and moments. The rules of the
//! game are those of [`game_bricks`].

pub mod agent;
pub mod dialect;
pub mod line;
pub mod player;
pub mod referee;
pub mod verdict;

pub use self::dialect::{Compat, Dialect};
pub use self::line::Line;
pub use self::player::Player;
pub use self::referee::{Gone, Input, Output, Referee, Settings};
pub use self::verdict::{Letter, Reason, Verdict};
