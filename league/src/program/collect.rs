//! `league collect`: reads the records of matches that were played by other means.

use command_line::{Failure, quoted_path, shown, tell};
use contests::text;

use super::arguments::Collecting;
use crate::batch;
use crate::begin::{self, tell_standings};
use crate::executor::Executor as _;
use crate::in_process::InProcess;
use crate::invocation::command;
use crate::runner::{remove_uncounted, stored_progress};
use crate::store::Store;
use crate::suitable;

pub(crate) fn start(collecting: &Collecting, plays: &InProcess) -> Result<(), Failure> {
    let folder = &collecting.folder;
    let mut store = Store::open(folder)?;
    let origin = store.origin()?;
    let program = plays.program();
    if origin.program != program {
        return Err(Failure::undone(
            format!("{} belongs to {}, and this is {program}", shown(folder), origin.program),
            "collect with the program that has planned and played it",
        ));
    }
    let league = begin::league(&origin, folder, plays)?;
    suitable::admit(&league, folder)?;
    let collected = batch::collect(&league, &mut store, &origin.program)?;
    tell(&format!("{} added", text::matches(collected.added)));
    if collected.doubled > 0 {
        let records = text::counted(collected.doubled, "record", "records");
        tell(&format!("{records} of matches that have the same record already"));
    }
    let progress = stored_progress(&league, &store)?;
    remove_uncounted(&mut store, &progress)?;
    if progress.is_over() {
        return tell_standings(&league, &origin, &progress, &store);
    }
    let plan = command(&format!("plan FILE --out {}", quoted_path(folder)));
    let played = text::matches(progress.counted());
    tell(&format!("{played} played, and the league is not over: `{plan}` plans the next ones"));
    Ok(())
}
