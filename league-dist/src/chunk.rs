//! Units of work, sans-IO: chunks of the matches of a league.

use std::fmt;
use std::str::FromStr;

use game_env::NotationError;
use game_env::digest::read_hash;
use game_env::text::parser_message;
use league::schedule::MatchId;
use serde::{Deserialize, Serialize};

/// Identifies a league in a queue. It is drawn at random when the league begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LeagueId(u64);

impl LeagueId {
    /// Returns the id with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }
}

/// 16 hexadecimal digits.
impl fmt::Display for LeagueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for LeagueId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        read_hash(text).map(Self).ok_or_else(|| NotationError::new("league", text, "16 hexadecimal digits"))
    }
}

/// Matches that one worker plays one after the other. The matches of a set stay together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// The league of the matches.
    pub league: LeagueId,
    /// The matches with their numbers, in the order of the schedule; at least one.
    pub matches: Vec<(u64, MatchId)>,
}

impl Chunk {
    /// Returns the chunk as a queue holds it: one JSON object.
    pub fn to_json(&self) -> String {
        let matches = self.matches.iter().map(|(number, id)| (*number, id.to_string())).collect();
        let json = serde_json::to_string(&ChunkJson { league: self.league.to_string(), matches });
        json.expect("numbers and texts are JSON")
    }

    /// Reads a chunk from a queue.
    ///
    /// # Errors
    ///
    /// Names the fault of the text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let read: ChunkJson = serde_json::from_str(text).map_err(parser_message)?;
        let league = read.league.parse().map_err(|error: NotationError| error.to_string())?;
        let one = |(number, id): (u64, String)| {
            id.parse().map(|id| (number, id)).map_err(|error: NotationError| error.to_string())
        };
        let matches = read.matches.into_iter().map(one).collect::<Result<Vec<_>, String>>()?;
        if matches.is_empty() {
            Err("a chunk without matches".to_owned())
        } else {
            Ok(Self { league, matches })
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChunkJson {
    league: String,
    matches: Vec<(u64, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_reads_as_it_is_written() {
        let matches = vec![(7, "1-3/17/0".parse().unwrap()), (8, "1-3/17/1".parse().unwrap())];
        let chunk = Chunk { league: LeagueId::new(0xc0ffee), matches };
        assert_eq!(Chunk::from_json(&chunk.to_json()), Ok(chunk.clone()));
        assert_eq!(
            chunk.to_json(),
            r#"{"league":"0000000000c0ffee","matches":[[7,"1-3/17/0"],[8,"1-3/17/1"]]}"#
        );
        for (text, expected) in [
            (r#"{"league":"c0ffee","matches":[[7,"1-3/17/0"]]}"#, "16 hexadecimal digits"),
            (r#"{"league":"0000000000c0ffee","matches":[[7,"3-1/17/0"]]}"#, "e.g. `1-3/17/0`"),
            (r#"{"league":"0000000000c0ffee","matches":[]}"#, "without matches"),
            ("7", "invalid type"),
        ] {
            let error = Chunk::from_json(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
