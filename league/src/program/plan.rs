//! `league plan`: writes the matches of a league as files, for a batch system.

use std::path::Path;

use command_line::{Failure, print, quoted_path, shown};
use contests::text;

use super::arguments::Planning;
use crate::batch::{self, RECORDS, SPECS};
use crate::begin;
use crate::executor::Executor as _;
use crate::in_process::InProcess;
use crate::invocation::command;
use crate::program_files::ProgramFiles;
use crate::runner::{remove_uncounted, stored_progress};
use crate::store::{Store, StoreError};
use crate::suitable;

pub(crate) fn start(planning: &Planning, plays: &InProcess) -> Result<(), Failure> {
    let path = &planning.file;
    let mut origin = begin::origin(path, plays.program())?;
    let league = begin::league(&origin, path, plays)?;
    begin::note_current_folder(&mut origin, &league)?;
    begin::warn_of_known_seed(&league);
    suitable::admit(&league, path)?;
    let folder = planning.out.clone().unwrap_or_else(|| begin::folder(&origin));
    let files = ProgramFiles::of(&league.strategies(), Path::new(&origin.folder));
    let mut store = match Store::create(&folder, &origin, &files) {
        Err(StoreError::Exists(_)) => begin::continue_with(&folder, &origin, &files)?,
        other => other?,
    };
    let progress = stored_progress(&league, &store)?;
    if progress.is_over() {
        remove_uncounted(&mut store, &progress)?;
        return begin::tell_standings(&league, &origin, &progress, &store);
    }
    let planned = batch::plan(&league, &store, planning.chunk.into())?;
    let collect = command(&format!("collect {}", quoted_path(&folder)));
    let (specs, records) = (folder.join(SPECS), folder.join(RECORDS));
    let play = command(&format!(
        "play --spec {} --out {}",
        quoted_path(&specs.join("1.json")),
        quoted_path(&records.join("1.json"))
    ));
    print(&format!(
        "{} in {} in {}; `{play}` plays the first\nwhen all were played, `{collect}` reads the records\n",
        text::matches(planned.matches),
        text::counted(planned.files, "file", "files"),
        shown(&specs),
    ))
}
