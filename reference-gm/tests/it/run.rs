//! The program `reference-gm` as the tests run it.

use std::path::Path;
use std::process::{Command, Stdio};

use command_line::as_inside;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_reference-gm");

/// Output of a run of the program, its error messages, and its exit code.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

/// Returns the program, to be run in a folder, without a terminal.
pub(crate) fn program(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(words).current_dir(folder).stdin(Stdio::null()).env_remove("RUST_LOG");
    command
}

/// Runs the program to its end.
pub(crate) fn run(folder: &Path, words: &[&str]) -> Run {
    let output = program(folder, words).output().unwrap();
    let [out, err] =
        [output.stdout, output.stderr].map(|bytes| as_inside(&String::from_utf8(bytes).unwrap()));
    Run { out, err, code: output.status.code().unwrap() }
}
