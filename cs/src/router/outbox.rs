//! Bytes that wait to be written to a peer.

use game_env::SimTime;

/// Largest capacity that an empty outbox keeps, in bytes: an idle agent is to cost next to nothing.
const KEPT: usize = 512;

/// Whole frames in the order in which they are to be written, the first perhaps begun.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    bytes: Vec<u8>,
    /// Number of `bytes` that are written.
    written: usize,
    /// Time since which the first unwritten byte waits for the peer to read; of no meaning while there is none.
    waits_since: SimTime,
}

impl Outbox {
    /// Returns the bytes that are to be written next.
    pub(super) fn pending(&self) -> &[u8] {
        &self.bytes[self.written..]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.written
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the time since which the peer has not read, if any bytes wait for it.
    pub(super) fn waits_since(&self) -> Option<SimTime> {
        (!self.is_empty()).then_some(self.waits_since)
    }

    /// Returns the buffer, to append frames to.
    #[inline]
    pub(super) fn end(&mut self, now: SimTime) -> &mut Vec<u8> {
        if self.is_empty() {
            self.waits_since = now;
        }
        &mut self.bytes
    }

    /// Forgets the first bytes, which the peer's connection has taken.
    #[inline]
    pub(super) fn advance(&mut self, now: SimTime, bytes: usize) {
        self.written += bytes;
        self.waits_since = now;
        self.compact();
    }

    #[inline]
    fn compact(&mut self) {
        if self.is_empty() {
            self.bytes.clear();
            self.written = 0;
        } else if self.written > self.bytes.len() / 2 {
            // Moving the rest only when more than half is gone keeps the cost of a byte constant.
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }

    /// Gives back memory that an idle peer does not need.
    pub(super) fn shrink(&mut self) {
        if self.is_empty() && self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
            self.written = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_leave_in_the_order_in_which_they_came() {
        let mut outbox = Outbox::default();
        let mut left = Vec::new();
        let mut next = 0_u8;
        for step in 0..200_usize {
            let now = SimTime::from_millis(step as u64);
            for _ in 0..step % 7 {
                outbox.end(now).push(next);
                next = next.wrapping_add(1);
            }
            let taken = outbox.len().min(step % 5);
            left.extend_from_slice(&outbox.pending()[..taken]);
            outbox.advance(now, taken);
        }
        left.extend_from_slice(outbox.pending());
        assert!(left.iter().enumerate().all(|(at, byte)| usize::from(*byte) == at % 256));
        assert!(left.len() > 500);
    }

    #[test]
    fn a_peer_that_reads_nothing_waits_since_the_first_byte() {
        let mut outbox = Outbox::default();
        assert_eq!(outbox.waits_since(), None);
        outbox.end(SimTime::from_millis(3_000)).push(1);
        outbox.end(SimTime::from_millis(5_000)).push(2);
        assert_eq!(outbox.waits_since(), Some(SimTime::from_millis(3_000)));
        outbox.advance(SimTime::from_millis(7_000), 1);
        assert_eq!(outbox.waits_since(), Some(SimTime::from_millis(7_000)));
        outbox.advance(SimTime::from_millis(8_000), 1);
        assert_eq!(outbox.waits_since(), None);
    }

    /// The memory of a peer that is never quite up to date stays in proportion to the bytes that wait for it.
    #[test]
    fn written_bytes_are_forgotten_when_they_are_more_than_half() {
        let mut outbox = Outbox::default();
        outbox.end(SimTime::START).extend_from_slice(&[0; 100]);
        for (taken, kept) in [(50, 100), (1, 49), (24, 49), (1, 24)] {
            outbox.advance(SimTime::START, taken);
            assert_eq!(outbox.bytes.len(), kept);
        }
        assert_eq!(outbox.len(), 24);
    }

    #[test]
    fn an_empty_outbox_keeps_little_memory() {
        let mut outbox = Outbox::default();
        outbox.end(SimTime::START).extend_from_slice(&[0; 100_000]);
        outbox.advance(SimTime::START, 100_000);
        outbox.shrink();
        assert!(outbox.bytes.capacity() <= KEPT);
    }
}
