//! Children on Linux. [`guarded`] is the caller's side, and [`pool`] and [`piped`] that of callers without a runtime;
//! [`guard`] and [`launch`] are the two small processes between the caller and the program.

mod arguments;
mod census;
mod confinement;
mod filter;
mod guard;
mod guarded;
mod handover;
mod launch;
mod namespaces;
mod own_user;
mod piped;
mod pool;
mod processes;

use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) use self::confinement::check as check_confinement;
pub(crate) use self::guarded::{Guarded, spawn};
pub(crate) use self::namespaces::check as check_namespaces;
pub(crate) use self::own_user::check_path;
pub(crate) use self::piped::Piped;
pub(crate) use self::pool::Pool;

/// The first argument of a guard.
const GUARD: &str = "__guard";

/// The first argument of the process that becomes the program.
const LAUNCH: &str = "__launch";

/// The first argument of a guard that tries whether programs can have namespaces.
const PROBE: &str = "__probe";

/// The first argument of the process in these namespaces.
const PROBED: &str = "__probed";

pub(crate) fn run_if_asked(leading: usize) -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let leading: Vec<OsString> = arguments.by_ref().take(leading).collect();
    let first = arguments.next()?;
    if first == GUARD {
        Some(guard::run(&leading, &arguments.collect::<Vec<_>>()))
    } else if first == LAUNCH {
        Some(launch::run(arguments))
    } else if first == PROBE {
        Some(namespaces::probe())
    } else if first == PROBED {
        Some(namespaces::probed())
    } else {
        None
    }
}
