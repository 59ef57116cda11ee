//! A queue in an SQLite file, for workers on one machine. For workers on many, there is [`postgres`](crate::postgres).
//!
//! Jobs, leases and heartbeats are those of apalis: a chunk is a job of the type that the league's id names. Beside its
//! tables stand `dist_leagues`, `dist_workers`, `dist_results`, `dist_counts`, `dist_begun` and `dist_refused`. The
//! methods of [`Sqlite`] are complete when they return: a small runtime in it waits for the database.
//!
//! # What it does not do
//!
//! It does not use apalis's workers, whose jobs are futures: matches are computations, and heartbeats must not wait for
//! them.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use apalis_core::backend::WorkerFilter;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::worker::context::WorkerContext;
use apalis_sqlite::queries::{
    ack_tasks, fetch_next, keep_alive, lock_tasks, push_tasks, reenqueue_orphaned, register_worker,
};
use apalis_sqlite::{Config, SqliteStorage};
use game_env::SimTime;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteRow, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use tokio::runtime::Runtime;

use crate::chunk::{Chunk, LeagueId};
use crate::columns::{self, column};
use crate::dispatch::{
    Dispatch, DispatchError, Lease, Live, MatchResult, OpenLeague, Reported, WorkerName, WorkerState,
};
use crate::rows::{self, Columns as _, QueueError, WORKERS};
use crate::worker::{DEAD_AFTER, HEARTBEAT};

/// Longest time that a statement waits for other processes that write.
const BUSY: Duration = Duration::from_secs(60);

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS dist_leagues (
        serial INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, file TEXT NOT NULL,
        program TEXT NOT NULL, game TEXT NOT NULL, rules INTEGER NOT NULL, is_open INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS dist_workers (
        name TEXT PRIMARY KEY, program TEXT NOT NULL, slots INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS dist_results (
        serial INTEGER PRIMARY KEY AUTOINCREMENT, league TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL,
        ending TEXT NOT NULL, text TEXT NOT NULL, replay BLOB, worker TEXT NOT NULL, took_us INTEGER NOT NULL,
        UNIQUE (league, number)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS dist_counts (
        league TEXT NOT NULL, worker TEXT NOT NULL, matches INTEGER NOT NULL, PRIMARY KEY (league, worker)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS dist_begun (
        league TEXT NOT NULL, number INTEGER NOT NULL, worker TEXT NOT NULL, PRIMARY KEY (league, number, worker)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS dist_refused (
        league TEXT NOT NULL, worker TEXT NOT NULL, PRIMARY KEY (league, worker)
    ) STRICT;";

/// A queue in an SQLite file.
#[derive(Debug)]
pub struct Sqlite {
    runtime: Runtime,
    connection: SqliteConnection,
}

impl Sqlite {
    /// Opens the queue in this file, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be used.
    pub fn open_file(file: &Path) -> Result<Self, DispatchError> {
        let unusable = |what: String| DispatchError::Unusable(format!("{}: {what}", file.display()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unusable(error.to_string()))?;
        // Two processes that make the tables at once would each find only a part of them.
        let _lock = lock(file).map_err(|error| unusable(error.to_string()))?;
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(BUSY);
        let connection = runtime.block_on(async {
            let mut connection = options.connect().await?;
            SqliteStorage::migrations().run(&mut connection).await.map_err(sqlx::Error::from)?;
            sqlx::raw_sql(SCHEMA).execute(&mut connection).await?;
            Ok(connection)
        });
        let connection = connection.map_err(|error: sqlx::Error| unusable(error.to_string()))?;
        Ok(Self { runtime, connection })
    }

    /// Runs these statements to their end.
    fn wait<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut SqliteConnection) -> Result<T, QueueError>,
    ) -> Result<T, DispatchError> {
        let Self { runtime, connection } = self;
        runtime.block_on(work(connection)).map_err(|error| error.told(is_passing))
    }
}

impl From<apalis_sqlite::Error> for QueueError {
    fn from(error: apalis_sqlite::Error) -> Self {
        match error {
            apalis_sqlite::Error::Database(error) => Self::Database(error),
            other => Self::Nonsense(other.to_string()),
        }
    }
}

/// Returns whether a later attempt may succeed: another process holds the file.
fn is_passing(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    // 5 is "busy", 6 is "locked"; the upper bytes say more exactly which.
    let code = error.code().and_then(|code| code.parse::<u32>().ok());
    matches!(code.map(|code| code & 0xff), Some(5 | 6))
}

/// Holds back other processes that set up the queue in this file, until it is dropped.
fn lock(file: &Path) -> std::io::Result<File> {
    let mut path = file.as_os_str().to_owned();
    path.push(".lock");
    let lock = File::options().write(true).create(true).truncate(false).open(PathBuf::from(path))?;
    lock.lock()?;
    Ok(lock)
}

/// Returns whether this worker was refused.
async fn is_refused(
    connection: &mut SqliteConnection,
    league: LeagueId,
    worker: &WorkerName,
) -> Result<bool, QueueError> {
    let select = "SELECT 1 FROM dist_refused WHERE league = ?1 AND worker = ?2";
    let query = sqlx::query(select).bind(league.to_string()).bind(worker.as_str());
    Ok(query.fetch_optional(connection).await?.is_some())
}

fn config(queue: &str) -> Config {
    Config::default().queue(queue).batch_size(1).heartbeat_interval(HEARTBEAT.into())
}

impl Dispatch for Sqlite {
    fn open(&mut self, league: &OpenLeague) -> Result<(), DispatchError> {
        let OpenLeague { id, name, file, program, game, rules } = league;
        self.wait(async |connection| {
            let insert = "INSERT INTO dist_leagues (id, name, file, program, game, rules, is_open)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1) ON CONFLICT (id) DO UPDATE SET is_open = 1";
            let query =
                sqlx::query(insert).bind(id.to_string()).bind(name).bind(file).bind(program).bind(game);
            query.bind(i64::from(*rules)).execute(connection).await?;
            Ok(())
        })
    }

    fn close(&mut self, league: LeagueId) -> Result<(), DispatchError> {
        let id = league.to_string();
        self.wait(async |connection| {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            let close = "UPDATE dist_leagues SET is_open = 0 WHERE id = ?1";
            sqlx::query(close).bind(&id).execute(&mut *transaction).await?;
            sqlx::query("DELETE FROM Jobs WHERE job_type = ?1").bind(&id).execute(&mut *transaction).await?;
            sqlx::query("DELETE FROM dist_begun WHERE league = ?1")
                .bind(&id)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(())
        })
    }

    fn is_open(&mut self, league: LeagueId) -> Result<bool, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT 1 FROM dist_leagues WHERE id = ?1 AND is_open = 1";
            Ok(sqlx::query(select).bind(league.to_string()).fetch_optional(connection).await?.is_some())
        })
    }

    fn leagues(&mut self) -> Result<Vec<LeagueId>, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT id FROM dist_leagues WHERE is_open = 1 ORDER BY serial";
            let rows = sqlx::query(select).fetch_all(connection).await?;
            Ok(rows.iter().filter_map(|row| rows::league_id(row).ok()).collect())
        })
    }

    fn league(&mut self, league: LeagueId) -> Result<Option<OpenLeague>, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT id, name, file, program, game, rules FROM dist_leagues
                WHERE id = ?1 AND is_open = 1";
            let row = sqlx::query(select).bind(league.to_string()).fetch_optional(connection).await?;
            Ok(row.and_then(|row| rows::league(&row).ok()))
        })
    }

    fn submit(&mut self, chunks: &[Chunk]) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            for chunk in chunks {
                // The order of the schedule; at a moment long ago, so that no clock matters.
                let first = chunk.matches.first().and_then(|(number, _)| u32::try_from(*number).ok());
                let priority = (u32::MAX - first.unwrap_or(u32::MAX)) as usize;
                let task = TaskBuilder::new(chunk.to_json().into_bytes()).priority(priority);
                let task = task.run_at_timestamp(1).build();
                push_tasks(&mut *transaction, &chunk.league.to_string(), &[task]).await?;
            }
            transaction.commit().await?;
            Ok(())
        })
    }

    fn live(&mut self, league: LeagueId) -> Result<Live, DispatchError> {
        self.wait(async |connection| {
            let select =
                "SELECT id, job FROM Jobs WHERE job_type = ?1 AND status IN ('Pending', 'Queued', 'Running')";
            let rows = sqlx::query(select).bind(league.to_string()).fetch_all(&mut *connection).await?;
            let (live, dropped) = rows::live(league, &rows)?;
            for id in dropped {
                sqlx::query("DELETE FROM Jobs WHERE id = ?1").bind(id).execute(&mut *connection).await?;
            }
            Ok(live)
        })
    }

    fn results(&mut self, league: LeagueId, after: u64, most: u32) -> Result<Vec<Reported>, DispatchError> {
        self.wait(async |connection| {
            let select = "SELECT serial, number, id, ending, text, replay, worker, took_us, program
                FROM dist_results LEFT JOIN dist_workers ON name = worker
                WHERE league = ?1 AND serial > ?2 ORDER BY serial LIMIT ?3";
            let query =
                sqlx::query(select).bind(league.to_string()).bind(column(after)).bind(i64::from(most));
            query.fetch_all(connection).await?.iter().map(rows::reported).collect()
        })
    }

    fn drop_results(&mut self, league: LeagueId, serials: &[u64]) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            for serial in serials {
                let drop = "DELETE FROM dist_results WHERE league = ?1 AND serial = ?2";
                let query = sqlx::query(drop).bind(league.to_string()).bind(column(*serial));
                query.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(())
        })
    }

    fn refuse(&mut self, league: LeagueId, worker: &WorkerName) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            for statement in [
                "INSERT INTO dist_refused VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                "DELETE FROM dist_results WHERE league = ?1 AND worker = ?2",
                "DELETE FROM dist_counts WHERE league = ?1 AND worker = ?2",
                "UPDATE Jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL
                    WHERE job_type = ?1 AND lock_by = ?2 AND status IN ('Queued', 'Running')",
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
            let select = "SELECT worker FROM dist_refused WHERE league = ?1";
            let rows = sqlx::query(select).bind(league.to_string()).fetch_all(connection).await?;
            rows.iter().map(|row| Ok(WorkerName::from(row.text("worker")?))).collect()
        })
    }

    fn take_back(&mut self, league: LeagueId, last: u64) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            let id = league.to_string();
            sqlx::query("DELETE FROM Jobs WHERE job_type = ?1").bind(&id).execute(&mut *transaction).await?;
            let drop = "DELETE FROM dist_results WHERE league = ?1 AND number > ?2";
            sqlx::query(drop).bind(&id).bind(column(last)).execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(())
        })
    }

    fn recover(&mut self, _: SimTime) -> Result<u64, DispatchError> {
        let dead_for = i64::from(DEAD_AFTER.as_millis() / 1_000);
        self.wait(async |connection| {
            // The clock may have been set back: a dead worker is not taken for alive until it has caught up.
            let later = "UPDATE Workers SET last_seen = strftime('%s', 'now')
                WHERE last_seen > CAST(strftime('%s', 'now') AS INTEGER)";
            sqlx::query(later).execute(&mut *connection).await?;
            Ok(reenqueue_orphaned(connection, dead_for, WORKERS, &WorkerFilter::None).await?)
        })
    }

    fn workers(&mut self, _: SimTime, league: LeagueId) -> Result<Vec<WorkerState>, DispatchError> {
        let dead_for = i64::from(DEAD_AFTER.as_millis() / 1_000);
        self.wait(async |connection| {
            let select = "SELECT name, slots, last_seen - coalesce(started_at, last_seen) AS seconds,
                    strftime('%s', 'now') - last_seen < ?2 AS is_alive, coalesce(dist_counts.matches, 0) AS matches
                FROM dist_workers JOIN Workers ON Workers.id = name
                    LEFT JOIN dist_counts ON worker = name AND league = ?1
                WHERE is_alive OR dist_counts.matches > 0 ORDER BY name";
            let query = sqlx::query(select).bind(league.to_string()).bind(dead_for);
            let state = |row: &SqliteRow| rows::worker(row, row.integer("is_alive")? != 0);
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
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            register_worker(&mut *transaction, &config(WORKERS), &context, "SqliteStorage").await?;
            let insert = "INSERT INTO dist_workers VALUES (?1, ?2, ?3)";
            let query = sqlx::query(insert).bind(worker.as_str()).bind(program).bind(i64::from(slots));
            query.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(())
        })
    }

    fn heartbeat(&mut self, _: SimTime, worker: &WorkerName) -> Result<(), DispatchError> {
        let context = WorkerContext::new(worker.as_str());
        self.wait(async |connection| Ok(keep_alive(connection, &config(WORKERS), &context).await?))
    }

    fn lease(&mut self, worker: &WorkerName, league: LeagueId) -> Result<Option<Lease>, DispatchError> {
        let context = WorkerContext::new(worker.as_str());
        self.wait(async |connection| {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            if is_refused(&mut transaction, league, worker).await? {
                return Ok(None);
            }
            loop {
                let tasks = fetch_next(&mut *transaction, &config(&league.to_string()), &context).await?;
                let Some(task) = tasks.first() else {
                    transaction.commit().await?;
                    return Ok(None);
                };
                let id = task.task_id().map(|id| id.to_string());
                let id = id.ok_or_else(|| QueueError::Nonsense("a job has no id".to_owned()))?;
                let Ok(chunk) = columns::chunk(league, &task.args) else {
                    sqlx::query("DELETE FROM Jobs WHERE id = ?1")
                        .bind(&id)
                        .execute(&mut *transaction)
                        .await?;
                    continue;
                };
                lock_tasks(&mut *transaction, std::slice::from_ref(&id), worker.as_str()).await?;
                let row = sqlx::query("SELECT attempts FROM Jobs WHERE id = ?1").bind(&id);
                let deaths = row.fetch_one(&mut *transaction).await?.small("attempts")?;
                transaction.commit().await?;
                return Ok(Some(Lease { id, chunk, deaths }));
            }
        })
    }

    fn begin(&mut self, worker: &WorkerName, league: LeagueId, number: u64) -> Result<u32, DispatchError> {
        self.wait(async |connection| {
            let begin = "INSERT INTO dist_begun VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
            let query = sqlx::query(begin).bind(league.to_string()).bind(column(number));
            query.bind(worker.as_str()).execute(&mut *connection).await?;
            let others = "SELECT count(*) AS others FROM dist_begun
                WHERE league = ?1 AND number = ?2 AND worker <> ?3";
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
        self.wait(async |connection| {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            if is_refused(&mut transaction, league, worker).await? {
                return Ok(false);
            }
            let league = league.to_string();
            let open = "SELECT 1 FROM dist_leagues WHERE id = ?1 AND is_open = 1";
            if sqlx::query(open).bind(&league).fetch_optional(&mut *transaction).await?.is_none() {
                return Ok(false);
            }
            let mut added = 0;
            for MatchResult { number, id, ending, took_us } in results {
                let (ending, text, replay) = columns::of_ending(ending);
                let insert = "INSERT INTO dist_results
                        (league, number, id, ending, text, replay, worker, took_us)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (league, number) DO NOTHING";
                let query = sqlx::query(insert).bind(&league).bind(column(*number)).bind(id.to_string());
                let query = query.bind(ending).bind(text).bind(replay).bind(worker.as_str());
                added += query.bind(column(*took_us)).execute(&mut *transaction).await?.rows_affected();
                let forget = "DELETE FROM dist_begun WHERE league = ?1 AND number = ?2";
                let query = sqlx::query(forget).bind(&league).bind(column(*number));
                query.execute(&mut *transaction).await?;
            }
            let count = "INSERT INTO dist_counts VALUES (?1, ?2, ?3)
                ON CONFLICT (league, worker) DO UPDATE SET matches = matches + excluded.matches";
            let query = sqlx::query(count).bind(&league).bind(worker.as_str()).bind(column(added));
            query.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(true)
        })
    }

    fn finish(&mut self, worker: &WorkerName, lease: &Lease) -> Result<(), DispatchError> {
        let ended = rows::done(lease)?;
        self.wait(async |connection| {
            ack_tasks(connection, &[&ended], worker.as_str()).await?;
            Ok(())
        })
    }

    fn give_back(
        &mut self,
        worker: &WorkerName,
        lease: &Lease,
        begun: Option<u64>,
    ) -> Result<(), DispatchError> {
        self.wait(async |connection| {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            let give = "UPDATE Jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL
                WHERE id = ?1 AND lock_by = ?2 AND status IN ('Queued', 'Running')";
            let query = sqlx::query(give).bind(&lease.id).bind(worker.as_str());
            let given = query.execute(&mut *transaction).await?.rows_affected();
            if let Some(number) = begun.filter(|_| given > 0) {
                let forget = "DELETE FROM dist_begun WHERE league = ?1 AND number = ?2 AND worker = ?3";
                let query = sqlx::query(forget).bind(lease.chunk.league.to_string()).bind(column(number));
                query.bind(worker.as_str()).execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(())
        })
    }
}
