//! Asks before the program starts the commands of a file that comes from elsewhere.
//!
//! Both programs, `league` and `league-dist`, start commands by this rule.
//! [`Trust`] has the rule; this module finds the commands among entrants. See the book's page on this decision,
//! `book/src/decisions/trust.md`.

use std::path::Path;
use std::sync::Arc;

use command_line::{Failure, command_in};
pub use command_line::{Trust, tell_commands as tell};
use strategies::programs::{Command as ProgramCommand, Processes, Programs, has_programs};

use crate::in_process::InProcess;
use crate::network::commands::CommandEntrant;
use crate::network::joining::JoiningEntrant;

/// A file, or the folder of a store, with entrants that may be commands.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Its path.
    pub path: &'a Path,
    /// Whether the user has given `--trust`.
    pub is_trusted: bool,
    /// Whether the user wants all programs to be confined.
    pub is_confined: bool,
    /// Folder in which programs that play in process run.
    pub folder: &'a Path,
    /// Whether programs that play in process are started anew for every match.
    pub restarts: bool,
}

/// The folder in which this program runs.
pub const CURRENT_FOLDER: &str = ".";

impl Source<'_> {
    /// Asks whether the commands among these entrants may be started, unless they are the user's own. Their folders
    /// begin at `base`, and programs that play in process run there.
    ///
    /// # Errors
    ///
    /// If the user says no, or cannot be asked.
    pub fn confirm(self, entrants: &[&str], base: &Path) -> Result<(), Failure> {
        Trust { trust: self.is_trusted }.confirm(self.path, &commands(entrants, base))
    }
}

/// Returns the commands among these entrants for people, each once: their words, and the whole folder in which they
/// run. Relative folders begin at `base`, and programs that play in process run there.
pub fn commands(entrants: &[&str], base: &Path) -> Vec<String> {
    let mut commands: Vec<String> = entrants.iter().filter_map(|name| told(name, base)).collect();
    commands.sort();
    commands.dedup();
    commands
}

/// Returns the command of an entrant with its whole folder, on one line; none if the entrant is no command.
fn told(entrant: &str, base: &Path) -> Option<String> {
    let (words, folder) = command_of(entrant)?;
    // An empty folder is the current one.
    let folder = if folder.is_empty() { CURRENT_FOLDER.to_owned() } else { folder };
    Some(command_in(&words, &base.join(folder)))
}

/// Returns the words of an entrant's command, and the folder in which it runs; none if the entrant is no command. The
/// folder begins at that of the league's programs.
pub(crate) fn command_of(entrant: &str) -> Option<(Vec<String>, String)> {
    match CommandEntrant::find(entrant) {
        Some(own) => own.ok().map(|own| (own.run, own.folder)),
        // Nothing is started for agents that join from outside.
        None if JoiningEntrant::find(entrant).is_some() => None,
        None => Some((ProgramCommand::read(entrant)?.ok()?.words().to_vec(), String::new())),
    }
}

/// Returns the executor in process, which starts the programs among these entrants of a file.
///
/// # Errors
///
/// If the user does not want them to be started, or wants them to be confined, one of them is missing, or this program
/// cannot start them.
pub fn in_process(entrants: &[&str], source: Source<'_>, plays: &InProcess) -> Result<InProcess, Failure> {
    let plays = in_process_unchecked(entrants, source, plays)?;
    check_programs_in(source.folder, entrants)?;
    Ok(plays)
}

/// Returns the executor in process, which starts the programs among these entrants of a file, whether they are there or
/// not.
///
/// # Errors
///
/// If the user does not want them to be started, or wants them to be confined, or this program cannot start them.
pub(crate) fn in_process_unchecked(
    entrants: &[&str],
    source: Source<'_>,
    plays: &InProcess,
) -> Result<InProcess, Failure> {
    if !has_programs(entrants) {
        return Ok(plays.clone());
    }
    if source.is_confined {
        refuse_confinement(entrants)?;
    }
    source.confirm(entrants, source.folder)?;
    with_programs_in(source.folder, source.restarts, plays)
}

/// Refuses to confine the entrants of a league in process.
///
/// # Errors
///
/// If there are programs among them.
pub(crate) fn refuse_confinement(entrants: &[&str]) -> Result<(), Failure> {
    if !has_programs(entrants) {
        return Ok(());
    }
    Err(Failure::misuse(
        "programs that play in process cannot be confined: each has all rights of the user",
        "leave out `--confine` if you trust the programs, or play over the network, where it confines them",
    ))
}

/// Returns the executor in process, which starts programs in the current folder, and anew for every match if it
/// `restarts` them.
///
/// # Errors
///
/// If the system does not say where this program is.
pub fn with_programs(restarts: bool, plays: &InProcess) -> Result<InProcess, Failure> {
    with_programs_in(Path::new(CURRENT_FOLDER), restarts, plays)
}

/// The same in this folder.
///
/// # Errors
///
/// If the system does not say where this program is.
pub(crate) fn with_programs_in(
    folder: &Path,
    restarts: bool,
    plays: &InProcess,
) -> Result<InProcess, Failure> {
    let processes = processes()?.in_folder(folder);
    let programs: Arc<dyn Programs> = Arc::new(if restarts { processes.started_anew() } else { processes });
    Ok(plays.clone().with_programs(&programs))
}

/// Checks that the programs among these entrants are there, seen from the current folder, before matches are played.
///
/// # Errors
///
/// Names the first that is missing.
pub fn check_programs(entrants: &[&str]) -> Result<(), Failure> {
    check_programs_in(Path::new(CURRENT_FOLDER), entrants)
}

/// The same, seen from this folder.
///
/// # Errors
///
/// As [`check_programs`].
pub(crate) fn check_programs_in(folder: &Path, entrants: &[&str]) -> Result<(), Failure> {
    let checked = processes()?.in_folder(folder).check(entrants.iter().copied());
    checked.map_err(|why| Failure::without_program(why, folder))
}

/// Starts programs as child processes, in the current folder.
///
/// # Errors
///
/// If the system does not say where this program is.
pub fn processes() -> Result<Processes, Failure> {
    Processes::of_this_program().map_err(|error| Failure::without_own_path(&error))
}
