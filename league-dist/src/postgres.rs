//! A queue in a Postgres database, for workers on many machines.
//!
//! Jobs, leases and heartbeats are those of apalis, in its schema `apalis`; the tables of the schema `league_dist`
//! stand beside them. All times are those of the database: the clocks of the machines need not agree.
//!
//! # When a connection is lost
//!
//! The operation fails as [`Unreachable`](DispatchError::Unreachable), and the next one connects again. Whether the
//! database has carried it out is not known, so each may be repeated. If the answer to a lease is lost, the worker does
//! not know its chunk, and its heartbeats would keep the lease alive: the first lease after a lost connection gives
//! such chunks back.
//!
//! # Results in order
//!
//! The coordinator reads results after the serial of the last one that it has read. Serials are given out before a
//! transaction is committed, so a result with a smaller serial could appear later. Therefore reports of one league lock
//! its row: they are committed in the order of their serials.
//!
//! # What it does not do
//!
//! It has no TLS: see the book's page "Leagues on many machines".

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr as _;
use std::time::Duration;

use apalis_core::task::builder::TaskBuilder;
use apalis_core::worker::context::WorkerContext;
use apalis_postgres::queries::{
    fetch_next, handle_results, keep_alive, lock_tasks, push_tasks, reenqueue_orphaned, register_worker,
};
use apalis_postgres::{Config, PostgresStorage};
use game_env::SimTime;
use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, Row as _};
use tokio::runtime::Runtime;

use crate::chunk::{Chunk, LeagueId};
use crate::columns::{self, column};
use crate::dispatch::{
    Dispatch, DispatchError, Lease, Live, MatchResult, OpenLeague, Reported, WorkerName, WorkerState,
};
use crate::rows::{self, Columns as _, QueueError, WORKERS};
use crate::worker::DEAD_AFTER;

/// An operation that takes longer has failed: without this limit a worker would wait forever for a machine that was
/// switched off.
const LONGEST: Duration = Duration::from_secs(60);

/// Holds back other processes that set up the same database: "league-d" in ASCII.
const SETTING_UP: i64 = 0x6c65_6167_7565_2d64;

const SCHEMA: &str = "
    CREATE SCHEMA IF NOT EXISTS league_dist;
    CREATE TABLE IF NOT EXISTS league_dist.leagues (
        serial BIGSERIAL, id TEXT PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL,
        program TEXT NOT NULL, game TEXT NOT NULL, rules BIGINT NOT NULL, is_open BOOLEAN NOT NULL
    );
    CREATE TABLE IF NOT EXISTS league_dist.workers (
        name TEXT PRIMARY KEY, program TEXT NOT NULL, slots BIGINT NOT NULL, since TIMESTAMPTZ NOT NULL DEFAULT now()
    );
    CREATE TABLE IF NOT EXISTS league_dist.results (
        serial BIGSERIAL, league TEXT NOT NULL, number BIGINT NOT NULL, id TEXT NOT NULL,
        ending TEXT NOT NULL, text TEXT NOT NULL, replay BYTEA, worker TEXT NOT NULL, took_us BIGINT NOT NULL,
        PRIMARY KEY (league, number), UNIQUE (league, serial)
    );
    CREATE TABLE IF NOT EXISTS league_dist.counts (
        league TEXT NOT NULL, worker TEXT NOT NULL, matches BIGINT NOT NULL, PRIMARY KEY (league, worker)
    );
    CREATE TABLE IF NOT EXISTS league_dist.begun (
        league TEXT NOT NULL, number BIGINT NOT NULL, worker TEXT NOT NULL, PRIMARY KEY (league, number, worker)
    );
    CREATE TABLE IF NOT EXISTS league_dist.refused (
        league TEXT NOT NULL, worker TEXT NOT NULL, PRIMARY KEY (league, worker)
    );";

/// A queue in a Postgres database.
pub struct Postgres {
    runtime: Runtime,
    options: PgConnectOptions,
    /// None after an error: the state of the connection is not known then.
    connection: Option<PgConnection>,
    /// The leases that were handed out and have not ended.
    held: BTreeSet<String>,
    /// Whether there may be a lease whose answer was lost.
    is_in_doubt: bool,
}

impl Postgres {
    /// Connects to the database of this address, `postgres://USER@HOST/DATABASE`, and makes the tables if they are not
    /// there.
    ///
    /// Parts that are missing in the address come from the variables of libpq, such as `PGUSER`, and the password also
    /// from `~/.pgpass`.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be reached or used.
    pub fn connect(address: &str) -> Result<Self, DispatchError> {
        let unusable = |what: String| DispatchError::Unusable(format!("{address}: {what}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unusable(error.to_string()))?;
        let options = PgConnectOptions::from_str(address).map_err(|error| unusable(error.to_string()))?;
        let options = options.disable_statement_logging().application_name("league-dist");
        let mut new = Self { runtime, options, connection: None, held: BTreeSet::new(), is_in_doubt: false };
        new.wait(async |connection| {
            sqlx::query("SELECT pg_advisory_lock($1)").bind(SETTING_UP).execute(&mut *connection).await?;
            PostgresStorage::migrations().run(&mut *connection).await.map_err(sqlx::Error::from)?;
            sqlx::raw_sql(SCHEMA).execute(&mut *connection).await?;
            sqlx::query("SELECT pg_advisory_unlock($1)").bind(SETTING_UP).execute(connection).await?;
            Ok(())
        })
        .map_err(|error| match error {
            DispatchError::Unusable(what) => unusable(what),
            DispatchError::Unreachable(what) => DispatchError::Unreachable(format!("{address}: {what}")),
        })?;
        Ok(new)
    }

    /// Runs these statements to their end.
    fn wait<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, QueueError>,
    ) -> Result<T, DispatchError> {
        let Self { runtime, options, connection, .. } = self;
        let done = runtime.block_on(async {
            let all = async {
                let open = match connection {
                    Some(open) => open,
                    None => connection.insert(options.connect().await?),
                };
                work(open).await
            };
            tokio::time::timeout(LONGEST, all).await
        });
        let failed = match done {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => error.told(is_passing),
            Err(_) => DispatchError::Unreachable(format!("no answer within {} s", LONGEST.as_secs())),
        };
        self.connection = None;
        self.is_in_doubt = true;
        Err(failed)
    }
}

/// Without the password.
impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("held", &self.held).finish_non_exhaustive()
    }
}

impl From<apalis_postgres::Error> for QueueError {
    fn from(error: apalis_postgres::Error) -> Self {
        match error {
            apalis_postgres::Error::Database(error) => Self::Database(error),
            apalis_postgres::Error::WorkerOutOfSync => {
                Self::Nonsense("somebody has removed this worker from apalis.workers".to_owned())
            }
            other => Self::Nonsense(other.to_string()),
        }
    }
}

/// Returns whether a later attempt may succeed.
fn is_passing(error: &sqlx::Error) -> bool {
    match error {
        // No server listens, or the connection broke.
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| is_passing_state(&code)),
        _ => false,
    }
}

/// Returns whether a later attempt may succeed after an error with this SQLSTATE: broken connections (08), conflicts
/// with other transactions (40), too many connections or no memory (53), and a server that starts, ends or is stopped
/// (57P).
fn is_passing_state(code: &str) -> bool {
    ["08", "40", "53", "57P"].iter().any(|class| code.starts_with(class))
}

/// Returns whether this worker was refused.
async fn is_refused(
    connection: &mut PgConnection,
    league: LeagueId,
    worker: &WorkerName,
) -> Result<bool, QueueError> {
    let select = "SELECT 1 FROM league_dist.refused WHERE league = $1 AND worker = $2";
    let query = sqlx::query(select).bind(league.to_string()).bind(worker.as_str());
    Ok(query.fetch_optional(connection).await?.is_some())
}

/// The results of a report as columns.
#[derive(Default)]
struct Report {
    numbers: Vec<i64>,
    ids: Vec<String>,
    endings: Vec<&'static str>,
    texts: Vec<String>,
    replays: Vec<Option<Vec<u8>>>,
    took_us: Vec<i64>,
}

impl Report {
    fn of(results: &[MatchResult]) -> Self {
        let mut report = Self::default();
        for MatchResult { number, id, ending, took_us } in results {
            let (ending, text, replay) = columns::of_ending(ending);
            report.numbers.push(column(*number));
            report.ids.push(id.to_string());
            report.endings.push(ending);
            // Postgres has no text with this character, which JSON writes in another way.
            report.texts.push(text.replace('\0', "\u{fffd}"));
            report.replays.push(replay.map(<[u8]>::to_vec));
            report.took_us.push(column(*took_us));
        }
        report
    }
}

impl Dispatch for Postgres {
    fn open(&mut self, league: &OpenLeague) -> Result<(), DispatchError> {
        let OpenLeague { id, name, file, program, game, rules } = league;
        self.wait(async |connection| {
            let insert = "INSERT INTO league_dist.leagues (id, name, file, program, game, rules, is_open)
                VALUES ($1, $2, $3, $4, $5, $6, TRUE) ON CONFLICT (id) DO UPDATE SET is_open = TRUE";
            let query =
                sqlx::query(insert).bind(id.to_string()).bind(name).bind(file).bind(program).bind(game);
            query.bind(i64::from(*rules)).execute(connection).await?;
            Ok(())
        })
    }

    fn close(&mut self, league: LeagueId) -> Result<(), DispatchError> {
        let id = league.to_string();
        self.wait(async |connection| {
            let mut transaction = connection.begin().await?;
            for statement in [
                "UPDATE league_dist.leagues SET is_open = FALSE WHERE id = $1",
                "DELETE FROM apalis.jobs WHERE job_type = $1",
                "DELETE FROM league_dist.begun WHERE league = $1",
            ] {
                sqlx::query(statement).bind(&id).execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(())
        })
    }

    fn is_open(&mut self, league: LeagueId) -> Result<bool, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT 1 FROM league_dist.leagues WHERE id = $1 AND is_open";
            Ok(sqlx::query(select).bind(league.to_string()).fetch_optional(connection).await?.is_some())
        })
    }

    fn leagues(&mut self) -> Result<Vec<LeagueId>, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT id FROM league_dist.leagues WHERE is_open ORDER BY serial";
            let rows = sqlx::query(select).fetch_all(connection).await?;
            Ok(rows.iter().filter_map(|row| rows::league_id(row).ok()).collect())
        })
    }

    fn league(&mut self, league: LeagueId) -> Result<Option<OpenLeague>, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT id, name, file, program, game, rules FROM league_dist.leagues
                WHERE id = $1 AND is_open";
            let row = sqlx::query(select).bind(league.to_string()).fetch_optional(connection).await?;
            Ok(row.and_then(|row| rows::league(&row).ok()))
        })
    }

    fn submit(&mut self, chunks: &[Chunk]) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin().await?;
            for chunk in chunks {
                // The order of the schedule; at a moment long ago, so that no clock matters.
                let first = chunk.matches.first().and_then(|(number, _)| i32::try_from(*number).ok());
                let priority = usize::try_from(i32::MAX - first.unwrap_or(i32::MAX)).unwrap_or(0);
                let task = TaskBuilder::new(chunk.to_json().into_bytes()).priority(priority);
                let task = task.run_at_timestamp(1).build();
                push_tasks(&mut *transaction, &chunk.league.to_string(), vec![task]).await?;
            }
            transaction.commit().await?;
            Ok(())
        })
    }

    fn live(&mut self, league: LeagueId) -> Result<Live, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT id, job FROM apalis.jobs
                WHERE job_type = $1 AND status IN ('Pending', 'Queued', 'Running')";
            let rows = sqlx::query(select).bind(league.to_string()).fetch_all(&mut *connection).await?;
            let (live, dropped) = rows::live(league, &rows)?;
            let drop = "DELETE FROM apalis.jobs WHERE id = ANY($1)";
            sqlx::query(drop).bind(&dropped).execute(connection).await?;
            Ok(live)
        })
    }

    fn results(&mut self, league: LeagueId, after: u64, most: u32) -> Result<Vec<Reported>, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT serial, number, id, ending, text, replay, worker, took_us, program
                FROM league_dist.results LEFT JOIN league_dist.workers ON name = worker
                WHERE league = $1 AND serial > $2 ORDER BY serial LIMIT $3";
            let query =
                sqlx::query(select).bind(league.to_string()).bind(column(after)).bind(i64::from(most));
            query.fetch_all(connection).await?.iter().map(rows::reported).collect()
        })
    }

    fn drop_results(&mut self, league: LeagueId, serials: &[u64]) -> Result<(), DispatchError> {
        let serials: Vec<i64> = serials.iter().map(|serial| column(*serial)).collect();
        self.wait(async |connection| {
            let drop = "DELETE FROM league_dist.results WHERE league = $1 AND serial = ANY($2)";
            sqlx::query(drop).bind(league.to_string()).bind(&serials).execute(connection).await?;
            Ok(())
        })
    }

    fn refuse(&mut self, league: LeagueId, worker: &WorkerName) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin().await?;
            // As a report does: none of this worker is under way when its results are dropped.
            let lock = "SELECT 1 FROM league_dist.leagues WHERE id = $1 FOR UPDATE";
            sqlx::query(lock).bind(league.to_string()).fetch_optional(&mut *transaction).await?;
            for statement in [
                "INSERT INTO league_dist.refused VALUES ($1, $2) ON CONFLICT DO NOTHING",
                "DELETE FROM league_dist.results WHERE league = $1 AND worker = $2",
                "DELETE FROM league_dist.counts WHERE league = $1 AND worker = $2",
                "UPDATE apalis.jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL
                    WHERE job_type = $1 AND lock_by = $2 AND status IN ('Queued', 'Running')",
            ] {
                let query = sqlx::query(statement).bind(league.to_string()).bind(worker.as_str());
                query.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(())
        })
    }

    fn refused(&mut self, league: LeagueId) -> Result<BTreeSet<WorkerName>, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT worker FROM league_dist.refused WHERE league = $1";
            let rows = sqlx::query(select).bind(league.to_string()).fetch_all(connection).await?;
            rows.iter().map(|row| Ok(WorkerName::from(row.text("worker")?))).collect()
        })
    }

    fn take_back(&mut self, league: LeagueId, last: u64) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin().await?;
            let id = league.to_string();
            let jobs = "DELETE FROM apalis.jobs WHERE job_type = $1";
            sqlx::query(jobs).bind(&id).execute(&mut *transaction).await?;
            let drop = "DELETE FROM league_dist.results WHERE league = $1 AND number > $2";
            sqlx::query(drop).bind(&id).bind(column(last)).execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(())
        })
    }

    fn recover(&mut self, _: SimTime) -> Result<u64, DispatchError> {
        let dead_for = u64::from(DEAD_AFTER.as_millis() / 1_000);
        self.wait(async |connection| Ok(reenqueue_orphaned(connection, WORKERS, dead_for).await?))
    }

    fn workers(&mut self, _: SimTime, league: LeagueId) -> Result<Vec<WorkerState>, DispatchError> {
        let dead_for = i64::from(DEAD_AFTER.as_millis() / 1_000);
        self.wait(async |connection| {
            let select = "SELECT * FROM (
                    SELECT name, slots, extract(epoch FROM last_seen - since)::bigint AS seconds,
                        now() - last_seen < make_interval(secs => $2::bigint) AS is_alive,
                        coalesce(matches, 0) AS matches
                    FROM league_dist.workers JOIN apalis.workers ON apalis.workers.id = name
                        LEFT JOIN league_dist.counts ON worker = name AND league = $1
                ) AS states WHERE is_alive OR matches > 0 ORDER BY name COLLATE \"C\"";
            let query = sqlx::query(select).bind(league.to_string()).bind(dead_for);
            let state = |row: &PgRow| rows::worker(row, row.try_get("is_alive")?);
            Ok(query.fetch_all(connection).await?.iter().filter_map(|row| state(row).ok()).collect())
        })
    }

    fn join(
        &mut self,
        _: SimTime,
        worker: &WorkerName,
        program: &str,
        slots: u32,
    ) -> Result<(), DispatchError> {
        let context = WorkerContext::new(worker.as_str());
        self.wait(async |connection| {
            let mut transaction = connection.begin().await?;
            let insert = "INSERT INTO league_dist.workers (name, program, slots) VALUES ($1, $2, $3)
                ON CONFLICT DO NOTHING";
            let query = sqlx::query(insert).bind(worker.as_str()).bind(program).bind(i64::from(slots));
            let joined = query.execute(&mut *transaction).await?.rows_affected();
            // A name belongs to one process: if it is there, the answer to it was lost.
            if joined > 0 {
                let seen = Default::default();
                register_worker(&mut *transaction, WORKERS, &context, &seen, "PostgresStorage").await?;
            }
            keep_alive(&mut *transaction, WORKERS, &context).await?;
            transaction.commit().await?;
            Ok(())
        })
    }

    fn heartbeat(&mut self, _: SimTime, worker: &WorkerName) -> Result<(), DispatchError> {
        let context = WorkerContext::new(worker.as_str());
        self.wait(async |connection| Ok(keep_alive(connection, WORKERS, &context).await?))
    }

    fn lease(&mut self, worker: &WorkerName, league: LeagueId) -> Result<Option<Lease>, DispatchError> {
        let context = WorkerContext::new(worker.as_str());
        let config = Config::default().queue(league.to_string()).batch_size(1);
        let held: Vec<String> =
            if self.is_in_doubt { self.held.iter().cloned().collect() } else { Vec::new() };
        let is_in_doubt = self.is_in_doubt;
        let lease = self.wait(async |connection| {
            let mut transaction = connection.begin().await?;
            if is_in_doubt {
                let give = "UPDATE apalis.jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL
                    WHERE lock_by = $1 AND status IN ('Queued', 'Running') AND NOT id = ANY($2)";
                let query = sqlx::query(give).bind(worker.as_str()).bind(&held);
                query.execute(&mut *transaction).await?;
            }
            let lease = loop {
                if is_refused(&mut transaction, league, worker).await? {
                    break None;
                }
                let tasks = fetch_next(&mut *transaction, &config, &context).await?;
                let Some(task) = tasks.first() else { break None };
                let id = task.task_id().map(ToString::to_string);
                let id = id.ok_or_else(|| QueueError::Nonsense("a job has no id".to_owned()))?;
                let Ok(chunk) = columns::chunk(league, &task.args) else {
                    let drop = "DELETE FROM apalis.jobs WHERE id = $1";
                    sqlx::query(drop).bind(&id).execute(&mut *transaction).await?;
                    continue;
                };
                lock_tasks(&mut *transaction, std::slice::from_ref(&id), worker.as_str()).await?;
                let deaths = u32::try_from(task.attempt()).unwrap_or(u32::MAX);
                break Some(Lease { id, chunk, deaths });
            };
            transaction.commit().await?;
            Ok(lease)
        })?;
        self.is_in_doubt = false;
        self.held.extend(lease.iter().map(|lease| lease.id.clone()));
        Ok(lease)
    }

    fn begin(&mut self, worker: &WorkerName, league: LeagueId, number: u64) -> Result<u32, DispatchError> {
        self.wait(async |connection| {
            let begin = "INSERT INTO league_dist.begun VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            let query = sqlx::query(begin).bind(league.to_string()).bind(column(number));
            query.bind(worker.as_str()).execute(&mut *connection).await?;
            let others = "SELECT count(*) AS others FROM league_dist.begun
                WHERE league = $1 AND number = $2 AND worker <> $3";
            let query = sqlx::query(others).bind(league.to_string()).bind(column(number));
            query.bind(worker.as_str()).fetch_one(connection).await?.small("others")
        })
    }

    fn report(
        &mut self,
        worker: &WorkerName,
        league: LeagueId,
        results: &[MatchResult],
    ) -> Result<bool, DispatchError> {
        let report = Report::of(results);
        self.wait(async |connection| {
            let mut transaction = connection.begin().await?;
            let open = "SELECT 1 FROM league_dist.leagues WHERE id = $1 AND is_open FOR UPDATE";
            let id = league.to_string();
            if sqlx::query(open).bind(&id).fetch_optional(&mut *transaction).await?.is_none()
                || is_refused(&mut transaction, league, worker).await?
            {
                return Ok(false);
            }
            let insert = "WITH added AS (
                    INSERT INTO league_dist.results (league, worker, number, id, ending, text, replay, took_us)
                    SELECT $1, $2, * FROM unnest(
                        $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::bigint[])
                    ON CONFLICT (league, number) DO NOTHING RETURNING 1
                ), forgotten AS (
                    DELETE FROM league_dist.begun WHERE league = $1 AND number = ANY($3)
                )
                INSERT INTO league_dist.counts SELECT $1, $2, count(*) FROM added
                ON CONFLICT (league, worker) DO UPDATE SET matches = counts.matches + excluded.matches";
            let query = sqlx::query(insert).bind(&id).bind(worker.as_str());
            let query = query.bind(&report.numbers).bind(&report.ids).bind(&report.endings);
            let query = query.bind(&report.texts).bind(&report.replays).bind(&report.took_us);
            query.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(true)
        })
    }

    fn finish(&mut self, worker: &WorkerName, lease: &Lease) -> Result<(), DispatchError> {
        let ended = rows::done(lease)?;
        self.wait(async |connection| {
            handle_results(connection, &[&ended], worker.as_str()).await?;
            Ok(())
        })?;
        self.held.remove(&lease.id);
        Ok(())
    }

    fn give_back(
        &mut self,
        worker: &WorkerName,
        lease: &Lease,
        begun: Option<u64>,
    ) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin().await?;
            let give = "UPDATE apalis.jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL
                WHERE id = $1 AND lock_by = $2 AND status IN ('Queued', 'Running')";
            let query = sqlx::query(give).bind(&lease.id).bind(worker.as_str());
            let given = query.execute(&mut *transaction).await?.rows_affected();
            if let Some(number) = begun.filter(|_| given > 0) {
                let forget =
                    "DELETE FROM league_dist.begun WHERE league = $1 AND number = $2 AND worker = $3";
                let query = sqlx::query(forget).bind(lease.chunk.league.to_string()).bind(column(number));
                query.bind(worker.as_str()).execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(())
        })?;
        self.held.remove(&lease.id);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_pass_are_told_from_others() {
        // connection_failure, deadlock_detected, too_many_connections, admin_shutdown, cannot_connect_now.
        for code in ["08006", "40P01", "53300", "57P01", "57P03"] {
            assert!(is_passing_state(code), "{code}");
        }
        // insufficient_privilege, undefined_table, invalid_password, query_canceled.
        for code in ["42501", "42P01", "28P01", "57014"] {
            assert!(!is_passing_state(code), "{code}");
        }
    }
}
