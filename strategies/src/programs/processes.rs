//! Programs as child processes of this one.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use child_process::{Guard, Piped, Pool};
use wire::agent::{Lost, Peer, Progress};

use super::{Command, Programs};

/// Starts programs as child processes, one for each agent, and keeps them for later matches.
///
/// The program that uses it calls [`child_process::run_if_asked`] first, because it also serves as the guard of the
/// processes. It works on Linux; elsewhere each program's first exchange says that it cannot be started.
#[derive(Clone, Debug)]
pub struct Processes {
    pool: Pool,
    folder: PathBuf,
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
        Self { pool: Pool::new(guard), folder: folder.into() }
    }
}

impl Processes {
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
        let child = child_process::Command::for_agent(command.words(), self.folder.clone());
        Box::new(match self.pool.take(&child) {
            Ok(piped) => Process { pool: self.pool.clone(), piped: Ok(piped) },
            Err(error) => Process { pool: self.pool.clone(), piped: Err(error.to_string()) },
        })
    }
}

/// One process, or the reason why it could not be started.
struct Process {
    pool: Pool,
    piped: Result<Piped, String>,
}

impl Peer for Process {
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let piped = self.piped.as_mut().map_err(|why| Lost::NotStarted(why.clone()))?;
        piped.exchange(line, limit, &mut |bytes| read(bytes) == Progress::Done).map_err(|lost| match lost {
            child_process::Lost::NotStarted(why) => Lost::NotStarted(why),
            child_process::Lost::Ended(how) => Lost::Ended(how),
            child_process::Lost::Closed => Lost::Closed,
            child_process::Lost::Late => Lost::Late,
        })
    }

    fn told(&mut self) -> String {
        self.piped.as_ref().map_or_else(|_| String::new(), Piped::told)
    }

    fn finish(self: Box<Self>, is_reusable: bool) {
        if let Ok(piped) = self.piped
            && is_reusable
        {
            self.pool.give_back(piped);
        }
    }
}
