//! Programs as child processes of this one.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use child_process::{Guard, Piped, Pool, SpawnError};
use wire::agent::{Log, Lost, Peer, Progress};

use super::{Command, Programs};

/// Starts programs as child processes, one for each agent, and keeps them for later matches unless they are
/// [started anew](Self::started_anew).
///
/// The program that uses it calls [`child_process::run_if_asked`] first, because it also serves as the guard of the
/// processes. It works on Linux; elsewhere each program's first exchange says that it cannot be started.
#[derive(Clone, Debug)]
pub struct Processes {
    pool: Pool,
    folder: PathBuf,
    shows: bool,
    /// Whether processes are kept for later matches.
    keeps: bool,
    unready: Arc<Mutex<Option<String>>>,
}

impl Processes {
    /// Programs whose guards are processes of this program, in the folder in which it runs.
    ///
    /// # Errors
    ///
    /// If the system does not say where this program is.
    pub fn of_this_program() -> io::Result<Self> {
        Ok(Self::new(Guard::of_this_program()?, "."))
    }

    /// Programs with these guards, in this folder.
    pub fn new(guard: Guard, folder: impl Into<PathBuf>) -> Self {
        Self {
            pool: Pool::new(guard),
            folder: folder.into(),
            shows: false,
            keeps: true,
            unready: Arc::default(),
        }
    }

    /// Returns the same programs in this folder.
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..self }
    }

    /// Starts each program anew for every match: no process remembers an earlier one.
    pub fn started_anew(self) -> Self {
        Self { keeps: false, ..self }
    }

    /// Writes the standard error of the programs and their lines that are no answers to the standard error of this
    /// program when they come, for a person who watches.
    pub fn shown(self) -> Self {
        Self { shows: true, ..self }
    }

    /// Checks that the programs among these entrants are there, before a game begins.
    ///
    /// # Errors
    ///
    /// Names the first that is missing.
    pub fn check<'a>(&self, entrants: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
        let commands = entrants.into_iter().filter_map(|name| Command::read(name)?.ok());
        commands.into_iter().try_for_each(|command| command.check(&self.folder))
    }
}

impl Programs for Processes {
    fn start(&self, command: &Command) -> Box<dyn Peer> {
        let command = child_process::Command {
            shows_errors: self.shows,
            ..child_process::Command::for_agent(command.words(), self.folder.clone())
        };
        let pool = self.pool.clone();
        let piped = pool.take(&command).map_err(|error| lost(&error));
        let unready = Arc::clone(&self.unready);
        Box::new(Process { pool, command, piped, keeps: self.keeps, has_begun: false, unready })
    }

    fn take_unready(&self) -> Option<String> {
        self.unready.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns why a program is lost that has no process.
fn lost(error: &SpawnError) -> Lost {
    if error.is_of_host() { Lost::Host(error.to_string()) } else { Lost::NotStarted(error.to_string()) }
}

/// One process, or the reason why it could not be started.
struct Process {
    pool: Pool,
    command: child_process::Command,
    piped: Result<Piped, Lost>,
    keeps: bool,
    /// Whether it has written something in this game.
    has_begun: bool,
    /// The report of the first process that could not begin its game.
    unready: Arc<Mutex<Option<String>>>,
}

impl Process {
    /// Starts another process in the place of one that has ended between two games: whether that is noticed before or
    /// after the next game has begun must not decide anything.
    fn replace_if_it_ended_before(&mut self) -> bool {
        let is_old = !self.has_begun && self.piped.as_ref().is_ok_and(Piped::was_given_back);
        if is_old {
            self.piped = self.pool.take(&self.command).map_err(|error| lost(&error));
        }
        is_old
    }
}

impl Peer for Process {
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        loop {
            let piped = self.piped.as_mut().map_err(|why| why.clone())?;
            let has_begun = &mut self.has_begun;
            let exchanged = piped.exchange(line, limit, &mut |bytes| {
                *has_begun |= !bytes.is_empty();
                read(bytes) == Progress::Done
            });
            return match exchanged {
                Ok(took) => Ok(took),
                Err(child_process::Lost::Ended(_) | child_process::Lost::Closed)
                    // A line that is empty waits on for the answer to the last one, which another process has not read.
                    if !line.is_empty() && self.replace_if_it_ended_before() =>
                {
                    continue;
                }
                Err(child_process::Lost::NotStarted(why)) => Err(Lost::NotStarted(why)),
                Err(child_process::Lost::NoRoom(why)) => Err(Lost::Host(why)),
                Err(child_process::Lost::Ended(how)) => Err(Lost::Ended(how)),
                Err(child_process::Lost::Closed) => Err(Lost::Closed),
                Err(child_process::Lost::Late) => Err(Lost::Late),
            };
        }
    }

    fn log(&mut self) -> Option<Log> {
        // A standard error that is closed is no reason to end a game.
        self.command.shows_errors.then(|| Log::new(|line| drop(writeln!(io::stderr(), "{line}"))))
    }

    fn told(&mut self) -> String {
        self.piped.as_ref().map_or_else(|_| String::new(), Piped::told)
    }

    fn unready(&mut self, report: &str) {
        // A later process has most likely the same fault.
        let mut unready = self.unready.lock().unwrap_or_else(PoisonError::into_inner);
        unready.get_or_insert_with(|| report.to_owned());
    }

    fn finish(self: Box<Self>, is_reusable: bool) {
        if let Ok(piped) = self.piped
            && is_reusable
            && self.keeps
        {
            self.pool.give_back(piped);
        }
    }
}
