//! Hints for the errors of a league: the next step of the user.

use command_line::{Hinted, quoted_path};
use rusqlite::ErrorCode;

use crate::batch::BatchError;
use crate::export::FolderError;
use crate::invocation::{command, name};
use crate::runner::RunError;
use crate::standings::WriteError;
use crate::store::StoreError;

/// The hint if a store does not have what this program has written.
pub(crate) const CHANGED: &str = "somebody has changed the store: begin the league anew";

impl Hinted for StoreError {
    fn hint(&self) -> String {
        match self {
            Self::Exists(folder) => {
                let resume = command(&format!("resume {}", quoted_path(folder)));
                format!("`{resume}` goes on with it; `--out` names another folder")
            }
            Self::Missing(_) => format!("begin one with `{}`", command("run FILE --out DIR")),
            Self::InUse(_) => "wait until it has ended".to_owned(),
            Self::Foreign(_) => "name the folder of a league".to_owned(),
            Self::OtherVersion { .. } => "use the release that made it".to_owned(),
            Self::Database { source, .. } if source.sqlite_error_code() == Some(ErrorCode::DiskFull) => {
                "free disk space, then resume: the matches that were played are in the store".to_owned()
            }
            Self::Database { source, .. }
                if source.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) =>
            {
                "the file is damaged: put an earlier copy in its place, or begin the league anew".to_owned()
            }
            // The system could do what was asked for, and the file has not what this program has written.
            Self::Database { source, .. }
                if matches!(
                    source.sqlite_error_code(),
                    None | Some(
                        ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::Unknown
                    )
                ) =>
            {
                CHANGED.to_owned()
            }
            Self::Folder { .. } | Self::Database { .. } => {
                "name a folder that exists and can be written to".to_owned()
            }
            Self::Corrupt { .. } => CHANGED.to_owned(),
        }
    }
}

impl Hinted for WriteError {
    fn hint(&self) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::Unwritable { .. } => {
                "free disk space, then resume: the matches that were played are in the store".to_owned()
            }
        }
    }
}

impl Hinted for BatchError {
    fn hint(&self) -> String {
        match self {
            Self::Run(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::File { .. } => {
                "free disk space, and allow this user to read and write the league's folder".to_owned()
            }
            Self::NotCollected(_) => format!("first `{}`", command("collect DIR")),
            Self::Record { .. } => "remove the file, and play its matches again".to_owned(),
            Self::Missing { .. } => {
                "play them, or plan them anew, then collect again; the other records are in the store"
                    .to_owned()
            }
        }
    }
}

impl Hinted for FolderError {
    fn hint(&self) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::Name(_) => {
                "these characters separate the fields of such files; play the league with other names".to_owned()
            }
            Self::Match { .. } => {
                "such files need the replays of all matches: leave `replays = \"none\"` out of the league file"
                    .to_owned()
            }
        }
    }
}

impl Hinted for RunError {
    fn hint(&self) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::Unplayable { .. } => "the matches before it are in the store".to_owned(),
            Self::Host { jobs, .. } => {
                let fewer = if jobs.get() > 1 { ", or with a smaller `--jobs`" } else { "" };
                format!(
                    "close other programs, then go on with `{} resume`{fewer}; if files or processes are missing, raise \
                     their limit (`ulimit -n`, `ulimit -u`); in process, a longer `think_limit_ms` helps; over the network, a league with `check_host = false` in `[network]` counts all matches, \
                     however slow the machine was",
                    name()
                )
            }
            Self::OtherLeague { .. } => CHANGED.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn fewer_jobs_are_a_hint_only_where_there_are_several() {
        let hint = |jobs| {
            let id = "1-2/1/0".parse().unwrap();
            let (jobs, why) = (NonZeroUsize::new(jobs).unwrap(), "it was too slow".to_owned());
            RunError::Host { number: 1, id, jobs, why }.hint()
        };
        assert_eq!([hint(1), hint(2)].map(|hint| hint.contains("--jobs")), [false, true]);
        assert!(hint(1).contains("`check_host = false` in `[network]`"), "{}", hint(1));
    }
}
