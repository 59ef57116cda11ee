//! Programs of others as child processes: limited, confined, and ended with all their processes.
//!
//! A [`Command`] is a program to run and its [`Limits`]; [`Guard::spawn`] starts it as a [`Child`]. When the child has
//! ended or was stopped, every process that it started is gone too, also one that has left its process group or its
//! session, and [`Ended`] describes its end, with the last bytes that it wrote to standard error.
//!
//! A [`Pool`] starts children for threads without a runtime. [`Piped::exchange`] writes a line to a child and reads its
//! answer, in a few microseconds more than the child needs. A child that is given back serves the next caller, so that
//! an interpreter starts once for many games.
//!
//! # How
//!
//! Between the caller and the program stands a guard: a small process of its own, started from a program that calls
//! [`run_if_asked`] first. The guard is the *child subreaper* of all that the program starts: a process whose parent
//! has ended becomes a child of the guard and cannot get out of its reach. If the caller is killed, the guard notices
//! that its connection is closed, and ends everything. Limits and confinement are set by a second small process, which
//! then becomes the program. So nothing runs between `fork` and `exec`, and no line of this crate is `unsafe`.
//!
//! A pool has one thread with a runtime, which starts its guards, reads standard error and waits for the ends. The
//! bytes of an exchange do not pass through it: the caller's thread waits with `poll(2)` for the pipes of the child,
//! and for a pipe that the pool's thread closes when the child has ended.
//!
//! A [confined](Confinement) program can also run in namespaces, where bubblewrap is installed and the system allows
//! them: the kernel ends everything there with the first process, and no other process or network exists there.
//! Otherwise Landlock and filters of system calls confine it. The caller chooses by [`Isolation`];
//! [`Guard::check_namespaces`] says what is missing.
//!
//! [`host`] measures whether the machine was fast enough for the programs while they ran.
//!
//! # What this crate does not do
//!
//! It knows no game and no protocol. Without [`Confinement`] a program has all rights of the user who runs it: it may
//! kill its guard. It works on Linux; elsewhere [`Guard::spawn`] returns an error that says so.

pub mod host;

mod command;
mod ended;
mod pool;
mod tail;

mod child;
#[cfg(target_os = "linux")]
mod linux;

pub use self::child::{Child, Guard, SpawnError};
pub use self::command::{Command, Confinement, Isolation, Limits, Stream, usual_environment};
pub use self::ended::{Ended, How, Stop};
pub use self::pool::{Lost, Piped, Pool};
pub use self::tail::Tail;

use std::process::ExitCode;

/// Serves as guard if this process was started as one, and returns its exit code; otherwise returns at once.
///
/// A program that starts children calls this before it reads its arguments.
pub fn run_if_asked() -> Option<ExitCode> {
    run_if_asked_behind(0)
}

/// As [`run_if_asked`], for the program of an interpreter: the arguments of the guard stand behind this many words,
/// those of [`Guard::with_leading`].
pub fn run_if_asked_behind(leading: usize) -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    return linux::run_if_asked(leading);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = leading;
        None
    }
}

/// Checks that this system can confine programs.
///
/// # Errors
///
/// If something is missing; the error names it.
pub fn check_confinement() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    return linux::check_confinement();
    #[cfg(not(target_os = "linux"))]
    Err("programs can be confined on Linux only".to_owned())
}
