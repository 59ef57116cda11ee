//! The agent protocol: an agent is a program that reads and writes lines of JSON, sans-IO.
//!
//! A program in any language plays a seat of any game. It reads one JSON object a line, and writes one:
//!
//! ```text
//! > {"type":"hello","protocol":1,"game":"dots","rules":1,"config":{"rows":3,"cols":3},"agent":1,"teams":[0,1],…}
//! < {"type":"ready","protocol":1}
//! > {"type":"decide","id":1,"now":0,"observation":{…},"events":["#0 drew 0-1"],"options":["0-3","1-2",…]}
//! < {"do":"1-2"}
//! > {"type":"end","now":0,"events":["over #1 normal 1:3"],"winner":1,"points":[1,3],"termination":"normal"}
//! ```
//!
//! [`message`] has the values of these lines. Each game has a room for its own part, the observation and the events:
//! `dots::agent` and so on; that of The Project Game is [`project::agent`](crate::project::agent).
//! [`Conversation`] is the host's side of the lines of one program: it writes messages, and reads answers however the
//! stream is cut. A [`Peer`] carries the bytes. [`program`] is the program's side of the lines, for programs in Rust.
//!
//! # What this module does not do
//!
//! It starts no process and reads no clock: a [`Peer`] does. It decides nothing about a game.
//!
//! # Limits
//!
//! A line of a program has at most [`LONGEST_LINE`] bytes, and JSON in a field that the protocol knows at most 127
//! levels. Lines that are no answers are log lines: at most [`MOST_LOG_LINES`] or [`MOST_LOG_BYTES`] between two
//! answers. An answer has at most [`MOST_SHAPES`] shapes and [`LONGEST_NOTE`] characters of notes; the rest is left
//! out.

mod conversation;
pub mod message;
mod peer;
mod player;
pub mod program;
#[cfg(any(feature = "bricks", feature = "conveyor", feature = "dots", feature = "eriantys"))]
pub(crate) mod read;
mod schema;
mod told;

pub use self::conversation::{Conversation, Fault, LONGEST_SILENCE, NOTICE};
pub use self::peer::{Log, Lost, Peer, Progress};
pub use self::player::{FaultReport, Player, chance};
pub use self::schema::{Described, schema};
pub use self::told::Told;

/// The version of the protocol. Both sides name the highest that they know; the lower one counts.
pub const PROTOCOL: u32 = 1;

/// The longest line of a program, in bytes.
pub const LONGEST_LINE: usize = 1 << 20;

/// The most log lines of a program between two answers.
pub const MOST_LOG_LINES: u32 = 1_000;

/// The most bytes of log lines of a program between two answers.
pub const MOST_LOG_BYTES: usize = 64 * 1024;

/// The number of refused requests in a row after which a person who watches is warned.
pub const REFUSED_IN_A_ROW: u32 = 100;

/// The most shapes of a note.
pub const MOST_SHAPES: usize = 1_000;

/// The longest end of a program's standard error in the report of a fault, in characters.
pub const LONGEST_END_OF_ERRORS: usize = 1_000;

/// The longest text of a note or a label, in characters.
pub const LONGEST_NOTE: usize = 2_000;

/// The most options that a message lists. If there are more, it lists none.
pub const MOST_OPTIONS: usize = 256;
