//! Replays: an episode as the actions that were taken, so that it can be watched, checked and continued.
//!
//! A replay holds the inputs of a game (configuration, seed, actions, disruptions) and not its results: events and
//! boards are computed again by the rules that are in this program.
//! Hashes of the state, written at intervals, show whether the rules still do what they did.
//!
//! # The file
//!
//! JSON, one document a line, compressed with Zstandard (reading takes plain text as well).
//! The first line is the [`Header`]; every other line is a [`Record`]:
//!
//! ```text
//! {"format":"game-replay","version":1,"game":"pebbles","rules":1,"program":"bots 0.1.0",
//!  "seed":"7","start":"00c0ffee00c0ffee","config":{"heap":21},
//!  "players":[{"team":0,"name":"greedy"},{"team":1,"name":"random"}]}
//! {"t":1500,"a":0,"do":"take 1"}              at 1.5 s agent 0 asked for this
//! {"t":1500,"a":0,"note":{"text":"leave four","shapes":[{"field":[2,0]}]}}   what it had to say with it
//! {"t":1700,"lost":1}                         agent 1 is gone; likewise `late` for a missed deadline
//! {"t":1700,"forfeited":1,"reason":"crash"}   agent 1 gave up or was made to
//! {"t":1700,"ended":"stopped"}                the episode was ended from outside
//! {"t":1700,"seed":"42"}                      all that follows is drawn from this seed: the game was played on from here
//! {"t":1500,"n":256,"hash":"00c0ffee00c0ffee"}   the state after 256 actions and disruptions
//! {"t":9000,"n":300,"hash":"…","end":{"places":[1,2],"termination":"normal","returns":[1,0]}}
//! ```
//!
//! Shapes of a note are `{"field":[x,y]}`, `{"line":[x,y,x,y]}` and `{"label":[x,y,"text"]}`. An `end` that was an
//! agent's fault has the key `fault` with its id.
//!
//! A player that had a connection also has the key `number`.
//!
//! A replay of another version is refused. A replay of other rules is refused; the message names the program that wrote
//! it.
//!
//! `t` is a time in milliseconds since the start, at most [`LATEST`], and never runs back.
//!
//! A file without an `end` was cut off: it is played up to the break, and the reader says so.
//!
//! # Example
//!
//! ```
//! use game_env::examples::pebbles::{Observation, Pebbles, Take};
//! use game_env::replay::{Header, Player, Playback, Writer};
//! use game_env::{AgentId, Environment, Rollout, Seed, SimTime, TeamId};
//!
//! let (heap, seed) = (21, Seed::new(7));
//! let mut game = Pebbles::new(&heap, seed);
//! let header = Header::new::<Pebbles>(&heap, seed, Player::all(&game, |_| "one-taker"), "docs 1.0");
//! let mut writer = Writer::new(Vec::new(), &header)?;
//! let one = |_: SimTime, _: AgentId, _: &Observation| Take::new(1);
//! Rollout::default().play(&mut game, &mut [one, one], &mut writer);
//! let file: Vec<u8> = writer.finish()?;
//!
//! let mut playback = Playback::<Pebbles>::open(&file[..])?;
//! let summary = playback.run(&mut ())?;
//! assert!(summary.completeness.is_complete());
//! assert_eq!(summary.outcome.and_then(|outcome| outcome.winner()), Some(TeamId::new(0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod episode;
mod header;
mod line;
mod playback;
mod reader;
mod writer;

pub use self::episode::{Fork, RecordedEpisode};
pub use self::header::{Header, Player};
pub use self::line::Record;
pub use self::playback::{Playback, Progress, Summary};
pub use self::reader::{Completeness, Reader, ReplayError};
pub use self::writer::Writer;
use crate::time::SimTime;

/// The name of the format in the first line of every replay.
pub const FORMAT: &str = "game-replay";

/// The version of the format that this program reads and writes.
pub const VERSION: u32 = 1;

/// The latest moment of a replay: 10¹² ms, 31 years. Sums of such times over all agents of any game fit into 63 bits.
pub const LATEST: SimTime = SimTime::from_millis(1_000_000_000_000);

/// A hash of the state is written after at least this many actions and disruptions; of a large state more rarely, so
/// that hashing costs a recording little whatever the size of the board.
pub const HASH_INTERVAL: u64 = 256;

/// The longest line after the header, in bytes: room for an action of some million numbers. A reader needs a few times
/// this much memory at the most.
const LONGEST_LINE: usize = 16 << 20;

/// The longest header, in bytes: room for long names of many agents.
const LONGEST_HEADER: usize = 4 << 20;

/// The base 2 logarithm of the largest window that a file may be compressed with, and that a reader needs memory for.
/// A recorder uses 2²¹ bytes; `zstd -19` makes smaller files with 2²³.
const LARGEST_WINDOW: u32 = 24;

/// The number of bytes of a state's digest for which the interval between two hashes grows by one action or disruption.
const DIGEST_BYTES_PER_ACTION: u64 = 8;
