//! What each game gives to the board.

mod bricks;
mod conveyor;
mod dots;
mod eriantys;
