//! Clients of Dots & Boxes, Eriantys and Conveyor: the players' side of their protocols, for any
//! [`Policy`](game_env::Policy) of the game.
//!
//! Each game has a `Session`, a [`ClientSession`], which is sans-IO: it decides what to send and knows the game, and it
//! returns to a game after a lost connection where the protocol allows that. With the feature `net`, `agent` plays any
//! of them over TCP.
//!
//! ```
//! use clients::ClientSession as _;
//! use clients::dots::{Input, Output, Session, Settings};
//! use game_env::SimTime;
//!
//! let mut session = Session::new(Settings::new("Ada".parse()?), SimTime::START);
//! assert_eq!(session.poll_output(), Some(Output::Connect));
//! session.handle(SimTime::START, Input::Unreachable("refused".to_owned()));
//! assert!(session.wake_at().is_some()); // it tries again
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//!
//! It has no strategies: those are in the crate `strategies`. Agents of The Project Game are clients of `sdk`, and
//! players of Bricks are programs without a connection.

#[cfg(feature = "net")]
pub mod agent;
pub mod session;

pub mod conveyor;
pub mod dots;
pub mod eriantys;

pub use self::session::ClientSession;
