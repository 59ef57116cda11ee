//! Matches as values: the game, its entrants, and the result.
//!
//! A [`MatchSpec`] holds everything that decides a match: game, configuration, seed, entrants and limits. Playing it
//! gives a [`MatchRecord`]. Both are read from and written as JSON with a version. [`MatchSpec::key`] identifies a
//! match.
//!
//! With the feature `replay`, `play` plays a match in process.
//!
//! This module knows neither games nor strategies: the caller that plays a match decides whether an entrant exists.
//! Replays are files of their own.
//!
//! # The files
//!
//! A match is one JSON object. Only `config` and `limits` may be left out: their values have defaults.
//!
//! ```text
//! {"format":"match","version":1,"game":"dots","config":{"rows":5,"cols":5},"seed":"7",
//!  "entrants":["greedy","random"],
//!  "limits":{"time_ms":43200000,"steps":10000000,"decisions":10000000,"refusals":100}}
//! ```
//!
//! The seed is text because not every reader of JSON has 64-bit numbers. A match without a limit of time has the
//! `time_ms` `null`.
//!
//! A record holds the whole match:
//!
//! ```text
//! {"format":"match-record","version":1,"match":{"format":"match",…},"program":"bots 0.1.0","rules":1,
//!  "outcome":{"places":[1,2],"termination":"normal","fault":null,"returns":[9,7]},
//!  "time_ms":0,"steps":40,"decisions":40,"metrics":{"turns":[21.0,19.0]},
//!  "hash":"00c0ffee00c0ffee","blunders":0,"first_blunders":[]}
//! ```
//!
//! If agents have failed, there is `"failed":[{"agent":1,"at_ms":1800,"how":"crash"}]` at its end.
//!
//! Readers are strict: an unknown member, a repeated one, and a file of another version are errors.
//!
//! # Example
//!
//! ```
//! use game_env::matches::{MatchLimits, MatchSpec};
//! use game_env::{Parameters, Seed, Value};
//!
//! let spec = MatchSpec {
//!     game: "dots".to_owned(),
//!     config: [("rows", Value::Whole(3)), ("cols", Value::Whole(3))].into_iter().collect(),
//!     seed: Seed::new(7),
//!     entrants: vec!["greedy".to_owned(), "random".to_owned()],
//!     limits: MatchLimits::default(),
//! };
//! let read: MatchSpec = spec.to_string().parse()?;
//! assert_eq!((read.key(), &read), (spec.key(), &spec));
//! # Ok::<(), game_env::matches::MatchFileError>(())
//! ```

mod blunders;
mod json;
#[cfg(feature = "replay")]
mod play;
mod record;
mod spec;

pub use self::blunders::Blunders;
pub use self::json::{LONGEST_FILE, MatchFileError};
#[cfg(feature = "replay")]
pub use self::play::{PlayError, play};
pub use self::record::{Failed, MatchRecord, RECORD_FORMAT};
pub use self::spec::{MatchKey, MatchLimits, MatchSpec, SPEC_FORMAT, TooManyAgents, check_line_up, entrants};

/// The version of both formats that this program reads and writes.
pub const VERSION: u32 = 1;

/// The most entrants of a match: agents have ids of 16 bits.
pub const MOST_ENTRANTS: usize = u16::MAX as usize;
