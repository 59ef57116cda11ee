//! Programs of the agent protocol that this program starts.

use std::path::Path;

use command_line::Failure;
use strategies::programs::{Command, Processes, Programs as _};

/// Starts programs as processes of this program. Their standard error and their log lines are shown when they come.
///
/// # Errors
///
/// If the system does not say where this program is.
pub(crate) fn processes() -> Result<Processes, Failure> {
    quiet_processes().map(Processes::shown)
}

/// Starts programs as processes of this program. Of what they write for people, reports of faults have the end.
///
/// # Errors
///
/// If the system does not say where this program is.
pub(crate) fn quiet_processes() -> Result<Processes, Failure> {
    Processes::of_this_program().map_err(|error| Failure::without_own_path(&error))
}

/// Checks that the programs among these entrants are there, before a game begins.
///
/// # Errors
///
/// Names the first that is missing.
pub(crate) fn check<'a>(
    processes: &Processes,
    entrants: impl IntoIterator<Item = &'a str>,
) -> Result<(), Failure> {
    processes.check(entrants).map_err(|why| Failure::without_program(why, Path::new(".")))
}

/// Fails if a program could not begin its game: its author has no use for the result.
///
/// # Errors
///
/// The report of the first such program.
pub(crate) fn refuse_unready(processes: &Processes) -> Result<(), Failure> {
    let hint = "a program answers the first line, `hello`, with `ready`: `bots agent-protocol` shows the messages; \
                a crate of `bots new` does so with the argument `agent`";
    processes.take_unready().map_or(Ok(()), |report| Err(Failure::undone(report, hint)))
}

/// Returns whether an entrant is a program.
pub(crate) fn is_program(entrant: &str) -> bool {
    Command::read(entrant).is_some()
}
