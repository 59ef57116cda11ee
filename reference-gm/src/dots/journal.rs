//! The journal of this server, see [`crate::journal`].

use super::record::Record;

pub use crate::journal::{FILE, IncompleteLine, JournalError, Sync};

/// A journal of a server of Dots & Boxes.
pub type Journal = crate::journal::Journal<Record>;

/// The content of such a journal when it was opened.
pub type JournalContent = crate::journal::JournalContent<Record>;

impl crate::journal::Record for Record {
    const HEADER: &'static str = "dots-journal 1";
}
