//! The rooms of games, sans-IO: each makes the messages from which the page draws its game.

mod bricks;
mod conveyor;
mod dots;
mod eriantys;
pub mod project;
