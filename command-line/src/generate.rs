//! The subcommands that write texts about a program's flags: completions, manual pages, the book's page.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Command, Subcommand};
use clap_complete::Shell;

use crate::reference::reference;

/// Subcommands of every program that write texts about its flags.
#[derive(Clone, Debug, Subcommand)]
pub enum Generate {
    /// Print a script that completes this program's commands and flags in a shell.
    ///
    /// For bash: `PROGRAM completions bash > ~/.local/share/bash-completion/completions/PROGRAM`.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual pages of this program and its subcommands, in roff, into a folder.
    #[command(hide = true)]
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// Print the page of the book about this program's command line, in Markdown.
    #[command(hide = true)]
    Reference,
}

/// Reasons why nothing could be written.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Standard output takes nothing more.
    #[error("cannot write to standard output: {0}")]
    Closed(#[source] io::Error),
    /// A manual page cannot be written.
    #[error("cannot write manual pages into {folder}: {source}", folder = .folder.display())]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl GenerateError {
    /// Returns the hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Closed(_) => "write to a file, e.g. `… completions bash > FILE`",
            Self::Unwritable { .. } => "name a folder that exists and can be written to",
        }
    }
}

impl Generate {
    /// Writes the requested text; `command` is the program's command line.
    ///
    /// # Errors
    ///
    /// If standard output takes nothing, or the folder cannot be written to.
    pub fn run(&self, command: Command) -> Result<(), GenerateError> {
        match self {
            Self::Completions { shell } => print(&completions(command, *shell)),
            Self::Reference => print(reference([command]).as_bytes()),
            Self::Man { folder } => manual(command, folder)
                .map_err(|source| GenerateError::Unwritable { folder: folder.clone(), source }),
        }
    }
}

fn print(text: &[u8]) -> Result<(), GenerateError> {
    let mut out = io::stdout();
    out.write_all(text).and_then(|()| out.flush()).map_err(GenerateError::Closed)
}

fn completions(mut command: Command, shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    // To memory first: the generator panics where it cannot write.
    clap_complete::generate(shell, &mut command, name, &mut script);
    script
}

fn manual(command: Command, folder: &Path) -> io::Result<()> {
    clap_mangen::generate_to(command.disable_help_subcommand(true), folder)
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ValueEnum as _};

    use super::*;

    fn program() -> Command {
        let play =
            Command::new("play").about("Play a game").arg(Arg::new("seed").long("seed").help("The seed"));
        let program = Command::new("sample").about("A sample").subcommand(play);
        Generate::augment_subcommands(program)
    }

    #[test]
    fn every_shell_has_completions_that_know_the_flags() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(completions(program(), *shell)).unwrap();
            assert!(script.contains("play") && script.contains("seed"), "{shell}: {script}");
        }
    }

    #[test]
    fn every_visible_command_has_a_manual_page() {
        let folder = tempfile::tempdir().unwrap();
        Generate::Man { folder: folder.path().to_owned() }.run(program()).unwrap();
        let mut pages: Vec<_> = folder
            .path()
            .read_dir()
            .unwrap()
            .map(|page| page.unwrap().file_name().into_string().unwrap())
            .collect();
        pages.sort();
        assert_eq!(pages, ["sample-completions.1", "sample-play.1", "sample.1"]);
        let page = std::fs::read_to_string(folder.path().join("sample-play.1")).unwrap();
        assert!(page.contains("Play a game") && page.contains("The seed"), "{page}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let error = Generate::Man { folder: missing.clone() }.run(program()).unwrap_err();
        let told = error.to_string();
        assert!(
            told.starts_with(&format!("cannot write manual pages into {}: ", missing.display())),
            "{told}"
        );
        assert_eq!(error.hint(), "name a folder that exists and can be written to");
    }
}
