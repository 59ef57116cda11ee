//! Functions with which the programs `league` and `league-dist` begin a league, and report its standings at its end.
//! They play no matches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, io};

use command_line::{Failure, drawn_seed, print, quoted_path, read_text, shown, tell};
use contests::text;
use game_env::Seed;
use strategies::programs::has_programs;

use crate::file::{ExecutorKind, LONGEST_FILE, League};
use crate::games::Games;
use crate::in_process::InProcess;
use crate::invocation::command;
use crate::network::joining::JoiningEntrant;
use crate::program_files::ProgramFiles;
use crate::progress::Progress;
use crate::standings::Standings;
use crate::store::{Origin, Store};
use crate::trust::{self, CURRENT_FOLDER, Source};

/// Name and version of the shipped program that plays matches. Both programs are of this version, and play the same.
/// The program of an author has a name of its own, see [`program::main`](crate::program::main).
pub const PROGRAM: &str = concat!("league ", env!("CARGO_PKG_VERSION"));

/// Plays matches of the shipped strategies in this process, in the name of [`PROGRAM`].
pub fn in_process() -> InProcess {
    InProcess::new(PROGRAM)
}

/// The beginning of the text that a search of `tune` has in the place of a league file.
pub(crate) const SEARCH: &str = "[tune]\n";

/// Reads a league file; a program of this name and version plays the league in process, and nothing is confined.
///
/// # Errors
///
/// If the file cannot be read.
pub fn origin(path: &Path, program: &str) -> Result<Origin, Failure> {
    let unreadable = |error: io::Error| {
        Failure::misuse(format!("cannot read {}: {error}", shown(path)), "name a league file")
    };
    let file = read_text(path, LONGEST_FILE).map_err(unreadable)?;
    origin_of(path, file, program)
}

/// Returns the origin of a league file with this text, at this path.
pub(crate) fn origin_of(path: &Path, file: String, program: &str) -> Result<Origin, Failure> {
    let unreadable = |error: io::Error| {
        Failure::misuse(format!("cannot find {}: {error}", shown(path)), "name a league file")
    };
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let base = path.parent().filter(|base| !base.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let base = std::path::absolute(base).map_err(unreadable)?;
    Ok(Origin {
        name: stem,
        file,
        executor: InProcess::NAME.to_owned(),
        program: program.to_owned(),
        folder: base.to_string_lossy().into_owned(),
        is_confined: false,
    })
}

/// Reads the league of a store or a file at this path, with these games and strategies.
///
/// # Errors
///
/// If the league has faults; all of them are named.
pub fn league(origin: &Origin, path: &Path, games: &dyn Games) -> Result<League, Failure> {
    if origin.file.starts_with(SEARCH) {
        return Err(Failure::misuse(
            format!("{} has a search of `tune`, and no league", shown(path)),
            "the command with which the search began goes on with it",
        ));
    }
    League::read(&origin.name, &origin.file, games).map_err(|error| {
        Failure::misuse(
            format!("{} cannot be played\n{error}", shown(path)),
            "the book's pages \"Leagues\" and \"Leagues over the network\" have every key with its default; examples/league.toml is a league",
        )
    })
}

/// Warns if programs or agents from outside play in a league with the seed 0, as a file without a seed has it: their
/// authors can play the boards of the league before.
pub fn warn_of_known_seed(league: &League) {
    let is_foreign = |name: &&str| trust::command_of(name).is_some() || JoiningEntrant::find(name).is_some();
    if league.seed != Seed::new(0) || !league.strategies().iter().any(is_foreign) {
        return;
    }
    let example = drawn_seed().map_or_else(|_| String::new(), |seed| format!(", e.g. `seed = {seed}`"));
    tell(&format!(
        "warning: the seed of the league is 0, as in a file without one: authors of programs who know the file can play \
         its boards before. For programs of others, write a random seed into the file{example}, and keep it secret"
    ));
}

/// Notes for a league in process that its programs run in the current folder.
///
/// # Errors
///
/// If the system does not say which one that is.
pub fn note_current_folder(origin: &mut Origin, league: &League) -> Result<(), Failure> {
    if league.executor != ExecutorKind::InProcess {
        return Ok(());
    }
    let current = env::current_dir().map_err(|error| {
        Failure::undone(format!("cannot find the current folder: {error}"), "change to a folder that exists")
    })?;
    origin.folder = current.to_string_lossy().into_owned();
    Ok(())
}

/// Returns the folder in which the programs of a stored league in process run: that in which the league began. If it is
/// not there, as on another machine, it is the current one, and a line says so if there are programs.
pub(crate) fn folder_of_programs(origin: &Origin, league: &League) -> PathBuf {
    let began_in = PathBuf::from(&origin.folder);
    if league.executor != ExecutorKind::InProcess || began_in.is_dir() {
        return began_in;
    }
    if has_programs(league.strategies()) {
        tell(&format!(
            "warning: the league began in {}, which is not there: its programs run in the current folder",
            shown(&began_in)
        ));
    }
    PathBuf::from(CURRENT_FOLDER)
}

/// Goes on with a league or a search, as `whose` says, if its programs are still those of the store, or the user has
/// given `--changed-programs`.
///
/// # Errors
///
/// Names the files that have changed.
pub(crate) fn admit_programs(
    store: &mut Store,
    files: &ProgramFiles,
    whose: &str,
    may_change: bool,
) -> Result<(), Failure> {
    if may_change && store.programs()?.told_changes(files, whose).is_some() {
        store.note_programs(files)?;
    }
    let ways = format!("begin a new {whose}, or go on all the same with `--changed-programs`");
    refuse_changes(store, files, whose, &ways)
}

/// Refuses to go on with a league or a search, as `whose` says, if its programs are not those of the store. `ways` are
/// those to go on without the earlier files.
fn refuse_changes(store: &Store, files: &ProgramFiles, whose: &str, ways: &str) -> Result<(), Failure> {
    store.programs()?.told_changes(files, whose).map_or(Ok(()), |changed| {
        Err(Failure::undone(
            format!("{changed}: matches before and after do not compare"),
            format!("put the earlier files back, {ways}"),
        ))
    })
}

/// Warns if the programs among these entrants, which play matches of a stored league again, are others than in the
/// league. Their folders begin at `folder`.
///
/// # Errors
///
/// If the store cannot be read.
pub(crate) fn warn_of_changes(store: &Store, entrants: &[&str], folder: &Path) -> Result<(), Failure> {
    if let Some(changed) = store.programs()?.told_changes(&ProgramFiles::of(entrants, folder), "league") {
        tell(&format!("warning: {changed}"));
    }
    Ok(())
}

/// Returns the executor that plays matches of a stored league in process once more, with the programs among these
/// entrants. A line says which of them have changed.
///
/// # Errors
///
/// If the store cannot be read, the user does not want the programs to be started, one of them is missing, or this
/// program cannot start them.
pub(crate) fn again(
    store: &Store,
    (origin, league): (&Origin, &League),
    entrants: &[&str],
    is_trusted: bool,
    plays: &InProcess,
) -> Result<InProcess, Failure> {
    let folder = folder_of_programs(origin, league);
    warn_of_changes(store, entrants, &folder)?;
    let source = Source {
        path: store.folder(),
        is_trusted,
        is_confined: false,
        folder: &folder,
        restarts: league.restarts_programs,
    };
    trust::in_process(entrants, source, plays)
}

/// Returns the folder for the results of a league unless another one is named.
pub fn folder(origin: &Origin) -> PathBuf {
    PathBuf::from(format!("{}.results", origin.name))
}

/// Opens the league in this folder to go on with it, if it is the same.
///
/// # Errors
///
/// If it is another league or of another program, its programs of entrants have changed, or its store cannot be used.
pub fn continue_with(folder: &Path, origin: &Origin, files: &ProgramFiles) -> Result<Store, Failure> {
    let store = Store::open(folder)?;
    let found = store.origin()?;
    let differs = [
        ("name", found.name != origin.name),
        ("league file", found.file != origin.file),
        ("executor", found.executor != origin.executor),
        ("program", found.program != origin.program),
    ];
    if let Some((what, _)) = differs.iter().find(|(_, differs)| *differs) {
        return Err(Failure::misuse(
            format!("{} has a league with another {what}", shown(folder)),
            "go on with the same file and program, or name another folder with `--out`",
        ));
    }
    refuse_changes(&store, files, "league", "or name another folder with `--out`")?;
    Ok(store)
}

/// Says how many matches of a league are stored before it goes on.
pub fn tell_stored(stored: u64) {
    let is = if stored == 1 { "is" } else { "are" };
    tell(&format!("{} {is} stored; those that are missing are played", text::matches(stored)));
}

/// Writes the standings of a league into its store, and prints them.
///
/// # Errors
///
/// If they cannot be written.
pub fn tell_standings(
    league: &League,
    origin: &Origin,
    progress: &Progress,
    store: &Store,
) -> Result<(), Failure> {
    let standings = Standings::new(league, origin, progress);
    let reported = standings.write(league, store)?;
    print(&standings.to_string())?;
    tell(&format!("standings.json, standings.csv and matches.jsonl are in {}", shown(store.folder())));
    if let Some(told) = store.programs()?.told_versions("league") {
        tell(&format!("warning: {told}"));
    }
    let (what, reported) = match league.executor {
        ExecutorKind::InProcess => ("agents have failed, or have told blunders,", reported),
        // The records of these matches count no failed programs.
        ExecutorKind::Network => {
            let numbers: BTreeSet<u64> = store.failures()?.into_iter().map(|(number, _)| number).collect();
            ("agents have failed", numbers.len() as u64)
        }
    };
    if reported > 0 {
        let log = command(&format!("log {}", quoted_path(store.folder())));
        tell(&format!("{what} in {}; `{log}` says how", text::matches(reported)));
    }
    Ok(())
}
