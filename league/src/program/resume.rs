//! `league resume`: goes on with a league that was interrupted.

use command_line::{Failure, shown};
use league::begin;
use league::store::Store;
use league::text;

use super::arguments::Resuming;
use super::{interruption, run};

pub(crate) fn start(resuming: &Resuming) -> Result<(), Failure> {
    let mut store = Store::open(&resuming.folder)?;
    let mut origin = store.origin()?;
    if resuming.confinement.confine && !origin.is_confined {
        store.confine()?;
        origin.is_confined = true;
    }
    let league = begin::league(&origin, &resuming.folder)?;
    let jobs = resuming.jobs.count();
    let stored = store.count()?;
    run::tell_time(&league, stored, jobs);
    let executor = run::executor(&league, &origin)?;
    if (origin.executor.as_str(), origin.program.as_str()) != (executor.name(), executor.program()) {
        return Err(Failure::undone(
            format!(
                "{} was played by {} ({}), and this is {} ({})",
                shown(&resuming.folder),
                origin.program,
                origin.executor,
                executor.program(),
                executor.name()
            ),
            "go on with that program, or begin the league anew: results of both do not mix",
        ));
    }
    interruption::announce(&resuming.folder)?;
    let is = if stored == 1 { "is" } else { "are" };
    eprintln!("{} {is} stored; those that are missing are played", text::matches(stored));
    run::play(&league, &origin, &*executor, &mut store, jobs)
}
