//! Dots & Boxes on a server: the client's side of [`wire::dots`], for any [`Policy`](game_env::Policy).
//!
//! [`session`] decides what to send, and knows the board.

pub mod session;

pub use self::session::{End, Input, News, Output, Session, Settings};
