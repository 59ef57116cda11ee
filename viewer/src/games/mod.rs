//! What each game gives to the board.

mod dots;
