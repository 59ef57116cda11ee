//! For programs that run agents in another way than [`local`](crate::local) and [`agent`](crate::agent), which use this
//! module. Strategies do not need it.
//!
//! [`actor`] is one agent with all that the SDK does for it. [`session`] is the agent's side of the protocol, without
//! sockets. [`penalty`] computes when the agent may act again.

pub mod actor;
pub mod penalty;
pub mod session;
