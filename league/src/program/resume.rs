//! `league resume`: goes on with a league that was interrupted.

use command_line::{Failure, shown};
use league::store::Store;

use super::arguments::Resuming;
use super::run;

pub(crate) fn start(resuming: &Resuming) -> Result<(), Failure> {
    let mut store = Store::open(&resuming.folder)?;
    let mut origin = store.origin()?;
    if resuming.confinement.confine && !origin.is_confined {
        store.confine()?;
        origin.is_confined = true;
    }
    let league = run::read(&origin, &resuming.folder)?;
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
    eprintln!("{} matches are stored; those that are missing are played", store.count()?);
    run::play(&league, &origin, &*executor, &mut store, resuming.jobs.count())
}
