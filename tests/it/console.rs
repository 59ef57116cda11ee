//! The commands in the book are run, and print the lines that the pages show.
//!
//! Every block with the language `console` is run. The blocks of a page are run in their order, in one folder that is
//! empty at first. A line that begins with `$ ` is a command; the lines after it are its output, standard output and
//! standard error as they come. `…` stands for any text in a line; a line with nothing but `…` for any number of lines.
//!
//! Lines of progress are left out: only a slow machine prints them.
//!
//! A command that ends with ` &` goes on running until the page ends. The test goes on as soon as the shown lines are
//! printed. Commands must succeed.
//!
//! Words are split as in a shell, without variables and patterns. `cargo run -p PACKAGE` runs the program of this
//! build, without cargo. Words that name a file of the workspace become its path. The ports 3727 and 3728 become free
//! ones, so that nothing else on this machine is disturbed.
//!
//! `UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it console` writes the printed lines into the pages: read the
//! diff, and the text around it. Lines between two lines of `…` are left as they are.

use std::fs;
use std::io::{BufRead as _, BufReader, pipe};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use tcp::ReservedPort;
use workspace_tests::{PACKAGES, files, programs, workspace};

/// The longest time without a line of output. A league says something each minute, but only when a match ends, and on a
/// busy machine a match takes several.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The ports of the communication server, for agents and for the game master.
const PORTS: [&str; 2] = ["3727", "3728"];

/// The command that starts Python; the variable `PYTHON` may name another one for tests.
const PYTHON: &str = "python3";

#[test]
fn commands_of_the_book_print_what_it_shows() {
    let commands = run_pages(|steps| !steps.iter().any(Step::needs_python));
    assert!(commands > 20, "only {commands} commands were found");
}

/// Runs the commands of the pages that are `meant`, and returns their number.
///
/// # Panics
///
/// If a command fails, or prints something else than the page shows and the page is not to be written anew.
pub(crate) fn run_pages(meant: impl Fn(&[Step]) -> bool) -> usize {
    let programs = programs().unwrap();
    let mut commands = 0;
    let may_update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for page in files("book/src", ".md") {
        let text = fs::read_to_string(&page).unwrap();
        let steps = steps(&text);
        if steps.is_empty() || !meant(&steps) {
            continue;
        }
        commands += steps.len();
        let folder = tempfile::tempdir().unwrap();
        let reserved = [(); 2].map(|()| ReservedPort::new().unwrap());
        let ports = reserved.each_ref().map(ReservedPort::number);
        let mut run = Run { programs: &programs, folder: folder.path(), ports, background: Vec::new() };
        let mut written: Vec<String> = text.lines().map(str::to_owned).collect();
        // The lines of a later step move by the lines that an earlier step gained or lost.
        let mut moved = 0_isize;
        for step in steps {
            let fail = |fault: String| -> ! { panic!("{}: `{}` {fault}", page.display(), step.command) };
            let printed = run.step(&step).unwrap_or_else(|fault| fail(fault));
            if fits(&step.shown, &printed) {
                continue;
            }
            let anew = refreshed(&step.shown, &printed);
            if !may_update || !fits(&anew, &printed) {
                let (printed, shown) = (printed.join("\n"), step.shown.join("\n"));
                fail(format!("prints\n{printed}\nbut the page shows\n{shown}"));
            }
            let start = step.line.checked_add_signed(moved).unwrap();
            moved += anew.len().cast_signed() - step.shown.len().cast_signed();
            written.splice(start..start + step.shown.len(), anew);
        }
        if written.join("\n") != text.trim_end() {
            fs::write(&page, written.join("\n") + "\n").unwrap();
        }
    }
    commands
}

/// A command and the lines that a page shows after it.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Step {
    command: String,
    /// The number of the line after the command, from 0 on.
    line: usize,
    shown: Vec<String>,
}

impl Step {
    /// Returns whether its page needs Python.
    pub(crate) fn needs_python(&self) -> bool {
        self.command.starts_with(PYTHON)
    }
}

/// The commands of a page's `console` blocks.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_inside = false;
    for (number, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            is_inside = line == "```console";
        } else if let (true, Some(command)) = (is_inside, line.strip_prefix("$ ")) {
            steps.push(Step { command: command.to_owned(), line: number + 1, shown: Vec::new() });
        } else if is_inside {
            let step = steps.last_mut().unwrap_or_else(|| panic!("`{line}` is the output of no command"));
            step.shown.push(line.to_owned());
        }
    }
    steps
}

/// Returns whether a line is one of progress: of a league, `12 of 40 matches, about 3 min left: 1. greedy 71.3 %`, or
/// of a comparison, `1,204 games  68.1 % (65.5 to 70.6)  +132 Elo  LLR 2.10 of 3.64  about 12 s left`.
fn is_progress(line: &str) -> bool {
    let has_time = [" matches, about ", " matches, less than "].iter().any(|time| line.contains(time));
    let is_of_league = has_time && line.contains(" left: ");
    let is_of_comparison = line.contains(" games  ") && line.contains("  LLR ");
    line.starts_with(|letter: char| letter.is_ascii_digit()) && (is_of_league || is_of_comparison)
}

/// The commands of one page while they are run.
struct Run<'a> {
    programs: &'a Path,
    folder: &'a Path,
    ports: [u16; 2],
    background: Vec<Child>,
}

impl Run<'_> {
    /// Returns the lines that a command prints; of a command that goes on, the lines that the page shows.
    fn step(&mut self, step: &Step) -> Result<Vec<String>, String> {
        let (command, goes_on) = match step.command.strip_suffix(" &") {
            Some(command) => (command, true),
            None => (&step.command[..], false),
        };
        let (mut child, lines) = self.start(command)?;
        let mut printed = Vec::new();
        loop {
            if goes_on && fits(&step.shown, &printed) {
                self.background.push(child);
                return Ok(printed);
            }
            match lines.recv_timeout(TIMEOUT) {
                // On a fast machine a short league ends before it has told its progress.
                Ok(line) if is_progress(&line) => {}
                Ok(line) => {
                    let line = self.as_on_the_page(&line);
                    // The reader is in the workspace, from where `bots new` prints paths.
                    let place = format!("{}/", self.folder.display());
                    let is_new = command.contains("-p bots -- new ");
                    printed.push(if is_new { line.replace(&place, "") } else { line });
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    child.kill().map_err(|error| error.to_string())?;
                    child.wait().map_err(|error| error.to_string())?;
                    return Err(format!("printed nothing for {TIMEOUT:?}, after:\n{}", printed.join("\n")));
                }
            }
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        if goes_on || !status.success() {
            return Err(format!("ended with {status}, after:\n{}", printed.join("\n")));
        }
        Ok(printed)
    }

    /// The process, and the lines that it prints.
    fn start(&self, command: &str) -> Result<(Child, Receiver<String>), String> {
        let words = shlex::split(command).ok_or("has a quote without an end")?;
        let mut words: Vec<String> = words.iter().map(|word| self.word(word)).collect();
        let program: PathBuf = if words.first().is_some_and(|word| word == "cargo") {
            self.programs.join(program_of(&mut words)?)
        } else {
            match words.remove(0) {
                python if python == PYTHON => std::env::var_os("PYTHON").unwrap_or_else(|| python.into()),
                other => other.into(),
            }
            .into()
        };
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let [agents, game_master] = self.ports;
        match &name[..] {
            "cs" => words.extend([format!("--port-agentow={agents}"), format!("--port-gm={game_master}")]),
            "reference-gm" if words.iter().any(|word| word.starts_with("--start-")) => {
                words.push(format!("--cs=127.0.0.1:{game_master}"));
            }
            // The reader is in the workspace, to which the file of the league belongs; this process is in another
            // folder.
            "league" if words.first().is_some_and(|word| ["check", "run"].contains(&word.as_str())) => {
                words.push("--trust".to_owned());
            }
            _ => {}
        }
        let (reader, writer) = pipe().map_err(|error| error.to_string())?;
        let mut start = Command::new(&program);
        start.args(&words).current_dir(self.folder).stdin(Stdio::null());
        start.stdout(writer.try_clone().map_err(|error| error.to_string())?).stderr(writer);
        let child = start.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let (sender, lines) = channel();
        // The thread ends with the process: the command's copies of the pipe's end are dropped here.
        drop(start);
        thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                // The later lines of a command in the background have no reader.
                let _ = sender.send(line);
            }
        });
        Ok((child, lines))
    }

    fn word(&self, word: &str) -> String {
        let file = workspace().join(word);
        if word.contains('/') && file.exists() {
            return file.display().to_string();
        }
        // The whole number: a free port can begin with one of the usual ones.
        let start = word.rfind(':').map_or(0, |colon| colon + 1);
        match PORTS.iter().position(|usual| *usual == &word[start..]) {
            Some(place) => format!("{}{}", &word[..start], self.ports[place]),
            None => word.to_owned(),
        }
    }

    fn as_on_the_page(&self, line: &str) -> String {
        let line = command_line::as_inside(line);
        PORTS.iter().zip(self.ports).fold(line, |line, (usual, free)| line.replace(&free.to_string(), usual))
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        for child in &mut self.background {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Takes the words of `cargo run` away: the name of the program that they mean.
fn program_of(words: &mut Vec<String>) -> Result<String, String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let cargo: Vec<String> = words.drain(..(end + 1).min(words.len())).collect();
    let after = |flag: &str| cargo.iter().skip_while(|word| *word != flag).nth(1);
    let known = cargo[1] == "run" && after("-p").is_some_and(|package| PACKAGES.contains(&&package[..]));
    let name = after("--bin").or_else(|| after("-p")).filter(|_| known);
    let name = name.ok_or("is not `cargo run -p PACKAGE` with a package whose program is built here")?;
    Ok(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Returns whether these lines were printed, with `…` for any text.
fn fits(shown: &[String], printed: &[String]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, _) => printed.is_empty(),
        (Some((first, rest)), _) if first == "…" => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        (Some(_), None) => false,
        (Some((first, rest)), Some((line, others))) => {
            line_fits(first, line.trim_end()) && fits(rest, others)
        }
    }
}

fn line_fits(shown: &str, line: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else { return shown == line };
    let Some(mut left) = line.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('…').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(end)
}

/// Returns the lines that a page may show for these, with `…` where it has it now: the lines before the first line of
/// `…` and those after the last one anew, or all lines.
fn refreshed(shown: &[String], printed: &[String]) -> Vec<String> {
    let renew = |shown: &mut String, line: &String| {
        if !line_fits(shown, line.trim_end()) {
            line.trim_end().clone_into(shown);
        }
    };
    let mut anew = shown.to_vec();
    let is_mask = |line: &String| line == "…";
    let (Some(first), Some(last)) = (shown.iter().position(is_mask), shown.iter().rposition(is_mask)) else {
        anew.resize(printed.len(), String::new());
        anew.iter_mut().zip(printed).for_each(|(shown, line)| renew(shown, line));
        return anew;
    };
    anew[..first].iter_mut().zip(printed).for_each(|(shown, line)| renew(shown, line));
    anew[last + 1..].iter_mut().rev().zip(printed.iter().rev()).for_each(|(shown, line)| renew(shown, line));
    anew
}

#[test]
fn the_usual_ports_become_free_ones() {
    let folder = Path::new(".");
    let run = Run { programs: folder, folder, ports: [37281, 32989], background: Vec::new() };
    for (word, expected) in [("3727", "37281"), ("3728", "32989"), ("127.0.0.1:3727", "127.0.0.1:37281")] {
        assert_eq!(run.word(word), expected);
    }
    assert_eq!(run.word("--seed=3727"), "--seed=3727");
}

#[test]
fn a_page_that_shows_something_else_is_found() {
    let fits = |shown: &str, printed: &str| {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        fits(&lines(shown), &lines(printed))
    };
    assert!(fits("one\ntwo", "one\ntwo"));
    assert!(!fits("one\ntwo", "one") && !fits("one", "one\ntwo") && !fits("one", "two"));
    assert!(fits("one …\n…\nlast", "one 1\n2\n3\nlast") && fits("…\nlast", "last"));
    assert!(!fits("one …\n…\nlast", "one 1\n2\n3"));
    assert!(fits("a … b … c", "a 1 b 2 c") && !fits("a … b … c", "a 1 c 2 b"));
    assert_eq!(
        steps("text\n```text\n$ no\n```\n```console\n$ one\na\nb\n$ two &\n```\n"),
        [
            Step { command: "one".to_owned(), line: 6, shown: vec!["a".to_owned(), "b".to_owned()] },
            Step { command: "two &".to_owned(), line: 9, shown: Vec::new() },
        ]
    );
}

#[test]
fn a_page_that_is_written_anew_keeps_its_masks() {
    let refreshed = |shown: &str, printed: &str| {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        refreshed(&lines(shown), &lines(printed)).join("\n")
    };
    assert_eq!(refreshed("a\nb", "a\nc\nd"), "a\nc\nd");
    assert_eq!(refreshed("at … s\nold\ngone", "at 3 s\nnew"), "at … s\nnew");
    assert_eq!(refreshed("1\n…\nlast 1", "2\nx\ny\nlast 2"), "2\n…\nlast 2");
    assert_eq!(refreshed("1\n…\nmiddle\n…", "2\nmiddle\nz"), "2\n…\nmiddle\n…");
}
