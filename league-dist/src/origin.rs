//! Address of a league's queue: the file `queue.json` in the league's folder.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use command_line::{read_text, shown};
use game_env::text::parser_message;
use serde::{Deserialize, Serialize};

use crate::chunk::LeagueId;
use crate::dispatch::{Dispatch, DispatchError};
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;

/// The name of the file.
pub const FILE: &str = "queue.json";

/// The longest file, in bytes: an address and an id.
const LONGEST_FILE: u64 = 64 << 10;

const FORMAT: &str = "league-queue";
const VERSION: u32 = 1;

/// The address of a queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Address {
    /// An SQLite file, written `sqlite://FILE`.
    Sqlite(PathBuf),
    /// A Postgres database, written `postgres://USER@HOST/DATABASE`; never with a password, because addresses are
    /// printed and stored.
    Postgres(String),
}

impl Address {
    /// Returns the same queue, with a path that does not depend on the current folder.
    ///
    /// # Errors
    ///
    /// Fails if the current folder cannot be found.
    pub fn absolute(&self) -> std::io::Result<Self> {
        match self {
            Self::Sqlite(file) => std::path::absolute(file).map(Self::Sqlite),
            Self::Postgres(_) => Ok(self.clone()),
        }
    }

    /// Opens the queue. A file or tables that are not there are made.
    ///
    /// # Errors
    ///
    /// Fails if the queue cannot be reached or used.
    pub fn open(&self) -> Result<Box<dyn Dispatch>, DispatchError> {
        Ok(match self {
            Self::Sqlite(file) => Box::new(Sqlite::open_file(file)?),
            Self::Postgres(address) => Box::new(Postgres::connect(address)?),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "sqlite://{}", file.display()),
            Self::Postgres(address) => f.write_str(address),
        }
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(file) = text.strip_prefix("sqlite://").filter(|file| !file.is_empty()) {
            return Ok(Self::Sqlite(PathBuf::from(file)));
        }
        let rest = ["postgres://", "postgresql://"].iter().find_map(|scheme| text.strip_prefix(scheme));
        let rest = rest.filter(|rest| !rest.is_empty()).ok_or(
            "expected sqlite://FILE or postgres://USER@HOST/DATABASE, e.g. `sqlite://results/queue.db`",
        )?;
        let host_and_user = rest.split(['/', '?']).next().unwrap_or_default();
        let has_password = host_and_user.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
        if has_password || rest.contains("?password=") || rest.contains("&password=") {
            return Err("an address with a password would be printed and stored: \
                        set PGPASSWORD, or write the password into ~/.pgpass"
                .to_owned());
        }
        Ok(Self::Postgres(text.to_owned()))
    }
}

/// The queue and the league of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueOrigin {
    /// The queue.
    pub queue: Address,
    /// The league's id in it.
    pub league: LeagueId,
}

/// Reason why `queue.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// There is none.
    #[error("{folder} has no {FILE}: it is no league of a queue", folder = shown(.0))]
    Missing(PathBuf),
    /// It cannot be read or written.
    #[error("cannot use {file}: {reason}", file = shown(.file))]
    Faulty {
        /// The file.
        file: PathBuf,
        /// The fault.
        reason: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OriginJson {
    format: String,
    version: u32,
    queue: String,
    league: String,
}

impl QueueOrigin {
    /// Reads the file of this folder.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or it has faults.
    pub fn read(folder: &Path) -> Result<Self, OriginError> {
        let file = folder.join(FILE);
        let faulty = |reason: String| OriginError::Faulty { file: file.clone(), reason };
        let text = match read_text(&file, LONGEST_FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(OriginError::Missing(folder.to_owned()));
            }
            Err(error) => return Err(faulty(error.to_string())),
        };
        let read: OriginJson = serde_json::from_str(&text).map_err(|error| faulty(parser_message(error)))?;
        if read.format != FORMAT || read.version > VERSION {
            let found = (read.format, read.version);
            return Err(faulty(format!("expected {FORMAT} up to version {VERSION}, found {found:?}")));
        }
        let queue = read.queue.parse().map_err(&faulty)?;
        let league =
            read.league.parse().map_err(|error: game_env::NotationError| faulty(error.to_string()))?;
        Ok(Self { queue, league })
    }

    /// Writes the file into this folder.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), OriginError> {
        let file = folder.join(FILE);
        let (queue, league) = (self.queue.to_string(), self.league.to_string());
        let json = OriginJson { format: FORMAT.to_owned(), version: VERSION, queue, league };
        let json = serde_json::to_string_pretty(&json).expect("texts are JSON");
        whole_file::write(&file, |out| writeln!(out, "{json}"))
            .map_err(|error| OriginError::Faulty { file, reason: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_file_reads_as_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(QueueOrigin::read(folder.path()), Err(OriginError::Missing(_))));
        let origin =
            QueueOrigin { queue: "sqlite:///tmp/queue.db".parse().unwrap(), league: LeagueId::new(7) };
        origin.write(folder.path()).unwrap();
        assert_eq!(QueueOrigin::read(folder.path()).unwrap(), origin);
        fs::write(folder.path().join(FILE), "{}").unwrap();
        let error = QueueOrigin::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("queue.json: missing field `format`"), "{error}");
    }

    #[test]
    fn an_address_names_a_file_or_a_database() {
        for text in ["", "queue.db", "sqlite://", "mysql://a/b", "postgres://"] {
            assert!(text.parse::<Address>().unwrap_err().starts_with("expected sqlite://FILE or"), "{text}");
        }
        for text in
            ["sqlite://a/b.db", "postgres://host/league", "postgresql://me@host:5433/league?sslmode=disable"]
        {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn an_address_keeps_no_password() {
        for text in ["postgres://me:secret@host/league", "postgres://host/league?password=secret"] {
            let error = text.parse::<Address>().unwrap_err();
            assert!(error.contains("set PGPASSWORD") && !error.contains("secret"), "{error}");
        }
    }
}
