//! The program `league` as the tests run it.

use std::path::Path;
use std::process::{Command, Output};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_league");

/// Returns the command with these words, in this folder.
pub(crate) fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(words).current_dir(folder);
    command
}

/// Runs the program to its end, with an empty standard input.
pub(crate) fn league(folder: &Path, words: &[&str]) -> Output {
    command(folder, words).output().expect("the program starts")
}

/// Returns an output of the program as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
