//! The files that the commands of a league name, and the hashes of their contents: whether the programs of a league
//! are those with which it began.
//!
//! Each word of a command counts that is the path of a regular file, from the folder of the program: `agent.py` and
//! `net.bin` in `python3 agent.py net.bin`. A program that the system finds by its name does not count, nor does a
//! file that a program reads besides.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use command_line::shown;
use game_env::Digest;

use crate::trust::command_of;

/// The files by their paths, which begin at the folder of the league's programs; each with its versions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ProgramFiles(BTreeMap<String, Vec<String>>);

impl ProgramFiles {
    /// Returns the files that the commands among these entrants name now. Their folders begin at `base`. A file that
    /// cannot be read is none: who starts the program learns the reason.
    pub fn of(entrants: &[&str], base: &Path) -> Self {
        let mut files = BTreeMap::new();
        for (words, folder) in entrants.iter().filter_map(|entrant| command_of(entrant)) {
            for word in words {
                let path = Path::new(&folder).join(word);
                if let Ok(hash) = hash(&base.join(&path)) {
                    files.insert(path.to_string_lossy().into_owned(), vec![hash]);
                }
            }
        }
        Self(files)
    }

    /// Returns the last version of each file that these files have not, or have in another version.
    pub(crate) fn missing<'a>(&self, now: &'a Self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let last = now.0.iter().filter_map(|(file, versions)| Some((&file[..], &versions.last()?[..])));
        last.filter(|(file, hash)| self.last(file) != Some(*hash))
    }

    fn last(&self, file: &str) -> Option<&str> {
        self.0.get(file)?.last().map(|hash| &hash[..])
    }

    /// Says which of the files now have another content than in their last version here, if any. `whose` is `league` or
    /// `search`.
    pub fn told_changes(&self, now: &Self, whose: &str) -> Option<String> {
        let changed = self.missing(now).map(|(file, _)| file).filter(|file| self.0.contains_key(*file));
        let (changed, are) = named(changed, "is not the file", "are not the files")?;
        Some(format!("{changed} {are} with which the {whose} began"))
    }

    /// Says which files have several versions, if any. `whose` is `league` or `search`.
    pub fn told_versions(&self, whose: &str) -> Option<String> {
        let several = self.0.iter().filter(|(_, versions)| versions.len() > 1).map(|(file, _)| &file[..]);
        let (several, have) = named(several, "has", "have")?;
        Some(format!("{several} {have} changed since the {whose} began: its results are of several versions"))
    }
}

/// Returns the files for people, and the word for their number; none if there is no file.
fn named<'a>(
    files: impl Iterator<Item = &'a str>,
    one: &'static str,
    several: &'static str,
) -> Option<(String, &'static str)> {
    let files: Vec<String> = files.map(|file| shown(Path::new(file))).collect();
    let word = if files.len() == 1 { one } else { several };
    (!files.is_empty()).then(|| (files.join(", "), word))
}

/// Files with their versions, the oldest first.
impl FromIterator<(String, String)> for ProgramFiles {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(versions: I) -> Self {
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (file, hash) in versions {
            files.entry(file).or_default().push(hash);
        }
        Self(files)
    }
}

/// Returns the hash of the content of a regular file.
fn hash(path: &Path) -> io::Result<String> {
    // Others, a pipe for instance, may have no end.
    if !path.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut content = BufReader::new(File::open(path)?);
    let mut digest = Digest::new();
    loop {
        let read = content.fill_buf()?;
        if read.is_empty() {
            return Ok(format!("{:016x}", digest.finish()));
        }
        digest.bytes(read);
        let length = read.len();
        content.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_that_a_command_names_are_compared() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("agent.py", "print()");
        write("net.bin", "1");
        write("notes.txt", "1");
        let files = || ProgramFiles::of(&["greedy", "\"python3 agent.py net.bin --depth 3\""], folder.path());
        let before = files();
        let all: Vec<&str> = before.0.keys().map(|file| &file[..]).collect();
        assert_eq!(all, ["agent.py", "net.bin"]);
        write("notes.txt", "2");
        write("net.bin", "1");
        let changes = || before.told_changes(&files(), "league");
        assert_eq!(changes(), None);
        write("agent.py", "print( )");
        assert_eq!(changes().as_deref(), Some("agent.py is not the file with which the league began"));
        write("net.bin", "2");
        let both = "agent.py, net.bin are not the files with which the league began";
        assert_eq!(changes().as_deref(), Some(both));
        assert_eq!(ProgramFiles::default().told_changes(&files(), "league"), None);
        // Something else says that a file is gone.
        fs::remove_file(folder.path().join("net.bin")).unwrap();
        assert_eq!(changes().as_deref(), Some("agent.py is not the file with which the league began"));
    }

    #[test]
    fn the_last_version_of_a_file_counts() {
        let of = |versions: &[(&str, &str)]| {
            versions
                .iter()
                .map(|(file, hash)| ((*file).to_owned(), (*hash).to_owned()))
                .collect::<ProgramFiles>()
        };
        let known = of(&[("a", "1"), ("b", "1"), ("a", "2")]);
        assert_eq!(known.told_changes(&of(&[("a", "2"), ("b", "1")]), "search"), None);
        let now = of(&[("a", "1"), ("c", "1")]);
        assert_eq!(known.missing(&now).collect::<Vec<_>>(), [("a", "1"), ("c", "1")]);
        assert!(
            known.told_changes(&now, "search").is_some_and(|told| told.starts_with("a is not the file "))
        );
        let told = "a has changed since the search began: its results are of several versions";
        assert_eq!(known.told_versions("search").as_deref(), Some(told));
        assert_eq!(now.told_versions("search"), None);
    }
}
