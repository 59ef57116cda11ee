//! Conveyor through a controller: the player's side of [`wire::conveyor`], for any [`Policy`](game_env::Policy).
//!
//! [`session`] decides what to send. `agent` (feature `net`) moves bytes and asks the policy.

pub mod session;

#[cfg(feature = "net")]
pub mod agent;

pub use self::session::{End, Input, News, Output, Session, Settings};
