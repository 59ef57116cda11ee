//! Rows of a database of any kind, and their faults.

use std::fmt;
use std::str::FromStr as _;

use apalis_core::backend::TaskResult;
use apalis_core::task::status::Status;
use apalis_core::task::task_id::TaskId;
use game_env::text::fit_for_a_log;
use sqlx::{ColumnIndex, Decode, Row, Type};

use crate::chunk::LeagueId;
use crate::columns;
use crate::dispatch::{
    DispatchError, Lease, Live, MatchResult, OpenLeague, Reported, WorkerName, WorkerState,
};

/// The type of all workers in apalis's table: it recovers the jobs of dead workers of one type.
pub(crate) const WORKERS: &str = "league-dist";

/// An error of the database, of apalis, or of the contents of the tables.
pub(crate) enum QueueError {
    Database(sqlx::Error),
    Nonsense(String),
}

impl QueueError {
    /// Returns the error as callers of the queue see it; `is_passing` says whether a later attempt may succeed.
    pub(crate) fn told(self, is_passing: impl FnOnce(&sqlx::Error) -> bool) -> DispatchError {
        match self {
            Self::Database(error) if is_passing(&error) => DispatchError::Unreachable(error.to_string()),
            Self::Database(error) => DispatchError::Unusable(error.to_string()),
            Self::Nonsense(what) => DispatchError::Unusable(what),
        }
    }
}

/// Returns the fault of a row that is left out.
impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(error) => f.write_str(&fit_for_a_log(&error.to_string())),
            Self::Nonsense(what) => f.write_str(what),
        }
    }
}

impl From<sqlx::Error> for QueueError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// Values in the columns of a row.
pub(crate) trait Columns {
    fn integer(&self, column: &str) -> Result<i64, QueueError>;

    fn text(&self, column: &str) -> Result<String, QueueError>;

    fn text_if_any(&self, column: &str) -> Result<Option<String>, QueueError>;

    fn bytes(&self, column: &str) -> Result<Vec<u8>, QueueError>;

    fn bytes_if_any(&self, column: &str) -> Result<Option<Vec<u8>>, QueueError>;

    fn number(&self, column: &str) -> Result<u64, QueueError> {
        let found = self.integer(column)?;
        u64::try_from(found)
            .map_err(|_| QueueError::Nonsense(format!("{column} is {found}: expected 0 or more")))
    }

    fn small(&self, column: &str) -> Result<u32, QueueError> {
        let found = self.number(column)?;
        u32::try_from(found)
            .map_err(|_| QueueError::Nonsense(format!("{column} is {found}: expected 32 bits")))
    }
}

impl<R: Row> Columns for R
where
    for<'c> &'c str: ColumnIndex<R>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> Option<String>: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> Vec<u8>: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> Option<Vec<u8>>: Decode<'r, R::Database> + Type<R::Database>,
{
    fn integer(&self, column: &str) -> Result<i64, QueueError> {
        Ok(self.try_get(column)?)
    }

    fn text(&self, column: &str) -> Result<String, QueueError> {
        Ok(self.try_get(column)?)
    }

    fn text_if_any(&self, column: &str) -> Result<Option<String>, QueueError> {
        Ok(self.try_get(column)?)
    }

    fn bytes(&self, column: &str) -> Result<Vec<u8>, QueueError> {
        Ok(self.try_get(column)?)
    }

    fn bytes_if_any(&self, column: &str) -> Result<Option<Vec<u8>>, QueueError> {
        Ok(self.try_get(column)?)
    }
}

/// Returns the numbers of the matches of a league that its jobs have, and the ids of the jobs that are no chunks of the
/// league, each with its fault.
pub(crate) fn live<R: Columns>(league: LeagueId, jobs: &[R]) -> Result<(Live, Vec<String>), QueueError> {
    let (mut live, mut dropped) = (Live::default(), Vec::new());
    for job in jobs {
        let read = job.bytes("job").map_err(|error| error.to_string());
        match read.and_then(|bytes| columns::chunk(league, &bytes)) {
            Ok(chunk) => live.matches.extend(chunk.matches.iter().map(|(number, _)| *number)),
            Err(why) => {
                live.dropped.push(why);
                dropped.push(job.text("id")?);
            }
        }
    }
    Ok((live, dropped))
}

/// Returns the id of the league of a row.
pub(crate) fn league_id(row: &impl Columns) -> Result<LeagueId, QueueError> {
    LeagueId::from_str(&row.text("id")?).map_err(|error| nonsense(&error))
}

/// Returns the league of a row.
pub(crate) fn league(row: &impl Columns) -> Result<OpenLeague, QueueError> {
    Ok(OpenLeague {
        id: league_id(row)?,
        name: row.text("name")?,
        file: row.text("file")?,
        program: row.text("program")?,
        game: row.text("game")?,
        rules: row.small("rules")?,
    })
}

/// Returns the result of a row, with the worker's program. Others can write a row: a fault in it is no fault of the
/// queue.
pub(crate) fn reported(row: &impl Columns) -> Result<Reported, QueueError> {
    let result = || -> Result<MatchResult, QueueError> {
        let ending = columns::ending(&row.text("ending")?, row.text("text")?, row.bytes_if_any("replay")?);
        Ok(MatchResult {
            number: row.number("number")?,
            id: row.text("id")?.parse().map_err(|error| nonsense(&error))?,
            ending: ending.map_err(QueueError::Nonsense)?,
            took_us: row.number("took_us")?,
        })
    };
    Ok(Reported {
        serial: row.number("serial")?,
        worker: WorkerName::from(row.text("worker").unwrap_or_default()),
        program: row.text_if_any("program").ok().flatten().unwrap_or_default(),
        result: result().map_err(|error| error.to_string()),
    })
}

/// Returns the worker of a row.
pub(crate) fn worker(row: &impl Columns, is_alive: bool) -> Result<WorkerState, QueueError> {
    Ok(WorkerState {
        name: WorkerName::from(row.text("name")?),
        slots: row.small("slots")?,
        is_alive,
        // A clock that was set back makes this negative.
        seconds: u64::try_from(row.integer("seconds")?).unwrap_or(0),
        matches: row.number("matches")?,
    })
}

/// Returns the report for apalis on a lease whose chunk was played.
pub(crate) fn done(lease: &Lease) -> Result<TaskResult<serde_json::Value>, DispatchError> {
    let task_id = TaskId::from_str(&lease.id);
    let task_id = task_id.map_err(|error| DispatchError::Unusable(format!("job {}: {error}", lease.id)))?;
    let (attempt, result) = (lease.deaths as usize, Ok(serde_json::Value::Null));
    Ok(TaskResult { task_id, attempt, status: Status::Done, result })
}

fn nonsense(error: &game_env::NotationError) -> QueueError {
    QueueError::Nonsense(error.to_string())
}
