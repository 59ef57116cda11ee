//! The program `bots` as the tests run it.

use std::path::Path;
use std::process::{Command, Stdio};

use command_line::as_inside;
use tokio::task::JoinHandle;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_bots");

/// Output of a run of the program, its error messages, and its exit code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

impl Run {
    /// Runs the program to its end.
    fn of(program: &mut Command) -> Self {
        let output = program.output().unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|bytes| as_inside(&String::from_utf8(bytes).unwrap()));
        Self { out, err, code: output.status.code().unwrap() }
    }
}

/// Returns the program, to be run in a folder, without a terminal.
pub(crate) fn program(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(words).current_dir(folder).stdin(Stdio::null()).env_remove("RUST_LOG");
    command
}

/// Runs the program to its end.
pub(crate) fn run(folder: &Path, words: &[&str]) -> Run {
    Run::of(&mut program(folder, words))
}

/// Runs the program as if cargo, which runs the tests, had not started it: its messages depend on that.
pub(crate) fn run_without_cargo(folder: &Path, words: &[&str]) -> Run {
    Run::of(program(folder, words).env_remove("CARGO").env_remove("CARGO_MANIFEST_DIR"))
}

/// Runs the program beside the other work of the test.
pub(crate) fn beside(folder: &Path, words: &[&str]) -> JoinHandle<Run> {
    let mut program = program(folder, words);
    tokio::task::spawn_blocking(move || Run::of(&mut program))
}
