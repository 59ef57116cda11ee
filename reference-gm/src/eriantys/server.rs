//! The server: the loop of [`crate::server`] with the master and the page of Eriantys.

use super::page::Room;
use super::record::Record;

pub use crate::server::Limits;

/// A journal of a server of Eriantys.
pub type Journal = crate::journal::Journal<Record>;

/// A server that is about to run.
pub type Server = crate::server::Server<Room>;
