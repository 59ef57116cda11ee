//! Turns a replay into a feed of the whole game.

use std::io::{self, Read};

use game_env::replay::{Completeness, Playback, Progress, ReplayError};
use game_project::State;
use serde_json::Value;

use crate::feed::{self, Feed, Mode};
use crate::spectator::Limits;

/// How large a message of events grows, in bytes.
pub(super) const CHUNK: usize = 64 << 10;

/// What there is to say of a replay once all its messages are made.
#[derive(Clone, PartialEq, Debug)]
pub struct Ending {
    /// What was counted.
    pub statistics: Value,
    /// Why the messages end before the game does, if they do.
    pub truncated: Option<String>,
}

/// Why a replay is not shown.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be read, or is not what was played.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Its messages cannot be written.
    #[error(transparent)]
    Write(io::Error),
}

/// Plays a replay through, and gives every message of its feed to `write` as soon as it is made: no more is in memory
/// than one message and the game. `name` is what the page calls the file.
///
/// A replay that breaks off is shown as far as it goes, and one whose messages come to more than `most` bytes as far
/// as these.
///
/// # Errors
///
/// If the replay cannot be read, is not what was played, or `write` fails.
pub fn play(
    file: impl Read,
    name: &str,
    most: usize,
    mut write: impl FnMut(String) -> io::Result<()>,
) -> Result<Ending, RecordingError> {
    let mut playback = Playback::<State>::open(file)?;
    let header = playback.reader().header();
    let names: Vec<String> = header.players.iter().map(|player| player.name.clone()).collect();
    let seed = header.seed;
    let mut told = 0;
    // How long all messages are so far.
    let mut write = |message: String| {
        told += message.len();
        write(message).map(|()| told).map_err(RecordingError::Write)
    };
    write(feed::hello(Mode::Replay { file: name }, false))?;
    let mut length = write(feed::start(playback.state(), seed, &names))?;
    let mut feed = Feed::new(playback.state(), seed, &names);
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
    write(feed.statistics(playback.state()))?;
    Ok(Ending { statistics: feed.document(playback.state()), truncated })
}

/// All that the page needs to show a replay.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// The messages of its feed, in order.
    pub messages: Vec<String>,
    /// What was counted.
    pub statistics: Value,
    /// Why the file breaks off, if it does.
    pub truncated: Option<String>,
}

impl Recording {
    /// Plays a replay through and keeps its messages, at most those of [`Limits::default`]; else as [`play`].
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not what was played.
    pub fn read(file: impl Read, name: &str) -> Result<Self, ReplayError> {
        let mut messages = Vec::new();
        let played = play(file, name, Limits::default().feed, |message| {
            messages.push(message);
            Ok(())
        });
        match played {
            Ok(Ending { statistics, truncated }) => Ok(Self { messages, statistics, truncated }),
            Err(RecordingError::Replay(error)) => Err(error),
            Err(RecordingError::Write(error)) => unreachable!("nothing is written to anything: {error}"),
        }
    }

    /// The messages as one JSON array.
    pub fn feed(&self) -> String {
        format!("[{}]", self.messages.join(",\n"))
    }
}
