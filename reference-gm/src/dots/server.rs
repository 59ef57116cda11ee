//! The server: the loop of [`crate::server`] with the master and the page of Dots & Boxes.

use super::page::Room;

pub use crate::server::Limits;

/// A server that is about to run.
pub type Server = crate::server::Server<Room>;
