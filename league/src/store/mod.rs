//! Store of the matches that a league has played so far, in one SQLite file. It computes no standings.
//!
//! A match is written in one transaction, before its worker begins another: a process that is killed loses at most the
//! matches that were running. The write-ahead log keeps the file whole.
//!
//! # The file
//!
//! Any reader of SQLite can look into it, also while the league is played. `user_version` is the [`VERSION`] of the
//! schema.
//!
//! | table | columns |
//! |---|---|
//! | `league` | one row: `name`, `file` (the league file), `executor`, `program`, `folder` (where the folders of programs begin; in process, where programs run), `confined` (1 if all programs are) |
//! | `programs` | `file` (named by the command of an entrant; its path begins at `folder`), `hash` (of its content): when the league began, and below it each later version with which it went on; earlier programs wrote stores without this table |
//! | `matches` | `number` (its place in the league, from 1), `id` (`1-3/17/0`: entrants, set, rotation), `key` (of the match as a value), `verdict`, `record` (JSON: match, outcome, metrics), `replay` (its hash, or null) |
//! | `replays` | `hash`, `content` (a replay file) |
//! | `logs` | `number` (of the match), `attempt` (from 1; all but the last were faults of the host), `source`, `text`: what programs wrote, and what else was noted |
//! | `failures` | `number` (of the match), `agent` (from 0), `at_ms` (game time, or null), `how`, `last_line` (of its output): the agents that failed |

mod checkpoints;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::{fmt, io};

use command_line::shown;
use contests::verdict::Verdict;
use game_env::matches::{MatchFileError, MatchRecord};
use game_env::text::fit_for_a_log;
use game_env::{AgentId, Digest, Outcome, SimTime, Termination};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, params};

use self::checkpoints::Checkpoints;
use crate::executor::{Failure, Log, Played};
use crate::program_files::ProgramFiles;
use crate::schedule::MatchId;

/// The version of the schema that this program reads and writes.
pub const VERSION: u32 = 1;

/// Application id, which distinguishes a store from other SQLite files: "leag" in ASCII.
const APPLICATION: u32 = 0x6c65_6167;

/// With a write-ahead log, what was added survives the end of the process at any moment. If the machine loses power,
/// the last matches may be lost, and the file stays whole.
const USUAL_SYNC: &str = "NORMAL";

const SCHEMA: &str = "
    CREATE TABLE league (
        name TEXT NOT NULL, file TEXT NOT NULL, executor TEXT NOT NULL, program TEXT NOT NULL,
        folder TEXT NOT NULL, confined INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE programs (file TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
    CREATE TABLE replays (hash TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
    CREATE TABLE matches (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL,
        verdict TEXT NOT NULL,
        record TEXT NOT NULL,
        replay TEXT REFERENCES replays (hash)
    ) STRICT;
    CREATE TABLE logs (
        number INTEGER NOT NULL, attempt INTEGER NOT NULL, source TEXT NOT NULL, text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX logs_by_number ON logs (number);
    CREATE TABLE failures (
        number INTEGER NOT NULL, agent INTEGER NOT NULL, at_ms INTEGER, how TEXT NOT NULL, last_line TEXT NOT NULL
    ) STRICT;
    CREATE INDEX failures_by_number ON failures (number);";

/// The source of the log that says which worker has played a match, in leagues on many machines.
pub const WORKER: &str = "worker";

/// The folder of a league, with its store.
pub struct Store {
    folder: PathBuf,
    /// None unless matches are added. Dropped before the connection, which then brings the rest of the log in.
    checkpoints: Option<Checkpoints>,
    connection: Connection,
    /// Held for as long as matches are added: two processes never play the same league.
    _lock: Option<File>,
}

/// The league of a store: its name, its file, and the program that plays it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Its name unless its file gives another.
    pub name: String,
    /// The league file.
    pub file: String,
    /// Name of the executor that plays its matches.
    pub executor: String,
    /// Name and version of the program that plays them.
    pub program: String,
    /// Folder at which relative folders of programs begin, and in which programs run that play in process; empty for
    /// the current one.
    pub folder: String,
    /// Whether all programs are confined, also those for which the league file does not ask it.
    pub is_confined: bool,
}

/// A match of a store.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredMatch {
    /// Its place in the league, from 1 on.
    pub number: u64,
    /// Identifier of the match in the league.
    pub id: MatchId,
    /// Verdict: the reason for which the match ended.
    pub verdict: Verdict,
    /// The record of the match.
    pub record: MatchRecord,
}

impl StoredMatch {
    /// Returns whether its game began. A match over the network has no game if an agent did not join, or broke the
    /// protocol before; a match that was given up has none.
    pub fn has_game(&self) -> bool {
        let MatchRecord { outcome, steps, time, .. } = &self.record;
        match outcome.termination {
            Termination::CannotStart | Termination::HostFault => false,
            Termination::Protocol => *steps > 0 || *time > SimTime::START,
            _ => true,
        }
    }
}

/// An error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is one already.
    #[error("{folder} has a league already", folder = shown(.0))]
    Exists(PathBuf),
    /// There is none.
    #[error("{folder} has no league", folder = shown(.0))]
    Missing(PathBuf),
    /// Another process plays this league.
    #[error("another process plays the league in {folder}", folder = shown(.0))]
    InUse(PathBuf),
    /// The file is not a store.
    #[error("{file} is no store of a league", file = shown(.0))]
    Foreign(PathBuf),
    /// Another release has made it.
    #[error("{file} has version {found} of the schema: expected {VERSION}", file = shown(.file))]
    OtherVersion {
        /// The store.
        file: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The folder cannot be used.
    #[error("cannot use {path}: {source}", path = shown(.path))]
    Folder {
        /// The folder, or a file in it.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The database reports an error.
    #[error("cannot use {file}: {source}", file = shown(.file))]
    Database {
        /// The store.
        file: PathBuf,
        /// The error.
        source: rusqlite::Error,
    },
    /// A row makes no sense.
    #[error("match {number} in {file}: {reason}", file = shown(.file))]
    Corrupt {
        /// The store.
        file: PathBuf,
        /// The number of the match.
        number: u64,
        /// The fault of the row.
        reason: String,
    },
}

impl Store {
    /// The name of the file in the folder.
    pub const FILE: &str = "store.sqlite";

    /// SQLite's log of changes that are not in that file yet.
    const LOG: &str = "store.sqlite-wal";

    /// Begins a league in this folder, which is made if it is not there, with these files of its programs.
    ///
    /// # Errors
    ///
    /// Fails if there is a league already, or the folder cannot be written to.
    pub fn create(folder: &Path, origin: &Origin, programs: &ProgramFiles) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(|source| at(folder, source))?;
        let lock = lock(folder)?;
        let connection =
            Connection::open(folder.join(Self::FILE)).map_err(|source| database(folder, source))?;
        let mut store = Self { folder: folder.to_owned(), checkpoints: None, connection, _lock: Some(lock) };
        // A process that was killed before it had made the tables leaves an empty file.
        if store.version()? > 0 || store.has_tables()? {
            return Err(StoreError::Exists(folder.to_owned()));
        }
        store.set_up(origin, programs).map_err(|source| database(folder, source))?;
        store.checkpoints = Some(Checkpoints::start(&store.file()));
        Ok(store)
    }

    /// Opens the league in this folder, to add matches.
    ///
    /// # Errors
    ///
    /// Fails if there is none, another process plays it, or the store has another version of the schema.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::check_is_there(folder)?;
        let lock = lock(folder)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Self::open_with(folder, flags, Some(lock))?;
        store.checkpoints = Some(Checkpoints::start(&store.file()));
        Ok(store)
    }

    /// Opens the league in this folder to look at it, also while it is played. If this user cannot write there, nobody
    /// may play the league meanwhile.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or the store has another version of the schema; and if this user cannot write there, and
    /// the store has a log that is not applied.
    pub fn look(folder: &Path) -> Result<Self, StoreError> {
        Self::check_is_there(folder)?;
        // Not read-only: after a crash, the first program that opens the store applies its log.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match Self::open_with(folder, flags, None) {
            Err(StoreError::Database { source, .. })
                if is_refused(&source) && !folder.join(Self::LOG).exists() =>
            {
                Self::look_without_writing(folder)
            }
            other => other,
        }
    }

    /// Opens a store that nobody writes; SQLite makes no files beside it.
    fn look_without_writing(folder: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let mut uri = "file:".to_owned();
        for letter in folder.join(Self::FILE).to_string_lossy().chars() {
            match letter {
                '%' | '?' | '#' => uri += &format!("%{:02x}", u32::from(letter)),
                letter => uri.push(letter),
            }
        }
        uri += "?immutable=1";
        Self::of_connection(folder, Connection::open_with_flags(uri, flags), None)
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the league that it holds.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn origin(&self) -> Result<Origin, StoreError> {
        let origin = |row: &rusqlite::Row<'_>| {
            let [name, file, executor, program, folder] =
                [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
            Ok(Origin { name, file, executor, program, folder, is_confined: row.get(5)? })
        };
        let query = "SELECT name, file, executor, program, folder, confined FROM league";
        let found = self.connection.query_row(query, [], origin);
        found.optional().map_err(|source| self.error(source))?.ok_or_else(|| StoreError::Foreign(self.file()))
    }

    /// Notes that all programs of the league are confined from now on.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn confine(&mut self) -> Result<(), StoreError> {
        let changed = self.connection.execute("UPDATE league SET confined = 1", []);
        changed.map(|_| ()).map_err(|source| self.error(source))
    }

    /// Notes the files of the league's programs before it goes on with other versions of them.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn note_programs(&mut self, files: &ProgramFiles) -> Result<(), StoreError> {
        let known = self.programs()?;
        let note = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            insert_programs(&transaction, known.missing(files))?;
            transaction.commit()
        };
        note(&mut self.connection).map_err(|source| self.error(source))
    }

    /// Returns the files of the league's programs, each with the versions with which it began and went on; none if an
    /// earlier program wrote the store.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn programs(&self) -> Result<ProgramFiles, StoreError> {
        let read = || {
            if !self.connection.table_exists(None, "programs")? {
                return Ok(ProgramFiles::default());
            }
            let mut statement = self.connection.prepare("SELECT file, hash FROM programs ORDER BY rowid")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        read().map_err(|source| self.error(source))
    }

    /// Adds a match. When this returns, a process that is killed does not lose it.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, or has a match of this number or id.
    pub fn add(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let added = self.connection.transaction().and_then(|transaction| {
            row.insert(&transaction)?;
            insert_logs(&transaction, row.number, &row.played.logs)?;
            insert_failures(&transaction, row.number, &row.played.failures)?;
            transaction.commit()
        });
        added.map_err(|source| database(&self.folder, source))?;
        self.wrote(row.bytes())
    }

    /// Brings all that was added to the disk: a machine that loses power after this has it.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        let sync = |connection: &Connection| {
            connection.pragma_update(None, "synchronous", "FULL")?;
            // A change that waits for the disk, and all before it with it. Equal values of a table would be no change.
            connection.pragma_update(None, "user_version", VERSION)?;
            connection.pragma_update(None, "synchronous", USUAL_SYNC)
        };
        sync(&self.connection).map_err(|source| self.error(source))
    }

    /// Notes that this many bytes were written.
    fn wrote(&mut self, bytes: usize) -> Result<(), StoreError> {
        let noted = match &mut self.checkpoints {
            Some(checkpoints) => checkpoints.wrote(bytes, &self.connection),
            None => Ok(()),
        };
        noted.map_err(|source| self.error(source))
    }

    /// Adds the logs of an attempt at a match that is played again.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub(crate) fn add_failed_attempt(&mut self, number: u64, logs: &[Log]) -> Result<(), StoreError> {
        let added = self.connection.transaction().and_then(|transaction| {
            insert_logs(&transaction, number, logs)?;
            transaction.commit()
        });
        added.map_err(|source| database(&self.folder, source))?;
        self.wrote(logs.iter().map(Log::bytes).sum())
    }

    /// Returns the logs of the match with this number, each with the number of its attempt.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn logs(&self, number: u64) -> Result<Vec<(u64, Log)>, StoreError> {
        let read = || {
            let query = "SELECT attempt, source, text FROM logs WHERE number = ?1 ORDER BY rowid";
            let mut statement = self.connection.prepare(query)?;
            let log = |row: &rusqlite::Row<'_>| {
                let attempt: i64 = row.get(0)?;
                Ok((attempt.unsigned_abs(), Log { source: row.get(1)?, text: row.get(2)? }))
            };
            statement
                .query_map([i64::try_from(number).unwrap_or(i64::MAX)], log)?
                .collect::<rusqlite::Result<_>>()
        };
        read().map_err(|source| self.error(source))
    }

    /// Returns the agents that failed, with the numbers of their matches, in the order of matches and agents.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn failures(&self) -> Result<Vec<(u64, Failure)>, StoreError> {
        let read = || {
            let query = "SELECT number, agent, at_ms, how, last_line FROM failures ORDER BY number, agent";
            let mut statement = self.connection.prepare(query)?;
            let failure = |row: &rusqlite::Row<'_>| {
                let (number, at): (i64, Option<i64>) = (row.get(0)?, row.get(2)?);
                let failure = Failure {
                    agent: AgentId::new(row.get(1)?),
                    at: at.map(|ms| SimTime::from_millis(ms.unsigned_abs())),
                    how: row.get(3)?,
                    last_line: row.get(4)?,
                };
                Ok((number.unsigned_abs(), failure))
            };
            statement.query_map([], failure)?.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|source| self.error(source))
    }

    /// Returns the matches with a log of this source, and its text.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn noted_by(&self, source: &str) -> Result<Vec<(u64, String)>, StoreError> {
        let read = || {
            let mut statement =
                self.connection.prepare("SELECT number, text FROM logs WHERE source = ?1 ORDER BY rowid")?;
            let note = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?));
            statement.query_map([source], note)?.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|source| self.error(source))
    }

    /// Removes the matches of these numbers, with their logs, failures and replays, to be played again.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written; then nothing is removed.
    pub fn remove(&mut self, numbers: &[u64]) -> Result<(), StoreError> {
        let removed = self.connection.transaction().and_then(|transaction| {
            for number in numbers {
                let number = i64::try_from(*number).unwrap_or(i64::MAX);
                transaction.prepare_cached("DELETE FROM logs WHERE number = ?1")?.execute([number])?;
                transaction.prepare_cached("DELETE FROM failures WHERE number = ?1")?.execute([number])?;
                transaction.prepare_cached("DELETE FROM matches WHERE number = ?1")?.execute([number])?;
            }
            // Without it, each replay that is deleted would be looked for in all matches. Few leagues remove any.
            transaction.execute("CREATE INDEX IF NOT EXISTS matches_by_replay ON matches (replay)", [])?;
            let unused = "DELETE FROM replays WHERE hash NOT IN
                (SELECT replay FROM matches WHERE replay IS NOT NULL)";
            transaction.execute(unused, [])?;
            transaction.commit()
        });
        removed.map_err(|source| database(&self.folder, source))
    }

    /// Removes the matches behind this one, as [`remove`](Self::remove) does.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or written; then nothing is removed.
    pub fn remove_behind(&mut self, last: u64) -> Result<(), StoreError> {
        let read = || {
            let mut statement = self.connection.prepare("SELECT number FROM matches WHERE number > ?1")?;
            let last = i64::try_from(last).unwrap_or(i64::MAX);
            let numbers = statement.query_map([last], |row| row.get::<_, i64>(0))?;
            numbers.map(|number| Ok(number?.unsigned_abs())).collect::<rusqlite::Result<Vec<u64>>>()
        };
        let numbers = read().map_err(|source| self.error(source))?;
        if numbers.is_empty() { Ok(()) } else { self.remove(&numbers) }
    }

    /// Returns the outcome of every match by its number, each with this key of the match.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or holds nonsense.
    pub fn outcomes<K>(
        &self,
        key: impl Fn(StoredMatch) -> K,
    ) -> Result<BTreeMap<u64, (K, Outcome)>, StoreError> {
        let mut outcomes = BTreeMap::new();
        self.for_each(u64::MAX, |stored, _| {
            let (number, outcome) = (stored.number, stored.record.outcome);
            outcomes.insert(number, (key(stored), outcome));
            Ok::<(), StoreError>(())
        })?;
        Ok(outcomes)
    }

    /// Calls `each` for all matches up to this number, in order.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or holds nonsense, and if `each` does.
    pub fn for_each<E: From<StoreError>>(
        &self,
        last: u64,
        mut each: impl FnMut(StoredMatch, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut read = || {
            let mut statement = self.connection.prepare(
                "SELECT number, id, verdict, record FROM matches WHERE number <= ?1 ORDER BY number",
            )?;
            let mut rows = statement.query([i64::try_from(last).unwrap_or(i64::MAX)])?;
            while let Some(row) = rows.next()? {
                let (number, record): (i64, String) = (row.get(0)?, row.get(3)?);
                let stored = self.stored(
                    number.unsigned_abs(),
                    &row.get::<_, String>(1)?,
                    &row.get::<_, String>(2)?,
                    &record,
                );
                if let Err(error) = stored.map_err(E::from).and_then(|stored| each(stored, &record)) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        };
        read().unwrap_or_else(|source: rusqlite::Error| Err(self.error(source).into()))
    }

    /// Returns the match of this number.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or holds nonsense.
    pub fn find(&self, number: u64) -> Result<Option<StoredMatch>, StoreError> {
        let query = "SELECT id, verdict, record FROM matches WHERE number = ?1";
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let Ok(key) = i64::try_from(number) else { return Ok(None) };
        let found = self.connection.query_row(query, [key], row).optional();
        let found: Option<(String, String, String)> = found.map_err(|source| self.error(source))?;
        found.map(|(id, verdict, record)| self.stored(number, &id, &verdict, &record)).transpose()
    }

    /// Returns the number of the match with this id.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub(crate) fn number_of(&self, id: &MatchId) -> Result<Option<u64>, StoreError> {
        let query = "SELECT number FROM matches WHERE id = ?1";
        let found = self.connection.query_row(query, [id.to_string()], |row| row.get::<_, i64>(0)).optional();
        Ok(found.map_err(|source| self.error(source))?.map(i64::unsigned_abs))
    }

    /// Returns the replay of the match of this number, if it was kept.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn replay(&self, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let query = "SELECT content FROM matches JOIN replays ON replay = hash WHERE number = ?1";
        let Ok(key) = i64::try_from(number) else { return Ok(None) };
        let found = self.connection.query_row(query, [key], |row| row.get(0)).optional();
        found.map_err(|source| self.error(source))
    }

    /// Returns the number of matches.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn count(&self) -> Result<u64, StoreError> {
        let count = self.connection.query_row("SELECT count(*) FROM matches", [], |row| row.get::<_, i64>(0));
        Ok(count.map_err(|source| self.error(source))?.unsigned_abs())
    }

    fn check_is_there(folder: &Path) -> Result<(), StoreError> {
        if folder.join(Self::FILE).is_file() { Ok(()) } else { Err(StoreError::Missing(folder.to_owned())) }
    }

    fn open_with(folder: &Path, flags: OpenFlags, lock: Option<File>) -> Result<Self, StoreError> {
        Self::of_connection(folder, Connection::open_with_flags(folder.join(Self::FILE), flags), lock)
    }

    fn of_connection(
        folder: &Path,
        connection: rusqlite::Result<Connection>,
        lock: Option<File>,
    ) -> Result<Self, StoreError> {
        let file = folder.join(Self::FILE);
        let connection = connection.map_err(|source| database(folder, source))?;
        let store = Self { folder: folder.to_owned(), checkpoints: None, connection, _lock: lock };
        match store.version()? {
            0 if !store.has_tables()? => return Err(StoreError::Missing(folder.to_owned())),
            0 => return Err(StoreError::Foreign(file)),
            VERSION => {}
            found => return Err(StoreError::OtherVersion { file, found }),
        }
        if store.pragma("application_id")? != APPLICATION {
            return Err(StoreError::Foreign(file));
        }
        store.tune().map_err(|source| store.error(source))?;
        Ok(store)
    }

    fn set_up(&mut self, origin: &Origin, programs: &ProgramFiles) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        self.tune()?;
        let transaction = self.connection.transaction()?;
        transaction.execute_batch(SCHEMA)?;
        let Origin { name, file, executor, program, folder, is_confined } = origin;
        transaction.execute(
            "INSERT INTO league VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![name, file, executor, program, folder, is_confined],
        )?;
        insert_programs(&transaction, ProgramFiles::default().missing(programs))?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()
    }

    fn tune(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "synchronous", USUAL_SYNC)?;
        // See `checkpoints`.
        self.connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        self.connection.pragma_update(None, "foreign_keys", true)
    }

    fn version(&self) -> Result<u32, StoreError> {
        self.pragma("user_version")
    }

    fn pragma(&self, name: &str) -> Result<u32, StoreError> {
        self.connection.pragma_query_value(None, name, |row| row.get(0)).map_err(|source| self.error(source))
    }

    fn has_tables(&self) -> Result<bool, StoreError> {
        let count =
            self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
        Ok(count.map_err(|source| self.error(source))? > 0)
    }

    fn stored(&self, number: u64, id: &str, verdict: &str, record: &str) -> Result<StoredMatch, StoreError> {
        let corrupt = |reason: String| StoreError::Corrupt { file: self.file(), number, reason };
        let id: MatchId = id.parse().map_err(|error| corrupt(format!("{error}")))?;
        let record: MatchRecord =
            record.parse().map_err(|error: MatchFileError| corrupt(error.to_string()))?;
        record.check_teams(id.pairing.sides()).map_err(corrupt)?;
        let own = Verdict::of(record.outcome.termination);
        if verdict.parse() != Ok(own) {
            return Err(corrupt(format!("its verdict is `{}`: expected {own}", fit_for_a_log(verdict))));
        }
        Ok(StoredMatch { number, id, verdict: own, record })
    }

    fn file(&self) -> PathBuf {
        self.folder.join(Self::FILE)
    }

    fn error(&self, source: rusqlite::Error) -> StoreError {
        database(&self.folder, source)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A match as it is written into a store. Workers make it before they lock the store.
#[derive(Debug)]
pub struct Row<'a> {
    number: u64,
    id: String,
    key: String,
    verdict: Verdict,
    record: String,
    /// The hash of the replay.
    hash: Option<String>,
    played: &'a Played,
}

impl<'a> Row<'a> {
    /// Returns the row of the match of this number and id.
    pub fn new(number: u64, id: &MatchId, played: &'a Played) -> Self {
        let hash = played.replay.as_ref().map(|content| {
            let mut digest = Digest::new();
            digest.bytes(content);
            format!("{:016x}", digest.finish())
        });
        let record = &played.record;
        Self {
            number,
            id: id.to_string(),
            key: record.spec.key().to_string(),
            verdict: Verdict::of(record.outcome.termination),
            record: record.to_string(),
            hash,
            played,
        }
    }

    fn insert(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let Self { number, id, key, verdict, record, hash, played } = self;
        if let (Some(hash), Some(content)) = (hash, &played.replay) {
            let mut statement =
                transaction.prepare_cached("INSERT OR IGNORE INTO replays VALUES (?1, ?2)")?;
            statement.execute(params![hash, content])?;
        }
        let mut statement =
            transaction.prepare_cached("INSERT INTO matches VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let number = i64::try_from(*number).unwrap_or(i64::MAX);
        statement.execute(params![number, id, key, verdict.to_string(), record, hash])?;
        Ok(())
    }

    /// Returns the number of bytes that it takes in the store, without indices.
    fn bytes(&self) -> usize {
        let Played { replay, logs, failures, .. } = self.played;
        let replay = replay.as_ref().map_or(0, Vec::len);
        let logs: usize = logs.iter().map(Log::bytes).sum();
        let failures: usize =
            failures.iter().map(|failure| failure.how.len() + failure.last_line.len()).sum();
        self.record.len() + replay + logs + failures
    }
}

fn insert_programs<'a>(
    transaction: &Transaction<'_>,
    versions: impl Iterator<Item = (&'a str, &'a str)>,
) -> rusqlite::Result<()> {
    for (file, hash) in versions {
        transaction.execute("INSERT INTO programs VALUES (?1, ?2)", params![file, hash])?;
    }
    Ok(())
}

/// Writes the logs of one more attempt at a match.
fn insert_logs(transaction: &Transaction<'_>, number: u64, logs: &[Log]) -> rusqlite::Result<()> {
    if logs.is_empty() {
        return Ok(());
    }
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    let last = "SELECT coalesce(max(attempt), 0) FROM logs WHERE number = ?1";
    let attempt: i64 = transaction.query_row(last, [number], |row| row.get(0))?;
    let mut statement = transaction.prepare_cached("INSERT INTO logs VALUES (?1, ?2, ?3, ?4)")?;
    for Log { source, text } in logs {
        statement.execute(params![number, attempt + 1, source, text])?;
    }
    Ok(())
}

fn insert_failures(transaction: &Transaction<'_>, number: u64, failures: &[Failure]) -> rusqlite::Result<()> {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    for Failure { agent, at, how, last_line } in failures {
        let at = at.map(|at| i64::try_from(at.as_millis()).unwrap_or(i64::MAX));
        let mut statement = transaction.prepare_cached("INSERT INTO failures VALUES (?1, ?2, ?3, ?4, ?5)")?;
        statement.execute(params![
            number,
            i64::try_from(agent.index()).unwrap_or(i64::MAX),
            at,
            how,
            last_line
        ])?;
    }
    Ok(())
}

/// Locks the folder, so that no other process plays its league. The system releases the lock when the process ends.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("lock");
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|source| at(&path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(folder.to_owned())),
        Err(TryLockError::Error(source)) => Err(at(&path, source)),
    }
}

fn at(path: &Path, source: io::Error) -> StoreError {
    StoreError::Folder { path: path.to_owned(), source }
}

/// Returns whether the system does not let this user write.
fn is_refused(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, PermissionDenied, ReadOnly};
    error.sqlite_error_code().is_some_and(|code| matches!(code, CannotOpen | PermissionDenied | ReadOnly))
}

fn database(folder: &Path, source: rusqlite::Error) -> StoreError {
    let file = folder.join(Store::FILE);
    if source.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) {
        return StoreError::Foreign(file);
    }
    StoreError::Database { file, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_process;

    /// As root, the tests cannot make a folder that they may not write.
    #[test]
    fn a_store_can_be_read_without_writing() {
        let above = tempfile::tempdir().expect("a folder");
        let folder = above.path().join("50 % of #1?");
        let origin = Origin {
            name: "cup".to_owned(),
            file: "game = \"dots\"\n".to_owned(),
            executor: "in process".to_owned(),
            program: "tests 1.0".to_owned(),
            folder: String::new(),
            is_confined: false,
        };
        drop(Store::create(&folder, &origin, &ProgramFiles::default()).expect("a store"));
        let names = || {
            let entries = std::fs::read_dir(&folder).expect("the folder").flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
            names.sort();
            names
        };
        let before = names();
        let store = Store::look_without_writing(&folder).expect("it can be read");
        assert_eq!((store.origin().expect("its league"), store.count().expect("its matches")), (origin, 0));
        assert_eq!(names(), before);
    }

    /// The log of changes begins anew by this number.
    #[test]
    fn a_match_counts_with_all_that_is_written_of_it() {
        let sound = in_process::tests::played(true);
        let id = "1-2/1/0".parse().expect("an id");
        let bytes = |played: &Played| Row::new(1, &id, played).bytes();
        let without = bytes(&Played { replay: None, ..sound.clone() });
        assert_eq!(bytes(&sound), without + sound.replay.as_ref().map_or(0, Vec::len));
        let mut loud = sound.clone();
        loud.logs.push(Log { source: "host".to_owned(), text: "x".repeat(1_000) });
        let failure =
            Failure { agent: AgentId::new(0), at: None, how: "left".to_owned(), last_line: "y".repeat(500) };
        loud.failures.push(failure);
        assert_eq!(bytes(&loud), bytes(&sound) + 4 + 1_000 + 4 + 500);
    }
}
