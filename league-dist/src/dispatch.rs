//! The contract between coordinator and workers, sans-IO: a table of chunks and a table of results.
//!
//! Every operation is complete when it returns, and may be repeated after an error. A chunk that is leased belongs to
//! its worker until it is finished or given back, or until the worker has not sent a heartbeat for too long. Then
//! [`Dispatch::recover`] makes it available again, so a chunk may be played twice. Results are stored once for each
//! match.

use std::collections::BTreeSet;
use std::fmt;

use game_env::SimTime;
use game_env::text::fit_for_a_log;
use league::schedule::MatchId;

use crate::chunk::{Chunk, LeagueId};

/// A worker's name: `host-pid-random`, used by one process only. A process that is started again has another name:
/// otherwise it would keep the leases of the dead one alive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkerName(String);

impl WorkerName {
    /// Returns the name of a process on this host. `random` tells processes with the same number apart.
    pub fn new(host: &str, process: u32, random: u32) -> Self {
        let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
        let host: String = host.chars().filter(is_plain).take(60).collect();
        Self(format!("{host}-{process}-{random:08x}"))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A program that can write to a queue can write any text as a name: hidden characters are escaped.
impl fmt::Display for WorkerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fit_for_a_log(&self.0))
    }
}

/// The name as it stands in a queue.
impl From<String> for WorkerName {
    fn from(name: String) -> Self {
        Self(name)
    }
}

/// A league as workers see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenLeague {
    /// Its id in the queue.
    pub id: LeagueId,
    /// Its name, for messages.
    pub name: String,
    /// The league file.
    pub file: String,
    /// Name and version of the program that plays it.
    pub program: String,
    /// The name of the game.
    pub game: String,
    /// The version of the game's rules.
    pub rules: u32,
}

/// A chunk that belongs to a worker for now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    /// Identifies the job in the queue.
    pub id: String,
    /// The matches to play.
    pub chunk: Chunk,
    /// Number of workers that have leased the chunk before and died; 0 for the first.
    pub deaths: u32,
}

/// Ending of a match for its worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It was played.
    Played {
        /// The record, one line of JSON.
        record: String,
        /// The replay, if the league keeps replays.
        replay: Option<Vec<u8>>,
    },
    /// It ended its worker's process too often.
    GivenUp,
    /// It cannot be played, with the reason.
    Unplayable(String),
}

/// Report of a worker on a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchResult {
    /// The number of the match in its league.
    pub number: u64,
    /// Identifier of the match.
    pub id: MatchId,
    /// Ending of the match.
    pub ending: Ending,
    /// Time that the worker took, in microseconds.
    pub took_us: u64,
}

/// A result with its place in the table, as the coordinator reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reported {
    /// Serial number, which grows from result to result of a league.
    pub serial: u64,
    /// Worker that has played the match.
    pub worker: WorkerName,
    /// Name and version of the worker's program.
    pub program: String,
    /// The result; if its row cannot be read, the fault of the row.
    pub result: Result<MatchResult, String>,
}

/// The chunks of a league that are waiting or leased.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Live {
    /// The numbers of all their matches.
    pub matches: BTreeSet<u64>,
    /// The faults of jobs that are no chunks of the league. These jobs were dropped.
    pub dropped: Vec<String>,
}

/// A worker as the queue knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerState {
    /// Its name.
    pub name: WorkerName,
    /// Number of matches that it plays at a time.
    pub slots: u32,
    /// Whether it has sent a heartbeat recently.
    pub is_alive: bool,
    /// Seconds from its start to its last heartbeat.
    pub seconds: u64,
    /// Number of matches of the league that it has played.
    pub matches: u64,
}

/// Reason why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// The queue cannot be reached, or is busy: try again.
    #[error("cannot reach the queue: {0}")]
    Unreachable(String),
    /// The queue has contents that cannot be read, or cannot be used at all.
    #[error("cannot use the queue: {0}")]
    Unusable(String),
}

/// A queue of chunks with their results.
///
/// `now` is the caller's clock. A database that has a clock of its own ignores it.
pub trait Dispatch {
    /// Adds a league that is open, or opens it again.
    ///
    /// # Errors
    ///
    /// Each method fails if the queue cannot be reached or used.
    fn open(&mut self, league: &OpenLeague) -> Result<(), DispatchError>;

    /// Closes a league: its chunks are dropped, and further results are ignored.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn close(&mut self, league: LeagueId) -> Result<(), DispatchError>;

    /// Returns the ids of the open leagues, the oldest first. An id that cannot be read is left out.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn leagues(&mut self) -> Result<Vec<LeagueId>, DispatchError>;

    /// Returns an open league with its file; none if it is not open, or its row cannot be read.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn league(&mut self, league: LeagueId) -> Result<Option<OpenLeague>, DispatchError>;

    /// Returns whether this league is open.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn is_open(&mut self, league: LeagueId) -> Result<bool, DispatchError>;

    /// Adds chunks of an open league.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn submit(&mut self, chunks: &[Chunk]) -> Result<(), DispatchError>;

    /// Returns the matches of all chunks that are waiting or leased, and drops jobs that are no chunks of the league.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn live(&mut self, league: LeagueId) -> Result<Live, DispatchError>;

    /// Returns up to `most` results after this serial, in order. Serials begin at 1.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn results(&mut self, league: LeagueId, after: u64, most: u32) -> Result<Vec<Reported>, DispatchError>;

    /// Drops the results with these serials: their matches can be reported again.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn drop_results(&mut self, league: LeagueId, serials: &[u64]) -> Result<(), DispatchError>;

    /// Refuses a worker: its chunks become available to others, its results are dropped, and from now on it leases and
    /// reports nothing of this league.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn refuse(&mut self, league: LeagueId, worker: &WorkerName) -> Result<(), DispatchError>;

    /// Returns the workers that were refused.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn refused(&mut self, league: LeagueId) -> Result<BTreeSet<WorkerName>, DispatchError>;

    /// Drops all chunks of a league, and the results of all matches after this number: results before them, which
    /// decided their entrants, have changed.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn take_back(&mut self, league: LeagueId, last: u64) -> Result<(), DispatchError>;

    /// Ends the leases of all workers without a recent heartbeat; returns their number.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn recover(&mut self, now: SimTime) -> Result<u64, DispatchError>;

    /// Returns the workers that are alive or have results of this league, in the order of their names. A row that
    /// cannot be read is left out.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn workers(&mut self, now: SimTime, league: LeagueId) -> Result<Vec<WorkerState>, DispatchError>;

    /// Adds a worker. `slots` is the number of matches that it plays at a time.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn join(
        &mut self,
        now: SimTime,
        worker: &WorkerName,
        program: &str,
        slots: u32,
    ) -> Result<(), DispatchError>;

    /// Notes that a worker is alive.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn heartbeat(&mut self, now: SimTime, worker: &WorkerName) -> Result<(), DispatchError>;

    /// Leases the waiting chunk of a league that comes first in the schedule to a worker that has joined; none if no
    /// chunk is waiting, or the worker was refused. Jobs that are no chunks of the league are dropped.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn lease(&mut self, worker: &WorkerName, league: LeagueId) -> Result<Option<Lease>, DispatchError>;

    /// Notes that a worker begins a match which may have ended the process of another; returns how many others have
    /// begun it and not ended it.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn begin(&mut self, worker: &WorkerName, league: LeagueId, number: u64) -> Result<u32, DispatchError>;

    /// Stores results of matches that have none yet, and forgets that they have begun; returns whether the league is
    /// open for this worker.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn report(
        &mut self,
        worker: &WorkerName,
        league: LeagueId,
        results: &[MatchResult],
    ) -> Result<bool, DispatchError>;

    /// Ends a lease whose chunk was played, unless it has ended already.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn finish(&mut self, worker: &WorkerName, lease: &Lease) -> Result<(), DispatchError>;

    /// Makes the chunk of a lease available again, unless the lease has ended already. If a match has begun and not
    /// ended, `begun` is its number: the worker stops of its own accord, so the match is not to blame.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    fn give_back(
        &mut self,
        worker: &WorkerName,
        lease: &Lease,
        begun: Option<u64>,
    ) -> Result<(), DispatchError>;
}
