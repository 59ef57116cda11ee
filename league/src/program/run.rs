//! `league run`: plays a league from its file.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use command_line::{Failure, command, shown};
use league::executor::Executor as _;
use league::file::League;
use league::in_process::InProcess;
use league::runner;
use league::standings::Standings;
use league::store::{Origin, Store};

use super::arguments::Running;
use super::screen::Screen;
use super::{in_process, print};

pub(crate) fn start(running: &Running) -> Result<(), Failure> {
    let executor = in_process();
    let path = &running.file;
    let unreadable = |error: std::io::Error| {
        Failure::misuse(format!("cannot read {}: {error}", shown(path)), "name a league file")
    };
    let file = fs::read(path).map_err(unreadable)?;
    let file = String::from_utf8(file)
        .map_err(|error| unreadable(std::io::Error::other(error.utf8_error().to_string())))?;
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let origin = Origin {
        name: stem,
        file,
        executor: executor.name().to_owned(),
        program: executor.program().to_owned(),
    };
    let league = read(&origin, path, &executor)?;
    let folder = running.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.results", origin.name)));
    let mut store = Store::create(&folder, &origin)?;
    let resume = command("league", &format!("resume {}", shown(&folder)));
    eprintln!("results go to {}; after an interruption, `{resume}` goes on", shown(&folder));
    play(&league, &origin, &executor, &mut store, running.jobs.count())
}

/// Reads the league of a store or a file at this path.
pub(super) fn read(origin: &Origin, path: &Path, executor: &InProcess) -> Result<League, Failure> {
    League::read(&origin.name, &origin.file, executor).map_err(|error| {
        Failure::misuse(
            format!("{} cannot be played\n{error}", shown(path)),
            "the book's page \"Leagues\" has every key with its default; examples/league.toml is a league",
        )
    })
}

/// Plays what is left of a league, and tells the standings.
pub(super) fn play(
    league: &League,
    origin: &Origin,
    executor: &InProcess,
    store: &mut Store,
    jobs: NonZeroUsize,
) -> Result<(), Failure> {
    let screen = Screen::new(league);
    let played = runner::run(league, executor, store, jobs, &screen);
    screen.finish();
    let standings = Standings::new(league, origin, &played?);
    standings.write(league, store)?;
    print(&standings.to_string())?;
    let folder = shown(store.folder());
    eprintln!("standings.json, standings.csv and matches.jsonl are in {folder}");
    Ok(())
}
