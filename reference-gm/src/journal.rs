//! The journal of a server: a file to which every change is appended before it is answered.
//!
//! Each line is a hash of 16 hexadecimal digits, a space, and a record; the first line names the format. What the
//! system has taken survives the end of the process. When it also has to survive a loss of power is [`Sync`]'s choice.
//!
//! A process that is killed while it writes leaves a last line without its end, whose change was answered to nobody. So
//! does a loss of power; then the change may have been answered, unless [`Sync`] says that the disk has it first.
//! [`Journal::open`] keeps a copy of this line beside the journal, removes it from the journal, and reports both. Every
//! other damaged line is an error, wherever it is: the changes that it held are not known.
//!
//! When a server starts, and when the journal of a running server has grown ([`Journal::has_grown`]), the journal is
//! rewritten with the records that are still needed. The folder is locked for one server.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use game_env::digest::{Digest, read_hash};
use thiserror::Error;

/// A change as one line of text: `FromStr` reads the text of `Display`.
pub trait Record: fmt::Display + FromStr {
    /// The first line of a journal of these records, after its hash: format and version.
    const HEADER: &'static str;
}

/// The name of the file in the folder of a server.
pub const FILE: &str = "journal";

/// The size from which a journal may be rewritten while its server runs, in bytes.
const LEAST_GROWN: u64 = 4 << 20;

/// The moment at which the disk must have the records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sync {
    /// Before it is answered: no loss of power takes back an answer.
    Answer,
    /// Once a second: a loss of power takes back what was answered in the last second. The end of the process takes
    /// back nothing.
    #[default]
    Second,
    /// When the operating system decides.
    System,
}

game_env::words! { Sync, "sync": Answer = "answer", Second = "second", System = "system" }

/// A journal that is appended to.
#[derive(Debug)]
pub struct Journal<R> {
    path: PathBuf,
    file: File,
    _lock: File,
    sync: Sync,
    /// Lines that are not in the file yet.
    lines: Vec<u8>,
    /// The size of the file, in bytes.
    size: u64,
    /// The size of the file when it was last rewritten, in bytes.
    least: u64,
    /// Whether the file has data that may not be on disk yet.
    is_unsynced: bool,
    record: PhantomData<fn(R)>,
}

/// The content of a journal when it was opened.
#[derive(Clone, PartialEq, Debug)]
pub struct JournalContent<R> {
    /// The changes in their order.
    pub records: Vec<R>,
    /// The incomplete last line that was removed, if there was one.
    pub cut: Option<IncompleteLine>,
}

/// The incomplete last line of a journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IncompleteLine {
    /// The file.
    pub path: PathBuf,
    /// The number of the line, from 1.
    pub line: usize,
    /// The length of the line, in bytes.
    pub bytes: usize,
    /// The file with the copy of the line.
    pub copy: PathBuf,
}

/// A reason for which a journal cannot be opened.
#[derive(Debug, Error)]
pub enum JournalError {
    /// A file or folder cannot be used.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
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
        /// The text that the first line should have after its hash.
        header: &'static str,
    },
    /// A complete line is damaged.
    #[error("{}, line {line}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The fault of the line.
        why: &'static str,
    },
}

impl JournalError {
    /// Returns a hint for the person who starts the server.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Locked(_) => {
                "another server uses this folder: end it, or choose another folder with --folder"
            }
            Self::Io { .. } => "choose another folder with --folder",
            Self::Foreign { .. } => {
                "choose another folder with --folder, or move the journal away: what it holds is then forgotten"
            }
            Self::Damaged { .. } => {
                "the journal is unchanged, with all lines after this one: restore it from a backup; or keep a copy and \
                 delete this line and all lines after it: the server then continues from the changes before this line"
            }
        }
    }
}

impl fmt::Display for IncompleteLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, bytes, copy } = self;
        let (path, copy) = (path.display(), copy.display());
        write!(
            f,
            "{path}: removed the last line, line {line}, which was incomplete ({bytes} bytes); a copy is in {copy}"
        )
    }
}

/// Creates a folder if it is not there, and brings its name to the disk. The folder above it may be one that this user
/// cannot open.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let is_new = !folder.exists();
    fs::create_dir_all(folder)?;
    if is_new && let Err(error) = whole_file::sync_name(folder) {
        tracing::warn!("a loss of power may take the folder {} away: {error}", folder.display());
    }
    Ok(())
}

impl<R: Record> Journal<R> {
    /// Opens the journal of a folder, or begins one; both are created if they are not there.
    ///
    /// # Errors
    ///
    /// Fails if files cannot be used, another server has the folder, or a complete line is damaged.
    pub fn open(folder: &Path, sync: Sync) -> Result<(Self, JournalContent<R>), JournalError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| JournalError::Io { path, source }
        };
        make_folder(folder).map_err(failed(folder))?;
        let lock_path = folder.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(failed(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(JournalError::Locked(folder.to_owned())),
            Err(fs::TryLockError::Error(source)) => return Err(failed(&lock_path)(source)),
        }
        let path = folder.join(FILE);
        let mut options = File::options();
        options.create(true).read(true).append(true);
        for_the_user_alone(&mut options);
        let mut file = options.open(&path).map_err(failed(&path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed(&path))?;
        let (records, whole) = decode::<R>(&path, &bytes)?;
        let mut journal = Self {
            path,
            file,
            _lock: lock,
            sync,
            lines: Vec::new(),
            size: whole as u64,
            least: whole as u64,
            is_unsynced: false,
            record: PhantomData,
        };
        let mut cut = None;
        if whole < bytes.len() {
            let copy = keep_copy(&journal.path, &bytes[whole..])?;
            journal.file.set_len(whole as u64).map_err(failed(&journal.path))?;
            let line = bytes[..whole].iter().filter(|byte| **byte == b'\n').count() + 1;
            cut = Some(IncompleteLine { path: journal.path.clone(), line, bytes: bytes.len() - whole, copy });
        }
        if whole == 0 {
            append(R::HEADER, &mut journal.lines);
            journal.commit().map_err(failed(&journal.path))?;
            if sync != Sync::System {
                // A loss of power must not take back the name of the file, and all answers with it.
                whole_file::sync_name(&journal.path).map_err(failed(&journal.path))?;
            }
        }
        Ok((journal, JournalContent { records, cut }))
    }

    /// Puts these records into the place of all that is in the file. A process that is killed meanwhile leaves the file
    /// as it was.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn replace(&mut self, records: &[R]) -> io::Result<()> {
        let lines = encode(records);
        whole_file::write(&self.path, |out| out.write_all(&lines))?;
        whole_file::sync_name(&self.path)?;
        self.file = File::options().append(true).open(&self.path)?;
        self.lines.clear();
        self.size = lines.len() as u64;
        self.least = self.size;
        self.is_unsynced = false;
        Ok(())
    }

    /// Returns whether the file has grown so much since it was last rewritten that it should be
    /// [replaced](Self::replace): to four times its size then, and to 4 MiB at least. Over a long time, this writes
    /// each record at most once more.
    pub const fn has_grown(&self) -> bool {
        self.size >= LEAST_GROWN && self.size / 4 >= self.least
    }

    /// Adds a record. It is in the file after the next [`Journal::commit`].
    pub fn push(&mut self, record: &R) {
        append(record, &mut self.lines);
    }

    /// Writes the records that were added.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written: nothing may be answered then.
    pub fn commit(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        self.file.write_all(&self.lines)?;
        self.size += self.lines.len() as u64;
        self.lines.clear();
        self.is_unsynced = true;
        if self.sync == Sync::Answer { self.sync() } else { Ok(()) }
    }

    /// Brings all data to the disk, unless the system decides when.
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

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns the hash of a line without its hash.
fn hash(line: &[u8]) -> u64 {
    let mut digest = Digest::new();
    digest.bytes(line);
    digest.finish()
}

/// Appends the line of a record to these bytes of a journal.
pub fn append(line: impl fmt::Display, lines: &mut Vec<u8>) {
    let line = line.to_string();
    writeln!(lines, "{:016x} {line}", hash(line.as_bytes())).expect("a buffer takes all that is written");
}

/// Returns the bytes of a journal with these records.
pub fn encode<R: Record>(records: &[R]) -> Vec<u8> {
    let mut lines = Vec::new();
    append(R::HEADER, &mut lines);
    records.iter().for_each(|record| append(record, &mut lines));
    lines
}

/// Reads the bytes of a journal: returns its records, and the length of its complete lines. Only the last line may be
/// incomplete. Errors name `path`.
///
/// # Errors
///
/// Fails if the first line is not that of a journal, or a complete line is damaged or no record.
pub fn decode<R: Record>(path: &Path, bytes: &[u8]) -> Result<(Vec<R>, usize), JournalError> {
    let foreign = || JournalError::Foreign { path: path.to_owned(), header: R::HEADER };
    let (mut records, mut whole) = (Vec::new(), 0);
    for (line, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        let damaged = |why| JournalError::Damaged { path: path.to_owned(), line: number, why };
        let Some(line) = line.strip_suffix(b"\n") else {
            let header = format!("{:016x} {}", hash(R::HEADER.as_bytes()), R::HEADER);
            if number == 1 && !header.as_bytes().starts_with(line) {
                return Err(foreign());
            }
            break;
        };
        match checked(line) {
            Ok(text) if number == 1 => {
                if text != R::HEADER {
                    return Err(foreign());
                }
            }
            Err(_) if number == 1 => return Err(foreign()),
            Ok(text) => {
                let record = text.parse();
                records.push(
                    record.map_err(|_| damaged("the line is complete, but no record of this version"))?,
                );
            }
            Err(why) => return Err(damaged(why)),
        }
        whole += line.len() + 1;
    }
    Ok((records, whole))
}

/// Lets only the user read a new file: a journal has tokens of players and seeds of games, and the replay of a game
/// that is played its goals, which other users of this machine must not know.
pub(crate) fn for_the_user_alone(options: &mut fs::OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

/// Writes bytes to a new file beside the journal: `journal.incomplete-1`, or the next number that is free.
fn keep_copy(journal: &Path, bytes: &[u8]) -> Result<PathBuf, JournalError> {
    let mut number = 1;
    loop {
        let path = journal.with_extension(format!("incomplete-{number}"));
        let mut options = File::options();
        options.write(true).create_new(true);
        for_the_user_alone(&mut options);
        let written = options.open(&path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        match written {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(source) => return Err(JournalError::Io { path, source }),
        }
    }
}

/// Returns the text of a complete line, which is given without its end.
fn checked(line: &[u8]) -> Result<&str, &'static str> {
    let (digits, text) = line.split_at_checked(17).ok_or("the line is too short")?;
    let written = std::str::from_utf8(digits).ok().and_then(|digits| digits.strip_suffix(' '));
    let written = written.and_then(read_hash);
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
        let (mut journal, content) = Journal::open(folder, Sync::Answer).unwrap();
        assert_eq!(content, JournalContent { records: Vec::new(), cut: None });
        records().iter().for_each(|record| journal.push(record));
        journal.commit().unwrap();
        fs::read(folder.join(FILE)).unwrap()
    }

    #[test]
    fn what_was_committed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        let (mut journal, content) = Journal::open(folder.path(), Sync::Second).unwrap();
        assert_eq!(content, JournalContent { records: records(), cut: None });
        journal.replace(&records()[1..]).unwrap();
        journal.push(&records()[0]);
        journal.commit().unwrap();
        journal.sync().unwrap();
        let other = Journal::open(folder.path(), Sync::Second).unwrap_err();
        assert!(other.to_string().contains("is in use"), "{other}");
        drop(journal);
        let (_, content) = Journal::open(folder.path(), Sync::System).unwrap();
        assert_eq!(content.records, [&records()[1..], &records()[..1]].concat());
    }

    #[cfg(unix)]
    #[test]
    fn other_users_cannot_read_a_journal() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mode = || fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode() & 0o777;
        written(folder.path());
        assert_eq!(mode(), 0o600);
        let (mut journal, _) = Journal::open(folder.path(), Sync::System).unwrap();
        journal.replace(&records()).unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn a_file_that_was_cut_anywhere_is_read_up_to_its_last_complete_line() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = written(folder.path());
        let ends: Vec<usize> =
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
        for length in 0..=bytes.len() {
            fs::write(folder.path().join(FILE), &bytes[..length]).unwrap();
            let (journal, content) = Journal::open(folder.path(), Sync::System).unwrap();
            let lines = ends.iter().filter(|end| **end <= length).count();
            assert_eq!(content.records, records()[..lines.saturating_sub(1)], "{length}");
            let whole = ends.iter().copied().filter(|end| *end <= length).max().unwrap_or(0);
            match content.cut {
                None => assert_eq!(whole, length),
                Some(cut) => {
                    assert_eq!((cut.line, cut.bytes), (lines + 1, length - whole));
                    assert_eq!(fs::read(&cut.copy).unwrap(), bytes[whole..length], "a copy is kept");
                    let told = cut.to_string();
                    let expected =
                        format!("line {}, which was incomplete ({} bytes)", lines + 1, length - whole);
                    assert!(told.contains(&expected), "{told}");
                }
            }
            drop(journal);
            let (_, content) = Journal::open(folder.path(), Sync::System).unwrap();
            assert_eq!(content.cut, None, "it is cut once");
        }
    }

    #[test]
    fn a_damaged_line_is_an_error_that_names_it_and_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = written(folder.path());
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let starts: Vec<usize> =
            lines.scan(0, |end, line| Some(std::mem::replace(end, *end + line.len()))).collect();
        for (number, start) in starts.into_iter().zip(1..).skip(1).map(|(start, number)| (number, start)) {
            let mut damaged = bytes.clone();
            damaged[start + 20] ^= 1;
            fs::write(folder.path().join(FILE), &damaged).unwrap();
            let error = Journal::open(folder.path(), Sync::System).unwrap_err();
            assert!(error.hint().starts_with("the journal is unchanged, with all lines after this one: "));
            let error = error.to_string();
            assert!(error.ends_with(&format!("line {number}: the hash does not fit the line")), "{error}");
            assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), damaged, "line {number}");
        }
        fs::write(folder.path().join(FILE), "something else\n").unwrap();
        let error = Journal::open(folder.path(), Sync::System).unwrap_err().to_string();
        assert!(error.contains("is no journal: expected the first line"), "{error}");
        assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), b"something else\n");
    }

    #[test]
    fn a_journal_that_has_grown_to_four_times_its_size_is_worth_writing_anew() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        let (mut journal, _) = Journal::open(folder.path(), Sync::System).unwrap();
        let record = records().remove(2);
        let grow = |journal: &mut Journal, bytes: u64| {
            let end = journal.size + bytes;
            while journal.size < end {
                (0..10_000).for_each(|_| journal.push(&record));
                journal.commit().unwrap();
            }
        };
        assert!(!journal.has_grown());
        grow(&mut journal, LEAST_GROWN);
        assert!(journal.has_grown());
        assert_eq!(journal.size, fs::metadata(journal.path()).unwrap().len());
        let kept = vec![record.clone(); 100_000];
        journal.replace(&kept).unwrap();
        assert_eq!(journal.size, fs::metadata(journal.path()).unwrap().len());
        assert!(!journal.has_grown(), "it holds what is needed, however much that is");
        let needed = journal.size;
        grow(&mut journal, 2 * needed);
        assert!(!journal.has_grown());
        grow(&mut journal, 2 * needed);
        assert!(journal.has_grown());
    }
}
