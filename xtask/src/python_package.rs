//! The Python package in the folder `python`: its tests, its measurements, and its wheel.
//!
//! They run in environments of Python below the target folder, with the packages that pip can install.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::files::{clear, copy};
use crate::programs::Missing;
use crate::watched::{self, Ended, Runner};
use crate::{cargo, finish, rust_tests, target_folder, workspace};

/// The packages that the tests need.
const NEEDED: [&str; 2] = ["numpy", "pytest"];

/// The program that builds the package for others than the tests.
const MATURIN: &str = "maturin>=1.9,<2";

/// Lets programs in the environment import the package from its folder, the first argument.
const ADD_FOLDER: &str = "import pathlib, sys, sysconfig\n\
                          place = pathlib.Path(sysconfig.get_path('purelib'), 'project_game_folder.pth')\n\
                          place.write_text(sys.argv[1] + '\\n')";

/// The packages with which further tests run where pip can install them: their own checks of environments, tables of
/// other libraries, the examples.
const OPTIONAL: [&str; 9] =
    ["gymnasium", "pettingzoo", "pandas", "polars", "pyarrow", "matplotlib", "nbclient", "ipykernel", "mypy"];

/// The suites that are measured beside the package, by the names of their packages.
const OTHER_SUITES: [&str; 3] = ["lbforaging", "pogema", "mettagrid"];

/// The programs in the wheel. `project_game.programs` has the same list.
const PROGRAMS: [&str; 4] = ["bots", "league", "reference-gm", "cs"];

/// The beginning of a test.
const TEST_MARK: &str = "def test_";

/// The interpreter of an environment in which the package can be built and tested.
pub(crate) struct Environment {
    python: PathBuf,
}

/// Returns the number of tests. A test with many parameters counts once.
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
    /// Makes the environment of the tests, or takes the one that an earlier run has made.
    ///
    /// # Errors
    ///
    /// If Python cannot make one, or pip cannot install the packages that all tests need, e.g. without a network.
    pub(crate) fn of_tests() -> Result<Self, Missing> {
        let own = Self::empty("python")?;
        // The tests of those that cannot be installed are left out, and pytest says so.
        if !own.install(&[&NEEDED[..], &OPTIONAL].concat()) {
            own.need(&NEEDED)?;
            for package in OPTIONAL {
                own.install(&[package]);
            }
        }
        Ok(own)
    }

    /// Makes the same environment with the program that builds the package.
    fn with_maturin() -> Result<Self> {
        let own = Self::empty("python");
        let own = own.and_then(|own| own.need(&[MATURIN, "numpy"]).map(|()| own));
        own.map_err(|missing| anyhow!("{missing}"))
    }

    /// Makes an environment with this name, or takes the one that an earlier run has made.
    fn empty(name: &str) -> Result<Self, Missing> {
        let place = target_folder().join(name);
        let python = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let base = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
        if !succeeds(Command::new(&python).args(["-m", "pip", "--version"]))
            && !succeeds(Command::new(base).args(["-m", "venv", "--clear"]).arg(&place))
        {
            let hint = "install the module venv, e.g. `apt-get install python3-venv`";
            return Err(missing("`python3 -m venv` makes no environment", hint));
        }
        Ok(Self { python })
    }

    /// Installs packages without which nothing goes on.
    fn need(&self, packages: &[&str]) -> Result<(), Missing> {
        if self.install(packages) {
            return Ok(());
        }
        let why = format!("pip cannot install {}", packages.join(", "));
        Err(missing(&why, "connect to the network once, so that pip can install them"))
    }

    fn install(&self, packages: &[&str]) -> bool {
        succeeds(Command::new(&self.python).args(["-m", "pip", "install", "--quiet"]).args(packages))
    }

    /// Python with these words, in the folder of the package.
    fn command<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = Command::new(&self.python);
        command.args(words).current_dir(folder());
        // maturin looks for the environment of its caller.
        if let Some(place) = self.python.parent().and_then(Path::parent) {
            command.env("VIRTUAL_ENV", place);
        }
        command
    }

    /// Runs Python with these words, and says how long it took.
    fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> Result<()> {
        let shown: Vec<_> = words.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        finish(self.command(words), &format!("python {}", shown.join(" ")))
    }

    /// Runs the tests of certain names, or all if none is given, with the native module of the tests in Rust.
    ///
    /// # Errors
    ///
    /// If the module is not there, or Python cannot be started.
    pub(crate) fn test(&self, only: &[String], screen: &mut impl Write) -> Result<Ended> {
        install_module()?;
        // A file, not a variable: programs of a match start with few variables, and import the package too.
        self.run(&["-c", ADD_FOLDER, &folder().display().to_string()])?;
        let chosen = if only.is_empty() { &["tests".to_owned()] } else { only };
        let words = ["-m", "pytest", "-q", "-rfEs"].into_iter().chain(chosen.iter().map(String::as_str));
        let words = words.collect::<Vec<_>>();
        let tests = self.command(&words);
        watched::run(tests, &format!("python {}", words.join(" ")), screen, Runner::Pytest)
    }
}

/// Copies the native module that was built with the tests in Rust into the package.
fn install_module() -> Result<()> {
    let name = format!("{}project_game{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let built = target_folder().join("debug").join(name);
    let place = folder().join("project_game");
    let module = place.join(if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" });
    // A program that has loaded the old one keeps it.
    let part = place.join("_native.part");
    copy(&built, &part)?;
    fs::rename(&part, &module).with_context(|| format!("cannot create {}", module.display()))
}

fn missing(why: &str, hint: &'static str) -> Missing {
    Missing { what: "Python with packages", why: why.to_owned(), hint }
}

/// Measures the environments of the package, and those of other suites that pip can install, each in an environment of
/// its own. Prints a table.
///
/// # Errors
///
/// If the package cannot be built or measured. Suites that cannot be installed are named and left out.
pub(crate) fn bench(further: &[String]) -> Result<()> {
    let own = Environment::with_maturin()?;
    own.run(&["-m", "maturin", "develop", "--release", "--locked", "--quiet"])?;
    let script = folder().join("bench/steps.py").display().to_string();
    own.run(&[std::slice::from_ref(&script), further].concat())?;
    for suite in OTHER_SUITES {
        let installed =
            Environment::empty(&format!("python-{suite}")).ok().filter(|other| other.install(&[suite]));
        let words = [&[script.clone(), "--of".to_owned(), suite.to_owned()], further].concat();
        match installed {
            Some(other) if other.run(&words).is_ok() => {}
            Some(_) => eprintln!("left out: {suite}, which cannot be measured"),
            None => eprintln!("left out: {suite}, which pip cannot install"),
        }
    }
    Ok(())
}

/// Builds the wheel with the programs into the target folder, and prints its path and sizes.
///
/// # Errors
///
/// If a program or the package cannot be built.
pub(crate) fn wheel() -> Result<()> {
    let python = Environment::with_maturin()?;
    cargo(&["build", "--release", "--locked"]).packages(&PROGRAMS).run()?;
    let wheels = target_folder().join("wheels");
    clear(&wheels)?;
    let out = wheels.display().to_string();
    python.run(&["-m", "maturin", "build", "--release", "--locked", "--quiet", "--out", &out])?;
    let wheel = only_file(&wheels)?;
    let stripped = target_folder().join("wheel-programs");
    let programs = stripped_programs(&target_folder().join("release"), &stripped)?;
    let words = [PathBuf::from("wheel.py"), wheel.clone()].into_iter().chain(programs).collect::<Vec<_>>();
    python.run(&words)?;
    println!("{}", wheel.display());
    Ok(())
}

/// Copies the programs of the wheel into a folder, with their names there and stripped; returns their paths.
fn stripped_programs(built: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    clear(folder)?;
    let suffix = env::consts::EXE_SUFFIX;
    let copied = |program| {
        let from = built.join(format!("{program}{suffix}"));
        let to = folder.join(format!("project-game-{program}{suffix}"));
        copy(&from, &to)?;
        strip(&to)?;
        Ok(to)
    };
    PROGRAMS.into_iter().map(copied).collect()
}

/// Removes the names of functions from a program. On Windows they are in a file of their own.
fn strip(program: &Path) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    let status = Command::new("strip").arg(program).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => bail!("`strip {}` failed ({status})", program.display()),
        Err(error) => bail!(
            "`strip` cannot be started: {error}\nhint: install binutils, e.g. `apt-get install binutils`"
        ),
    }
}

/// Returns the only file of a folder.
fn only_file(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    match files.len() {
        1 => Ok(files.remove(0)),
        count => bail!("{} holds {count} files: expected the wheel alone", folder.display()),
    }
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_the_package_are_counted() {
        assert!(count().unwrap() > 50);
    }

    #[test]
    fn the_package_starts_the_programs_of_the_wheel() {
        let module = fs::read_to_string(folder().join("project_game/programs.py")).unwrap();
        let listed: Vec<&str> = module
            .split_once("PROGRAMS = {")
            .and_then(|(_, rest)| rest.split_once('}'))
            .map(|(entries, _)| entries.split('"').skip(1).step_by(4).collect())
            .unwrap();
        assert_eq!(listed, PROGRAMS);
        assert!(module.contains("f\"project-game-{name}\""));
    }

    #[test]
    fn the_bench_measures_the_other_suites() {
        let script = fs::read_to_string(folder().join("bench/steps.py")).unwrap();
        for suite in OTHER_SUITES {
            assert!(script.contains(&format!("\"{suite}\": {suite}")), "{suite} cannot be measured");
        }
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_copied_for_the_wheel_with_its_names_and_stripped() {
        use std::os::unix::fs::PermissionsExt as _;

        let place = env::temp_dir().join(format!("xtask-wheel-{}", std::process::id()));
        let (built, folder) = (place.join("built"), place.join("stripped"));
        clear(&built).unwrap();
        // The test itself stands in for the programs: it is a program with names of functions.
        let own = env::current_exe().unwrap();
        let size = fs::metadata(&own).unwrap().len();
        for program in PROGRAMS {
            fs::copy(&own, built.join(program)).unwrap();
        }
        let programs = stripped_programs(&built, &folder).unwrap();
        let expected = PROGRAMS.map(|name| folder.join(format!("project-game-{name}")));
        assert_eq!(programs, expected);
        for program in programs {
            let about = fs::metadata(program).unwrap();
            assert!(about.len() < size, "{} of {size} bytes", about.len());
            assert_eq!(about.permissions().mode() & 0o111, 0o111);
        }
        fs::remove_file(built.join("cs")).unwrap();
        let error = stripped_programs(&built, &folder).unwrap_err().to_string();
        assert!(error.starts_with("cannot copy ") && error.ends_with("cs"), "{error}");
        assert!(only_file(&built).unwrap_err().to_string().contains("holds 3 files"));
        fs::remove_dir_all(&place).unwrap();
    }
}
