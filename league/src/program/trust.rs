//! Asks before the program starts the commands of a file that comes from elsewhere.
//!
//! A file in the current folder or below it is the user's own project, like a makefile there; of any other file, the
//! commands are shown. See the book's page on this decision, `book/src/decisions/trust.md`.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Component, Path};

use command_line::{Failure, shown};
use contests::text;
use game_env::text::escape_hidden;

use crate::network::commands::CommandEntrant;

/// The most commands that are shown; the rest are counted.
const MOST_SHOWN: usize = 20;

/// A file, or the folder of a store, with entrants that may be commands.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// Its path.
    pub(super) path: &'a Path,
    /// Whether the user has given `--trust`.
    pub(super) is_trusted: bool,
}

impl Source<'_> {
    /// Asks whether the commands among these entrants may be started, unless they are the user's own. Their folders begin at
    /// `base`.
    ///
    /// # Errors
    ///
    /// If the user says no, or cannot be asked.
    pub(super) fn confirm(self, entrants: &[&str], base: &Path) -> Result<(), Failure> {
        let mut commands: Vec<String> = entrants
            .iter()
            .filter_map(|name| CommandEntrant::find(name)?.ok())
            .map(|own| told(&own, base))
            .collect();
        commands.sort();
        commands.dedup();
        if commands.is_empty() || self.is_trusted || is_below_current_folder(self.path) {
            return Ok(());
        }
        let path = shown(self.path);
        let count = text::counted(commands.len() as u64, "command", "commands");
        eprintln!("{path} is not in the current folder, and starts {count} on this computer:");
        commands.iter().take(MOST_SHOWN).for_each(|command| eprintln!("  {command}"));
        if let more @ 1.. = commands.len().saturating_sub(MOST_SHOWN) {
            eprintln!("  and {more} more");
        }
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

/// A command with its whole folder, on one line.
fn told(own: &CommandEntrant, base: &Path) -> String {
    let folder = base.join(&own.folder);
    // Of a folder that does not exist, no link can be followed.
    let folder = folder.canonicalize().or_else(|_| std::path::absolute(&folder)).unwrap_or(folder);
    let words: Vec<String> = own.run.iter().map(|word| escape_hidden(&format!("{word:?}"))).collect();
    format!("{} in the folder {}", words.join(" "), shown(&folder))
}

/// Returns whether the path leads to a place in the current folder or below it. A link counts as the place where it
/// stands.
fn is_below_current_folder(path: &Path) -> bool {
    let Ok(current) = std::env::current_dir() else { return false };
    let leads_up = path.components().any(|part| part == Component::ParentDir);
    !leads_up && std::path::absolute(path).is_ok_and(|path| path.starts_with(current))
}
