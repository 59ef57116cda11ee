//! The server of Dots & Boxes: its master, and the program.

mod hall;
mod journal;
mod kill;
mod limits;
mod login;
mod play;
mod restart;
mod silence;
mod start;
