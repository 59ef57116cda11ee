//! Messages of one connection, for a log: their number in each direction, and the last one of each.
//!
//! It decides nothing and passes nothing on. It keeps the last message of each direction and reads no payload.

use tokio::time::Instant;
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};
use wire::project::catalogue;

use contests::text::{counted, with_commas};

/// The messages of both directions.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    from_agent: Direction,
    to_agent: Direction,
}

#[derive(Debug)]
struct Direction {
    decoder: Decoder,
    bytes: u64,
    messages: u64,
    /// The body of the last message.
    last: Vec<u8>,
    /// When it was complete.
    last_at: Option<Instant>,
    /// The first two bytes.
    first: Vec<u8>,
    /// Whether the first message is complete if the two bytes of its length are swapped.
    is_swapped: bool,
}

impl Default for Direction {
    fn default() -> Self {
        Self {
            decoder: Decoder::new(frame::LONGEST),
            bytes: 0,
            messages: 0,
            last: Vec::new(),
            last_at: None,
            first: Vec::new(),
            is_swapped: false,
        }
    }
}

impl Direction {
    fn take(&mut self, mut bytes: &[u8], now: Instant) {
        self.bytes += bytes.len() as u64;
        let missing = frame::HEADER - self.first.len();
        self.first.extend(&bytes[..missing.min(bytes.len())]);
        while let Some(body) = self.decoder.next(&mut bytes) {
            self.messages += 1;
            self.last.clear();
            self.last.extend(body.unwrap_or_default());
            self.last_at = Some(now);
        }
        // More messages in the wrong byte order would look like the rest of the first one.
        self.is_swapped |= self.messages == 0 && self.decoder.swapped_length().is_some();
    }

    /// `3 messages from it, the last 'move' (7), 1.8 s into the game`. `moment` describes a time.
    fn describe(&self, way: &str, moment: &dyn Fn(Instant) -> String) -> String {
        let messages = counted(self.messages, "message", "messages");
        if self.messages == 0 {
            return format!("{messages} {way} it");
        }
        let last = match Envelope::parse_leniently(&self.last) {
            Ok(envelope) => format!("`{}` ({})", catalogue::name(envelope.message_id), envelope.message_id),
            Err(error) => format!("invalid: {error}"),
        };
        let at = self.last_at.map_or_else(String::new, |at| format!(", {}", moment(at)));
        format!("{messages} {way} it, the last {last}{at}")
    }
}

impl Traffic {
    /// Takes in bytes of the agent.
    pub(super) fn arrived(&mut self, bytes: &[u8], now: Instant) {
        self.from_agent.take(bytes, now);
    }

    /// Takes in bytes of the server.
    pub(super) fn left(&mut self, bytes: &[u8], now: Instant) {
        self.to_agent.take(bytes, now);
    }

    /// Returns whether the agent has sent a complete message.
    pub(super) fn has_message(&self) -> bool {
        self.from_agent.messages > 0
    }

    /// `3 messages from it, the last `move` (7), 1.8 s into the game; 4 messages to it, the last `move answer` (108),
    /// 1.9 s into the game`. `moment` describes a time.
    pub(super) fn describe(&self, moment: &dyn Fn(Instant) -> String) -> String {
        format!("{}; {}", self.from_agent.describe("from", moment), self.to_agent.describe("to", moment))
    }

    /// Returns the fault in the bytes of an agent that has sent some, and no message:
    /// `it sent 74 bytes, no complete message: the first two say 18,432 bytes; the length is little-endian`.
    pub(super) fn fault(&self) -> Option<String> {
        let Direction { bytes, messages, first, is_swapped, .. } = &self.from_agent;
        if *bytes == 0 || (*messages > 0 && !is_swapped) {
            return None;
        }
        let sent = counted(*bytes, "byte", "bytes");
        let [low, high] = first[..] else {
            return Some(format!("it sent {sent}, no complete message: expected two bytes with its length"));
        };
        let announced = with_commas(u16::from_le_bytes([low, high]).into());
        let hint = if *is_swapped { "; the length is little-endian" } else { "" };
        let incomplete = if *messages == 0 { ", no complete message" } else { "" };
        Some(format!("it sent {sent}{incomplete}: the first two say {announced} bytes{hint}"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn framed(bodies: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for body in bodies {
            frame::write(body.as_bytes(), &mut bytes).unwrap();
        }
        bytes
    }

    #[test]
    fn the_last_messages_are_named() {
        let (mut traffic, began) = (Traffic::default(), Instant::now());
        let moment = |at: Instant| format!("after {} s", at.duration_since(began).as_secs());
        assert_eq!(traffic.describe(&moment), "0 messages from it; 0 messages to it");
        let at = |seconds| began + Duration::from_secs(seconds);
        let sent = framed(&["{\"messageID\":6}", "{\"messageID\":7,\"payload\":{}}"]);
        let (head, tail) = sent.split_at(20);
        traffic.arrived(head, at(1));
        traffic.arrived(tail, at(2));
        traffic.left(&framed(&["[]"]), at(3));
        // Half a message is none.
        traffic.arrived(&sent[..9], at(4));
        assert_eq!(
            traffic.describe(&moment),
            "2 messages from it, the last `move` (7), after 2 s; \
             1 message to it, the last invalid: the body is not an object, after 3 s"
        );
        assert_eq!(traffic.fault(), None);
    }

    #[test]
    fn a_length_in_the_wrong_byte_order_is_named() {
        let body =
            format!("{{\"messageID\":6,\"payload\":{{\"teamID\":\"red\",\"name\":\"{}\"}}}}", "x".repeat(20));
        assert_eq!(body.len(), 72);
        let mut sent = vec![0, 72];
        sent.extend(body.as_bytes());
        let says = |times: usize| {
            let mut traffic = Traffic::default();
            for _ in 0..times {
                traffic.arrived(&sent, Instant::now());
            }
            traffic.fault().expect("something is wrong")
        };
        let rest = "the first two say 18,432 bytes; the length is little-endian";
        assert_eq!(says(1), format!("it sent 74 bytes, no complete message: {rest}"));
        // Enough of them are one message of the announced length.
        assert_eq!(says(300), format!("it sent 22,200 bytes: {rest}"));
    }

    #[test]
    fn bytes_that_are_no_message_are_described() {
        let says = |bytes: &[u8]| {
            let mut traffic = Traffic::default();
            traffic.arrived(bytes, Instant::now());
            traffic.fault()
        };
        assert_eq!(says(b""), None);
        let one = "it sent 1 byte, no complete message: expected two bytes with its length";
        assert_eq!(says(b"a").as_deref(), Some(one));
        let text = "it sent 5 bytes, no complete message: the first two say 25,960 bytes";
        assert_eq!(says(b"hello").as_deref(), Some(text));
    }
}
