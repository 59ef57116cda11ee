//! The tests of the game page, which Node runs, some of them in a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::files::read;
use crate::rust_tests::count;
use crate::watched::{self, Ended, Runner};
use crate::{cargo, finish, target_folder, workspace};

/// The folder of the page's tests.
const FOLDER: &str = "viewer/tests/browser";

/// The import that only tests with a browser have; the other tests of the page need only Node.
const IMPORTS_BROWSER: &str = "from \"./browser.mjs\"";

/// The files of the page's tests, by name.
pub(crate) struct PageTests {
    folder: PathBuf,
    pub(crate) in_browser: Vec<String>,
    /// The tests that need only Node.
    pub(crate) plain: Vec<String>,
}

impl PageTests {
    pub(crate) fn read() -> Result<Self> {
        let folder = workspace().join(FOLDER);
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
        read(&self.folder.join(name))
    }

    /// Returns the number of tests in these files.
    pub(crate) fn count(&self, names: &[String]) -> Result<usize> {
        names.iter().map(|name| Ok(count(&self.source(name)?, &["test("]))).sum()
    }

    /// Runs these files, or all if none is named; of their tests only those of certain names, or all if none is given.
    ///
    /// # Errors
    ///
    /// If Node cannot be started.
    pub(crate) fn run(
        &self,
        names: &[String],
        browser: Option<&Path>,
        only: &[String],
        shown: &mut Vec<u8>,
    ) -> Result<Ended> {
        let mut test = Command::new("node");
        test.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
        test.args(only.iter().map(|name| format!("--test-name-pattern=^{}$", escaped(name)))).args(names);
        test.env("PROGRAMS", target_folder().join("debug")).current_dir(&self.folder);
        test.envs(browser.map(|browser| ("CHROMIUM", browser)));
        watched::run(test, &format!("node --test {}", names.join(" ")), shown, Runner::Node)
    }
}

/// Returns a text as a regular expression of JavaScript that matches it alone.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            (!c.is_alphanumeric() && c.is_ascii() && c != ' ').then_some('\\').into_iter().chain([c])
        })
        .collect()
}

/// Installs the library that drives the browser, unless it is installed already.
pub(crate) fn install_driver() -> Result<()> {
    let folder = workspace().join(FOLDER);
    let changed = |file: &str| fs::metadata(folder.join(file)).and_then(|about| about.modified()).ok();
    if changed("node_modules/.package-lock.json") >= changed("package-lock.json") {
        return Ok(());
    }
    let mut install = Command::new("npm");
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder);
    finish(install, "npm ci")
}

/// Makes the pictures of the game page again.
///
/// # Errors
///
/// Fails if the page cannot be shown.
pub(crate) fn screenshots(browser: &Path) -> Result<()> {
    install_driver()?;
    cargo(&["build", "--profile", "test", "--locked"]).packages(&["reference-gm", "bots"]).run()?;
    let mut make = Command::new("node");
    make.arg("screenshots.mjs").current_dir(workspace().join(FOLDER));
    make.env("PROGRAMS", target_folder().join("debug")).env("CHROMIUM", browser);
    finish(make, "node screenshots.mjs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_tests() {
        let page = PageTests::read().unwrap();
        for files in [&page.in_browser, &page.plain] {
            let has_tests = |file| page.count(std::slice::from_ref(file)).unwrap() > 0;
            assert!(!files.is_empty() && files.iter().all(has_tests));
        }
    }

    #[test]
    fn names_are_matched_literally() {
        assert_eq!(escaped("a phone: light (1.5)"), r"a phone\: light \(1\.5\)");
    }
}
