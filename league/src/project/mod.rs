//! The Project Game in leagues: the messages of its agents as tables.

pub(crate) mod messages;
