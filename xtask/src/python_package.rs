//! The tests of the Python package in the folder `python`, which is a workspace of its own.
//!
//! They run in an environment of Python below the target folder, with the packages that pip can install.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context as _, Result};

use crate::programs::Missing;
use crate::watched::Ended;
use crate::{rust_tests, target_folder, workspace};

/// The packages that the tests need.
const NEEDED: [&str; 3] = ["maturin>=1.9,<2", "numpy", "pytest"];

/// The packages whose own checks the tests run where pip can install them.
const OPTIONAL: [&str; 2] = ["gymnasium", "pettingzoo"];

/// The beginning of a test.
const TEST_MARK: &str = "def test_";

/// The interpreter of an environment in which the package can be built and tested.
pub(crate) struct Environment {
    python: PathBuf,
}

/// The number of tests. A test with many parameters counts once.
///
/// # Errors
///
/// If their files cannot be read.
pub(crate) fn count() -> Result<usize> {
    let mut tests = 0;
    for entry in
        fs::read_dir(folder().join("tests")).context("cannot read the tests of the Python package")?
    {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("py")) {
            tests += rust_tests::count(&fs::read_to_string(&path)?, &[TEST_MARK]);
        }
    }
    Ok(tests)
}

fn folder() -> PathBuf {
    workspace().join("python")
}

impl Environment {
    /// Makes the environment, or takes the one that an earlier run has made.
    ///
    /// # Errors
    ///
    /// If Python cannot make one, or pip cannot install the packages, e.g. without a network.
    pub(crate) fn make() -> Result<Self, Missing> {
        let missing = |why: &str, hint| Missing { what: "Python with packages", why: why.to_owned(), hint };
        let place = target_folder().join("python");
        let python = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let base = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
        if !succeeds(Command::new(&python).args(["-m", "pip", "--version"]))
            && !succeeds(Command::new(base).args(["-m", "venv", "--clear"]).arg(&place))
        {
            let hint = "install the module venv, e.g. `apt-get install python3-venv`";
            return Err(missing("`python3 -m venv` makes no environment", hint));
        }
        let install = |packages: &[&str]| {
            succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))
        };
        if !install(&NEEDED) {
            let hint = "connect to the network once, so that pip can install them";
            return Err(missing("pip cannot install maturin, NumPy and pytest", hint));
        }
        // Without these, their checks are left out, and pytest says so.
        install(&OPTIONAL);
        Ok(Self { python })
    }

    /// Builds the package, and runs its tests.
    ///
    /// # Errors
    ///
    /// If a command cannot be started.
    pub(crate) fn test(&self) -> Result<Ended> {
        let build = ["-m", "maturin", "develop", "--release", "--locked", "--quiet"];
        for words in [&build[..], &["-m", "pytest", "-q", "-rs", "tests"]] {
            let mut command = Command::new(&self.python);
            command.args(words).current_dir(folder());
            // maturin looks for the environment of its caller.
            if let Some(place) = self.python.parent().and_then(Path::parent) {
                command.env("VIRTUAL_ENV", place);
            }
            let status = command.status().with_context(|| format!("cannot run {}", self.python.display()))?;
            if !status.success() {
                let fault = format!("`python {}` failed in the folder `python`", words.join(" "));
                return Ok(Ended { fault: Some(fault), ..Ended::default() });
            }
        }
        Ok(Ended::default())
    }
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    #[test]
    fn tests_of_the_package_are_counted() {
        assert!(super::count().unwrap() > 50);
    }
}
