//! Limits how many messages of an agent may be under way to the game master: no agent delays the others by sending
//! without limit.

use game_env::{Millis, SimTime};
use wire::frame;

use super::{GAME_OVER, GAME_START};

/// Number of messages of an agent that may be under way to the game master without an answer. Agents send one and wait;
/// a leader may ask its whole team.
const MESSAGES: usize = 16;

/// Number of bytes of an agent that may be under way to the game master without an answer, the last message not
/// counted.
const BYTES: usize = 4096;

/// After this long an agent may have as much again under way: not every message is answered. Shorter than the shortest
/// penalty in use, so that an agent that waits for its penalties is never held.
pub(super) const HOLD: Millis = Millis::new(50);

/// An agent's messages that are under way to the game master, as far as answers show it.
///
/// The window is stored in the agent's entry, without an allocation of its own: with thousands of agents, one access to
/// memory elsewhere costs as much as all other work for a message.
#[derive(Debug)]
pub(super) struct Window {
    /// The oldest first.
    messages: [Passed; MESSAGES],
    /// Number of messages in use.
    length: usize,
    bytes: usize,
    /// Start of the count of messages. A message that was passed on longer than [`HOLD`] ago does not count.
    since: SimTime,
}

/// A message that was passed on.
#[derive(Clone, Copy, Debug, Default)]
struct Passed {
    /// Its message id if an answer can name it, 0 otherwise.
    request: u8,
    /// The length of its body.
    body: u16,
}

impl Passed {
    fn bytes(self) -> usize {
        usize::from(self.body) + frame::HEADER
    }
}

impl Window {
    pub(super) fn new() -> Self {
        Self { messages: Default::default(), length: 0, bytes: 0, since: SimTime::START }
    }

    fn messages(&self) -> &[Passed] {
        &self.messages[..self.length]
    }

    /// Returns whether one more message may be passed on.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.messages().len() < MESSAGES && self.bytes < BYTES
    }

    /// Returns whether it is worth reading the agent again: each time costs as much as several messages.
    #[inline]
    pub(super) fn has_much_room(&self) -> bool {
        self.messages().len() <= MESSAGES / 2 && self.bytes <= BYTES / 2
    }

    /// Counts a message that was passed on, with a body of this many bytes.
    ///
    /// # Panics
    ///
    /// If there was no room.
    #[inline]
    pub(super) fn push(&mut self, message_id: i64, body: u16) {
        let request = u8::try_from(message_id).unwrap_or(0);
        let passed = Passed { request, body };
        self.messages[self.length] = passed;
        self.length += 1;
        self.bytes += passed.bytes();
    }

    /// Takes all messages for answered, and counts anew.
    pub(super) fn forget(&mut self, now: SimTime) {
        self.length = 0;
        self.bytes = 0;
        self.since = now;
    }

    /// Calls [`Window::forget`] if the count of messages started at least [`HOLD`] ago.
    #[inline]
    pub(super) fn forget_old(&mut self, now: SimTime) {
        if self.since + HOLD <= now {
            self.forget(now);
        }
    }

    /// Notes that the game master has sent the agent this message.
    ///
    /// Game masters serve an agent's requests in order, so an answer to one request settles those before it as well:
    /// some of them are not answered when they are granted.
    #[inline]
    pub(super) fn answered(&mut self, message: i64) {
        // The numbers of the specification, section 6.
        let request = match message {
            // Check, destroy, discover.
            101..=103 => Some(message - 100),
            // Join, move, pick up, put.
            107..=110 => Some(message - 101),
            // Refusals of the last three.
            901..=903 => Some(message - 894),
            // An answer or a question was passed on.
            112 | 113 => Some(message - 108),
            // The end and the beginning of a game, questions and answers of others: not asked for.
            GAME_OVER | GAME_START | 106 | 111 => return,
            // An error message that may refuse any request, or a message of unknown type: the oldest request is meant.
            _ => None,
        };
        let is_it = |passed: &Passed| request.is_none_or(|request| i64::from(passed.request) == request);
        if let Some(place) = self.messages().iter().position(is_it) {
            self.bytes -= self.messages[..=place].iter().map(|passed| passed.bytes()).sum::<usize>();
            self.messages.copy_within(place + 1..self.length, 0);
            self.length -= place + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a window in which these messages are under way, of ten bytes each.
    fn window(ids: &[i64]) -> Window {
        let mut window = Window::new();
        ids.iter().for_each(|id| window.push(*id, 10 - 2));
        window
    }

    fn under_way(window: &Window) -> (Vec<u8>, usize) {
        (window.messages().iter().map(|passed| passed.request).collect(), window.bytes)
    }

    #[test]
    fn an_answer_settles_its_request_and_those_before_it() {
        let mut window = window(&[5, 7, 4, 3, 7]);
        window.answered(108);
        assert_eq!(under_way(&window), (vec![4, 3, 7], 30), "107 to 110 answer 6 to 9");
        window.answered(106);
        assert_eq!(under_way(&window), (vec![4, 3, 7], 30), "nobody asked for a question of somebody else");
        window.answered(901);
        assert_eq!(under_way(&window), (vec![], 0), "901 refuses 7");
        window.answered(901);
        assert_eq!(under_way(&window), (vec![], 0), "there was nothing left to answer");
    }

    #[test]
    fn an_answer_that_says_nothing_settles_the_oldest() {
        let mut window = window(&[-3, 300, 7]);
        window.answered(905);
        assert_eq!(under_way(&window), (vec![0, 7], 20));
        window.answered(777);
        assert_eq!(under_way(&window), (vec![7], 10));
        window.answered(102);
        assert_eq!(under_way(&window), (vec![7], 10), "it was not asked to destroy anything");
    }

    #[test]
    fn there_is_room_for_messages_and_for_bytes() {
        let mut many = window(&[7; MESSAGES - 1]);
        assert!(many.has_room() && !many.has_much_room());
        many.push(7, 8);
        assert!(!many.has_room());
        many.forget_old(SimTime::from_millis(49));
        assert!(!many.has_room(), "they count for as long as an answer may take");
        many.forget_old(SimTime::START + HOLD);
        assert!(many.has_room() && many.has_much_room());
        let mut long = Window::new();
        long.push(7, u16::MAX);
        assert!(!long.has_room(), "{} bytes are more than enough", long.bytes);
        long.answered(108);
        assert!(long.has_much_room());
    }

    #[test]
    fn a_limit_is_reached_with_its_last_message_and_byte() {
        assert!(window(&[7; MESSAGES / 2]).has_much_room());
        assert!(!window(&[7; MESSAGES / 2 + 1]).has_much_room());
        for (bytes, room, much_room) in [
            (BYTES / 2, true, true),
            (BYTES / 2 + 1, true, false),
            (BYTES - 1, true, false),
            (BYTES, false, false),
        ] {
            let mut window = Window::new();
            window.push(7, u16::try_from(bytes - frame::HEADER).unwrap());
            assert_eq!((window.has_room(), window.has_much_room()), (room, much_room), "{bytes} bytes");
        }
    }
}
