//! The caller's side of a child.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::ended::Ended;

/// Starts children through guards.
#[derive(Clone, Debug)]
pub struct Guard {
    program: PathBuf,
    leading: Vec<OsString>,
}

/// Reasons why a child has no guard. A program that does not exist is no such error, but an [`Ended`] child.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The system does not let it.
    #[error("cannot start the guard {program}: {source}", program = .program.display())]
    Guard {
        /// The guard.
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The folder of the program cannot be entered.
    #[error("cannot enter the folder {folder}: {source}", folder = .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A word of the command, or a variable of its environment, that no system call can pass on.
    #[error("`{}` has the character U+0000: expected words without it", game_env::text::fit_for_a_log(.word))]
    Nul {
        /// The word.
        word: String,
    },
    /// The guard does not answer.
    #[error("{program} is no guard: {reason}", program = .program.display())]
    Silent {
        /// The program that was started as a guard.
        program: PathBuf,
        /// The fault.
        reason: String,
    },
    /// This is not Linux.
    #[error("programs can be started as children on Linux only")]
    NotLinux,
}

impl SpawnError {
    /// Returns whether this machine is at fault, and not the command: it has no room for one more process or file.
    pub fn is_of_host(&self) -> bool {
        match self {
            Self::Guard { .. } | Self::Silent { .. } => true,
            Self::Folder { .. } | Self::Nul { .. } | Self::NotLinux => false,
        }
    }
}

impl Guard {
    /// Guards from the program at this path, which calls [`run_if_asked`](crate::run_if_asked) first.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), leading: Vec::new() }
    }

    /// Returns the same guards from a program that is an interpreter: these words before the arguments of the guard let
    /// it call [`run_if_asked_behind`](crate::run_if_asked_behind).
    pub fn with_leading(self, words: impl IntoIterator<Item = OsString>) -> Self {
        Self { leading: words.into_iter().collect(), ..self }
    }

    /// Returns the program that is started as a guard.
    #[cfg(target_os = "linux")]
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the words before the arguments of the guard.
    #[cfg(target_os = "linux")]
    pub(crate) fn leading(&self) -> &[OsString] {
        &self.leading
    }

    /// Guards from the program that runs.
    ///
    /// # Errors
    ///
    /// If the system does not say which program that is.
    pub fn of_this_program() -> io::Result<Self> {
        Ok(Self::new(std::env::current_exe()?))
    }

    /// Checks that children can have [namespaces](crate::Isolation::Namespaces) and run in these folders.
    ///
    /// # Errors
    ///
    /// If something is missing or forbidden; the error names it.
    pub fn check_namespaces<'a>(&self, folders: impl IntoIterator<Item = &'a Path>) -> Result<(), String> {
        #[cfg(target_os = "linux")]
        {
            folders.into_iter().try_for_each(crate::linux::check_path)?;
            crate::linux::check_namespaces(self)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (folders, &self.program, &self.leading);
            crate::check_confinement()
        }
    }

    /// Starts a child. It is stopped when it is dropped.
    ///
    /// # Errors
    ///
    /// If its guard cannot be started.
    pub async fn spawn(&self, command: &Command) -> Result<Child, SpawnError> {
        #[cfg(target_os = "linux")]
        return crate::linux::spawn(self, command).await.map(Child);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (command, &self.program);
            Err(SpawnError::NotLinux)
        }
    }
}

/// A program that runs, with all that it starts.
#[derive(Debug)]
pub struct Child(
    #[cfg(target_os = "linux")] crate::linux::Guarded,
    #[cfg(not(target_os = "linux"))] std::convert::Infallible,
);

#[cfg(target_os = "linux")]
impl Child {
    /// Returns the end of its standard error, also while it runs.
    pub(crate) fn errors(&self) -> &crate::tail::SharedTail {
        self.0.errors()
    }

    /// Returns the id of its guard; the child's processes are below it.
    pub fn guard_id(&self) -> u32 {
        self.0.guard_id()
    }

    /// Returns its standard input, once, if the caller writes it.
    pub fn take_input(&mut self) -> Option<tokio::process::ChildStdin> {
        self.0.input.take()
    }

    /// Returns its standard output, once, if the caller reads it.
    pub fn take_output(&mut self) -> Option<tokio::process::ChildStdout> {
        self.0.output.take()
    }

    /// Returns the listener for the child's port, once, if the child is in namespaces and has a port.
    pub fn take_listener(&mut self) -> Option<std::net::TcpListener> {
        self.0.listener.take()
    }

    /// Waits until it has ended and none of its processes is left. May be called again, also after it was cancelled.
    pub async fn ended(&mut self) -> &Ended {
        self.0.ended().await
    }

    /// Asks it to end, and kills the processes that do not end in time. [`Child::ended`] returns when all are gone.
    pub fn stop(&mut self) {
        self.0.stop();
    }
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unused_async, reason = "as on Linux")]
impl Child {
    /// Returns the id of its guard; the child's processes are below it.
    pub fn guard_id(&self) -> u32 {
        match self.0 {}
    }

    /// Returns its standard input, once, if the caller writes it.
    pub fn take_input(&mut self) -> Option<tokio::process::ChildStdin> {
        match self.0 {}
    }

    /// Returns its standard output, once, if the caller reads it.
    pub fn take_output(&mut self) -> Option<tokio::process::ChildStdout> {
        match self.0 {}
    }

    /// Returns the listener for the child's port, once, if the child is in namespaces and has a port.
    pub fn take_listener(&mut self) -> Option<std::net::TcpListener> {
        match self.0 {}
    }

    /// Waits until it has ended and none of its processes is left. May be called again, also after it was cancelled.
    pub async fn ended(&mut self) -> &Ended {
        match self.0 {}
    }

    /// Asks it to end, and kills the processes that do not end in time. [`Child::ended`] returns when all are gone.
    pub fn stop(&mut self) {
        match self.0 {}
    }
}
