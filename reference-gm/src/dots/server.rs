//! The server: the loop of [`crate::server`] with the [`Master`] and the [`Page`] of Dots & Boxes.

use super::master::Master;
use super::page::Page;

pub use crate::server::{Limits, LocalConnector};

/// A server that is about to run.
pub type Server = crate::server::Server<Master, Page>;
