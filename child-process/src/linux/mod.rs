//! Children on Linux. [`guarded`] is the caller's side; [`guard`] and [`launch`] are the two small processes between the
//! caller and the program.

mod arguments;
mod census;
mod confinement;
mod guard;
mod guarded;
mod launch;
mod processes;

use std::process::ExitCode;

pub(crate) use self::confinement::check as check_confinement;
pub(crate) use self::guarded::{Guarded, spawn};

/// The first argument of a guard.
const GUARD: &str = "__guard";

/// The first argument of the process that becomes the program.
const LAUNCH: &str = "__launch";

pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next()?;
    if first == GUARD {
        Some(guard::run(&arguments.collect::<Vec<_>>()))
    } else if first == LAUNCH {
        Some(launch::run(arguments))
    } else {
        None
    }
}
