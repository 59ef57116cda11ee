//! The tests in Rust: by cargo-nextest where it is installed, else by `cargo test`.
//!
//! cargo-nextest runs the tests of all crates side by side, which takes half of the time, and can repeat those that
//! failed. `.config/nextest.toml` says how. Doc tests are always run by cargo.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io, thread};

use anyhow::{Context as _, Result};

use crate::watched::{self, Ended, Runner};
use crate::{Cargo, cargo, folders, packages, target_folder, workspace};

/// The modules of tests that start Python. A file belongs to such a module if its name is `python.rs` or its folder
/// `python`.
pub(crate) const PYTHON_TESTS: &str = "python::";

/// The module of the tests that need namespaces, and its file. These tests start Python too.
pub(crate) const NAMESPACES_TESTS: &str = "python::namespaces::";
pub(crate) const NAMESPACES_FILE: &str = "child-process/tests/it/python/namespaces.rs";

/// The attributes with which a test begins.
const TEST_MARKS: [&str; 2] = ["#[test]", "#[tokio::test"];

/// The crates whose tests are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Crates {
    /// All of them.
    All,
    /// The default members of the workspace.
    Default,
}

impl Crates {
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::All => &["--workspace"],
            Self::Default => &[],
        }
    }
}

/// Builds the tests of these crates, the programs that they start, and the native module of the Python package.
///
/// # Errors
///
/// If they cannot be built.
pub(crate) fn build(crates: Crates) -> Result<()> {
    // Libraries are named because the module is one, and no test in Rust needs it. With the tests, cargo chooses the
    // features that it chooses for `cargo test`, and compiles nothing twice.
    let words = ["build", "--profile", "test", "--lib", "--bins", "--tests", "--examples", "--locked"];
    cargo(&words).args(words_of(crates)).run()
}

/// Runs the tests of these crates, without the module that cannot run; with `retries`, which needs cargo-nextest, some
/// of those that fail a second time.
///
/// # Errors
///
/// If a command cannot be started.
pub(crate) fn run(crates: Crates, skipped: Option<&str>, retries: bool) -> Result<Vec<Ended>> {
    let common = |words: &[&str]| {
        // Cargo builds all programs before the first test. Tests that start them use these: built by themselves, they
        // would have fewer features, and their libraries would be compiled a second time.
        with_number_of_commit(cargo(words).args(["--locked", "--no-fail-fast"]).args(words_of(crates)))
            .env("PROGRAMS", target_folder().join("debug"))
    };
    if !has_nextest() {
        let skip = skipped.map(|module| ["--", "--skip", module]).into_iter().flatten();
        return Ok(vec![watch(common(&["test"]).args(skip), Runner::Cargo)?]);
    }
    // Many tests wait for programs and for each other: more of them than processors keep these busy.
    let threads = 3 * thread::available_parallelism().map_or(1, usize::from);
    let mut tests = common(&["nextest", "run"]).args([format!("--test-threads={threads}")]);
    if retries {
        tests = tests.args(["--profile", "retrying"]);
    }
    if let Some(module) = skipped {
        tests = tests.args(["--filterset".to_owned(), format!("not test(/^{module}/)")]);
    }
    Ok(vec![watch(tests, Runner::Nextest)?, watch(common(&["test", "--doc"]), Runner::Cargo)?])
}

fn words_of(crates: Crates) -> impl Iterator<Item = &'static str> {
    crates.words().iter().copied()
}

/// Runs the tests that these words for `cargo test` choose, without the module that cannot run. The first word may be a
/// crate.
///
/// # Errors
///
/// If the command cannot be started.
pub(crate) fn run_some(words: &[String], skipped: Option<&str>) -> Result<Ended> {
    let known = packages()?;
    let is_package = |word: &str| known.iter().any(|package| package.name == word);
    let (chosen, words) = match words.split_first().filter(|(word, _)| is_package(word)) {
        Some((package, words)) => (vec!["--package", package.as_str()], words),
        None => (vec![], words),
    };
    let tests = cargo(&["test", "--locked", "--no-fail-fast"]).args(chosen).args(words);
    let has_divider = words.iter().any(|word| word == "--");
    let divider = (skipped.is_some() && !has_divider).then_some("--");
    let skip = skipped.map(|module| ["--skip", module]).into_iter().flatten();
    watch(with_number_of_commit(tests.args(divider).args(skip)), Runner::Cargo)
}

/// Runs the benches that check themselves, shortly: one starts itself as several processes, which no compiler checks.
///
/// # Errors
///
/// If it fails.
pub(crate) fn try_benches(crates: Crates) -> Result<()> {
    // The features are those of the tests before, so that nothing is compiled again.
    let bench =
        cargo(&["test", "--quiet", "--locked"]).args(words_of(crates)).args(["--bench", "master", "--"]);
    bench.args(["--watched", "--rounds", "1", "--seconds", "0.05"]).run()
}

fn watch(command: Cargo, runner: Runner) -> Result<Ended> {
    let (command, shown) = command.command();
    match runner {
        Runner::Nextest => watched::run(command, &shown, &mut io::stderr(), runner),
        Runner::Cargo | Runner::Node | Runner::Pytest => {
            watched::run(command, &shown, &mut io::stdout(), runner)
        }
    }
}

/// Returns whether cargo-nextest is installed, which alone can repeat tests.
pub(crate) fn has_nextest() -> bool {
    let mut version = Command::new("cargo");
    version.args(["nextest", "--version"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Lets tests of simulations also play runs that no commit before has played.
fn with_number_of_commit(command: Cargo) -> Cargo {
    match number_of_commit() {
        Some(number) => command.env("SIMULATE_FROM", number.to_string()),
        None => command,
    }
}

/// Returns a number below 2^32 made from the present commit, or `None` outside a git checkout.
fn number_of_commit() -> Option<u32> {
    let head = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(workspace()).output().ok()?;
    let head = String::from_utf8(head.stdout).ok()?;
    u32::from_str_radix(head.get(..8)?, 16).ok()
}

/// Returns the number of tests in the sources of a folder.
///
/// # Errors
///
/// If it cannot be read.
pub(crate) fn count_in(folder: &Path) -> Result<usize> {
    count_of(&rust_files(folder)?)
}

/// Returns the number of tests in these files. A test in a loop counts once.
///
/// # Errors
///
/// If they cannot be read.
pub(crate) fn count_of(files: &[PathBuf]) -> Result<usize> {
    files.iter().map(|file| Ok(count(&fs::read_to_string(file)?, &TEST_MARKS))).sum()
}

/// Returns the number of lines that begin with one of these marks.
pub(crate) fn count(source: &str, marks: &[&str]) -> usize {
    source.lines().filter(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark))).count()
}

/// Returns the Rust sources below a folder.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Returns the files of the tests that start Python, of all crates.
pub(crate) fn python_files() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders()? {
        let tests = workspace().join(folder).join("tests");
        // Elsewhere the tests of `child-process` are not compiled.
        let is_compiled = cfg!(target_os = "linux") || !tests.starts_with(workspace().join("child-process"));
        if tests.is_dir() && is_compiled {
            files.extend(rust_files(&tests)?.into_iter().filter(|file| is_python(file)));
        }
    }
    // The tests of the whole workspace are a crate whose folder is `tests` itself.
    files.extend(rust_files(&workspace().join("tests"))?.into_iter().filter(|file| is_python(file)));
    Ok(files)
}

/// Returns whether a file belongs to a module `python`.
fn is_python(file: &Path) -> bool {
    let below = file.strip_prefix(workspace()).unwrap_or(file);
    below.components().any(|part| ["python", "python.rs"].iter().any(|name| part.as_os_str() == *name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folders_not_by_default;

    #[test]
    fn the_counted_tests_are_where_they_are_looked_for() {
        // Every test that starts Python is in a module that can be left out.
        let python = python_files().unwrap();
        for folder in folders().unwrap() {
            let tests = workspace().join(folder).join("tests");
            let sources = if tests.is_dir() { rust_files(&tests).unwrap() } else { Vec::new() };
            for source in sources.iter().filter(|source| !is_python(source)) {
                let text = fs::read_to_string(source).unwrap();
                let starts = text.contains("python(\"") || text.contains("new(\"python3\")");
                assert!(!starts, "{} starts Python: move it into a module `python`", source.display());
            }
        }
        assert!(python.iter().any(|file| file.ends_with("league/tests/it/python/network.rs")), "{python:?}");
        for module in python.iter().filter(|file| file.ends_with("python/mod.rs")) {
            let suite = module.with_file_name("").parent().unwrap().join("main.rs");
            let declares = fs::read_to_string(&suite).unwrap().lines().any(|line| line == "mod python;");
            assert!(declares, "no `mod python;` in {}", suite.display());
        }
        for folder in folders_not_by_default().unwrap() {
            // The tests of the Python package are in Python, and counted with these.
            let has_tests = folder == "python" || count_in(&workspace().join(&folder)).unwrap() > 0;
            assert!(has_tests, "{folder} has no tests");
        }
    }
}
