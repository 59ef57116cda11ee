//! Where the queue of a league is: the file `queue.json` in the league's folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::chunk::LeagueId;

/// The name of the file.
pub const FILE: &str = "queue.json";

const FORMAT: &str = "league-queue";
const VERSION: u32 = 1;

/// The address of a queue: an SQLite file, written `sqlite://FILE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address(PathBuf);

impl Address {
    /// The file.
    pub fn file(&self) -> &Path {
        &self.0
    }

    /// The same file, with a path that does not depend on the current folder.
    ///
    /// # Errors
    ///
    /// Fails if the current folder cannot be found.
    pub fn absolute(&self) -> std::io::Result<Self> {
        std::path::absolute(&self.0).map(Self)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sqlite://{}", self.0.display())
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let file = text.strip_prefix("sqlite://").filter(|file| !file.is_empty());
        let file = file.ok_or("expected sqlite://FILE, e.g. `sqlite://results/queue.db`")?;
        Ok(Self(PathBuf::from(file)))
    }
}

/// Which league of which queue a folder belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueOrigin {
    /// The queue.
    pub queue: Address,
    /// The league's id in it.
    pub league: LeagueId,
}

/// Why `queue.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// There is none.
    #[error("{folder} has no {FILE}: it is no league of a queue", folder = .0.display())]
    Missing(PathBuf),
    /// It cannot be read or written.
    #[error("cannot use {file}: {reason}", file = .file.display())]
    Faulty {
        /// The file.
        file: PathBuf,
        /// What is wrong.
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
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(OriginError::Missing(folder.to_owned()));
            }
            Err(error) => return Err(faulty(error.to_string())),
        };
        let read: OriginJson = serde_json::from_str(&text).map_err(|error| faulty(error.to_string()))?;
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
    fn an_address_names_a_file() {
        for text in ["", "queue.db", "sqlite://", "mysql://a/b"] {
            assert!(text.parse::<Address>().unwrap_err().starts_with("expected sqlite://FILE"), "{text}");
        }
    }
}
