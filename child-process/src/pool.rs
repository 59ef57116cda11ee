//! Children for synchronous callers: started once, used many times, asked over their standard input and output.

use std::time::Duration;

use crate::child::{Guard, SpawnError};
use crate::command::Command;

/// Starts children that are asked over pipes, and keeps those that are given back for the next caller.
///
/// Clones are the same pool, and serve any number of threads. When the last clone is dropped, all children of the pool
/// are stopped, also those that are still taken; the drop returns when none of their processes is left. A fork of the
/// process cannot use the pool, and stops no child of it.
#[derive(Clone, Debug)]
pub struct Pool(#[cfg(target_os = "linux")] crate::linux::Pool, #[cfg(not(target_os = "linux"))] Guard);

/// A child whose standard input and output are pipes. When it is dropped its input ends; if no exchange was
/// broken off, it has two seconds to end by itself before it is stopped.
#[derive(Debug)]
pub struct Piped(
    #[cfg(target_os = "linux")] crate::linux::Piped,
    #[cfg(not(target_os = "linux"))] std::convert::Infallible,
);

/// Reasons why a child does not answer; in words, after "its program".
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Lost {
    /// It could not be started, for this reason.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// This machine has no room for it, for this reason.
    #[error("could not be started by this machine: {0}")]
    NoRoom(String),
    /// It has ended or was stopped, in the words of [`Ended`](crate::Ended): `ended with exit code 3`.
    #[error("{0}")]
    Ended(String),
    /// It has closed its output, or its input before it answered the line, and still runs.
    #[error("has closed its standard input or output and still runs")]
    Closed,
    /// It was not done within the limit.
    #[error("did not answer in time")]
    Late,
}

impl Pool {
    /// The most children without a caller that are kept for one command.
    pub const MOST_IDLE: usize = 32;

    /// The longest time from the end of a stream to the report of the child's end. Without a report the child is taken
    /// for one that runs, which a busy machine must not decide.
    pub const REPORT_LIMIT: Duration = Duration::from_secs(5);

    /// Creates a pool that starts its children through this guard. Its thread is started with the first child.
    pub fn new(guard: Guard) -> Self {
        Self::with_report_limit(guard, Self::REPORT_LIMIT)
    }

    /// Creates a pool as [`Pool::new`] does. This limit takes the place of [`Pool::REPORT_LIMIT`].
    pub fn with_report_limit(guard: Guard, limit: Duration) -> Self {
        #[cfg(target_os = "linux")]
        return Self(crate::linux::Pool::new(guard, limit));
        #[cfg(not(target_os = "linux"))]
        {
            let _ = limit;
            Self(guard)
        }
    }

    /// Takes a child that was started by an equal command and was given back, or starts one if there is none that runs.
    /// Its standard input and output are pipes, whatever the command says.
    ///
    /// Blocks until the guard of a new child answers; not for asynchronous code. A program that does not exist is no
    /// error here: the first exchange returns [`Lost::NotStarted`].
    ///
    /// # Errors
    ///
    /// If the guard of a new child cannot be started, or this process is a fork of the one that made the pool.
    pub fn take(&self, command: &Command) -> Result<Piped, SpawnError> {
        #[cfg(target_os = "linux")]
        return self.0.take(command).map(Piped);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (command, &self.0);
            Err(SpawnError::NotLinux)
        }
    }

    /// Keeps a child for the next caller with an equal command. The caller has read all that the child writes before it
    /// reads again: later bytes are the first that the next caller reads.
    ///
    /// A child that has ended, or whose last exchange failed, is stopped instead. If the command already has
    /// [`Pool::MOST_IDLE`] idle children, the one that was given back first is stopped.
    pub fn give_back(&self, piped: Piped) {
        #[cfg(target_os = "linux")]
        self.0.give_back(piped.0);
        #[cfg(not(target_os = "linux"))]
        match piped.0 {}
    }
}

impl Piped {
    /// Returns whether it was given back to its pool before. It may have ended since, without a fault.
    pub fn was_given_back(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.0.was_given_back();
        #[cfg(not(target_os = "linux"))]
        match self.0 {}
    }

    /// Writes a line, and passes the bytes of the child's output to `read` until it returns `true`. Returns the wall
    /// time since the call.
    ///
    /// `read` is called first with no bytes, before anything is read: a caller that expects no answer returns `true`
    /// there, and the exchange is over when the line is written. After `true` it is not called again. Bytes arrive in
    /// pieces of at most 64 KiB, cut anywhere; bytes that the child writes later are passed in the next exchange.
    ///
    /// Writing and reading alternate, so a child may write before it has read the line. The line is written whole, also
    /// if `read` returns `true` before. Memory is not allocated unless the exchange fails.
    ///
    /// # Errors
    ///
    /// If the child has ended, has closed a stream, if the exchange is not over within `limit`, or if this process is a
    /// fork of the one that has started the child. When a stream is closed, this waits at most the report limit of its
    /// pool more for the report of the child's end. A child that has closed its input alone, behind the whole line, has
    /// one second to answer. After [`Lost::Late`], the next exchange writes the rest of the line first; after another
    /// error, a part of the line or of the answer may be missing.
    pub fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Duration, Lost> {
        #[cfg(target_os = "linux")]
        return self.0.exchange(line, limit, read);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (line, limit, read);
            match self.0 {}
        }
    }

    /// Returns the end of the child's standard error as text, as [`Tail`](crate::Tail) shows it. It is complete after
    /// an exchange has returned [`Lost::Ended`]; while the child runs, its last bytes may be missing.
    pub fn told(&self) -> String {
        #[cfg(target_os = "linux")]
        return self.0.told();
        #[cfg(not(target_os = "linux"))]
        match self.0 {}
    }
}
