//! The changes that have to be on disk before they are answered: one [`Record`] for each, as one line of text.
//!
//! ```text
//! match 7 42 2 expert                                        match 7 with the seed 42 begins, of 2 players
//! player 7 white sage 00112233445566778899aabbccddeeff Ada   its next player
//! action 7 island red 3                                      the player whose turn it is did this
//! state 7 2 0123456789abcdef                                 now it is in round 2, and the state has this hash
//! lost 7                                                     a player was away for too long: the match is over
//! matches 8                                                  the next match has at least this number
//! ```
//!
//! That a match is over by its last action follows from the rules. The result of a match whose actions are no longer
//! kept is `result 7 ` and its `EndMatchMessage`. Lobbies are not written down.

use std::fmt;
use std::str::FromStr;

use game_env::digest::read_hash;
use game_env::{NotationError, Seed};
use game_eriantys::Action;
use wire::eriantys::notice::EndMatchMessage;
use wire::eriantys::words::{RuleSet, TowerColor, WizardFamily};
use wire::eriantys::{Decoder, Message as _, NOTICE_LIMIT, Notice, Profile, Token};

/// The number of a match on its server, from 1.
pub type MatchId = u64;

/// A change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Record {
    /// A match begins; its players follow.
    Match {
        /// The match.
        id: MatchId,
        /// The seed of all that is drawn.
        seed: Seed,
        /// The number of players.
        players: u8,
        /// The rules.
        rules: RuleSet,
    },
    /// The next player of a match, in the order of their seats.
    Player(MatchId, Token, Profile),
    /// The player whose turn it is did something.
    Action(MatchId, Action),
    /// The state after all that is written before it: its round, and its hash.
    State(MatchId, u8, u64),
    /// A match is over because a player was away for too long.
    Lost(MatchId),
    /// The result of a match whose actions are no longer kept.
    Result(MatchId, EndMatchMessage),
    /// The least number of the next match.
    Count(MatchId),
}

impl crate::journal::Record for Record {
    const HEADER: &'static str = "eriantys-journal 1";
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match { id, seed, players, rules } => write!(f, "match {id} {seed} {players} {rules}"),
            Self::Player(id, token, Profile { nickname, tower, wizard }) => {
                write!(f, "player {id} {tower} {wizard} {token} {nickname}")
            }
            Self::Action(id, action) => write!(f, "action {id} {action}"),
            Self::State(id, round, hash) => write!(f, "state {id} {round} {hash:016x}"),
            Self::Lost(id) => write!(f, "lost {id}"),
            Self::Result(id, result) => {
                let mut line = Vec::new();
                Notice::from(result.clone()).write(&mut line);
                write!(f, "result {id} {}", String::from_utf8_lossy(&line).trim_end())
            }
            Self::Count(matches) => write!(f, "matches {matches}"),
        }
    }
}

impl FromStr for Record {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            let (kind, rest) = text.split_once(' ')?;
            // The last field may have blanks itself.
            let fields = |count: usize| -> Option<Vec<&str>> {
                let fields: Vec<&str> = rest.splitn(count, ' ').collect();
                (fields.len() == count).then_some(fields)
            };
            Some(match kind {
                "match" => {
                    let fields = fields(4)?;
                    Self::Match {
                        id: fields[0].parse().ok()?,
                        seed: fields[1].parse().ok()?,
                        players: fields[2].parse().ok()?,
                        rules: word(&RuleSet::ALL, RuleSet::word, fields[3])?,
                    }
                }
                "player" => {
                    let fields = fields(5)?;
                    let profile = Profile {
                        tower: word(&TowerColor::ALL, TowerColor::word, fields[1])?,
                        wizard: word(&WizardFamily::ALL, WizardFamily::word, fields[2])?,
                        nickname: fields[4].parse().ok()?,
                    };
                    Self::Player(fields[0].parse().ok()?, fields[3].parse().ok()?, profile)
                }
                "action" => {
                    let fields = fields(2)?;
                    Self::Action(fields[0].parse().ok()?, fields[1].parse().ok()?)
                }
                "state" => {
                    let fields = fields(3)?;
                    Self::State(fields[0].parse().ok()?, fields[1].parse().ok()?, read_hash(fields[2])?)
                }
                "lost" => Self::Lost(rest.parse().ok()?),
                "result" => {
                    let fields = fields(2)?;
                    let Notice::EndMatchMessage(result) = message(fields[1])? else { return None };
                    Self::Result(fields[0].parse().ok()?, result)
                }
                "matches" => Self::Count(rest.parse().ok()?),
                _ => return None,
            })
        };
        let read = read().filter(|record| record.to_string() == text);
        read.ok_or_else(|| {
            NotationError::new("record", text, "a record of a journal, e.g. `action 7 island red 3`")
        })
    }
}

/// Returns the message that a line holds.
fn message(line: &str) -> Option<Notice> {
    let mut bytes = &*[line.as_bytes(), b"\n"].concat();
    Decoder::<Notice>::new(NOTICE_LIMIT).next(&mut bytes)?.ok()
}

/// Returns the value with this word.
fn word<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str, text: &str) -> Option<T> {
    all.iter().copied().find(|value| word(*value) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_as_they_are_written() {
        for text in [
            "match 7 42 4 simple",
            "player 7 grey witch 00112233445566778899aabbccddeeff Ada Lovelace",
            "action 7 island red 3",
            "action 7 jester yb for rr",
            "state 7 10 00000000000000ff",
            "lost 7",
            r#"result 7 {"type":"EndMatchMessage","winners":["Ada L."],"reason":"bag","text":"Ada L. wins this match"}"#,
            "matches 8",
        ] {
            assert_eq!(text.parse::<Record>().map(|record| record.to_string()).as_deref(), Ok(text));
        }
        for text in [
            "",
            "lost",
            "match 7 42 4",
            "match 7 42 4 hard",
            "match 7 42 +4 simple",
            "player 7 grey witch 00112233445566778899aabbccddeeff",
            "player 7 grey witch 0011 Ada",
            "action 7",
            "action 7 jump",
            "state 7 10 ff",
            "end 7",
            "result 7 Ada",
            r#"result 7 {"type":"Ping"}"#,
        ] {
            assert!(text.parse::<Record>().is_err(), "{text}");
        }
    }
}
