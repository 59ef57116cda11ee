//! `league run`: plays a league from its file.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use command_line::{Failure, command, shown};
use league::executor::Executor;
use league::file::{ExecutorKind, League};
use league::network::Network;
use league::network::commands::CommandEntrant;
use league::runner;
use league::standings::Standings;
use league::store::{Origin, Store};

use super::arguments::Running;
use super::screen::Screen;
use super::{PROGRAM, in_process, print};

pub(crate) fn start(running: &Running) -> Result<(), Failure> {
    let path = &running.file;
    let unreadable = |error: std::io::Error| {
        Failure::misuse(format!("cannot read {}: {error}", shown(path)), "name a league file")
    };
    let file = fs::read(path).map_err(unreadable)?;
    let file = String::from_utf8(file)
        .map_err(|error| unreadable(std::io::Error::other(error.utf8_error().to_string())))?;
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let base = path.parent().filter(|base| !base.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let base = std::path::absolute(base).map_err(unreadable)?;
    let mut origin = Origin {
        name: stem,
        file,
        executor: String::new(),
        program: PROGRAM.to_owned(),
        folder: base.to_string_lossy().into_owned(),
    };
    let league = read(&origin, path)?;
    let executor = executor(&league, &origin)?;
    origin.executor = executor.name().to_owned();
    let folder = running.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.results", origin.name)));
    let mut store = Store::create(&folder, &origin)?;
    let resume = command("league", &format!("resume {}", shown(&folder)));
    eprintln!("results go to {}; after an interruption, `{resume}` goes on", shown(&folder));
    play(&league, &origin, &*executor, &mut store, running.jobs.count())
}

/// Who plays this league.
pub(super) fn executor(league: &League, origin: &Origin) -> Result<Box<dyn Executor>, Failure> {
    if league.executor == ExecutorKind::InProcess {
        return Ok(Box::new(in_process()));
    }
    let programs = league.entrants.iter().flat_map(|own| &own.strategies);
    let is_confined = |name: &String| matches!(CommandEntrant::find(name), Some(Ok(own)) if own.confine);
    if programs.into_iter().any(is_confined) {
        child_process::check_confinement().map_err(|reason| {
            let hint = "leave `confine` out of the league file if you trust the programs";
            Failure::undone(reason, hint)
        })?;
    }
    let guard = child_process::Guard::of_this_program().map_err(|error| {
        Failure::undone(format!("the system does not say where this program is: {error}"), "try again")
    })?;
    Ok(Box::new(Network::new(PROGRAM, guard, &origin.folder, league.network)))
}

/// Reads the league of a store or a file at this path.
pub(super) fn read(origin: &Origin, path: &Path) -> Result<League, Failure> {
    League::read(&origin.name, &origin.file, &in_process()).map_err(|error| {
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
    executor: &dyn Executor,
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
