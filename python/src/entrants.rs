//! Entrants that are programs: commands, and classes in Python that play in this process.
//!
//! Both speak the agent protocol. A class has a command too, which runs it as a program of its own
//! (`python3 -m project_game agent module:Class`). In this process, the class answers the same lines in place of that
//! program.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use child_process::{Guard, run_if_asked_behind};
use game_env::NotationError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use strategies::programs::{Command, Processes, Programs};
use strategies::room::{Room, find};
use wire::agent::message::Thinking;
use wire::agent::{Conversation, Fault, Log, Lost, Peer, Progress};

use crate::games::wrong;
use crate::interruptible::{INTERVAL, Stop};

/// The number of words before the arguments of a guard: `-I -S -c CODE FILE`.
const LEADING: usize = 5;

/// The program of a guard: it loads this module from its file, without the packages of the interpreter.
const CODE: &str = "\
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
path = sys.argv[1]
loader = ExtensionFileLoader('project_game._native', path)
module = module_from_spec(spec_from_file_location(loader.name, path, loader=loader))
loader.exec_module(module)
sys.exit(module.serve_as_guard())";

/// Serves as the guard of a child process, and returns the exit code.
#[pyfunction]
pub(crate) fn serve_as_guard(py: Python<'_>) -> u8 {
    let code = py.detach(|| run_if_asked_behind(LEADING));
    // An exit code of Rust cannot be read as a number, only compared.
    code.map_or(2, |code| u8::from(code != ExitCode::SUCCESS))
}

/// Checks a line of a class that is to answer a decision or a question. It has no `id`.
///
/// # Errors
///
/// `ValueError` with the line and its fault.
#[pyfunction]
pub(crate) fn check_answer(line: &[u8]) -> PyResult<()> {
    /// A program that has written this.
    struct Written<'a>(&'a [u8]);

    impl Peer for Written<'_> {
        fn exchange(
            &mut self,
            _: &[u8],
            _: Duration,
            read: &mut dyn FnMut(&[u8]) -> Progress,
        ) -> Result<Duration, Lost> {
            read(self.0);
            Ok(Duration::ZERO)
        }

        fn finish(self: Box<Self>, _: bool) {}
    }

    let mut conversation = Conversation::new(Thinking::Free);
    let asked = conversation.ask(&mut Written(line), &());
    let fault = |fault: Fault| wrong(conversation.take_strange().unwrap_or_else(|| fault.to_string()));
    asked.map(drop).map_err(fault)
}

/// The entrants of one call that are programs.
pub(crate) struct Entrants {
    /// None only after the drop.
    programs: Option<Arc<Started>>,
}

/// Starts programs and classes.
struct Started {
    processes: Processes,
    /// Makes the program of a class, by the class's command.
    classes: HashMap<String, Py<PyAny>>,
    stop: Arc<Stop>,
    /// The report of the first entrant that has failed in its game.
    failure: Arc<Mutex<Option<String>>>,
}

impl fmt::Debug for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Started").field("processes", &self.processes).finish_non_exhaustive()
    }
}

impl Entrants {
    /// The programs of this interpreter. `classes` makes the program of a class, by the class's command.
    ///
    /// # Errors
    ///
    /// If Python does not say where the interpreter and this module are.
    pub(crate) fn new(py: Python<'_>, classes: HashMap<String, Py<PyAny>>) -> PyResult<Self> {
        let executable: OsString = py.import("sys")?.getattr("executable")?.extract()?;
        let module: OsString = py.import("project_game._native")?.getattr("__file__")?.extract()?;
        let words = ["-I", "-S", "-c", CODE].map(OsString::from).into_iter().chain([module]);
        let processes = Processes::new(Guard::new(executable).with_leading(words), ".");
        // As matches write them.
        let written = |(text, class): (String, _)| {
            let command = Command::read(&text)
                .unwrap_or_else(|| Err(NotationError::new("command", &text, "a program and its arguments")));
            Ok((command.map_err(wrong)?.to_string(), class))
        };
        let classes = classes.into_iter().map(written).collect::<PyResult<_>>()?;
        let (stop, failure) = (Arc::default(), Arc::default());
        Ok(Self { programs: Some(Arc::new(Started { processes, classes, stop, failure })) })
    }

    fn programs(&self) -> &Arc<Started> {
        self.programs.as_ref().expect("only the drop takes them")
    }

    /// Says whether the games of this call are to end.
    pub(crate) fn stop(&self) -> &Stop {
        &self.programs().stop
    }

    /// The room of a game whose matches may have these entrants.
    ///
    /// # Errors
    ///
    /// `ValueError` if there is no such game.
    pub(crate) fn room(&self, game: &str) -> PyResult<Arc<dyn Room>> {
        Ok(find(game).map_err(wrong)?.with_programs(Arc::clone(self.programs()) as Arc<dyn Programs>))
    }

    /// Checks that the programs among these entrants are there.
    ///
    /// # Errors
    ///
    /// `ValueError` that names the first that is missing.
    pub(crate) fn check<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> PyResult<()> {
        let commands = names.into_iter().filter(|name| !self.programs().classes.contains_key(*name));
        self.programs().processes.check(commands).map_err(wrong)
    }

    /// Forgets the exceptions and failures of an earlier call.
    pub(crate) fn begin(&self) {
        self.programs().stop.begin();
        self.programs().processes.take_unready();
        self.programs().take_failure();
    }

    /// Raises the first exception of a class or of a signal, if there was one, or says that a program could not begin
    /// its game.
    ///
    /// # Errors
    ///
    /// This exception; `ValueError` with the report of the program.
    pub(crate) fn raise(&self) -> PyResult<()> {
        self.programs().stop.take().map_or(Ok(()), Err)?;
        self.programs().processes.take_unready().map_or(Ok(()), |report| Err(wrong(report)))
    }

    /// The same for games without a record: also says that an entrant has failed in its game.
    ///
    /// # Errors
    ///
    /// As [`raise`](Self::raise); `ValueError` with the report of the entrant.
    pub(crate) fn raise_failure(&self) -> PyResult<()> {
        self.raise()?;
        self.programs().take_failure().map_or(Ok(()), |report| Err(wrong(report)))
    }
}

/// Ends the programs, each of which has some seconds for that, without the lock of the interpreter.
impl Drop for Entrants {
    fn drop(&mut self) {
        let programs = self.programs.take();
        Python::try_attach(|py| py.detach(|| drop(programs)));
    }
}

impl Started {
    fn take_failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The class of this command, or a process.
    fn peer(&self, command: &Command) -> Box<dyn Peer> {
        let Some(class) = self.classes.get(&command.to_string()) else {
            return self.processes.start(command);
        };
        let stop = Arc::clone(&self.stop);
        let program = Python::attach(|py| class.call0(py)).map_err(|error| stop.keep(error)).ok();
        Box::new(Called { program, stop })
    }
}

impl Programs for Started {
    fn start(&self, command: &Command) -> Box<dyn Peer> {
        Box::new(Watched {
            peer: self.peer(command),
            command: command.to_string(),
            stop: Arc::clone(&self.stop),
            failure: Arc::clone(&self.failure),
        })
    }
}

/// An entrant whose game Ctrl-C can end, and whose failure is kept.
struct Watched {
    peer: Box<dyn Peer>,
    command: String,
    stop: Arc<Stop>,
    failure: Arc<Mutex<Option<String>>>,
}

impl Peer for Watched {
    /// Looks for Ctrl-C while it waits.
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let (mut rest, mut waited, mut is_repeated) = (line, Duration::ZERO, false);
        loop {
            // Also a program that always answers at once can be interrupted.
            if self.stop.check_signals() || self.stop.is_asked() {
                return Err(Lost::Closed);
            }
            let part = INTERVAL.min(limit.saturating_sub(waited));
            match self.peer.exchange(rest, part, read) {
                Ok(took) => return Ok(waited + took),
                Err(Lost::Late) if waited + part < limit => {
                    waited += part;
                    // The peer has the line, and writes what is left of it.
                    rest = &[];
                }
                // A process that ends after its last game is replaced by another one, which needs the line.
                Err(Lost::Ended(_) | Lost::Closed) if rest.len() < line.len() && !is_repeated => {
                    (rest, is_repeated) = (line, true);
                }
                Err(lost) => return Err(lost),
            }
        }
    }

    fn log(&mut self) -> Option<Log> {
        self.peer.log()
    }

    fn told(&mut self) -> String {
        self.peer.told()
    }

    fn failed(&mut self, report: &str) {
        self.peer.failed(report);
        let report = format!("the entrant {}: {report}", self.command);
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(report);
    }

    fn unready(&mut self, report: &str) {
        self.peer.unready(report);
    }

    fn finish(self: Box<Self>, is_reusable: bool) {
        self.peer.finish(is_reusable);
    }
}

/// A class that plays in this process.
struct Called {
    /// None if it could not be made.
    program: Option<Py<PyAny>>,
    stop: Arc<Stop>,
}

impl Peer for Called {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let Some(program) = &self.program else {
            return Err(Lost::NotStarted("the class has raised an exception".to_owned()));
        };
        let begun = Instant::now();
        let answered = Python::attach(|py| {
            let _running = self.stop.run(py)?;
            let answer = program.bind(py).call_method1("answer", (PyBytes::new(py, line),))?;
            answer.extract::<Option<Vec<u8>>>()
        });
        let answer = answered.map_err(|error| {
            self.stop.keep(error);
            Lost::Ended("has raised an exception".to_owned())
        })?;
        if read(&[]) == Progress::Done {
            return Ok(begun.elapsed());
        }
        match answer.map(|answer| read(&answer)) {
            Some(Progress::Done) => Ok(begun.elapsed()),
            _ => Err(Lost::Closed),
        }
    }

    fn finish(self: Box<Self>, _: bool) {}
}
