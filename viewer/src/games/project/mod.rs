//! The Project Game on the page: its feed, and the lobby of a game that is hosted.
//!
//! [`feed`] writes the messages of a game, and [`document`] its statistics. [`lobby`] is the host's handle of a page of
//! one game.

mod changes;
pub mod document;
pub mod feed;
mod figures;
pub mod lobby;

use game_project::State;

use self::feed::Feed;
use crate::room::Shown;

impl Shown for State {
    type Feed = Feed;
}
