//! `league resume`: goes on with a league that was interrupted.

use std::path::Path;

use command_line::{Failure, quoted_path, shown, tell};
use contests::text;

use super::arguments::Resuming;
use super::{interruption, report, run};
use crate::begin::{self, tell_standings};
use crate::file::ExecutorKind;
use crate::in_process::InProcess;
use crate::invocation::command;
use crate::program_files::ProgramFiles;
use crate::progress::Progress;
use crate::runner::{remove_uncounted, stored_progress};
use crate::store::Store;
use crate::trust::{Source, refuse_confinement};

pub(crate) fn start(resuming: &Resuming, plays: &InProcess) -> Result<(), Failure> {
    let mut store = Store::open(&resuming.folder)?;
    let mut origin = store.origin()?;
    let confines_now = resuming.confinement.confine && !origin.is_confined;
    origin.is_confined |= confines_now;
    let league = begin::league(&origin, &resuming.folder, plays)?;
    if confines_now {
        if league.executor == ExecutorKind::InProcess {
            refuse_confinement(&league.strategies())?;
        }
        store.confine()?;
    }
    let jobs = resuming.jobs.count();
    let stored = store.count()?;
    let progress = stored_progress(&league, &store)?;
    if progress.is_over() {
        // The process that settled the order may have been interrupted before it did this.
        remove_uncounted(&mut store, &progress)?;
        let written = report::renew(&league, &store)?;
        tell(&format!("{}; {}", finished(&progress), where_report_is(&resuming.folder, written.as_deref())));
        return tell_standings(&league, &origin, &progress, &store);
    }
    run::tell_time(&league, progress.expected().saturating_sub(stored), jobs);
    let is_in_process = league.executor == ExecutorKind::InProcess;
    if is_in_process && origin.is_confined {
        tell("warning: the league was begun with `--confine`, and nothing confines programs in process");
    }
    let folder = begin::folder_of_programs(&origin, &league);
    let files = ProgramFiles::of(&league.strategies(), &folder);
    begin::admit_programs(&mut store, &files, "league", resuming.changed.changed_programs)?;
    let source = Source {
        path: &resuming.folder,
        is_trusted: resuming.trust.trust,
        is_confined: origin.is_confined && !is_in_process,
        folder: &folder,
        restarts: league.restarts_programs,
    };
    let stage = run::stage(&league, &origin, source, plays, &resuming.watching)?;
    let executor = &stage.executor;
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
    let announced = interruption::announce(&resuming.folder)?;
    begin::tell_stored(stored);
    run::play(&league, &origin, &stage, &mut store, jobs)?;
    stage.stay(&announced);
    Ok(())
}

/// Says that nothing is left to play.
fn finished(progress: &Progress) -> String {
    let counted = text::matches(progress.counted());
    match (progress.saved(), progress.counted()) {
        (Some(_), _) => format!("the league is over: its order was settled after {counted}"),
        (None, 1) => "the league is over: its one match has been played".to_owned(),
        (None, _) => format!("the league is over: all {counted} have been played"),
    }
}

fn where_report_is(folder: &Path, written: Option<&Path>) -> String {
    match written {
        Some(page) => format!("{} is the report", shown(page)),
        None => {
            let write = command(&format!("report {}", quoted_path(folder)));
            format!("`{write}` writes the report")
        }
    }
}
