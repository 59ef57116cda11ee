//! The board from outside: replays of every game as feeds.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod bricks;
mod dots;
