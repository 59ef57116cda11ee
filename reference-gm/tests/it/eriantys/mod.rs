//! The server of Eriantys: its master with clients that are only lines of text, and the program.

mod bots;
mod harness;
mod journal;
mod kill;
mod local;
mod login;
mod lost;
mod nonsense;
mod play;
