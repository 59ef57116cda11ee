//! Configuration files that a user names.
//!
//! Names, ranges and defaults of the parameters are the programs' own.

use std::io;
use std::path::{Path, PathBuf};

use game_env::Parameters;
use game_env::configuration::{self, File, FileError};

use crate::{Failure, open_file, shown};

/// The reason why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}: {why}", path = shown(.path))]
pub struct ConfigurationFileError {
    path: PathBuf,
    why: FileError,
}

impl ConfigurationFileError {
    /// Returns whether there is no such file.
    pub fn is_missing(&self) -> bool {
        matches!(&self.why, FileError::Unreadable(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Returns the failure for the user of `--config`; `example` is a whole file.
    pub fn failure(&self, example: &str) -> Failure {
        let hint = match self.why {
            FileError::Unreadable(_) => "name another file with --config".to_owned(),
            _ => format!("a file is one JSON object, e.g. {example}"),
        };
        Failure::misuse(self.to_string(), hint)
    }
}

/// Returns the content of a configuration file; `notice` gets a remark for the user about it.
///
/// # Errors
///
/// If it is no regular file, cannot be read or is no JSON object.
pub fn read_configuration(path: &Path, notice: impl FnOnce(&str)) -> Result<File, ConfigurationFileError> {
    let unusable = |why| ConfigurationFileError { path: path.to_owned(), why };
    let file = open_file(path).map_err(|error| unusable(error.into()))?;
    let file = configuration::read(file).map_err(unusable)?;
    file.notice(&shown(path)).as_deref().map(notice);
    Ok(file)
}

/// Returns the values of a configuration file whose parameters are numbers, flags and texts.
///
/// # Errors
///
/// As [`read_configuration`], and if a value is something else.
pub fn read_parameters(path: &Path, notice: impl FnOnce(&str)) -> Result<Parameters, ConfigurationFileError> {
    let file = read_configuration(path, notice)?;
    file.parameters().map_err(|why| ConfigurationFileError { path: path.to_owned(), why })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_is_named_with_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.json");
        let failure = || {
            let error = read_parameters(&path, |notice| panic!("{notice}")).unwrap_err();
            let shown = error.failure("{\"port\": 1}").to_string();
            (error.is_missing(), shown.replace(folder.path().to_str().unwrap(), ""))
        };
        let (is_missing, shown) = failure();
        assert!(is_missing);
        assert!(
            shown.starts_with("error: cannot read /some.json: ")
                && shown.ends_with("\nhint: name another file with --config"),
            "{shown}"
        );
        for (content, why) in [
            (
                "[]",
                "invalid type: sequence, expected an object of numbers, flags and texts at line 1 column 0",
            ),
            ("{\"a\": []}", "`a` is []: expected a number, true, false or a text"),
        ] {
            fs::write(&path, content).unwrap();
            let told = format!(
                "error: cannot read /some.json: {why}\nhint: a file is one JSON object, e.g. {{\"port\": 1}}"
            );
            assert_eq!(failure(), (false, told));
        }
    }

    #[test]
    fn a_mark_before_the_object_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.json");
        fs::write(&path, "\u{feff}{\"portGM\": 1}").unwrap();
        let mut heard = None;
        let values = read_parameters(&path, |notice| heard = Some(notice.to_owned())).unwrap();
        assert_eq!(values.to_string(), "portGM=1");
        assert!(heard.unwrap().contains("some.json begins with a byte-order mark"));
    }
}
