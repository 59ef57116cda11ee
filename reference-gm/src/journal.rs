//! The journal of a server: a file to which every change is appended before it is answered.
//!
//! Each line is a hash of 16 hexadecimal digits, a space, and a record; the first line names the format. What the
//! system has taken survives the end of the process. When it also has to survive a loss of power is [`Sync`]'s choice.
//!
//! A process that is killed while it writes leaves a line that is not whole at the end: [`Journal::open`] cuts it off and
//! says so, since its change was answered to nobody. A damaged line before whole ones is an error: what follows from it is
//! not known.
//!
//! When a server starts, the journal is written anew with what is still of use. The folder is locked for one server.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use game_env::{Digest, NotationError};
use thiserror::Error;

/// A change as one line of text, which reads as it is written.
pub trait Record: fmt::Display + FromStr {
    /// The first line of a journal of these records, after its hash: format and version.
    const HEADER: &'static str;
}

/// The name of the file in the folder of a server.
pub const FILE: &str = "journal";

/// When the disk has to have what was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sync {
    /// Before it is answered: no loss of power takes back an answer.
    Answer,
    /// Once a second: a loss of power takes back what was answered in the last second. The end of the process takes back
    /// nothing.
    #[default]
    Second,
    /// When the system likes.
    System,
}

/// A journal that is appended to.
#[derive(Debug)]
pub struct Journal<R> {
    path: PathBuf,
    file: File,
    _lock: File,
    sync: Sync,
    /// Lines that are not in the file yet.
    lines: Vec<u8>,
    /// Whether the file has what the disk may not have.
    is_unsynced: bool,
    record: PhantomData<fn(R)>,
}

/// What was in a journal.
#[derive(Clone, PartialEq, Debug)]
pub struct Past<R> {
    /// The changes in their order.
    pub records: Vec<R>,
    /// What was cut off at the end, if anything.
    pub cut: Option<Cut>,
}

/// The end of a journal that was not whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The file.
    pub path: PathBuf,
    /// The number of the first line that was cut off, from 1.
    pub line: usize,
    /// How many bytes were cut off.
    pub bytes: usize,
}

/// Why there is no journal.
#[derive(Debug, Error)]
pub enum JournalError {
    /// A file or folder cannot be used.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another server has the folder.
    #[error("{} is in use: expected a folder that no other server has", .0.display())]
    Locked(PathBuf),
    /// The file is no journal.
    #[error("{} is no journal: expected the first line `HASH {header}`", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What the first line has after its hash.
        header: &'static str,
    },
    /// A line is damaged, and whole ones follow.
    #[error("{}, line {line}: {why}, and whole lines follow", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong.
        why: &'static str,
    },
}

impl JournalError {
    /// What the person who starts the server can do.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Locked(_) => {
                "another server uses this folder: end it, or choose another folder with --folder"
            }
            Self::Io { .. } => "choose another folder with --folder",
            Self::Foreign { .. } | Self::Damaged { .. } => {
                "choose another folder with --folder, or move the journal away: what it holds is then forgotten"
            }
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, bytes } = self;
        write!(f, "{}: cut off {bytes} bytes from line {line} on, which was not whole", path.display())
    }
}

/// `answer`, `second` or `system`.
impl FromStr for Sync {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        match text {
            "answer" => Ok(Self::Answer),
            "second" => Ok(Self::Second),
            "system" => Ok(Self::System),
            _ => Err(NotationError::new("sync", text, "`answer`, `second` or `system`")),
        }
    }
}

impl<R: Record> Journal<R> {
    /// Opens the journal of a folder, or begins one; both are created if they are not there.
    ///
    /// # Errors
    ///
    /// Fails if files cannot be used, another server has the folder, or a line before the end is damaged.
    pub fn open(folder: &Path, sync: Sync) -> Result<(Self, Past<R>), JournalError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| JournalError::Io { path, source }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let lock_path = folder.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(failed(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(JournalError::Locked(folder.to_owned())),
            Err(fs::TryLockError::Error(source)) => return Err(failed(&lock_path)(source)),
        }
        let path = folder.join(FILE);
        let file = File::options().create(true).read(true).append(true).open(&path);
        let mut file = file.map_err(failed(&path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed(&path))?;
        let (records, whole) = read::<R>(&path, &bytes)?;
        let cut = (whole < bytes.len()).then(|| {
            let line = bytes[..whole].iter().filter(|byte| **byte == b'\n').count() + 1;
            Cut { path: path.clone(), line, bytes: bytes.len() - whole }
        });
        let mut journal = Self {
            path,
            file,
            _lock: lock,
            sync,
            lines: Vec::new(),
            is_unsynced: false,
            record: PhantomData,
        };
        if cut.is_some() {
            journal.file.set_len(whole as u64).map_err(failed(&journal.path))?;
        }
        if whole == 0 {
            append(R::HEADER, &mut journal.lines);
            journal.commit().map_err(failed(&journal.path))?;
        }
        Ok((journal, Past { records, cut }))
    }

    /// Puts these records into the place of all that is in the file. A process that is killed meanwhile leaves the file
    /// as it was.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn replace(&mut self, records: &[R]) -> io::Result<()> {
        let mut lines = Vec::new();
        append(R::HEADER, &mut lines);
        records.iter().for_each(|record| append(record, &mut lines));
        let next = self.path.with_extension("next");
        let mut file = File::create(&next)?;
        file.write_all(&lines)?;
        file.sync_all()?;
        fs::rename(&next, &self.path)?;
        self.file = File::options().append(true).open(&self.path)?;
        self.lines.clear();
        Ok(())
    }

    /// Adds a record. It is in the file after the next [`Journal::commit`].
    pub fn push(&mut self, record: &R) {
        append(record, &mut self.lines);
    }

    /// Writes what was added.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written: nothing may be answered then.
    pub fn commit(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        self.file.write_all(&self.lines)?;
        self.lines.clear();
        self.is_unsynced = true;
        if self.sync == Sync::Answer { self.sync() } else { Ok(()) }
    }

    /// Waits until the disk has everything, if that is wanted at all.
    ///
    /// # Errors
    ///
    /// Fails if the disk does not take it.
    pub fn sync(&mut self) -> io::Result<()> {
        if self.sync != Sync::System && std::mem::take(&mut self.is_unsynced) {
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The hash of a line without its hash.
fn hash(line: &[u8]) -> u64 {
    let mut digest = Digest::new();
    digest.bytes(line);
    digest.finish()
}

fn append(line: impl fmt::Display, lines: &mut Vec<u8>) {
    let line = line.to_string();
    writeln!(lines, "{:016x} {line}", hash(line.as_bytes())).expect("a buffer takes all that is written");
}

/// The records of a file, and how many of its bytes are whole lines.
fn read<R: Record>(path: &Path, bytes: &[u8]) -> Result<(Vec<R>, usize), JournalError> {
    let foreign = || JournalError::Foreign { path: path.to_owned(), header: R::HEADER };
    let (mut records, mut whole, mut damaged) = (Vec::new(), 0, None);
    let mut start = 0;
    for (line, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        let end = start + line.len();
        match (checked(line), damaged) {
            (Ok(text), None) if number == 1 => {
                if text != R::HEADER {
                    return Err(foreign());
                }
                whole = end;
            }
            (Ok(text), None) => match text.parse() {
                Ok(record) => {
                    records.push(record);
                    whole = end;
                }
                Err(_) => {
                    let why = "the line is whole, and no record of this version";
                    return Err(JournalError::Damaged { path: path.to_owned(), line: number, why });
                }
            },
            (Ok(_), Some((line, why))) => {
                return Err(JournalError::Damaged { path: path.to_owned(), line, why });
            }
            // A first line that breaks off is the beginning of this one, or the file is something else.
            (Err(_), None)
                if number == 1
                    && !format!("{:016x} {}", hash(R::HEADER.as_bytes()), R::HEADER)
                        .as_bytes()
                        .starts_with(line) =>
            {
                return Err(foreign());
            }
            (Err(why), None) => damaged = Some((number, why)),
            (Err(_), Some(_)) => {}
        }
        start = end;
    }
    Ok((records, whole))
}

/// The text of a whole line.
fn checked(line: &[u8]) -> Result<&str, &'static str> {
    let line = line.strip_suffix(b"\n").ok_or("the line has no end")?;
    let (digits, text) = line.split_at_checked(17).ok_or("the line is too short")?;
    let written = std::str::from_utf8(digits).ok().and_then(|digits| digits.strip_suffix(' '));
    let written = written.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    if written != Some(hash(text)) {
        return Err("the hash does not fit the line");
    }
    std::str::from_utf8(text).map_err(|_| "the line is no text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dots::Record;

    type Journal = super::Journal<Record>;

    const RECORDS: [&str; 3] =
        ["player Ada 00112233445566778899aabbccddeeff", "game 0 1 5 5 Ada Bob", "move 0 0-1"];

    fn records() -> Vec<Record> {
        RECORDS.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn written(folder: &Path) -> Vec<u8> {
        let (mut journal, past) = Journal::open(folder, Sync::Answer).unwrap();
        assert_eq!(past, Past { records: Vec::new(), cut: None });
        records().iter().for_each(|record| journal.push(record));
        journal.commit().unwrap();
        fs::read(folder.join(FILE)).unwrap()
    }

    #[test]
    fn what_was_committed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        let (mut journal, past) = Journal::open(folder.path(), Sync::Second).unwrap();
        assert_eq!(past, Past { records: records(), cut: None });
        journal.replace(&records()[1..]).unwrap();
        journal.push(&records()[0]);
        journal.commit().unwrap();
        journal.sync().unwrap();
        let other = Journal::open(folder.path(), Sync::Second).unwrap_err();
        assert!(other.to_string().contains("is in use"), "{other}");
        drop(journal);
        let (_, past) = Journal::open(folder.path(), Sync::System).unwrap();
        assert_eq!(past.records, [&records()[1..], &records()[..1]].concat());
    }

    #[test]
    fn a_file_that_was_cut_anywhere_is_read_up_to_its_last_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = written(folder.path());
        let ends: Vec<usize> =
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
        for length in 0..=bytes.len() {
            fs::write(folder.path().join(FILE), &bytes[..length]).unwrap();
            let (journal, past) = Journal::open(folder.path(), Sync::System).unwrap();
            let lines = ends.iter().filter(|end| **end <= length).count();
            assert_eq!(past.records, records()[..lines.saturating_sub(1)], "{length}");
            let whole = ends.iter().copied().filter(|end| *end <= length).max().unwrap_or(0);
            match past.cut {
                None => assert_eq!(whole, length),
                Some(cut) => {
                    assert_eq!((cut.line, cut.bytes), (lines + 1, length - whole));
                    let told = cut.to_string();
                    assert!(told.ends_with("which was not whole"), "{told}");
                }
            }
            drop(journal);
            let (_, past) = Journal::open(folder.path(), Sync::System).unwrap();
            assert_eq!(past.cut, None, "it is cut once");
        }
    }

    #[test]
    fn a_damaged_line_in_the_middle_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = written(folder.path());
        let mut damaged = bytes.clone();
        let place = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 20;
        damaged[place] ^= 1;
        fs::write(folder.path().join(FILE), &damaged).unwrap();
        let error = Journal::open(folder.path(), Sync::System).unwrap_err().to_string();
        assert!(error.ends_with("line 2: the hash does not fit the line, and whole lines follow"), "{error}");
        fs::write(folder.path().join(FILE), "something else\n").unwrap();
        let error = Journal::open(folder.path(), Sync::System).unwrap_err().to_string();
        assert!(error.contains("is no journal: expected the first line"), "{error}");
        assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), b"something else\n");
    }
}
