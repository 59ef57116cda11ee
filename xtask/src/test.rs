//! `cargo xtask test`: all tests that can run on this machine, and a line about those that cannot.
//!
//! Rust and a C compiler are required. The tests that need Python, bubblewrap, Node or a browser are left out where
//! these programs are missing. Nothing is installed except the packages that `npm ci` puts into the folder of the
//! page's tests.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::thread;

use anyhow::{Result, bail};

use crate::page_tests::{self, PageTests, install_driver};
use crate::programs::{Missing, Programs};
use crate::python_package::{self, Environment};
use crate::rust_tests::{
    self, Crates, NAMESPACES_FILE, NAMESPACES_TESTS, PYTHON_TESTS, count_in, count_of, python_files,
};
use crate::watched::Ended;
use crate::{folders_not_by_default, workspace};

/// Arguments of `cargo xtask test`.
pub(crate) struct Options<'a> {
    /// Whether a missing program is an error, instead of a reason to leave tests out.
    pub(crate) must_run_all: bool,
    /// Whether tests that start programs run once more if they fail.
    pub(crate) retries: bool,
    /// A crate and further arguments for `cargo test`, with which the tests of the page are not meant.
    pub(crate) further: &'a [String],
}

/// Runs the tests, all of them even if some fail; the last lines name those that failed.
///
/// # Errors
///
/// Fails if a test fails. With `must_run_all`, fails before the first test if a program is missing; with `retries`, if
/// cargo-nextest is.
pub(crate) fn test(Options { must_run_all, retries, further }: Options<'_>) -> Result<()> {
    if retries && !rust_tests::has_nextest() {
        bail!(
            "cargo-nextest is not installed, and only it can repeat tests\nhint: `cargo install --locked cargo-nextest`"
        );
    }
    let mut plan = Programs::find().plan(further.is_empty());
    if must_run_all && !plan.missing.is_empty() {
        let missing: Vec<String> = plan.missing.iter().map(Missing::to_string).collect();
        bail!("programs that `--all` needs are missing\n{}", missing.join("\n"));
    }
    let mut left_out = Vec::new();
    let mut results = Results::default();
    let mut skipped = None;
    if let Some(LeftOut { module, files, which }) = plan.rust_tests_left_out()? {
        skipped = Some(module);
        left_out.push((count_of(&files)?, which));
    }
    if !further.is_empty() {
        results.add(rust_tests::run_some(further, skipped)?);
        return end(results, closing_lines(&left_out, &plan.missing, must_run_all));
    }
    let crates = if must_run_all { Crates::All } else { Crates::Default };
    if crates == Crates::Default {
        let folders = folders_not_by_default()?;
        let counts = folders.iter().map(|folder| count_in(&workspace().join(folder)));
        left_out.push((counts.sum::<Result<usize>>()?, OF_OTHER_CRATES));
    }
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
    let page = PageTests::read()?;
    if !plan.has_node {
        left_out.push((page.count(&page.plain)?, "of the page's code"));
    }
    if plan.browser.is_none() {
        left_out.push((page.count(&page.in_browser)?, "in the browser"));
    }
    // Some tests of the page and of the package play with the real programs, which are built with the tests. pip waits
    // for the network meanwhile.
    let (package, built) = thread::scope(|scope| {
        let package = scope.spawn(|| must_run_all.then(Environment::of_tests).transpose());
        let built = rust_tests::build(crates);
        (package.join().expect("nothing that pip does makes this program panic"), built)
    });
    built?;
    let package = package.unwrap_or_else(|missing| {
        plan.missing.push(missing);
        None
    });
    if package.is_none() {
        left_out.push((python_package::count()?, OF_PYTHON_PACKAGE));
    }
    // All kinds of tests wait for programs most of the time, so they run side by side.
    let others = thread::scope(|scope| {
        let page = scope.spawn(|| run_page_tests(&page, &plan, retries));
        let package = scope.spawn(|| run_package_tests(package.as_ref(), retries));
        for ended in rust_tests::run(crates, skipped, retries)? {
            results.add(ended);
        }
        let others = [page, package].map(|tests| tests.join().expect("no test makes this program panic"));
        others.into_iter().collect::<Result<Vec<_>>>()
    })?;
    for (shown, of_language) in others {
        io::stdout().write_all(&shown)?;
        results.append(of_language);
    }
    results.faults.extend(rust_tests::try_benches(crates).err().map(|error| format!("{error:#}")));
    end(results, closing_lines(&left_out, &plan.missing, must_run_all))
}

/// Runs the tests of the page that can run here, and returns their output.
fn run_page_tests(page: &PageTests, plan: &Plan, retries: bool) -> Result<(Vec<u8>, Results)> {
    let (mut shown, mut results) = (Vec::new(), Results::default());
    match &plan.browser {
        Some(browser) => results.take(retries, |only| page.run(&[], Some(browser), only, &mut shown))?,
        None if plan.has_node => {
            results.take(retries, |only| page.run(&page.plain, None, only, &mut shown))?;
        }
        None => {}
    }
    Ok((shown, results))
}

/// Runs the tests of the Python package, if there is an environment for them, and returns their output.
fn run_package_tests(package: Option<&Environment>, retries: bool) -> Result<(Vec<u8>, Results)> {
    let (mut shown, mut results) = (Vec::new(), Results::default());
    if let Some(package) = package {
        results.take(retries, |only| package.test(only, &mut shown))?;
    }
    Ok((shown, results))
}

/// Prints the lines about what was left out, and says which tests failed.
fn end(results: Results, left_out: Option<String>) -> Result<()> {
    if let Some(lines) = left_out {
        eprintln!("{lines}");
    }
    results.end()
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
    page_tests::screenshots(&browser)
}

/// The description of the tests of crates that are not built by default in the closing line.
const OF_OTHER_CRATES: &str = "of crates whose libraries only few need";

/// The description of the tests of the Python package in the closing line.
const OF_PYTHON_PACKAGE: &str = "of the Python package";

/// The results of the tests.
#[derive(Default)]
struct Results {
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
    fn add(&mut self, Ended { failed, passed_later, fault }: Ended) {
        self.failed.extend(failed);
        self.passed_later.extend(passed_later);
        self.faults.extend(fault);
    }

    fn append(&mut self, others: Self) {
        self.failed.extend(others.failed);
        self.passed_later.extend(others.passed_later);
        self.faults.extend(others.faults);
    }

    /// Runs tests whose runner repeats none; `run` gets the names of those that are to run, or none for all.
    fn take(&mut self, retries: bool, mut run: impl FnMut(&[String]) -> Result<Ended>) -> Result<()> {
        let first = run(&[])?;
        if !retries || first.failed.is_empty() || first.failed.len() > MOST_RETRIES {
            self.add(first);
            return Ok(());
        }
        eprintln!("once more: {}", first.failed.join(", "));
        let again = run(&first.failed)?;
        let (failed, passed_later) = first.failed.into_iter().partition(|name| again.failed.contains(name));
        self.add(Ended { failed, passed_later, fault: again.fault });
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

impl Programs {
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

/// Returns one line about the tests that were left out, with their number and the missing programs. With
/// `must_run_all`, further lines say how to get these programs.
fn closing_lines(left_out: &[(usize, &str)], missing: &[Missing], must_run_all: bool) -> Option<String> {
    if left_out.is_empty() {
        return None;
    }
    let tests: Vec<String> = left_out.iter().map(|(tests, which)| format!("{tests} tests {which}")).collect();
    let tests = tests.join(", ");
    if missing.is_empty() {
        return Some(format!("left out: {tests}; `cargo xtask test --all` runs them"));
    }
    if must_run_all {
        let reasons: Vec<String> = missing.iter().map(Missing::to_string).collect();
        return Some(format!("left out: {tests}\n{}", reasons.join("\n")));
    }
    let reasons: Vec<String> = missing.iter().map(|missing| format!("no {}", missing.what)).collect();
    let reasons = reasons.join(", ");
    Some(format!("left out: {tests} ({reasons}); `cargo xtask test --all` says how to get what is missing"))
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

    /// Returns the module of tests in Rust that is left out, and its name in the closing line.
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
            closing_lines(&[(16, "with Python"), (98, "in the browser")], &gone, false).unwrap(),
            "left out: 16 tests with Python, 98 tests in the browser (no Python, no Chromium); \
             `cargo xtask test --all` says how to get what is missing"
        );
        let few = [(68, OF_OTHER_CRATES)];
        assert_eq!(
            closing_lines(&few, &[], false).unwrap(),
            "left out: 68 tests of crates whose libraries only few need; `cargo xtask test --all` runs them"
        );
        assert_eq!(closing_lines(&[], &[], false), None);
        assert_eq!(gone[0].to_string(), "no Python: `it` does not run\n  hint: install it");
        // The line for `--all` does not refer to `--all`.
        assert_eq!(
            closing_lines(&[(72, OF_PYTHON_PACKAGE)], &gone[..1], true).unwrap(),
            "left out: 72 tests of the Python package\nno Python: `it` does not run\n  hint: install it"
        );
    }

    /// Runs of tests: the names that fail in each one after the other.
    fn taken(retries: bool, runs: &[&[&str]]) -> (Results, usize) {
        let count = std::cell::Cell::new(0);
        let mut results = Results::default();
        let run = |only: &[String]| {
            let failed: Vec<String> = runs[count.get()].iter().map(|name| (*name).to_owned()).collect();
            assert!(failed.iter().all(|name| only.is_empty() || only.contains(name)));
            count.set(count.get() + 1);
            let fault = (!failed.is_empty()).then(|| "`cargo test` failed".to_owned());
            Ok(Ended { failed, fault, ..Ended::default() })
        };
        results.take(retries, run).unwrap();
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
}
