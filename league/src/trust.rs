//! Asks before the program starts the commands of a file that comes from elsewhere.
//!
//! Both programs, `league` and `league-dist`, start commands by this rule.
//! A file in the current folder or below it is the user's own project, like a makefile there; of any other file, the
//! commands are shown. See the book's page on this decision, `book/src/decisions/trust.md`.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Component, Path};
use std::sync::Arc;

use clap::Args;
use command_line::{Failure, shown};
use contests::text;
use game_env::text::escape_hidden;
use strategies::programs::{Command as ProgramCommand, Processes, Programs, has_programs};

use crate::in_process::InProcess;
use crate::network::commands::CommandEntrant;
use crate::network::joining::JoiningEntrant;

/// The flag with which a user allows the commands of a file.
#[derive(Args, Clone, Copy, Debug)]
pub struct Trust {
    /// Start the commands of the file without asking, also if it is not in the current folder.
    #[arg(long)]
    pub trust: bool,
}

/// The most commands that are shown; the rest are counted.
const MOST_SHOWN: usize = 20;

/// A file, or the folder of a store, with entrants that may be commands.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Its path.
    pub path: &'a Path,
    /// Whether the user has given `--trust`.
    pub is_trusted: bool,
}

impl Source<'_> {
    /// Asks whether the commands among these entrants may be started, unless they are the user's own. Their folders begin at
    /// `base`.
    ///
    /// # Errors
    ///
    /// If the user says no, or cannot be asked.
    pub fn confirm(self, entrants: &[&str], base: &Path) -> Result<(), Failure> {
        let commands = commands(entrants, base);
        if commands.is_empty() || self.is_trusted || is_below_current_folder(self.path) {
            return Ok(());
        }
        let path = shown(self.path);
        let count = text::counted(commands.len() as u64, "command", "commands");
        eprintln!("{path} is not in the current folder, and starts {count} on this computer:");
        tell(&commands);
        let refused = |why: &str| {
            Failure::misuse(
                format!("{why}: nothing was started"),
                "if you trust the file, `--trust` starts its commands without asking",
            )
        };
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(refused("there is no terminal on which to ask"));
        }
        eprint!("start them? [y/N] ");
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        if read.is_ok() && ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes)) {
            Ok(())
        } else {
            Err(refused("you did not say yes"))
        }
    }
}

/// The commands among these entrants for people, each once: their words, and the whole folder in which they run. Relative
/// folders begin at `base`.
pub fn commands(entrants: &[&str], base: &Path) -> Vec<String> {
    let mut commands: Vec<String> = entrants.iter().filter_map(|name| told(name, base)).collect();
    commands.sort();
    commands.dedup();
    commands
}

/// Prints these commands on standard error, each on a line; the first 20 of them, and the number of the others.
pub fn tell(commands: &[String]) {
    commands.iter().take(MOST_SHOWN).for_each(|command| eprintln!("  {command}"));
    if let more @ 1.. = commands.len().saturating_sub(MOST_SHOWN) {
        eprintln!("  and {more} more");
    }
}

/// The command of an entrant with its whole folder, on one line; none if the entrant is no command.
fn told(entrant: &str, base: &Path) -> Option<String> {
    let (words, folder) = match CommandEntrant::find(entrant) {
        Some(own) => own.ok().map(|own| (own.run, base.join(own.folder)))?,
        // Nothing is started for agents that join from outside.
        None if JoiningEntrant::find(entrant).is_some() => return None,
        // A program that plays in process runs in the current folder.
        None => (ProgramCommand::read(entrant)?.ok()?.words().to_vec(), ".".into()),
    };
    // Of a folder that does not exist, no link can be followed.
    let folder = folder.canonicalize().or_else(|_| std::path::absolute(&folder)).unwrap_or(folder);
    let words: Vec<String> = words.iter().map(|word| escape_hidden(&format!("{word:?}"))).collect();
    Some(format!("{} in the folder {}", words.join(" "), shown(&folder)))
}

/// The executor in process, which starts the programs among these entrants of a file.
///
/// # Errors
///
/// If the user does not want them to be started, or this program cannot.
pub fn in_process(entrants: &[&str], source: Source<'_>, plays: &InProcess) -> Result<InProcess, Failure> {
    if !has_programs(entrants) {
        return Ok(plays.clone());
    }
    source.confirm(entrants, Path::new(""))?;
    with_programs(plays)
}

/// The executor in process, which starts programs.
///
/// # Errors
///
/// If the system does not say where this program is.
pub fn with_programs(plays: &InProcess) -> Result<InProcess, Failure> {
    let programs: Arc<dyn Programs> = Arc::new(processes()?);
    Ok(plays.clone().with_programs(&programs))
}

/// Checks that the programs among these entrants are there, before matches are played.
///
/// # Errors
///
/// Names the first that is missing.
pub fn check_programs(entrants: &[&str]) -> Result<(), Failure> {
    processes()?.check(entrants.iter().copied()).map_err(|error| {
        Failure::misuse(error, "a command is a program and its arguments, e.g. \"python3 agent.py\"")
    })
}

/// Starts programs as child processes, in the current folder.
///
/// # Errors
///
/// If the system does not say where this program is.
pub fn processes() -> Result<Processes, Failure> {
    Processes::of_this_program().map_err(|error| {
        Failure::undone(format!("the system does not say where this program is: {error}"), "try again")
    })
}

/// Returns whether the path leads to a place in the current folder or below it. A link counts as the place where it
/// stands.
fn is_below_current_folder(path: &Path) -> bool {
    let Ok(current) = std::env::current_dir() else { return false };
    let leads_up = path.components().any(|part| part == Component::ParentDir);
    !leads_up && std::path::absolute(path).is_ok_and(|path| path.starts_with(current))
}
