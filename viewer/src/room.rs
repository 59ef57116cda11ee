//! The registry of the rooms of games, sans-IO: the feed of each game that the page can show.
//!
//! The rest of the crate knows time, files and connections, and no game. A game's room has two halves of the same name:
//! here its [`GameFeed`] makes messages of what happens, and in `viewer/page/games` a folder draws them.

use std::io;

use game_env::replay::{Player, Reader};
use game_env::{Information, Notation, Seed, SimTime, Witness};
use serde_json::Value;

use crate::recording::{Ending, RecordingError, play_as};

/// Every game that the page can show. A new game adds its line here, and its folder to the page.
pub static ROOMS: &[Room] = &[
    Room::of::<game_project::State>(),
    Room::of::<game_dots::State>(),
    Room::of::<game_bricks::State>(),
    Room::of::<game_conveyor::State>(),
    Room::of::<game_eriantys::State>(),
];

/// A game for tests of what all games have in common.
#[cfg(test)]
pub(crate) type Tested = game_dots::State;

/// A game that the page can show.
pub trait Shown: Notation {
    /// The type that makes the messages of its feed.
    type Feed: GameFeed<Self>;

    /// The room of the page that draws it, by the name of its game.
    const ROOM: &'static str = Self::GAME;

    /// Whether a replay of it can be read, so that the page offers one after a live game.
    const HAS_REPLAY: bool = true;

    /// Whether the page shows no more than each player is shown, so that people can play on it. Where information is
    /// imperfect all the same, since the future is drawn, the page keeps the seed of a live match to itself.
    const SHOWS_NO_SECRETS: bool = matches!(Self::DESCRIPTION.information, Information::Perfect);
}

/// Makes the messages of one game's feed from what happens in it.
///
/// The entries of a step may wait until the state after it is known ([`GameFeed::settle`]). As a [`Witness`] a feed
/// settles them by itself before the next event.
pub trait GameFeed<E: Notation>: Witness<E> + Sized {
    /// Nothing has happened yet; `players` are in the order of agent ids.
    fn new(state: &E, seed: Seed, players: &[Player]) -> Self;

    /// Returns the message from which the page goes on by the entries that follow `state`.
    fn start(&self, state: &E) -> String;

    /// Takes in the events of the last step; `state` is the one after it.
    fn settle(&mut self, state: &E);

    /// Goes on from this state after something was missed.
    fn resume(&mut self, state: &E);

    /// Keeps the seed to itself from now on.
    fn hide_seed(&mut self) {}

    /// Returns the length of the entries that wait to be taken, in bytes.
    fn waiting(&self) -> usize;

    /// Returns all entries since the last call, as one message; none if nothing happened.
    fn take(&mut self) -> Option<String>;

    /// Returns the statistics as the game stands.
    fn document(&self, state: &E) -> Value;

    /// Returns the moment on the page after this number of actions, at this time of the game; in milliseconds.
    fn moment(_steps: u64, at: SimTime) -> u64 {
        at.as_millis()
    }
}

/// The page's entry for one game: its name, and the functions that play its replays and find moments in them.
#[derive(Debug)]
pub struct Room {
    game: &'static str,
    play: Play,
    moment: fn(u64, SimTime) -> u64,
}

type Write<'a> = &'a mut dyn FnMut(String) -> io::Result<()>;
type Play = fn(Reader<'_>, &str, usize, Write<'_>) -> Result<Ending, RecordingError>;

impl Room {
    /// Returns the room of this game.
    pub const fn of<E: Shown>() -> Self {
        Self { game: E::GAME, play: play_as::<E, E::Feed>, moment: <E::Feed as GameFeed<E>>::moment }
    }

    /// Returns the room of the game with this name in replays, if there is one.
    pub fn named(game: &str) -> Option<&'static Self> {
        ROOMS.iter().find(|room| room.game == game)
    }

    /// Returns the game's name in replays.
    pub fn game(&self) -> &'static str {
        self.game
    }

    /// Returns the moment on the page after this number of actions, at this time of the game; in milliseconds.
    pub fn moment(&self, steps: u64, at: SimTime) -> u64 {
        (self.moment)(steps, at)
    }

    /// Plays a replay of this game through, as [`recording::play`](crate::recording::play).
    ///
    /// # Errors
    ///
    /// If the replay cannot be read, does not match its record, or `write` fails.
    pub fn play(
        &self,
        replay: Reader<'_>,
        name: &str,
        most: usize,
        write: &mut dyn FnMut(String) -> io::Result<()>,
    ) -> Result<Ending, RecordingError> {
        (self.play)(replay, name, most, write)
    }
}
