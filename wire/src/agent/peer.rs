//! The connection to a program, as a [`Conversation`](super::Conversation) needs it.

use std::fmt;
use std::time::Duration;

/// Carries the bytes of one program: over the pipes of a process, a connection, or in the same process.
pub trait Peer: Send {
    /// Writes a line, and passes the bytes of the program to `read` until it returns [`Progress::Done`]. Returns the
    /// time that passed.
    ///
    /// A program may write before it has read everything, so a peer reads while it writes. When the line is written,
    /// the peer calls `read` with no bytes before it waits for the program: a reader that has its answer already, or
    /// needs none, is done. Bytes that the program writes later stay with the peer until the next call.
    ///
    /// # Errors
    ///
    /// If the program has ended, has closed its input or output, or is not done within `limit`. After [`Lost::Late`], a
    /// call with an empty line waits on; what is left of the line before is written then.
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost>;

    /// Returns the place for the lines of the program that are no answers, which a person wants to see when they come.
    /// None if nobody watches.
    fn log(&mut self) -> Option<Log> {
        None
    }

    /// Returns the last lines that the program has written for people, e.g. to standard error; empty if there are none.
    fn told(&mut self) -> String {
        String::new()
    }

    /// Hears that the program has failed and plays no more, as this report says.
    fn failed(&mut self, _report: &str) {}

    /// Hears that the program is not ready: it did not answer `hello` as it should, as this report says.
    fn unready(&mut self, _report: &str) {}

    /// Takes the program back after the game: it is ready for the next one if `is_reusable`, and not needed any more
    /// otherwise.
    fn finish(self: Box<Self>, is_reusable: bool);
}

/// A place for lines that a person reads.
pub struct Log(Box<dyn FnMut(&str) + Send>);

impl Log {
    /// Creates a place that takes each line without its line end, as text that a terminal shows as it is.
    pub fn new(write: impl FnMut(&str) + Send + 'static) -> Self {
        Self(Box::new(write))
    }

    /// Writes a line.
    pub fn write(&mut self, line: &str) {
        (self.0)(line);
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

/// Whether a reader needs more bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It waits for more.
    More,
    /// It has what it needs.
    Done,
}

/// Reasons why a program can answer no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lost {
    /// It could not be started, for this reason.
    NotStarted(String),
    /// This machine could not start it, for this reason: the program is not at fault.
    Host(String),
    /// It has ended, in these words after "its program": `ended with exit code 1`.
    Ended(String),
    /// It runs, and has closed its output, or its input before it answered.
    Closed,
    /// It was not done in time.
    Late,
}
