//! The Project Game on the page: its feed, and a hosted game from its lobby to its end.
//!
//! [`feed`] writes the messages of a game, and [`document`] its statistics. Of a hosted game [`host_events`] takes over
//! the events without delaying it, and [`spectator`] makes messages of them. [`host`] is the interface to the game master.

mod changes;
pub mod document;
pub mod feed;
mod figures;
pub mod host;
pub mod host_events;
pub mod spectator;

use game_project::State;

use self::feed::Feed;
use crate::room::Shown;

impl Shown for State {
    type Feed = Feed;
}
