//! Leagues whose matches are played by other means, such as a batch system: matches as files, and records as files.
//!
//! [`plan`] writes the matches that can be played now into the folder [`SPECS`] of the league's folder. `league play`
//! plays such a file, on any machine and in any order. [`collect`] reads the records in the folder [`RECORDS`] into
//! the store. A record says which match it is of: the names of the files do not matter.
//!
//! A match in process takes the same course every time, so matches that are equal as values share one file and one
//! record. This module plays no match, and knows no batch system.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use command_line::{open_file, shown};
use contests::text;
use contests::verdict::{Treatment, Verdict};
use game_env::Digest;
use game_env::matches::{LONGEST_FILE, MatchFileError, MatchKey, MatchRecord, MatchSpec};
use game_env::text::fit_for_a_log;

use crate::executor::Played;
use crate::file::League;
use crate::invocation;
use crate::progress::Task;
use crate::runner::{self, RunError};
use crate::schedule::MatchId;
use crate::store::{Row, Store, StoreError};

/// The folder of matches to play, in the folder of a league: `1.json`, `2.json` and so on, each with one match a line.
pub const SPECS: &str = "specs";

/// The folder of records, in the folder of a league: files whose names end in `.json`, each with one record a line.
pub const RECORDS: &str = "records";

/// Result of planning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planned {
    /// Number of matches of the league that need a record.
    pub matches: u64,
    /// Number of files written.
    pub files: u64,
}

/// Result of collecting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Collected {
    /// Number of matches added to the store.
    pub added: u64,
    /// Number of records of a match that has the same record already.
    pub doubled: u64,
}

/// Reason why matches cannot be planned or records cannot be collected.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// A file or folder cannot be used.
    #[error("cannot use {path}: {source}", path = shown(.path))]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// Records of the last plan are not in the store yet.
    #[error("{folder} has records that are not collected", folder = shown(.0))]
    NotCollected(PathBuf),
    /// A record cannot be used.
    #[error("{file}, line {line}: {reason}", file = shown(.file))]
    Record {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault of the record.
        reason: String,
    },
    /// Matches have no record. Those that have one are in the store.
    #[error("{missing} of {matches} to play have no record: {files}")]
    Missing {
        /// Number of matches without a record.
        missing: u64,
        /// Number of matches that could be played, in words.
        matches: String,
        /// The files with such matches, the first of them.
        files: String,
    },
    /// The store has another league.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Writes all matches that can be played now and that the store does not have, this number in a file. The files of the
/// last plan are replaced.
///
/// # Errors
///
/// Fails if records of the last plan are not collected yet, or the folder cannot be written to.
pub fn plan(league: &League, store: &Store, in_a_file: usize) -> Result<Planned, BatchError> {
    let records = store.folder().join(RECORDS);
    if !files(&records)?.is_empty() {
        return Err(BatchError::NotCollected(records));
    }
    make(&records)?;
    let specs = store.folder().join(SPECS);
    make(&specs)?;
    for old in files(&specs)? {
        fs::remove_file(&old).map_err(|source| at(&old, source))?;
    }
    let (_, tasks) = runner::open_tasks(league, store)?;
    let matches = tasks.len() as u64;
    let mut written = BTreeSet::new();
    let distinct: Vec<MatchSpec> = tasks
        .iter()
        .map(|task| league.spec(&task.scheduled))
        .filter(|spec| written.insert(spec.key()))
        .collect();
    let mut count = 0;
    for chunk in distinct.chunks(in_a_file.max(1)) {
        count += 1;
        let path = specs.join(format!("{count}.json"));
        let written =
            whole_file::write(&path, |out| chunk.iter().try_for_each(|spec| writeln!(out, "{spec}")));
        written.map_err(|source| at(&path, source))?;
    }
    Ok(Planned { matches, files: count })
}

/// Reads all records into the store, and then removes their files, whose contents the store has.
///
/// # Errors
///
/// Fails if a record has faults, is of another program or of no match of the league, or differs from another one of the
/// same match; then nothing is added. Fails also if a match that can be played has no record; then all others are
/// added.
pub fn collect(league: &League, store: &mut Store, program: &str) -> Result<Collected, BatchError> {
    let folder = store.folder().join(RECORDS);
    let files = files(&folder)?;
    let (_, tasks) = runner::open_tasks(league, store)?;
    let mut wanted = Wanted::new(league, &tasks);
    let planned = tasks.len() as u64;
    store.for_each(u64::MAX, |stored, _| {
        wanted.stored(&stored.record.spec, stored.number);
        Ok::<(), StoreError>(())
    })?;
    // Checks all records first: if two differ, nobody knows which one is right.
    for file in &files {
        each_record(file, |line, record| {
            check(league, store, program, &mut wanted, &record, || format!("{}, line {line}", shown(file)))
        })?;
    }
    let mut collected = Collected::default();
    for file in &files {
        each_record(file, |_, record| {
            let numbers = wanted.open(league, &record.spec);
            let played = Played::in_process(record, None, Vec::new());
            for (number, id) in &numbers {
                let added = store.add(&Row::new(*number, id, &played));
                added.map_err(|error| error.to_string())?;
                wanted.stored(&played.record.spec, *number);
            }
            collected.added += numbers.len() as u64;
            collected.doubled += u64::from(numbers.is_empty());
            Ok(())
        })?;
    }
    // The files are the only other copy.
    store.sync()?;
    for file in files {
        fs::remove_file(&file).map_err(|source| at(&file, source))?;
    }
    let missing = planned - collected.added;
    if missing > 0 {
        let files = wanted.files(store.folder());
        return Err(BatchError::Missing { missing, matches: text::matches(planned), files });
    }
    Ok(collected)
}

/// Calls `each` for all records of a file, with their lines from 1 on.
fn each_record(
    file: &Path,
    mut each: impl FnMut(usize, MatchRecord) -> Result<(), String>,
) -> Result<(), BatchError> {
    each_line(file, |line, text| {
        let record = text.parse().map_err(|error: MatchFileError| error.to_string());
        record.and_then(|record| each(line, record))
    })
}

/// Calls `each` for all lines of a file that are not blank, with their numbers from 1 on. Never more than one line is
/// held.
pub(crate) fn each_line(
    file: &Path,
    mut each: impl FnMut(usize, &str) -> Result<(), String>,
) -> Result<(), BatchError> {
    let mut lines = BufReader::new(open_file(file).map_err(|source| at(file, source))?);
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let longest = LONGEST_FILE as u64 + 1;
        let read = lines.by_ref().take(longest).read_until(b'\n', &mut text);
        if read.map_err(|source| at(file, source))? == 0 {
            break;
        }
        let done = if text.len() > LONGEST_FILE {
            Err(format!("it is longer than {LONGEST_FILE} bytes, the limit of a line"))
        } else {
            match str::from_utf8(&text) {
                Ok(text) if text.trim().is_empty() => Ok(()),
                Ok(text) => each(line, text.trim_end_matches(['\n', '\r'])),
                Err(error) => Err(format!("byte {} of the line is not UTF-8", error.valid_up_to())),
            }
        };
        done.map_err(|reason| BatchError::Record { file: file.to_owned(), line, reason })?;
    }
    Ok(())
}

/// The matches of a league by their values.
struct Wanted {
    matches: BTreeMap<MatchKey, Known>,
}

#[derive(Default)]
struct Known {
    /// Matches without a record.
    open: Vec<(u64, MatchId)>,
    /// A match with a record in the store.
    stored: Option<u64>,
    /// The first record among the files: its place, and the hash of its text.
    found: Option<(String, u64)>,
}

impl Wanted {
    fn new(league: &League, tasks: &[Task]) -> Self {
        let mut matches: BTreeMap<MatchKey, Known> = BTreeMap::new();
        for task in tasks {
            let known = matches.entry(league.spec(&task.scheduled).key()).or_default();
            known.open.push((task.number, task.scheduled.id.clone()));
        }
        Self { matches }
    }

    fn stored(&mut self, spec: &MatchSpec, number: u64) {
        let known = self.matches.entry(spec.key()).or_default();
        known.stored = Some(number);
        known.open.retain(|(open, _)| *open != number);
    }

    /// Returns the open matches with this value.
    fn open(&self, league: &League, spec: &MatchSpec) -> Vec<(u64, MatchId)> {
        let open = self.matches.get(&spec.key()).into_iter().flat_map(|known| &known.open);
        open.filter(|(_, id)| league.spec(&league.seeds().schedule(id.clone())) == *spec).cloned().collect()
    }

    /// Returns the files of the plan with matches that are open; the first ones, for people.
    fn files(&self, folder: &Path) -> String {
        const MOST_TOLD: usize = 5;
        let is_open = |line: &str| {
            let known = line.parse().ok().and_then(|spec: MatchSpec| self.matches.get(&spec.key()));
            known.is_some_and(|known| !known.open.is_empty())
        };
        let has_open = |file: &PathBuf| {
            let mut has_open = false;
            let read = each_line(file, |_, line| {
                has_open |= is_open(line);
                Ok(())
            });
            read.is_ok() && has_open
        };
        let specs = files(&folder.join(SPECS)).unwrap_or_default();
        let found: Vec<String> = specs.into_iter().filter(has_open).map(|file| shown(&file)).collect();
        match found.len() {
            0 => format!("they are not in {}", shown(&folder.join(SPECS))),
            1..=MOST_TOLD => found.join(", "),
            more => format!("{} and {} more files", found[..MOST_TOLD].join(", "), more - MOST_TOLD),
        }
    }
}

/// Checks that a record is of this program and of a match of the league, and the same as all others of the match. An
/// error names the fault.
fn check(
    league: &League,
    store: &Store,
    program: &str,
    wanted: &mut Wanted,
    record: &MatchRecord,
    place: impl Fn() -> String,
) -> Result<(), String> {
    if record.program != program {
        return Err(format!(
            "it was played by {}, and the league is played by {program}",
            fit_for_a_log(&record.program)
        ));
    }
    let rules = game_catalogue::find(&league.game).map_err(|error| error.to_string())?.rules();
    if record.rules != rules && record.spec.game == league.game {
        let (game, found) = (&league.game, record.rules);
        return Err(format!(
            "it was played by version {found} of the rules of {game}, and this program has version {rules}"
        ));
    }
    record.check_teams(league.sides())?;
    let termination = record.outcome.termination;
    if Verdict::of(termination).treatment() == Treatment::Repeated {
        return Err(format!("the match ended with {termination}: play it again"));
    }
    let is_open = !wanted.open(league, &record.spec).is_empty();
    let none = || "the league has no such match that can be played now".to_owned();
    let known = wanted.matches.get_mut(&record.spec.key()).ok_or_else(none)?;
    if let Some(number) = known.stored {
        let stored = store.find(number).map_err(|error| error.to_string())?.ok_or_else(none)?;
        if stored.record != *record {
            return Err(format!(
                "match {number} ({}) has another record in the store; `{} play` shows which of both is right",
                stored.id,
                invocation::name()
            ));
        }
    } else if !is_open {
        return Err(none());
    }
    let mut digest = Digest::new();
    digest.bytes(record.to_string().as_bytes());
    let hash = digest.finish();
    match &known.found {
        None => known.found = Some((place(), hash)),
        Some((_, found)) if *found == hash => {}
        Some((other, _)) => {
            return Err(format!(
                "it differs from the record of the same match in {other}; `{} play` shows which of both is right",
                invocation::name()
            ));
        }
    }
    Ok(())
}

/// Returns the files of a folder whose names end in `.json`, in the order of their numbers; none if there is no folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, BatchError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(at(folder, source)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|source| at(folder, source))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found.sort_by_cached_key(|path| {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        (stem.parse::<u64>().unwrap_or(u64::MAX), stem)
    });
    Ok(found)
}

fn make(folder: &Path) -> Result<(), BatchError> {
    fs::create_dir_all(folder).map_err(|source| at(folder, source))
}

fn at(path: &Path, source: io::Error) -> BatchError {
    BatchError::File { path: path.to_owned(), source }
}
