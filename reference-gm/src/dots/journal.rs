//! The journal of this server, see [`crate::journal`].

use super::record::Record;

pub use crate::journal::{Cut, FILE, JournalError, Sync};

/// A journal of a server of Dots & Boxes.
pub type Journal = crate::journal::Journal<Record>;

/// What was in such a journal.
pub type Past = crate::journal::Past<Record>;

impl crate::journal::Record for Record {
    const HEADER: &'static str = "dots-journal 1";
}
