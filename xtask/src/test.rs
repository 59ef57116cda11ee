//! `cargo xtask test`: all tests that can run on this machine, and a line about those that cannot.
//!
//! Rust and a C compiler are required. The tests that need Python, bubblewrap, Node or a browser are left out where
//! these programs are missing. Nothing is installed except the packages that `npm ci` puts into the folder of the
//! page's tests.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use anyhow::{Context as _, Result, bail};

use crate::watched::{self, Ended, failed_in_node, failed_in_rust};
use crate::{Cargo, OWN_WORKSPACES, cargo, finish, folders, packages, target_folder, workspace};

/// The modules of tests that start Python; cargo's test harness leaves them out by this name. A file belongs to such a
/// module if its name is `python.rs` or its folder `python`.
const PYTHON_TESTS: &str = "python::";

/// The module of the tests that need namespaces, and its file. These tests start Python too.
const NAMESPACES_TESTS: &str = "python::namespaces::";
const NAMESPACES_FILE: &str = "child-process/tests/it/python/namespaces.rs";

/// The attributes with which a test begins.
const TEST_MARKS: [&str; 2] = ["#[test]", "#[tokio::test"];

/// The folder of the page's tests.
const PAGE_FOLDER: &str = "viewer/tests/browser";

/// The import that only tests with a browser have; the other tests of the page need only Node.
const IMPORTS_BROWSER: &str = "from \"./browser.mjs\"";

/// Arguments of `cargo xtask test`.
pub(crate) struct Options<'a> {
    /// Whether a missing program is an error, instead of a reason to leave tests out.
    pub(crate) must_run_all: bool,
    /// Whether tests that fail run once more, by themselves.
    pub(crate) retries: bool,
    /// A crate and further arguments for `cargo test`, with which the tests of the page are not meant.
    pub(crate) further: &'a [String],
}

/// Runs the tests, all of them even if some fail; the last lines name those that failed.
///
/// # Errors
///
/// Fails if a test fails. With `must_run_all`, fails before the first test if a program is missing.
pub(crate) fn test(Options { must_run_all, retries, further }: Options<'_>) -> Result<()> {
    let mut plan = Programs::find().plan(further.is_empty());
    if must_run_all && !plan.missing.is_empty() {
        let missing: Vec<String> = plan.missing.iter().map(Missing::to_string).collect();
        bail!("programs that `--all` needs are missing\n{}", missing.join("\n"));
    }
    let mut left_out = Vec::new();
    let mut results = Results { retries, ..Results::default() };
    let mut skipped = None;
    if let Some(LeftOut { module, files, which }) = plan.rust_tests_left_out()? {
        skipped = Some(module);
        let mut tests = 0;
        for file in files {
            tests += count(&fs::read_to_string(file)?, &TEST_MARKS);
        }
        left_out.push((tests, which));
    }
    let run_rust = |tests: Cargo| {
        let (command, shown) = tests.command();
        watched::run(command, &shown, &mut io::stdout(), failed_in_rust)
    };
    let own = further.first().and_then(|word| OWN_WORKSPACES.into_iter().find(|own| own == word));
    if own.is_none() {
        let known = packages()?;
        results.take(|only| run_rust(rust_tests(&known, further, skipped, only)))?;
    }
    match (own, further) {
        (Some(folder), [_, words @ ..]) => results.take(|only| run_rust(own_tests(folder, words, only)))?,
        (None, []) if must_run_all => {
            for folder in OWN_WORKSPACES {
                results.take(|only| run_rust(own_tests(folder, &[], only)))?;
            }
        }
        (None, []) => {
            let mut tests = 0;
            for folder in OWN_WORKSPACES {
                tests += count_in(&workspace().join(folder))?;
            }
            left_out.push((tests, OF_OWN_WORKSPACES));
        }
        _ => {}
    }
    if further.is_empty() {
        // This bench starts itself as several processes, which no compiler checks: a short run does. The features are
        // those of the tests before, so that nothing is compiled again.
        let bench = cargo(&["test", "--quiet", "--locked", "--workspace", "--bench", "master", "--"])
            .args(["--watched", "--rounds", "1", "--seconds", "0.05"])
            .run();
        results.faults.extend(bench.err().map(|error| format!("{error:#}")));
        let page = PageTests::read()?;
        if plan.browser.is_some()
            && let Err(error) = install_driver()
        {
            let missing = Missing {
                what: "playwright-core",
                why: format!("{error:#}"),
                hint: "connect to the network once, so that npm can install it",
            };
            if must_run_all {
                bail!("{missing}");
            }
            plan.browser = None;
            plan.missing.push(missing);
        }
        if !plan.has_node {
            left_out.push((page.count(&page.plain)?, "of the page's code"));
        }
        match &plan.browser {
            // Some of these tests play with the real programs, which were built with the Rust tests.
            Some(browser) => results.take(|only| page.run(&[], Some(browser), only))?,
            None => {
                left_out.push((page.count(&page.in_browser)?, "in the browser"));
                if plan.has_node {
                    results.take(|only| page.run(&page.plain, None, only))?;
                }
            }
        }
    }
    if let Some(line) = closing_line(&left_out, &plan.missing) {
        eprintln!("{line}");
    }
    results.end()
}

/// The description of the tests of workspaces of their own in the closing line.
const OF_OWN_WORKSPACES: &str = "of crates whose libraries only few need";

/// The command that runs the tests of a workspace of its own; if names are given, only these tests.
fn own_tests(folder: &'static str, words: &[String], only: &[String]) -> Cargo {
    let tests = cargo(&["test", "--locked", "--no-fail-fast"]).of(folder).args(words);
    if only.is_empty() { tests } else { tests.args(["--", "--exact"]).args(only) }
}

/// The number of tests in the sources of a folder.
fn count_in(folder: &Path) -> Result<usize> {
    rust_files(folder)?.iter().map(|file| Ok(count(&fs::read_to_string(file)?, &TEST_MARKS))).sum()
}

/// The Rust sources below a folder.
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

/// The command that runs the tests in Rust, without the module that cannot run; if names are given, only these tests.
/// `known` are the crates of the workspace: one of them may be the first argument.
fn rust_tests(known: &[String], further: &[String], skipped: Option<&str>, only: &[String]) -> Cargo {
    let (chosen, words) = match further.split_first().filter(|(word, _)| known.contains(word)) {
        Some((package, words)) => (vec!["--package", package.as_str()], words),
        None => (vec!["--workspace"], further),
    };
    let mut rust = cargo(&["test", "--locked", "--no-fail-fast"]).args(chosen).args(words);
    if let Some(number) = number_of_commit() {
        // Simulated runs that no commit before has played, beside those of every commit.
        rust = rust.env("SIMULATE_FROM", number.to_string());
    }
    if further.is_empty() {
        // Cargo builds all programs before the first test. Tests that start them use these: built by themselves, they
        // would have fewer features, and their libraries would be compiled a second time.
        rust = rust.env("PROGRAMS", target_folder().join("debug"));
    }
    let has_divider = further.iter().any(|word| word == "--");
    if !has_divider && (skipped.is_some() || !only.is_empty()) {
        rust = rust.args(["--"]);
    }
    if !only.is_empty() {
        rust = rust.args(["--exact"]).args(only);
    }
    rust.args(skipped.map(|module| ["--skip", module]).into_iter().flatten())
}

/// The results of the tests.
#[derive(Default)]
struct Results {
    retries: bool,
    /// The tests that failed, and failed again if they ran once more.
    failed: Vec<String>,
    /// The tests that failed at first and not when they ran once more.
    passed_later: Vec<String>,
    /// The commands that failed without a failed test, or with one.
    faults: Vec<String>,
}

/// The largest number of failed tests that run once more. A larger number has one cause, and not a busy machine.
const MOST_RETRIES: usize = 10;

impl Results {
    /// Runs tests; `run` gets the names of those that are to run, or none for all.
    fn take(&mut self, run: impl Fn(&[String]) -> Result<Ended>) -> Result<()> {
        let first = run(&[])?;
        let Some(fault) = first.fault else { return Ok(()) };
        if !self.retries || first.failed.is_empty() || first.failed.len() > MOST_RETRIES {
            self.failed.extend(first.failed);
            self.faults.push(fault);
            return Ok(());
        }
        eprintln!("once more: {}", first.failed.join(", "));
        let again = run(&first.failed)?;
        self.faults.extend(again.fault);
        let (failed, passed) = first.failed.into_iter().partition(|name| again.failed.contains(name));
        self.failed.extend::<Vec<_>>(failed);
        self.passed_later.extend::<Vec<_>>(passed);
        Ok(())
    }

    /// Names the tests that failed, at first or in the end.
    fn end(self) -> Result<()> {
        if !self.passed_later.is_empty() {
            eprintln!("passed only when they ran once more:\n  {}", self.passed_later.join("\n  "));
        }
        if self.faults.is_empty() {
            return Ok(());
        }
        let mut lines = self.faults;
        if !self.failed.is_empty() {
            lines.push(format!("failed tests:\n  {}", self.failed.join("\n  ")));
        }
        bail!("{}", lines.join("\n"))
    }
}

/// Returns a number below 2^32 made from the present commit, or `None` outside a git checkout.
fn number_of_commit() -> Option<u32> {
    let head = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(workspace()).output().ok()?;
    let head = String::from_utf8(head.stdout).ok()?;
    u32::from_str_radix(head.get(..8)?, 16).ok()
}

/// Makes the pictures of the game page again.
///
/// # Errors
///
/// Fails if Node, npm or Chromium is missing, or the page cannot be shown.
pub(crate) fn screenshots() -> Result<()> {
    let plan = Programs { python: Ok(()), namespaces: Ok(()), ..Programs::find() }.plan(true);
    let Some(browser) = plan.browser else {
        let missing: Vec<String> = plan.missing.iter().map(Missing::to_string).collect();
        bail!("the pictures of the page cannot be made\n{}", missing.join("\n"));
    };
    install_driver()?;
    cargo(&["build", "--locked", "--package", "reference-gm", "--package", "bots"]).run()?;
    let mut make = Command::new("node");
    make.arg("screenshots.mjs").current_dir(workspace().join(PAGE_FOLDER));
    make.env("PROGRAMS", target_folder().join("debug")).env("CHROMIUM", browser);
    finish(make, "node screenshots.mjs")
}

/// The programs that some tests need, each as found or with the reason why it cannot be used.
struct Programs {
    python: Result<(), Missing>,
    /// Bubblewrap, and a system on which it can make namespaces.
    namespaces: Result<(), Missing>,
    node: Result<(), Missing>,
    npm: Result<(), Missing>,
    /// The path of the browser.
    chromium: Result<PathBuf, Missing>,
}

/// A program that cannot be used.
struct Missing {
    what: &'static str,
    why: String,
    hint: &'static str,
}

/// The tests that run.
struct Plan {
    has_python: bool,
    has_namespaces: bool,
    has_node: bool,
    /// The path of the browser, if all that its tests need is there.
    browser: Option<PathBuf>,
    missing: Vec<Missing>,
}

/// Tests in Rust that do not run.
struct LeftOut {
    /// The beginning of their names.
    module: &'static str,
    files: Vec<PathBuf>,
    /// Their description in the closing line.
    which: &'static str,
}

impl Plan {
    /// Returns the tests in Rust that cannot run, if any. Tests in namespaces start Python, so one module is enough.
    fn rust_tests_left_out(&self) -> Result<Option<LeftOut>> {
        if !self.has_python {
            return Ok(Some(LeftOut { module: PYTHON_TESTS, files: python_files()?, which: "with Python" }));
        }
        Ok((!self.has_namespaces).then(|| LeftOut {
            module: NAMESPACES_TESTS,
            files: vec![workspace().join(NAMESPACES_FILE)],
            which: "in namespaces",
        }))
    }
}

/// The files of the tests that start Python, of all crates.
fn python_files() -> Result<Vec<PathBuf>> {
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

/// Whether a file belongs to a module `python`.
fn is_python(file: &Path) -> bool {
    let below = file.strip_prefix(workspace()).unwrap_or(file);
    below.components().any(|part| ["python", "python.rs"].iter().any(|name| part.as_os_str() == *name))
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {}: {}\n  hint: {}", self.what, self.why, self.hint)
    }
}

impl Programs {
    fn find() -> Self {
        Self { python: python(), namespaces: namespaces(), node: node(), npm: npm(), chromium: chromium() }
    }

    /// Decides which tests run. Without the tests of the page, only Python and namespaces can be missing.
    fn plan(self, with_page: bool) -> Plan {
        let (has_python, has_namespaces) = (self.python.is_ok(), self.namespaces.is_ok());
        let (has_node, has_npm) = (self.node.is_ok(), self.npm.is_ok());
        let mut missing: Vec<Missing> = self.python.err().into_iter().chain(self.namespaces.err()).collect();
        if !with_page {
            return Plan { has_python, has_namespaces, has_node, browser: None, missing };
        }
        missing.extend(self.node.err());
        missing.extend(self.npm.err());
        let chromium = self.chromium.map_err(|absent| missing.push(absent)).ok();
        let browser = chromium.filter(|_| has_node && has_npm);
        Plan { has_python, has_namespaces, has_node, browser, missing }
    }
}

/// One line about the tests that were left out, with their number and the missing programs.
fn closing_line(left_out: &[(usize, &str)], missing: &[Missing]) -> Option<String> {
    if left_out.is_empty() {
        return None;
    }
    let tests: Vec<String> = left_out.iter().map(|(tests, which)| format!("{tests} tests {which}")).collect();
    let tests = tests.join(", ");
    if missing.is_empty() {
        return Some(format!("left out: {tests}; `cargo xtask test --all` runs them"));
    }
    let reasons: Vec<String> = missing.iter().map(|missing| format!("no {}", missing.what)).collect();
    let reasons = reasons.join(", ");
    Some(format!("left out: {tests} ({reasons}); `cargo xtask test --all` says how to get what is missing"))
}

/// The number of lines that begin with one of these marks. A test in a loop counts once.
fn count(source: &str, marks: &[&str]) -> usize {
    source.lines().filter(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark))).count()
}

/// The files of the page's tests, by name.
struct PageTests {
    folder: PathBuf,
    in_browser: Vec<String>,
    /// The tests that need only Node.
    plain: Vec<String>,
}

impl PageTests {
    fn read() -> Result<Self> {
        let folder = workspace().join(PAGE_FOLDER);
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.retain(|name| name.ends_with(".test.mjs"));
        names.sort();
        let mut tests = Self { folder, in_browser: Vec::new(), plain: Vec::new() };
        for name in names {
            let needs_browser = tests.source(&name)?.contains(IMPORTS_BROWSER);
            if needs_browser { &mut tests.in_browser } else { &mut tests.plain }.push(name);
        }
        Ok(tests)
    }

    fn source(&self, name: &str) -> Result<String> {
        let path = self.folder.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// The number of tests in these files.
    fn count(&self, names: &[String]) -> Result<usize> {
        names.iter().map(|name| Ok(count(&self.source(name)?, &["test("]))).sum()
    }

    /// Runs these files, or all if none is named; of their tests only those of certain names, or all if none is given.
    fn run(&self, names: &[String], browser: Option<&Path>, only: &[String]) -> Result<Ended> {
        let mut test = Command::new("node");
        test.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
        test.args(only.iter().map(|name| format!("--test-name-pattern=^{}$", escaped(name)))).args(names);
        test.env("PROGRAMS", target_folder().join("debug")).current_dir(&self.folder);
        test.envs(browser.map(|browser| ("CHROMIUM", browser)));
        watched::run(test, &format!("node --test {}", names.join(" ")), &mut io::stdout(), failed_in_node)
    }
}

/// A text as a regular expression of JavaScript that matches it alone.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            (!c.is_alphanumeric() && c.is_ascii() && c != ' ').then_some('\\').into_iter().chain([c])
        })
        .collect()
}

/// Installs the library that drives the browser, unless it is installed already.
fn install_driver() -> Result<()> {
    let folder = workspace().join(PAGE_FOLDER);
    let changed = |file: &str| fs::metadata(folder.join(file)).and_then(|about| about.modified()).ok();
    if changed("node_modules/.package-lock.json") >= changed("package-lock.json") {
        return Ok(());
    }
    let mut install = Command::new("npm");
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder);
    finish(install, "npm ci")
}

/// An agent in Python plays in the tests, to show that the protocol is all that an agent needs.
fn python() -> Result<(), Missing> {
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let is_new_enough = "import sys; sys.exit(sys.version_info < (3, 9))";
    runs(&python, &["-c", is_new_enough], "is older than Python 3.9").map_err(|why| Missing {
        what: "Python",
        why,
        hint: "install Python 3.9 or newer, e.g. `apt-get install python3`, `dnf install python3`, or from \
               python.org; or name it in the variable PYTHON",
    })
}

/// Bubblewrap makes the namespaces in which programs are attacked; `child-process` looks for it in the same places.
#[cfg(target_os = "linux")]
fn namespaces() -> Result<(), Missing> {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;

    const PLACES: [&str; 4] =
        ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
    /// A user other than root, as whom the tests of a developer who is root start bubblewrap.
    const OTHER: u32 = 65534;
    /// The namespaces of `child-process`, and in them the system's files.
    const WORDS: &str = "--unshare-all --unshare-user --disable-userns --cap-drop ALL --uid 1000 --gid 1000 \
                         --ro-bind / / --proc /proc --dev /dev -- true";
    let Some(place) = PLACES.into_iter().find(|place| Path::new(place).is_file()) else {
        return Err(Missing {
            what: "bubblewrap",
            why: format!("`{}` does not exist", PLACES[0]),
            hint: "install it, e.g. `apt-get install bubblewrap`, `dnf install bubblewrap`",
        });
    };
    let mut tried = Command::new(place);
    tried.args(WORDS.split_whitespace()).current_dir("/").stdin(Stdio::null());
    if fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0) {
        tried.uid(OTHER).gid(OTHER);
    }
    let why = match tried.output() {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Missing {
        what: "namespaces",
        why: format!("`{place}` cannot make them: {why}"),
        hint: "allow users to make namespaces, e.g. `sysctl kernel.apparmor_restrict_unprivileged_userns=0`; \
               a container needs the right to make them",
    })
}

/// Elsewhere the tests in namespaces are not compiled.
#[cfg(not(target_os = "linux"))]
fn namespaces() -> Result<(), Missing> {
    Ok(())
}

/// Node runs the tests of the page, and drives the browser.
fn node() -> Result<(), Missing> {
    let is_new_enough = "process.exit(process.versions.node.split('.')[0] < 20 ? 1 : 0)";
    runs("node", &["-e", is_new_enough], "is older than Node 20").map_err(|why| Missing {
        what: "Node",
        why,
        hint: "install Node 20 or newer, e.g. `apt-get install nodejs npm`, `dnf install nodejs`, or from nodejs.org",
    })
}

/// npm installs the library that drives the browser.
fn npm() -> Result<(), Missing> {
    on_path("npm").map(drop).ok_or_else(|| Missing {
        what: "npm",
        why: "`npm` is not on the PATH".to_owned(),
        hint: "install it, e.g. `apt-get install npm`, `dnf install nodejs-npm`, or with Node from nodejs.org",
    })
}

/// The browser in which the page is tested.
fn chromium() -> Result<PathBuf, Missing> {
    const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
    let (found, why) = match env::var("CHROMIUM") {
        Ok(named) => {
            (on_path(&named), format!("`{named}`, named by the variable CHROMIUM, is not a program"))
        }
        Err(_) => {
            (NAMES.into_iter().find_map(on_path), format!("none of {} is on the PATH", NAMES.join(", ")))
        }
    };
    found.ok_or(Missing {
        what: "Chromium",
        why,
        hint: "install it, e.g. `apt-get install chromium`, `dnf install chromium`; or name it in the variable CHROMIUM",
    })
}

/// Runs a program that ends with an error if it is too old.
fn runs(program: &str, arguments: &[&str], too_old: &str) -> Result<(), String> {
    let ended = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`{program}` {too_old}")),
        Err(_) => Err(format!("`{program}` does not run")),
    }
}

/// Returns the path of a program, as the shell would find it.
fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .map(|path| if path.is_file() { path } else { path.with_extension("exe") })
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing<T>(what: &'static str) -> Result<T, Missing> {
        Err(Missing { what, why: "`it` does not run".to_owned(), hint: "install it" })
    }

    fn complete() -> Programs {
        Programs {
            python: Ok(()),
            namespaces: Ok(()),
            node: Ok(()),
            npm: Ok(()),
            chromium: Ok("/bin/chromium".into()),
        }
    }

    /// Returns which of Python, the page's code and the browser run, and the missing programs.
    fn decided(programs: Programs, with_page: bool) -> ([bool; 3], Vec<&'static str>) {
        let plan = programs.plan(with_page);
        let runs = [plan.has_python, plan.has_node, plan.browser.is_some()];
        (runs, plan.missing.iter().map(|missing| missing.what).collect())
    }

    #[test]
    fn tests_are_left_out_whose_programs_are_missing() {
        assert_eq!(decided(complete(), true), ([true; 3], vec![]));
        let programs = Programs { python: missing("Python"), ..complete() };
        assert_eq!(decided(programs, true), ([false, true, true], vec!["Python"]));
        let programs = Programs { npm: missing("npm"), ..complete() };
        assert_eq!(decided(programs, true), ([true, true, false], vec!["npm"]));
        let programs = Programs { node: missing("Node"), chromium: missing("Chromium"), ..complete() };
        assert_eq!(decided(programs, true), ([true, false, false], vec!["Node", "Chromium"]));
    }

    #[test]
    fn tests_by_name_need_no_browser() {
        let programs = Programs {
            python: missing("Python"),
            namespaces: missing("bubblewrap"),
            node: missing("Node"),
            npm: missing("npm"),
            chromium: missing("Chromium"),
        };
        assert_eq!(decided(programs, false), ([false; 3], vec!["Python", "bubblewrap"]));
    }

    /// The module of tests in Rust that is left out, and its name in the closing line.
    fn left_out(programs: Programs) -> Option<LeftOut> {
        programs.plan(false).rust_tests_left_out().unwrap()
    }

    #[test]
    fn tests_in_namespaces_need_python_and_bubblewrap() {
        assert!(left_out(complete()).is_none());
        let LeftOut { module, files, which } =
            left_out(Programs { namespaces: missing("bubblewrap"), ..complete() }).unwrap();
        assert_eq!((module, which), (NAMESPACES_TESTS, "in namespaces"));
        assert_eq!(files, [workspace().join(NAMESPACES_FILE)]);
        // No test is left out twice, and so none is counted twice.
        for namespaces in [Ok(()), missing("bubblewrap")] {
            let programs = Programs { python: missing("Python"), namespaces, ..complete() };
            let LeftOut { module, files, which } = left_out(programs).unwrap();
            assert_eq!((module, which), (PYTHON_TESTS, "with Python"));
            assert_eq!(files.contains(&workspace().join(NAMESPACES_FILE)), cfg!(target_os = "linux"));
        }
        assert!(NAMESPACES_TESTS.starts_with(PYTHON_TESTS));
    }

    #[test]
    fn one_line_counts_what_was_left_out() {
        let gone: Vec<Missing> =
            ["Python", "Chromium"].into_iter().filter_map(|what| missing::<()>(what).err()).collect();
        assert_eq!(
            closing_line(&[(16, "with Python"), (98, "in the browser")], &gone).unwrap(),
            "left out: 16 tests with Python, 98 tests in the browser (no Python, no Chromium); \
             `cargo xtask test --all` says how to get what is missing"
        );
        let few = [(68, OF_OWN_WORKSPACES)];
        assert_eq!(
            closing_line(&few, &[]).unwrap(),
            "left out: 68 tests of crates whose libraries only few need; `cargo xtask test --all` runs them"
        );
        assert_eq!(closing_line(&[], &[]), None);
        assert_eq!(gone[0].to_string(), "no Python: `it` does not run\n  hint: install it");
    }

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
        for folder in OWN_WORKSPACES {
            assert!(count_in(&workspace().join(folder)).unwrap() > 0, "{folder} has no tests");
        }
        let page = PageTests::read().unwrap();
        for files in [&page.in_browser, &page.plain] {
            assert!(
                !files.is_empty()
                    && files.iter().all(|file| page.count(std::slice::from_ref(file)).unwrap() > 0)
            );
        }
    }

    /// Runs of tests: the names that fail in each one after the other.
    fn taken(retries: bool, runs: &[&[&str]]) -> (Results, usize) {
        let count = std::cell::Cell::new(0);
        let mut results = Results { retries, ..Results::default() };
        let run = |only: &[String]| {
            let failed: Vec<String> = runs[count.get()].iter().map(|name| (*name).to_owned()).collect();
            assert!(failed.iter().all(|name| only.is_empty() || only.contains(name)));
            count.set(count.get() + 1);
            let fault = (!failed.is_empty()).then(|| "`cargo test` failed".to_owned());
            Ok(Ended { failed, fault })
        };
        results.take(run).unwrap();
        (results, count.get())
    }

    #[test]
    fn failed_tests_are_named_last() {
        let (results, _) = taken(false, &[&["a::b", "c"]]);
        let told = results.end().unwrap_err().to_string();
        assert_eq!(told, "`cargo test` failed\nfailed tests:\n  a::b\n  c");
        assert!(taken(false, &[&[]]).0.end().is_ok());
    }

    #[test]
    fn tests_that_fail_run_once_more_if_that_is_asked_for() {
        let (results, runs) = taken(true, &[&["a", "b"], &["b"]]);
        assert_eq!(
            (runs, &results.passed_later[..], &results.failed[..]),
            (2, &["a".to_owned()][..], &["b".to_owned()][..])
        );
        results.end().unwrap_err();
        let (results, _) = taken(true, &[&["a"], &[]]);
        assert_eq!(results.passed_later, ["a"]);
        results.end().unwrap();
        let many = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        assert_eq!(taken(true, &[&many]).1, 1, "eleven failures have one cause");
    }

    #[test]
    fn names_are_matched_literally() {
        assert_eq!(escaped("a phone: light (1.5)"), r"a phone\: light \(1\.5\)");
    }
}
