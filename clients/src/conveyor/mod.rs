//! Conveyor through a controller: the player's side of [`wire::conveyor`], for any [`Policy`](game_env::Policy).
//!
//! [`session`] decides what to send.

pub mod session;

pub use self::session::{End, Input, News, Output, Session, Settings};
