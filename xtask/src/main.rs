//! The commands of this workspace, the same for a developer and for CI.
//!
//! `cargo xtask test` is the one test command. Every command names what it runs, and what it misses.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand, ValueEnum};

/// The commands of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run all tests: every crate's own, the documentation's examples, the housekeeping.
    Test {
        /// Further arguments for `cargo test`, e.g. the name of a test.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        further: Vec<String>,
    },
    /// Check formatting, lints, documentation and features; any warning is an error.
    Lint,
    /// Build the book into `target/book`.
    Book,
    /// Measure, and print a table.
    Bench {
        /// What to measure.
        what: Bench,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Bench {
    /// Rollouts, set-up and the nearest-piece index of The Project Game.
    Rules,
    /// The game master without its sockets: messages in, answers out.
    Gm,
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
    match task {
        Task::Test { further } => {
            need_c_compiler()?;
            cargo(&["test", "--workspace", "--locked"]).args(further).run()
        }
        Task::Lint => {
            need_c_compiler()?;
            cargo(&["fmt", "--all", "--check"]).run()?;
            cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"])
                .run()?;
            // In a workspace features unify: what builds together need not build alone.
            for package in ["game-env", "game-project"] {
                let warnings = ["--locked", "--no-default-features", "--", "--deny", "warnings"];
                cargo(&["clippy", "--package", package]).args(warnings).run()?;
            }
            cargo(&["doc", "--workspace", "--no-deps", "--locked"])
                .env("RUSTDOCFLAGS", "--deny warnings")
                .run()
        }
        Task::Book => cargo(&["run", "--quiet", "--locked", "--package", "book"]).run(),
        Task::Bench { what } => {
            need_c_compiler()?;
            let (package, bench) = match what {
                Bench::Rules => ("game-project", "table"),
                Bench::Gm => ("reference-gm", "master"),
            };
            cargo(&["bench", "--quiet", "--locked", "--package", package, "--bench", bench]).run()
        }
    }
}

/// The compression of replays is built from C.
fn need_c_compiler() -> Result<()> {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let found = Command::new(&compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    bail!(
        "no C compiler: `{compiler}` does not run, and the compression of replays (zstd) is built from C\n\
         hint: install one, e.g. `apt-get install gcc`, `dnf install gcc`, or Xcode's command line tools; \
         or name it in the variable CC"
    );
}

/// A cargo command to run in the workspace's folder.
struct Cargo {
    words: Vec<String>,
    variables: Vec<(&'static str, &'static str)>,
}

fn cargo(words: &[&str]) -> Cargo {
    Cargo { words: words.iter().map(|word| (*word).to_owned()).collect(), variables: Vec::new() }
}

impl Cargo {
    fn args(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    fn env(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    fn run(self) -> Result<()> {
        let shown = format!("cargo {}", self.words.join(" "));
        eprintln!("> {shown}");
        let start = Instant::now();
        // The cargo that runs this, so that a toolchain chosen on the command line stays chosen.
        let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(program)
            .args(&self.words)
            .envs(self.variables)
            .current_dir(workspace())
            .status()
            .with_context(|| format!("`{shown}` cannot be started"))?;
        if !status.success() {
            bail!("`{shown}` failed ({status})");
        }
        eprintln!("< {shown}: {:.0} s", start.elapsed().as_secs_f64());
        Ok(())
    }
}

fn workspace() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("xtask is a folder of the workspace").to_owned()
}
