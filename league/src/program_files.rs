//! The files that the commands of a league name, and the hashes of their contents: whether the programs of a league
//! are those with which it began.
//!
//! A program and each argument that is a file in the folder of the program count: `agent.py` and `net.bin` in
//! `python3 agent.py net.bin`. Programs of the system do not, nor does what a program reads besides.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use command_line::shown;
use game_env::Digest;

use crate::trust::command_of;

/// The files by their paths, which begin at the folder of the league's programs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ProgramFiles(BTreeMap<String, String>);

impl ProgramFiles {
    /// The files that the commands among these entrants name now. Their folders begin at `base`. A file that cannot be
    /// read is none: who starts the program learns the reason.
    pub fn of(entrants: &[&str], base: &Path) -> Self {
        let mut files = BTreeMap::new();
        for (words, folder) in entrants.iter().filter_map(|entrant| command_of(entrant)) {
            for word in words {
                let path = Path::new(&folder).join(word);
                if let Ok(hash) = hash(&base.join(&path)) {
                    files.insert(path.to_string_lossy().into_owned(), hash);
                }
            }
        }
        Self(files)
    }

    /// The files with their hashes, in order of their paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(file, hash)| (&file[..], &hash[..]))
    }

    /// Says which of these files are gone or have another content at the later time, if any. They are those with which
    /// something began, e.g. a `league`.
    pub fn told_changes(&self, later: &Self, began: &str) -> Option<String> {
        let changed = self.iter().filter(|(file, hash)| later.0.get(*file).is_none_or(|now| now != hash));
        let changed: Vec<String> = changed.map(|(file, _)| shown(Path::new(file))).collect();
        let are = if changed.len() == 1 { "is not the file" } else { "are not the files" };
        (!changed.is_empty()).then(|| format!("{} {are} with which the {began} began", changed.join(", ")))
    }
}

impl FromIterator<(String, String)> for ProgramFiles {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(files: I) -> Self {
        Self(files.into_iter().collect())
    }
}

/// The hash of the content of a regular file.
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
        assert_eq!(before.iter().map(|(file, _)| file).collect::<Vec<_>>(), ["agent.py", "net.bin"]);
        write("notes.txt", "2");
        write("net.bin", "1");
        let changes = || before.told_changes(&files(), "league");
        assert_eq!(changes(), None);
        write("agent.py", "print( )");
        assert_eq!(changes().as_deref(), Some("agent.py is not the file with which the league began"));
        fs::remove_file(folder.path().join("net.bin")).unwrap();
        let both = "agent.py, net.bin are not the files with which the league began";
        assert_eq!(changes().as_deref(), Some(both));
        assert_eq!(ProgramFiles::default().told_changes(&files(), "league"), None);
    }
}
