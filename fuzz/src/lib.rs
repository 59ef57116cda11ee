//! Common parts of fuzz targets.
//!
//! [`harness`] drives a server of games of turns with honest players and clients of the input, [`Operation`] is the
//! meaning of one line of the input. The targets assert the rules of their game.

pub mod harness;

mod operation;

pub use self::operation::Operation;

use game_env::text::is_hidden;
use wire::lines::LineDecoder;

/// Asserts that a terminal shows a message of at most this many bytes as it is.
pub fn look_at(text: &str, longest: usize) {
    assert!(text.len() <= longest && !text.chars().any(is_hidden), "{text:?}");
}

/// The lines of a stream that comes in pieces of this length; `None` where one was longer than `limit`.
pub fn lines(stream: &[u8], piece: usize, limit: usize) -> Vec<Option<Vec<u8>>> {
    let mut decoder = LineDecoder::new(limit);
    let mut found = Vec::new();
    for mut part in stream.chunks(piece.max(1)) {
        while let Some(line) = decoder.next(&mut part) {
            found.push(line.ok());
        }
    }
    found
}
