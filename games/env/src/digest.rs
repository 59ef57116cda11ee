//! A hash of a state that is the same on every machine and in every release.
//!
//! XXH64 over fixed-width little-endian values.
//! `std::hash::Hash` is not used: it feeds `usize` and native byte order, and its hashers may change.

use xxhash_rust::xxh64::Xxh64;

/// Collects all that decides a state's future and folds it into 64 bits.
///
/// It is not a defence against forgery: it finds rules that changed and games that drifted apart.
#[derive(Clone)]
pub struct Digest {
    hash: Xxh64,
    length: u64,
}

impl Digest {
    /// Creates an empty digest.
    pub fn new() -> Self {
        Self { hash: Xxh64::new(0), length: 0 }
    }

    /// Adds one byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes(&[value]);
    }

    /// Adds a flag.
    pub fn flag(&mut self, value: bool) {
        self.u8(u8::from(value));
    }

    /// Adds a number of 16 bits.
    pub fn u16(&mut self, value: u16) {
        self.bytes(&value.to_le_bytes());
    }

    /// Adds a number of 32 bits.
    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Adds a number of 64 bits.
    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// Adds a length or a place in a table.
    pub fn length(&mut self, value: usize) {
        self.u64(value as u64);
    }

    /// Adds bytes as they are; a caller that adds a varying number adds their [`Digest::length`] first.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
    }

    /// Returns the hash of all that was added.
    pub fn finish(&self) -> u64 {
        self.hash.digest()
    }

    /// Returns the number of bytes that were added, as a measure of the digest's cost.
    pub fn weight(&self) -> u64 {
        self.length
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads a hash of 16 hexadecimal digits with small letters, as files hold it. `None` for any other text.
pub fn read_hash(text: &str) -> Option<u64> {
    // `from_str_radix` takes a sign and capital letters as well.
    let is_hash = text.len() == 16 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    is_hash.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

/// A hash in JSON: text, because not every reader of JSON has numbers of 64 bits.
#[cfg(any(feature = "matches", feature = "replay"))]
pub(crate) mod hash_as_text {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::text::fit_for_a_log;

    pub(crate) fn serialize<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{hash:016x}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        super::read_hash(&text).ok_or_else(|| {
            let text = fit_for_a_log(&text);
            serde::de::Error::custom(format!("hash `{text}`: expected 16 hexadecimal digits"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published value of XXH64 with seed 0 over nothing, and one that fixes width and byte order.
    #[test]
    fn values_are_those_of_the_specification() {
        assert_eq!(Digest::new().finish(), 0xef46_db37_51d8_e999);
        let mut by_parts = Digest::new();
        by_parts.u16(0x0201);
        by_parts.u8(3);
        let mut whole = Digest::new();
        whole.bytes(&[1, 2, 3]);
        assert_eq!(by_parts.finish(), whole.finish());
        assert_eq!((by_parts.weight(), whole.weight()), (3, 3));
    }
}
