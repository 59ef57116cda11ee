//! The server of Dots & Boxes: its master, and the program.

mod harness;
mod journal;
mod kill;
mod limits;
mod local;
mod login;
mod play;
mod restart;
mod silence;
mod start;
