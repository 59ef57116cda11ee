//! The messages of a feed that are not sent yet, sans-IO.

use std::vec;

use game_env::Notation;

use crate::course::Course;
use crate::recording::CHUNK;
use crate::room::GameFeed;

/// A message for all viewers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedMessage {
    /// The message.
    pub text: String,
    /// Whether a viewer that comes later needs no message from before this one.
    pub is_fresh_start: bool,
}

/// The limits of the messages and of the replay that are kept for later viewers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of messages; past them the feed restarts in the middle of the game.
    pub feed: usize,
    /// Bytes of the replay; past them no replay is kept.
    pub replay: usize,
}

impl Default for Limits {
    /// Hours of a game of forty agents.
    fn default() -> Self {
        Self { feed: 256 << 20, replay: 64 << 20 }
    }
}

/// Messages to be sent, in order, and the number of bytes that a later viewer needs.
#[derive(Default)]
pub(crate) struct Outbox {
    messages: Vec<FeedMessage>,
    bytes: usize,
}

impl Outbox {
    /// Restarts the feed: nobody needs the messages before this one.
    pub(crate) fn begin(&mut self, text: String) {
        self.bytes = text.len();
        self.messages.push(FeedMessage { text, is_fresh_start: true });
    }

    /// The same with several messages.
    pub(crate) fn begin_with(&mut self, texts: impl Iterator<Item = String>) {
        for (place, text) in texts.enumerate() {
            if place == 0 { self.begin(text) } else { self.say(text) }
        }
    }

    /// Adds a message.
    pub(crate) fn say(&mut self, text: String) {
        self.bytes += text.len();
        self.messages.push(FeedMessage { text, is_fresh_start: false });
    }

    /// Adds the events of a game since this was last called, if there are any.
    pub(crate) fn say_events<E: Notation, F: GameFeed<E>>(&mut self, course: &mut Course<E, F>) {
        if let Some(message) = course.messages() {
            self.say(message);
        }
    }

    /// The same if they would make a long message otherwise.
    pub(crate) fn say_many_events<E: Notation, F: GameFeed<E>>(&mut self, course: &mut Course<E, F>) {
        if course.feed().waiting() > CHUNK {
            self.say_events(course);
        }
    }

    /// Returns the length of all messages together that a later viewer needs, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes all messages out.
    pub(crate) fn drain(&mut self) -> vec::Drain<'_, FeedMessage> {
        self.messages.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_since_the_last_beginning() {
        let mut outbox = Outbox::default();
        outbox.begin("lobby".to_owned());
        outbox.say("joined".to_owned());
        assert_eq!(outbox.bytes(), 11);
        outbox.begin("game".to_owned());
        assert_eq!(outbox.bytes(), 4);
        let told: Vec<_> = outbox.drain().map(|message| (message.text, message.is_fresh_start)).collect();
        let expected = [("lobby", true), ("joined", false), ("game", true)];
        assert_eq!(told, expected.map(|(text, fresh)| (text.to_owned(), fresh)));
        // Sent or not, a later viewer needs them.
        assert_eq!((outbox.bytes(), outbox.drain().count()), (4, 0));
    }
}
