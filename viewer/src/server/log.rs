//! The messages that draw a game, numbered through, for viewers that each have a position in them.

use axum::extract::ws::Utf8Bytes;

use crate::outbox::FeedMessage;

/// The messages that draw the game, numbered through.
#[derive(Default)]
pub(super) struct Log {
    /// The number of the first.
    pub(super) first: u64,
    pub(super) messages: Vec<Utf8Bytes>,
    /// Whether there will be no more.
    pub(super) is_closed: bool,
}

impl Log {
    pub(super) fn push(&mut self, FeedMessage { text, is_fresh_start }: FeedMessage) {
        if is_fresh_start {
            self.first += self.messages.len() as u64;
            self.messages.clear();
        }
        self.messages.push(text.into());
    }

    /// Returns the number behind the last message.
    pub(super) fn end(&self) -> u64 {
        self.first + self.messages.len() as u64
    }

    /// Returns some messages from this number on, or from the first that is kept; the number behind them.
    pub(super) fn after(&self, number: u64) -> (Vec<Utf8Bytes>, u64) {
        /// The most messages taken at once, so that a long past does not delay other viewers.
        const MOST: usize = 16;
        let number = number.max(self.first);
        let skipped = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        let messages: Vec<_> = self.messages.iter().skip(skipped).take(MOST).cloned().collect();
        let next = number + messages.len() as u64;
        (messages, next)
    }
}
