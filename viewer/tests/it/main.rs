//! The board from outside: replays of every game as feeds.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod bricks;
#[expect(dead_code, reason = "the tests of `reference-gm` use the same file")]
mod browser;
mod conveyor;
mod dots;
mod eriantys;
mod matches;
mod study;
mod words;
