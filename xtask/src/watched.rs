//! Commands whose output is watched for the names of failed tests while it passes through to the terminal.

use std::io::{BufRead as _, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};

/// The end of a command that runs tests.
pub(crate) struct Ended {
    /// The names of failed tests, as their runner writes them.
    pub(crate) failed: Vec<String>,
    /// The line about a command that has failed; none if it has succeeded.
    pub(crate) fault: Option<String>,
}

/// Runs a command and shows its standard output on `screen` line by line; `failed_test` finds the name of a failed test in
/// a line.
///
/// # Errors
///
/// If the command cannot be started or its output cannot be read.
pub(crate) fn run(
    mut command: Command,
    shown: &str,
    screen: &mut impl Write,
    failed_test: fn(&str) -> Option<&str>,
) -> Result<Ended> {
    eprintln!("> {shown}");
    let start = Instant::now();
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("`{shown}` cannot be started"))?;
    let output = child.stdout.take().context("the output is piped")?;
    let mut failed: Vec<String> = Vec::new();
    for line in BufReader::new(output).split(b'\n') {
        let line = line.with_context(|| format!("the output of `{shown}` cannot be read"))?;
        // The reader may be gone: that is no reason to stop the tests.
        let _ = screen.write_all(&[&line[..], b"\n"].concat());
        let line = String::from_utf8_lossy(&line);
        if let Some(name) = failed_test(&line)
            && !failed.iter().any(|known| known == name)
        {
            failed.push(name.to_owned());
        }
    }
    let status = child.wait()?;
    let fault = (!status.success()).then(|| format!("`{shown}` failed ({status})"));
    if fault.is_none() {
        eprintln!("< {shown}: {:.0} s", start.elapsed().as_secs_f64());
    }
    Ok(Ended { failed, fault })
}

/// The name of a failed test in a line of Rust's test harness.
pub(crate) fn failed_in_rust(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

/// The name of a failed test in a line of Node's reporter `spec`.
pub(crate) fn failed_in_node(line: &str) -> Option<&str> {
    let name = line.strip_prefix("✖ ")?;
    // Without a time it is the heading of the list at the end.
    Some(name.rsplit_once(" (")?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_are_found_in_the_lines_of_their_runners() {
        assert_eq!(failed_in_rust("test page::only_one ... FAILED"), Some("page::only_one"));
        assert_eq!(
            failed_in_rust("test sdk/src/lib.rs - view (line 12) ... FAILED"),
            Some("sdk/src/lib.rs - view (line 12)")
        );
        for line in ["test page::only_one ... ok", "test result: FAILED. 1 passed", "    it::FAILED"] {
            assert_eq!(failed_in_rust(line), None, "{line}");
        }
        assert_eq!(failed_in_node("✖ a game (light) is shown (12.5ms)"), Some("a game (light) is shown"));
        for line in ["✔ a game is shown (12.5ms)", "✖ failing tests:", "  ✖ (12.5ms)"] {
            assert_eq!(failed_in_node(line), None, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_fails_says_which_tests_failed_each_once() {
        let mut script = Command::new("sh");
        script.args(["-c", "echo test a ... ok; echo test b ... FAILED; echo test b ... FAILED; exit 3"]);
        let mut screen = Vec::new();
        let ended = run(script, "the tests", &mut screen, failed_in_rust).unwrap();
        assert_eq!(screen, b"test a ... ok\ntest b ... FAILED\ntest b ... FAILED\n");
        assert_eq!(ended.failed, ["b"]);
        assert!(ended.fault.unwrap().starts_with("`the tests` failed (exit status: 3"));
        let ended = run(Command::new("true"), "nothing", &mut screen, failed_in_rust).unwrap();
        assert!(ended.failed.is_empty() && ended.fault.is_none());
    }
}
