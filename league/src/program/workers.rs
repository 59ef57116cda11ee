//! Processes that play the matches of a contest, here or on other machines.
//!
//! A worker reads matches from its standard input, one a line, and answers each with its record. `league play --spec -`
//! is one; `ssh` starts it on another machine. Results do not depend on which worker plays what: a match is a value
//! that decides its course. The book's page "Comparisons, races and searches on many machines" says why there are
//! workers beside the queue of `league-dist`.
//!
//! A worker that ends, or answers with something else, is lost, and another one plays its match again. What workers
//! write to standard error is shown.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::num::NonZeroUsize;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use command_line::tell;
use contests::text;
use game_env::matches::{LONGEST_FILE, MatchRecord, MatchSpec};
use game_env::text::fit_for_a_log;
use game_env::{NotationError, TeamId};

use crate::executor::CannotPlay;

/// The most workers of a command.
const MOST_WORKERS: usize = 1_024;

/// A command of workers, and their number: `8*ssh lab7 league play --spec -`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WorkerCommand {
    workers: usize,
    command: String,
    words: Vec<String>,
}

impl FromStr for WorkerCommand {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let error = || {
            NotationError::new(
                "worker",
                text,
                "a command, e.g. `ssh lab7 league play --spec -`, or `8*COMMAND` for eight workers",
            )
        };
        let (number, command) = match text.split_once('*') {
            Some((number, command)) if number.bytes().all(|byte| byte.is_ascii_digit()) => (number, command),
            _ => ("1", text),
        };
        let workers = number.parse().ok().filter(|workers| (1..=MOST_WORKERS).contains(workers));
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let (workers, words) = workers.zip(words).ok_or_else(error)?;
        Ok(Self { workers, command: fit_for_a_log(command.trim()), words })
    }
}

/// Workers, each with one match at a time. When they are dropped, their input ends, and they are waited for.
pub(super) struct Workers {
    program: String,
    number: NonZeroUsize,
    state: Mutex<State>,
    changed: Condvar,
}

/// The workers that are not lost.
struct State {
    idle: Vec<Worker>,
    /// The number of workers that are not lost, idle or not.
    left: usize,
    /// The last one that was lost, and the reason.
    lost: String,
}

struct Worker {
    command: String,
    child: Child,
    /// None at the end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Workers {
    /// Starts the workers of these commands, for a program of this name and version; none if there is no command.
    ///
    /// # Errors
    ///
    /// Names the command that cannot be started.
    pub(super) fn start(commands: &[WorkerCommand], program: &str) -> Result<Option<Self>, CannotPlay> {
        let mut idle = Vec::new();
        for command in commands {
            for _ in 0..command.workers {
                idle.push(Worker::start(command).map_err(|error| {
                    CannotPlay(format!("the worker `{}` cannot be started: {error}", command.command))
                })?);
            }
        }
        let left = idle.len();
        let Some(number) = NonZeroUsize::new(left) else { return Ok(None) };
        let state = Mutex::new(State { idle, left, lost: String::new() });
        Ok(Some(Self { program: program.to_owned(), number, state, changed: Condvar::new() }))
    }

    /// Returns the number of workers at the beginning.
    pub(super) fn number(&self) -> NonZeroUsize {
        self.number
    }

    /// Lets a worker play a match; the caller waits until one is idle, and for the record.
    ///
    /// # Errors
    ///
    /// If all workers are lost.
    pub(super) fn play(&self, spec: &MatchSpec) -> Result<MatchRecord, CannotPlay> {
        loop {
            let mut worker = self.take()?;
            let played = worker.play(spec, &self.program);
            let mut state = self.state();
            let why = match played {
                Ok(record) => {
                    state.idle.push(worker);
                    self.changed.notify_one();
                    return Ok(record);
                }
                Err(why) => why,
            };
            state.left -= 1;
            state.lost = format!("`{}` {why}", worker.command);
            let left = text::counted(state.left as u64, "worker is", "workers are");
            tell(&format!("lost a worker: {}; {left} left", state.lost));
            drop(state);
            // Kills the worker: it may not end when its input is closed.
            let _ = worker.child.kill();
            self.changed.notify_all();
        }
    }

    /// Takes a worker that is idle, or waits for one.
    fn take(&self) -> Result<Worker, CannotPlay> {
        let mut state = self.state();
        loop {
            if let Some(worker) = state.idle.pop() {
                return Ok(worker);
            }
            if state.left == 0 {
                return Err(CannotPlay(format!("no worker is left: {}", state.lost)));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker {
    fn start(command: &WorkerCommand) -> io::Result<Self> {
        let (program, arguments) = command.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut started = Command::new(program);
        started.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is for this program alone, which ends its workers itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut started, 0);
        let mut child = started.spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { command: command.command.clone(), child, input, output: BufReader::new(output) })
    }

    /// Plays a match; or says why this worker is of no use, as words behind its command.
    fn play(&mut self, spec: &MatchSpec, program: &str) -> Result<MatchRecord, String> {
        let answer = self.answer(&format!("{spec}\n"));
        let answer = answer.map_err(|error| format!("cannot be asked: {error}"))?;
        if answer.len() >= LONGEST_FILE {
            return Err(format!("answers with more than {LONGEST_FILE} bytes"));
        }
        if !answer.ends_with('\n') {
            self.input = None;
            let ended = self.child.wait();
            return Err(
                ended.map_or_else(|_| "has ended".to_owned(), |status| format!("has ended ({status})"))
            );
        }
        let record: MatchRecord = answer.parse().map_err(|error| {
            format!("answers `{}`, which is no record: {error}", fit_for_a_log(answer.trim_end()))
        })?;
        if record.program != program {
            return Err(format!("is {}, and this is {program}", fit_for_a_log(&record.program)));
        }
        if record.spec != *spec {
            return Err("answers with the record of another match".to_owned());
        }
        let teams = game_catalogue::find(&spec.game).ok().and_then(|game| game.teams(&spec.config).ok());
        let checked = record.check_teams(TeamId::count(&teams.unwrap_or_default()));
        checked.map_err(|why| format!("answers with a faulty record: {why}"))?;
        Ok(record)
    }

    /// Writes a line, and reads the next one; without its end if the output has ended, or the line is too long.
    fn answer(&mut self, line: &str) -> io::Result<String> {
        // Ignores errors: if the worker has ended, the read below reports it.
        if let Some(input) = &mut self.input {
            let _ = input.write_all(line.as_bytes());
        }
        let mut answer = Vec::new();
        (&mut self.output).take(LONGEST_FILE as u64).read_until(b'\n', &mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_be_that_of_several_workers() {
        let read = |text: &str| text.parse::<WorkerCommand>().map(|command| (command.workers, command.words));
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(read("8*ssh lab7 league").unwrap(), (8, words(&["ssh", "lab7", "league"])));
        assert_eq!(read("sh -c 'ls *'").unwrap(), (1, words(&["sh", "-c", "ls *"])));
        for text in ["", "8*", "0*league", "9999*league", "*league", "league 'play"] {
            let error = read(text).unwrap_err().to_string();
            assert!(
                error.ends_with("e.g. `ssh lab7 league play --spec -`, or `8*COMMAND` for eight workers"),
                "{error}"
            );
        }
    }
}
