//! Commands whose output is watched for the names of failed tests while it passes through to the terminal.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};

/// The end of a command that runs tests.
#[derive(Default)]
pub(crate) struct Ended {
    /// The names of failed tests, as their runner writes them.
    pub(crate) failed: Vec<String>,
    /// The names of tests that failed at first and passed when their runner repeated them.
    pub(crate) passed_later: Vec<String>,
    /// The line about a command that has failed; none if it has succeeded.
    pub(crate) fault: Option<String>,
}

/// A runner of tests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// `cargo test`.
    Cargo,
    /// `cargo nextest run`, which writes everything to standard error and names the failed tests after its summary.
    Nextest,
    /// `node --test` with its reporter `spec`.
    Node,
    /// `pytest` with a summary of failures and errors.
    Pytest,
}

/// Runs a command and shows the output of its tests on `screen` line by line.
///
/// # Errors
///
/// If the command cannot be started or its output cannot be read.
pub(crate) fn run(
    mut command: Command,
    shown: &str,
    screen: &mut impl Write,
    runner: Runner,
) -> Result<Ended> {
    eprintln!("> {shown}");
    let start = Instant::now();
    match runner {
        Runner::Nextest => command.stderr(Stdio::piped()),
        Runner::Cargo | Runner::Node | Runner::Pytest => command.stdout(Stdio::piped()),
    };
    let mut child = command.spawn().with_context(|| format!("`{shown}` cannot be started"))?;
    let output: Box<dyn Read> = match (child.stdout.take(), child.stderr.take()) {
        (Some(output), _) => Box::new(output),
        (None, output) => Box::new(output.context("the output is piped")?),
    };
    let (mut ended, mut is_summary) = (Ended::default(), false);
    for line in BufReader::new(output).split(b'\n') {
        let line = line.with_context(|| format!("the output of `{shown}` cannot be read"))?;
        // The reader may be gone: that is no reason to stop the tests.
        let _ = screen.write_all(&[&line[..], b"\n"].concat());
        let line = String::from_utf8_lossy(&line);
        is_summary |= line.trim_start().starts_with("Summary [");
        let named = match runner {
            Runner::Cargo => failed_in_cargo(&line).map(|name| (name, &mut ended.failed)),
            Runner::Node => failed_in_node(&line).map(|name| (name, &mut ended.failed)),
            Runner::Pytest => failed_in_pytest(&line).map(|name| (name, &mut ended.failed)),
            Runner::Nextest if !is_summary => None,
            Runner::Nextest => listed_by_nextest(&line).map(|(name, passed)| {
                (name, if passed { &mut ended.passed_later } else { &mut ended.failed })
            }),
        };
        if let Some((name, names)) = named
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    let status = child.wait()?;
    ended.fault = (!status.success()).then(|| format!("`{shown}` failed ({status})"));
    if ended.fault.is_none() {
        eprintln!("< {shown}: {:.0} s", start.elapsed().as_secs_f64());
    }
    Ok(ended)
}

/// Returns the name of a failed test in a line of Rust's test harness.
fn failed_in_cargo(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

/// Returns the name of a test in a line after the summary of nextest, and whether the test passed when it was repeated.
///
/// Such a line is `FAIL [   0.837s] (12/34) sdk::it view::hands`, also with `TRY 2 FAIL`, a signal or `FLAKY 2/2`.
fn listed_by_nextest(line: &str) -> Option<(&str, bool)> {
    let (status, rest) = line.trim_start().split_once(" [")?;
    if status == "Summary" {
        return None;
    }
    let (_, name) = rest.split_once("] ")?;
    let name = name.trim_start();
    let name = if name.starts_with('(') { name.split_once(") ")?.1 } else { name };
    Some((name, status.starts_with("FLAKY")))
}

/// Returns the name of a failed test in a line of Node's reporter `spec`.
fn failed_in_node(line: &str) -> Option<&str> {
    let name = line.strip_prefix("✖ ")?;
    // Without a time it is the heading of the list at the end.
    Some(name.rsplit_once(" (")?.0)
}

/// Returns the name of a failed test, or of a file that cannot be read, in a line of pytest's summary.
fn failed_in_pytest(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))?;
    let name = rest.split_once(" - ").map_or(rest, |(name, _)| name);
    name.starts_with("tests/").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_are_found_in_the_lines_of_their_runners() {
        assert_eq!(failed_in_cargo("test page::only_one ... FAILED"), Some("page::only_one"));
        assert_eq!(
            failed_in_cargo("test sdk/src/lib.rs - view (line 12) ... FAILED"),
            Some("sdk/src/lib.rs - view (line 12)")
        );
        for line in ["test page::only_one ... ok", "test result: FAILED. 1 passed", "    it::FAILED"] {
            assert_eq!(failed_in_cargo(line), None, "{line}");
        }
        assert_eq!(failed_in_node("✖ a game (light) is shown (12.5ms)"), Some("a game (light) is shown"));
        for line in ["✔ a game is shown (12.5ms)", "✖ failing tests:", "  ✖ (12.5ms)"] {
            assert_eq!(failed_in_node(line), None, "{line}");
        }
        for (line, named) in [
            ("FAILED tests/test_a.py::test_b[c-1] - assert 1 == 2", Some("tests/test_a.py::test_b[c-1]")),
            ("FAILED tests/test_a.py::test_b", Some("tests/test_a.py::test_b")),
            ("ERROR tests/test_a.py - SyntaxError: invalid syntax", Some("tests/test_a.py")),
            ("SKIPPED [1] tests/test_a.py:7: no NumPy", None),
            ("FAILED to do something", None),
        ] {
            assert_eq!(failed_in_pytest(line), named, "{line}");
        }
        for (line, named) in [
            (
                "        FAIL [   0.837s] (1238/1700) sdk::it view::hands",
                Some(("sdk::it view::hands", false)),
            ),
            ("  TRY 2 FAIL [   0.837s] (   3/1700) cs::it a", Some(("cs::it a", false))),
            ("     SIGABRT [   0.837s] cs b", Some(("cs b", false))),
            ("   FLAKY 2/2 [   1.200s] (2/3) cs::it c", Some(("cs::it c", true))),
            ("     Summary [ 426.352s] 1700 tests run: 1699 passed, 1 failed", None),
            ("error: test run failed", None),
        ] {
            assert_eq!(listed_by_nextest(line), named, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_fails_says_which_tests_failed_each_once() {
        let script = |text: &str| {
            let mut script = Command::new("sh");
            script.args(["-c", text]);
            script
        };
        let text = "echo test a ... ok; echo test b ... FAILED; echo test b ... FAILED; exit 3";
        let mut screen = Vec::new();
        let ended = run(script(text), "the tests", &mut screen, Runner::Cargo).unwrap();
        assert_eq!(screen, b"test a ... ok\ntest b ... FAILED\ntest b ... FAILED\n");
        assert_eq!(ended.failed, ["b"]);
        assert!(ended.fault.unwrap().starts_with("`the tests` failed (exit status: 3"));
        let ended = run(Command::new("true"), "nothing", &mut screen, Runner::Cargo).unwrap();
        assert!(ended.failed.is_empty() && ended.fault.is_none());

        let text = "exec >&2; echo '  TRY 1 FAIL [ 1s] a x'; echo ' Summary [ 2s] 3 tests run: 1 failed'; \
                    echo ' FLAKY 2/2 [ 1s] a x'; echo '  TRY 2 FAIL [ 1s] b y'; exit 100";
        let ended = run(script(text), "the tests", &mut screen, Runner::Nextest).unwrap();
        assert_eq!(
            (&ended.failed[..], &ended.passed_later[..]),
            (&["b y".to_owned()][..], &["a x".to_owned()][..])
        );
    }
}
