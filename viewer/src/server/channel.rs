//! The channel from one game to its viewers: its messages, and its statistics and replay at the end.

use std::sync::Mutex;

use axum::body::Bytes;
use tokio::sync::watch;

use super::log::Log;
use super::show::lock;
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

    /// There will be no more messages; this one is the last, if there is one.
    pub(super) fn close(&self, last: Option<String>) {
        let mut log = lock(&self.log);
        log.messages.extend(last.map(Into::into));
        log.is_closed = true;
        drop(log);
        self.grown.send_replace(());
    }
}
