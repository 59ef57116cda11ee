//! The server: the loop of [`crate::server`] with the [`Master`] and the [`Page`] of Eriantys.

use super::master::Master;
use super::page::Page;
use super::record::Record;

pub use crate::server::Limits;

/// A journal of a server of Eriantys.
pub type Journal = crate::journal::Journal<Record>;

/// A server that is about to run.
pub type Server = crate::server::Server<Master, Page>;
