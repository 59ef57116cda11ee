//! The commands of this workspace, for developers and for CI.
//!
//! `cargo xtask test` runs the tests. Every command prints the commands that it runs, and names missing programs.

mod bench;
mod crates;
mod dist;
mod files;
mod page_tests;
mod profile;
mod programs;
mod python_package;
mod rust_tests;
mod test;
mod watched;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use toml::Table;

use crate::bench::Bench;
use crate::files::{make, read};

/// The commands of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run all tests that can run on this machine: of every crate, of the documentation's examples, of the page.
    Test {
        /// Fail if Python, bubblewrap, Node, npm or Chromium is missing, instead of leaving out the tests that need it;
        /// also run the tests of all crates, and of the Python package where Python can make an environment with pip.
        #[arg(long)]
        all: bool,
        /// Run tests that start programs once more if they fail, and name them in the last lines; needs cargo-nextest.
        #[arg(long, conflicts_with = "further")]
        retry: bool,
        /// A crate, to run only its tests, and further arguments for `cargo test`, e.g. the name of a test; the tests
        /// of the page are then left out.
        #[arg(value_name = "CRATE|ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
        further: Vec<String>,
    },
    /// Check formatting, lints, documentation and features; any warning is an error.
    Lint {
        /// Check this crate alone.
        #[arg(value_name = "CRATE")]
        package: Option<String>,
    },
    /// Build the book into `target/book`.
    Book,
    /// Make the pictures of README and book: boards and tables, then the game page, which needs Node, npm and Chromium.
    Pictures {
        /// Make only those of boards and tables.
        #[arg(long)]
        boards: bool,
    },
    /// Build an archive with programs, book, completions and manual pages for this system, into `target/dist`.
    Dist,
    /// Pack the crates that authors of agents need for a registry, and build each from its package.
    Crates,
    /// Build the wheel of the Python package with the programs into `target/wheels`; needs Python with pip.
    Wheel,
    /// Measure, and print a table.
    Bench {
        /// The measurement.
        what: Bench,
        /// With `rules`: the game whose rules are measured [default: project]; with `solve`: the game [default: all].
        #[arg(long, value_name = "NAME")]
        game: Option<String>,
        /// Further arguments for the measurement; `cs -- --help` and `gm -- --help` name them, and `solve --long` is
        /// one.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        further: Vec<String>,
    },
    /// Count the instructions of fixed amounts of work by callgrind, beside those that are kept; needs valgrind.
    Profile {
        /// Works, of which a single one also shows the functions that take most [default: all].
        names: Vec<String>,
        /// Keep the counts of all works, to be compared with.
        #[arg(long)]
        keep: bool,
    },
    /// Play the whole networked system on a virtual clock, with faults that a number decides, many times.
    Simulate {
        /// `--seeds N` runs, `--from` this number; `--record FILE` keeps what is finished, and goes on there the next
        /// time; `--log` prints everything that happens.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        further: Vec<String>,
    },
    /// Attack the real programs as child processes, all attackers beside one honest game; needs Linux.
    Attack {
        /// `--minutes N`, `--seed N`; `--only NAME` makes one attack by itself, `--list` names them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        further: Vec<String>,
    },
    /// Let a fuzzer look for bytes that the protocol's readers cannot take; needs cargo-fuzz and nightly.
    Fuzz {
        /// Time for which each target runs, in seconds.
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<()> {
    need_c_compiler()?;
    match task {
        Task::Test { all, retry, further } => {
            test::test(test::Options { must_run_all: *all, retries: *retry, further })
        }
        Task::Lint { package } => lint(package.as_deref()),
        Task::Book => book(),
        Task::Pictures { boards } => pictures(*boards),
        Task::Dist => dist::dist(),
        Task::Crates => crates::crates(),
        Task::Wheel => python_package::wheel(),
        Task::Bench { what, game, further } => bench::bench(*what, game.as_deref(), further),
        Task::Profile { names, keep } => profile::profile(names, *keep),
        Task::Simulate { further } => simulate(further),
        Task::Attack { further } => attack(further),
        Task::Fuzz { seconds } => fuzz(*seconds),
    }
}

/// Checks formatting, lints and documentation of all crates, or of one.
fn lint(package: Option<&str>) -> Result<()> {
    const STRICT: [&str; 4] = ["--locked", "--", "--deny", "warnings"];
    // With the examples, cargo chooses the features that it has chosen for all targets, and checks no library again.
    const LIBRARIES: [&str; 2] = ["--lib", "--examples"];
    let mut packages = packages()?;
    let (formatted, checked) = match package {
        None => (vec!["--all"], vec!["--workspace"]),
        Some(package) => {
            let known: Vec<&str> = packages.iter().map(|known| known.name.as_str()).collect();
            if !known.contains(&package) {
                bail!("unknown crate `{package}`: expected one of {}", known.join(", "));
            }
            packages.retain(|known| known.name == package);
            (vec!["--package", package], vec!["--package", package])
        }
    };
    cargo(&["fmt", "--check"]).args(formatted).run()?;
    cargo(&["clippy", "--all-targets"]).args(checked.iter().copied()).args(STRICT).run()?;
    // In a workspace features unify: code that builds with those of other crates need not build without them.
    for package in packages.iter().filter(|package| package.has_features) {
        cargo(&["clippy", "--package", &package.name, "--no-default-features"]).args(STRICT).run()?;
    }
    let documented = LIBRARIES.into_iter().filter(|_| package.is_none());
    let doc = cargo(&["doc", "--no-deps", "--locked"]).args(checked).args(documented);
    doc.env("RUSTDOCFLAGS", "--deny warnings").run()
}

/// Returns the folders of the workspace's crates.
fn folders() -> Result<Vec<String>> {
    listed("members")
}

/// Returns the folders that a list in the manifest of the workspace names.
fn listed(list: &str) -> Result<Vec<String>> {
    let manifest = manifest("Cargo.toml")?;
    let folders = manifest.get("workspace").and_then(|workspace| workspace.get(list)?.as_array());
    let folders = folders.with_context(|| format!("the manifest of the workspace has no list `{list}`"))?;
    Ok(folders.iter().filter_map(|folder| folder.as_str().map(str::to_owned)).collect())
}

/// Returns the folders of the crates that only a command with their names or with `--workspace` builds.
fn folders_not_by_default() -> Result<Vec<String>> {
    let by_default = listed("default-members")?;
    Ok(folders()?.into_iter().filter(|folder| !by_default.contains(folder)).collect())
}

/// A crate of the workspace.
#[derive(Clone, Debug)]
struct Package {
    name: String,
    has_features: bool,
}

/// Returns the workspace's crates.
fn packages() -> Result<Vec<Package>> {
    let package = |folder: String| {
        let path = format!("{folder}/Cargo.toml");
        let manifest = manifest(&path)?;
        let name = manifest.get("package").and_then(|package| package.get("name")?.as_str());
        let name = name.with_context(|| format!("{path} has no name"))?.to_owned();
        Ok(Package { name, has_features: manifest.contains_key("features") })
    };
    folders()?.into_iter().map(package).collect()
}

/// Returns the manifest in this file of the workspace.
fn manifest(path: &str) -> Result<Table> {
    read(&workspace().join(path))?.parse().with_context(|| format!("{path} is no manifest"))
}

/// Builds the book into the target folder.
fn book() -> Result<()> {
    run_book(&target_folder().join("book").display().to_string())
}

/// Runs the program `book`. It is built as tests are, with the features of the whole workspace and, because an example
/// is built too, with those of the tests: with others, its libraries would be compiled once more.
fn run_book(argument: &str) -> Result<()> {
    let words = ["build", "--quiet", "--profile", "test", "--locked", "--workspace", "--bin", "book"];
    cargo(&words).args(["--example", "echo_rate"]).run()?;
    let program = target_folder().join(format!("debug/book{}", env::consts::EXE_SUFFIX));
    let mut command = Command::new(program);
    command.arg(argument).current_dir(workspace());
    finish(command, &format!("book {argument}"))
}

/// Makes the pictures of boards and tables, and those of the game page unless only `boards` are to be made.
fn pictures(boards: bool) -> Result<()> {
    run_book("--pictures")?;
    if boards { Ok(()) } else { test::screenshots() }
}

/// Plays the system on a simulated network.
fn simulate(further: &[String]) -> Result<()> {
    let words = ["run", "--quiet", "--release", "--locked", "--package", "simulation", "--"];
    cargo(&words).args(further).run()
}

/// Attacks the real programs, built for release.
fn attack(further: &[String]) -> Result<()> {
    cargo(&["build", "--release", "--locked"]).packages(&["cs", "reference-gm", "bots"]).run()?;
    // The attackers need no optimisation beyond that of tests.
    let example = ["--package", "workspace-tests", "--example", "attack", "--"];
    cargo(&["run", "--quiet", "--profile", "test", "--locked"])
        .args(example)
        .env("PROGRAMS", target_folder().join("release"))
        .args(further)
        .run()
}

/// Runs every target of the folder `fuzz` for this long, from its seeds.
fn fuzz(seconds: u32) -> Result<()> {
    let found = Command::new("cargo")
        .args(["fuzz", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !found.is_ok_and(|status| status.success()) {
        bail!(
            "cargo-fuzz is not installed\n\
             hint: `cargo install --locked cargo-fuzz`, and a nightly compiler: `rustup toolchain install nightly`"
        );
    }
    let mut targets = Vec::new();
    for entry in fs::read_dir(workspace().join("fuzz/fuzz_targets"))? {
        targets.extend(entry?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    targets.sort();
    let mut failed = Vec::new();
    for target in &targets {
        // Inputs that the fuzzer finds go to the first folder; the seeds stay as they are.
        let corpus = workspace().join("fuzz/corpus").join(target);
        make(&corpus)?;
        let folders = [format!("fuzz/corpus/{target}"), format!("fuzz/seeds/{target}")];
        let ran = cargo(&["+nightly", "fuzz", "run", target])
            .args(folders)
            .args(["--".to_owned(), format!("-max_total_time={seconds}"), "-timeout=10".to_owned()])
            .by_rustup()
            .run();
        // A fault in one target says nothing about the others.
        failed.extend(ran.err().map(|error| format!("{error:#}")));
    }
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
}

/// Fails if there is no C compiler: every task builds the compression of replays from C, and most the league's store.
fn need_c_compiler() -> Result<()> {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let found = Command::new(&compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    bail!(
        "no C compiler: `{compiler}` does not run, and two libraries are built from C (zstd for replays, SQLite for leagues)\n\
         hint: install one, e.g. `apt-get install gcc`, `dnf install gcc`, or Xcode's command line tools; \
         or name it in the variable CC"
    );
}

/// Runs a command to its end, and says how long it took.
fn finish(mut command: Command, shown: &str) -> Result<()> {
    eprintln!("> {shown}");
    let start = Instant::now();
    let status = command.status().with_context(|| format!("`{shown}` cannot be started"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    eprintln!("< {shown}: {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// A cargo command to run in the workspace's folder.
struct Cargo {
    words: Vec<String>,
    variables: Vec<(&'static str, OsString)>,
    by_rustup: bool,
}

fn cargo(words: &[&str]) -> Cargo {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    Cargo { words, variables: Vec::new(), by_rustup: false }
}

impl Cargo {
    fn args(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// Chooses these crates.
    fn packages(self, names: &[&str]) -> Self {
        self.args(names.iter().flat_map(|name| ["--package", name]))
    }

    fn env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name, value.as_ref().to_owned()));
        self
    }

    /// Lets rustup choose the toolchain that the words name.
    fn by_rustup(self) -> Self {
        Self { by_rustup: true, ..self }
    }

    fn run(self) -> Result<()> {
        let (command, shown) = self.command();
        finish(command, &shown)
    }

    /// Returns the command, and how it is shown.
    fn command(self) -> (Command, String) {
        let shown = format!("cargo {}", self.words.join(" "));
        let mut command = if self.by_rustup {
            let mut command = Command::new("cargo");
            command.env_remove("RUSTUP_TOOLCHAIN");
            command
        } else {
            // The cargo that runs this, so that a toolchain chosen on the command line stays chosen.
            Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        };
        command.args(&self.words).envs(self.variables).current_dir(workspace());
        (command, shown)
    }
}

/// Returns the folder in which cargo builds.
fn target_folder() -> PathBuf {
    let folder = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    workspace().join(folder)
}

fn workspace() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("xtask is a folder of the workspace").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_by_name_are_not_repeated() {
        assert!(Arguments::try_parse_from(["xtask", "test", "--retry"]).is_ok());
        let error =
            Arguments::try_parse_from(["xtask", "test", "--retry", "bots"]).err().unwrap().to_string();
        assert!(error.contains("'--retry' cannot be used with"), "{error}");
    }

    #[test]
    fn crates_are_known_by_name() {
        let packages = packages().unwrap();
        let has_features =
            |name: &str| packages.iter().find(|own| own.name == name).map(|own| own.has_features);
        assert_eq!(["sdk", "wire", "game-env"].map(has_features), [Some(true); 3]);
        assert_eq!(["game-catalogue", "workspace-tests"].map(has_features), [Some(false); 2]);
        assert_eq!(folders_not_by_default().unwrap(), ["book", "league-dist", "python"]);
        let error = lint(Some("bot")).unwrap_err().to_string();
        assert!(
            error.starts_with("unknown crate `bot`: expected one of book, bots, child-process, "),
            "{error}"
        );
    }
}
