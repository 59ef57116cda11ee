//! The channel from one game to its viewers: its messages, and its statistics and replay at the end.

use std::sync::Mutex;

use axum::body::Bytes;
use tokio::sync::watch;

use super::log::Log;
use super::show::lock;
use crate::matches;
use crate::outbox::FeedMessage;

/// The feed of one game.
#[derive(Default)]
pub(super) struct Channel {
    pub(super) log: Mutex<Log>,
    /// Changes when there are more messages.
    pub(super) grown: watch::Sender<()>,
    pub(super) end: Mutex<End>,
}

/// The statistics and the replay of a game that is over.
#[derive(Default)]
pub(super) struct End {
    pub(super) statistics: Option<Bytes>,
    pub(super) replay: Option<Bytes>,
}

impl Channel {
    pub(super) fn push(&self, messages: impl Iterator<Item = FeedMessage>) {
        let mut log = lock(&self.log);
        messages.for_each(|message| log.push(message));
        drop(log);
        self.grown.send_replace(());
    }

    /// Keeps what there is of a match that is over, so that it is there before viewers hear of the end.
    pub(super) fn keep_end(&self, end: Option<&matches::End>) {
        let Some(matches::End { statistics, replay }) = end else { return };
        let mut known = lock(&self.end);
        if known.statistics.is_none() {
            let replay = replay.clone().map(Bytes::from_owner);
            *known = End { statistics: Some(statistics.to_string().into()), replay };
        }
    }

    /// There will be no more messages; this one is the last, if there is one.
    pub(super) fn close(&self, last: Option<String>) {
        let mut log = lock(&self.log);
        log.messages.extend(last.map(Into::into));
        log.is_closed = true;
        drop(log);
        self.grown.send_replace(());
    }
}
