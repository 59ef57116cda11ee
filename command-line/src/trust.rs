//! Asks before a program starts the commands of a file that comes from elsewhere.
//!
//! A file in the current folder or below it is the user's own project, like a makefile there; of any other file, the
//! commands are shown. See the book's page on this decision, `book/src/decisions/trust.md`.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Component, Path};

use clap::Args;
use game_env::text::escape_hidden;

use crate::ending::tell;
use crate::failure::{Failure, shown};

/// The flag with which a user allows the commands of a file.
#[derive(Args, Clone, Copy, Debug)]
pub struct Trust {
    /// Start the commands of the file without asking, also if it is not in the current folder.
    #[arg(long)]
    pub trust: bool,
}

/// The most commands that are shown; the rest are counted.
const MOST_SHOWN: usize = 20;

impl Trust {
    /// Asks whether these commands of a file, each as [`command_in`] writes it, may be started, unless the user trusts
    /// the file or it is the user's own.
    ///
    /// # Errors
    ///
    /// If the user says no, or cannot be asked.
    pub fn confirm(self, file: &Path, commands: &[String]) -> Result<(), Failure> {
        if commands.is_empty() || self.trust || is_below_current_folder(file) {
            return Ok(());
        }
        let count = match commands.len() {
            1 => "1 command".to_owned(),
            count => format!("{count} commands"),
        };
        tell(&format!("{} is not in the current folder, and starts {count} on this machine:", shown(file)));
        tell_commands(commands);
        let refused = |why: &str| {
            Failure::misuse(
                format!("{why}: nothing was started"),
                "if you trust the file, `--trust` starts its commands without asking",
            )
        };
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(refused("there is no terminal on which to ask"));
        }
        let _ = io::stderr().write_all(b"start them? [y/N] ");
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        if read.is_ok() && ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes)) {
            Ok(())
        } else {
            Err(refused("the answer was not `y` or `yes`"))
        }
    }
}

/// Prints these commands on standard error, each on a line; the first 20 of them, and the number of the others.
pub fn tell_commands(commands: &[String]) {
    lines(commands).iter().for_each(|line| tell(line));
}

/// Returns the lines that show these commands: each command on one line.
fn lines(commands: &[String]) -> Vec<String> {
    let shown = commands.iter().take(MOST_SHOWN).map(|command| format!("  {}", escape_hidden(command)));
    let more = commands.len().saturating_sub(MOST_SHOWN);
    shown.chain((more > 0).then(|| format!("  and {more} more"))).collect()
}

/// Returns the text of a command for people: its words, and the whole folder in which it runs, on one line.
pub fn command_in(words: &[String], folder: &Path) -> String {
    // Of a folder that does not exist, no link can be followed.
    let folder =
        folder.canonicalize().or_else(|_| std::path::absolute(folder)).unwrap_or_else(|_| folder.to_owned());
    let words: Vec<String> = words.iter().map(|word| escape_hidden(&format!("{word:?}"))).collect();
    format!("{} in the folder {}", words.join(" "), shown(&folder))
}

/// Returns whether the path leads to a place in the current folder or below it. A link counts as the place where it
/// stands.
fn is_below_current_folder(path: &Path) -> bool {
    let Ok(current) = std::env::current_dir() else { return false };
    let leads_up = path.components().any(|part| part == Component::ParentDir);
    !leads_up && std::path::absolute(path).is_ok_and(|path| path.starts_with(current))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_one_line_that_a_terminal_does_not_obey() {
        let commands: Vec<String> = (0..22).map(|number| format!("run\n{number}\u{1b}[2J\u{202e}")).collect();
        let lines = lines(&commands);
        assert_eq!(lines.len(), 21);
        assert_eq!(lines[0], "  run\\n0\\u{1b}[2J\\u{202e}");
        assert_eq!(lines[20], "  and 2 more");
        assert_eq!(super::lines(&[]), [""; 0]);
    }
}
