//! The game master as its shell sees it.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod answers;
mod desk;
mod hostile;
mod lobby;
