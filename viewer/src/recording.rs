//! Turns a replay into a feed of the whole game, sans-IO.

use std::io::{self, Read};

use game_env::Notation;
use game_env::replay::{Completeness, Playback, Progress, Reader, ReplayError};
use game_env::text::{fit_for_a_log, or_list};
use serde_json::Value;

use crate::feed::{self, Mode};
use crate::findings::Findings;
use crate::outbox::Limits;
use crate::room::{GameFeed, ROOMS, Room};

/// The size above which the entries that wait are made into a message, in bytes.
pub(super) const CHUNK: usize = 64 << 10;

/// The result of a replay, once all its messages are made.
#[derive(Clone, PartialEq, Debug)]
pub struct Ending {
    /// The game's name in replays.
    pub game: &'static str,
    /// The statistics.
    pub statistics: Value,
    /// The reason for which the messages end before the game does, if they do.
    pub truncated: Option<String>,
    /// Whether the reason is the limit of their length, and not the replay.
    pub is_cut: bool,
}

/// A reason for which a replay is not shown.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be read, or does not match its record.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The page cannot draw its game.
    #[error("the replay holds the game `{}`: expected {}", fit_for_a_log(.0), known_games())]
    NoRoom(String),
    /// Its messages cannot be written.
    #[error(transparent)]
    Write(io::Error),
}

/// Returns the names of all games that have a room, for people.
fn known_games() -> String {
    or_list(ROOMS.iter().map(|room| format!("`{}`", room.game())))
}

/// Plays a replay through, and gives every message of its feed to `write` as soon as it is made: no more is in memory
/// than one message and the game. `name` is the name of the file on the page.
///
/// A replay that breaks off is shown as far as it goes, and one whose messages come to more than `most` bytes as far
/// as these.
///
/// # Errors
///
/// If the replay cannot be read, does not match its record, or `write` fails.
pub fn play(
    file: impl Read,
    name: &str,
    most: usize,
    mut write: impl FnMut(String) -> io::Result<()>,
) -> Result<Ending, RecordingError> {
    let replay = Reader::open(file)?;
    let game = &replay.header().game;
    let room = Room::named(game).ok_or_else(|| RecordingError::NoRoom(game.clone()))?;
    room.play(replay, name, most, &mut write)
}

/// Does the same as [`play`] for a replay of this game.
pub(crate) fn play_as<E: Notation, F: GameFeed<E>>(
    replay: Reader<'_>,
    name: &str,
    most: usize,
    write: &mut dyn FnMut(String) -> io::Result<()>,
) -> Result<Ending, RecordingError> {
    let mut playback = Playback::<E>::of(replay)?;
    let header = playback.reader().header();
    let players = header.players.clone();
    let seed = header.seed;
    let mut told = 0;
    // The length of all messages so far.
    let mut write = |message: String| {
        told += message.len();
        write(message).map(|()| told).map_err(RecordingError::Write)
    };
    write(feed::hello(E::GAME, Mode::Replay { file: name }, false, None))?;
    let mut feed = F::new(playback.state(), seed, &players);
    let mut length = write(feed.start(playback.state()))?;
    let mut is_cut = false;
    while playback.advance(&mut feed)? != Progress::Finished {
        if feed.waiting() > CHUNK
            && let Some(message) = feed.take()
        {
            length = write(message)?;
        }
        if length + feed.waiting() > most {
            is_cut = true;
            break;
        }
    }
    feed.settle(playback.state());
    if let Some(message) = feed.take() {
        write(message)?;
    }
    let truncated = match playback.summary().completeness {
        _ if is_cut => {
            let (most, now) = (most >> 20, playback.now());
            Some(format!("what is shown of one game is limited to {most} MiB, and ends at {now}"))
        }
        Completeness::Complete => None,
        Completeness::Truncated { line, reason } => {
            Some(format!("the file breaks off after line {line}: {reason}"))
        }
    };
    if let Some(why) = &truncated {
        write(feed::truncated(why))?;
    }
    let document = feed.document(playback.state());
    write(feed::statistics(&document, true))?;
    Ok(Ending { game: E::GAME, statistics: document, truncated, is_cut })
}

/// Everything that the page needs to show a replay.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// The game's name in replays.
    pub game: &'static str,
    /// The messages of its feed, in order.
    pub messages: Vec<String>,
    /// The statistics.
    pub statistics: Value,
    /// The reason for which the messages end before the game does, if they do.
    pub truncated: Option<String>,
}

impl Recording {
    /// Plays a replay through and keeps its messages, at most those of [`Limits::default`]; else as [`play`].
    ///
    /// # Errors
    ///
    /// If it cannot be read, does not match its record, or no room draws its game.
    pub fn read(file: impl Read, name: &str) -> Result<Self, RecordingError> {
        let mut messages = Vec::new();
        let ending = play(file, name, Limits::default().feed, |message| {
            messages.push(message);
            Ok(())
        })?;
        let Ending { game, statistics, truncated, .. } = ending;
        Ok(Self { game, messages, statistics, truncated })
    }

    /// Adds the findings of a study of this game.
    ///
    /// # Panics
    ///
    /// If the name of the game was changed into one that no room has.
    pub fn add(&mut self, findings: &Findings) {
        self.messages.push(findings.message(self.room()));
    }

    /// Returns the room of its game.
    ///
    /// # Panics
    ///
    /// If the name of the game was changed into one that no room has.
    pub(crate) fn room(&self) -> &'static Room {
        Room::named(self.game).expect("a recording is made by the room of its game")
    }

    /// Returns the messages as one JSON array.
    pub fn feed(&self) -> String {
        format!("[{}]", self.messages.join(",\n"))
    }
}
