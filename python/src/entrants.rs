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
use wire::agent::{Lost, Peer, Progress};

use crate::games::wrong;
use crate::interruptible::Stop;

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

/// The entrants of one call that are programs.
pub(crate) struct Entrants {
    programs: Arc<Started>,
}

/// Starts programs and classes.
struct Started {
    processes: Processes,
    /// Makes the program of a class, by the class's command.
    classes: HashMap<String, Py<PyAny>>,
    stop: Arc<Stop>,
    /// The first exception of a class.
    raised: Arc<Mutex<Option<PyErr>>>,
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
    pub(crate) fn new(
        py: Python<'_>,
        classes: HashMap<String, Py<PyAny>>,
        stop: &Arc<Stop>,
    ) -> PyResult<Self> {
        let executable: OsString = py.import("sys")?.getattr("executable")?.extract()?;
        let module: OsString = py.import("project_game._native")?.getattr("__file__")?.extract()?;
        let words = ["-I", "-S", "-c", CODE].map(OsString::from).into_iter().chain([module]);
        let processes = Processes::new(Guard::new(executable).with_leading(words), ".");
        let (stop, raised) = (Arc::clone(stop), Arc::default());
        // As matches write them.
        let written = |(text, class): (String, _)| {
            let command = Command::read(&text)
                .unwrap_or_else(|| Err(NotationError::new("command", &text, "a program and its arguments")));
            Ok((command.map_err(wrong)?.to_string(), class))
        };
        let classes = classes.into_iter().map(written).collect::<PyResult<_>>()?;
        Ok(Self { programs: Arc::new(Started { processes, classes, stop, raised }) })
    }

    /// The room of a game whose matches may have these entrants.
    ///
    /// # Errors
    ///
    /// `ValueError` if there is no such game.
    pub(crate) fn room(&self, game: &str) -> PyResult<Arc<dyn Room>> {
        Ok(find(game).map_err(wrong)?.with_programs(Arc::clone(&self.programs) as Arc<dyn Programs>))
    }

    /// Checks that the programs among these entrants are there.
    ///
    /// # Errors
    ///
    /// `ValueError` that names the first that is missing.
    pub(crate) fn check<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> PyResult<()> {
        let commands = names.into_iter().filter(|name| !self.programs.classes.contains_key(*name));
        self.programs.processes.check(commands).map_err(wrong)
    }

    /// Forgets an exception of an earlier game.
    pub(crate) fn begin(&self) {
        self.programs.stop.clear();
        self.programs.processes.take_unready();
        self.programs.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Raises the first exception of a class, if there was one, or says that a program could not begin its game.
    ///
    /// # Errors
    ///
    /// This exception; `ValueError` with the report of the program.
    pub(crate) fn raise(&self) -> PyResult<()> {
        let raised = self.programs.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(Ok(()), Err)?;
        self.programs.processes.take_unready().map_or(Ok(()), |report| Err(wrong(report)))
    }
}

impl Programs for Started {
    fn start(&self, command: &Command) -> Box<dyn Peer> {
        let Some(class) = self.classes.get(&command.to_string()) else {
            return self.processes.start(command);
        };
        let (stop, raised) = (Arc::clone(&self.stop), Arc::clone(&self.raised));
        let program = Python::attach(|py| class.call0(py));
        let mut called = Called { program: None, stop, raised };
        match program {
            Ok(program) => called.program = Some(program),
            Err(error) => called.keep(error),
        }
        Box::new(called)
    }
}

/// A class that plays in this process.
struct Called {
    /// None if it could not be made.
    program: Option<Py<PyAny>>,
    stop: Arc<Stop>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Called {
    /// Keeps an exception, and ends all games of the call.
    fn keep(&self, error: PyErr) {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stop.ask();
    }
}

impl Peer for Called {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        if self.stop.is_asked() {
            return Err(Lost::Closed);
        }
        let Some(program) = &self.program else {
            return Err(Lost::NotStarted("the class has raised an exception".to_owned()));
        };
        let begun = Instant::now();
        let answered = Python::attach(|py| {
            let answer = program.bind(py).call_method1("answer", (PyBytes::new(py, line),))?;
            answer.extract::<Option<Vec<u8>>>()
        });
        let answer = match answered {
            Ok(answer) => answer,
            Err(error) => {
                self.keep(error);
                return Err(Lost::Ended("has raised an exception".to_owned()));
            }
        };
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
