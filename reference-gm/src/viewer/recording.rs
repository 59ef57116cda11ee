//! A replay as a feed: the whole game at once.

use std::io::Read;

use game_env::replay::{Completeness, Playback, Progress, ReplayError};
use game_project::State;
use serde_json::Value;

use super::feed::{self, Feed, Mode};

/// How large a message of events grows, in bytes.
pub(super) const CHUNK: usize = 64 << 10;

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
    /// Plays a replay through; `name` is what the page calls its file.
    ///
    /// One that breaks off is shown as far as it goes.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not what was played.
    pub fn read(file: impl Read, name: &str) -> Result<Self, ReplayError> {
        let mut playback = Playback::<State>::open(file)?;
        let header = playback.reader().header();
        let names: Vec<String> = header.players.iter().map(|player| player.name.clone()).collect();
        let seed = header.seed;
        let mut messages = vec![
            feed::hello(Mode::Replay { file: name }, false),
            feed::start(playback.state(), seed, &names),
        ];
        let mut feed = Feed::new(playback.state(), seed, &names);
        while playback.advance(&mut feed)? != Progress::Finished {
            if feed.waiting() > CHUNK {
                messages.extend(feed.take());
            }
        }
        feed.settle(playback.state());
        messages.extend(feed.take());
        let truncated = match playback.summary().completeness {
            Completeness::Complete => None,
            Completeness::Truncated { line, reason } => {
                Some(format!("the file breaks off after line {line}: {reason}"))
            }
        };
        messages.extend(truncated.as_deref().map(feed::truncated));
        messages.push(feed.statistics(playback.state()));
        Ok(Self { messages, statistics: feed.document(playback.state()), truncated })
    }

    /// The messages as one JSON array.
    pub fn feed(&self) -> String {
        format!("[{}]", self.messages.join(",\n"))
    }
}
