//! `league-dist run`: coordinates a league.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use command_line::{Failure, command, shown, tell};
use contests::text;
use game_env::Seed;
use game_env::text::escape_hidden;
use league::alone;
use league::begin::{self, PROGRAM, tell_standings};
use league::file::League;
use league::program_files::ProgramFiles;
use league::progress::Progress;
use league::schedule::MatchId;
use league::standings::leaders;
use league::store::{Origin, Store, StoreError};
use league::suitable;
use league::trust::{self, CURRENT_FOLDER, Source};
use league_dist::chunk::LeagueId;
use league_dist::coordinate::{self, coordinate};
use league_dist::coordinator::Rules;
use league_dist::dispatch::{DispatchError, OpenLeague, WorkerName, WorkerState};
use league_dist::origin::{self, QueueOrigin};
use league_dist::verify::Verification;

use super::arguments::Running;

/// The time between two lines about the state of the league.
const INTERVAL: Duration = Duration::from_secs(10);

pub(crate) fn start(running: &Running) -> Result<(), Failure> {
    let path = &running.file;
    let mut origin = begin::origin(path, PROGRAM)?;
    let league = begin::league(&origin, path, &begin::in_process())?;
    begin::note_current_folder(&mut origin, &league)?;
    suitable::admit(&league, path)?;
    begin::warn_of_known_seed(&league);
    // Results of workers are verified here.
    let names = league.strategies();
    let source = Source {
        path,
        is_trusted: running.trust.trust,
        is_confined: false,
        folder: Path::new(CURRENT_FOLDER),
        restarts: league.restarts_programs,
    };
    let executor = trust::in_process(&names, source, &begin::in_process())?;
    let has_programs = !trust::commands(&names, Path::new("")).is_empty();
    let folder = running.out.clone().unwrap_or_else(|| begin::folder(&origin));
    let queue = running.queue.absolute().map_err(|error| {
        Failure::undone(format!("the system does not say which folder this is: {error}"), "try again")
    })?;
    let files = ProgramFiles::of(&names, Path::new(CURRENT_FOLDER));
    let mut store = open_store(&folder, &origin, &files)?;
    let queue_origin = match QueueOrigin::read(&folder) {
        Ok(found) if found.queue == queue => found,
        Ok(found) => {
            return Err(Failure::misuse(
                format!("the league in {} is in the queue {}", shown(&folder), found.queue),
                format!("go on with `--queue {}`, or name another folder with `--out`", found.queue),
            ));
        }
        Err(origin::OriginError::Missing(_)) => {
            let new = QueueOrigin { queue: queue.clone(), league: LeagueId::new(random()?) };
            new.write(&folder)?;
            new
        }
        Err(error) => return Err(error.into()),
    };
    let mut dispatch = queue.open()?;
    let rules = game_catalogue::find(&league.game).map_or(0, |game| game.rules());
    let open_league = OpenLeague {
        id: queue_origin.league,
        name: league.name.clone(),
        file: origin.file.clone(),
        program: PROGRAM.to_owned(),
        game: league.game.clone(),
        rules,
    };
    let trust = if has_programs { " --trust" } else { "" };
    let worker = format!("worker --queue {}{trust}", escape_hidden(&queue.to_string()));
    let worker = command("league-dist", &worker);
    tell(&format!("results go to {}; `{worker}` adds a worker, as often as you like", shown(&folder)));
    let mut screen = Screen { league: &league, has_programs, shown: Instant::now() };
    let cut = Rules { chunk: running.chunk, ..Rules::default() };
    let verification = Verification {
        executor: Arc::new(executor),
        survives: Arc::new(alone::survives),
        every: NonZeroU32::new(running.verify_every),
        seed: Seed::new(random()?),
        jobs: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    let progress =
        coordinate(&mut *dispatch, &open_league, &league, &mut store, cut, &verification, &mut screen)?;
    tell_standings(&league, &origin, &progress, &store)
}

/// Returns a random number of the system.
fn random() -> Result<u64, Failure> {
    getrandom::u64()
        .map_err(|error| Failure::undone(format!("the system has no random numbers: {error}"), "try again"))
}

/// Begins a league in this folder, or goes on with it.
fn open_store(folder: &Path, origin: &Origin, files: &ProgramFiles) -> Result<Store, Failure> {
    match Store::create(folder, origin, files) {
        Err(StoreError::Exists(_)) => {}
        other => return Ok(other?),
    }
    let store = begin::continue_with(folder, origin, files)?;
    begin::tell_stored(store.count()?);
    Ok(store)
}

/// Prints a line from time to time.
struct Screen<'a> {
    league: &'a League,
    /// Whether entrants are programs.
    has_programs: bool,
    shown: Instant,
}

impl coordinate::Observer for Screen<'_> {
    fn look(&mut self, progress: &Progress, workers: &[WorkerState]) {
        if self.shown.elapsed() < INTERVAL {
            return;
        }
        self.shown = Instant::now();
        let alive = workers.iter().filter(|worker| worker.is_alive).count();
        let rate: f64 = workers.iter().filter(|worker| worker.is_alive).map(super::status::rate).sum();
        tell(&format!(
            "{} of {}, {}, {rate:.1} games/s: {}",
            text::with_commas(progress.counted()),
            text::matches(progress.expected()),
            text::counted(alive as u64, "worker", "workers"),
            leaders(self.league, progress),
        ));
    }

    fn gave_up(&mut self, number: u64, id: &MatchId, spec: &str, worker: &WorkerName, played: bool) {
        if played {
            tell(&format!("match {number} ({id}) was played here: the worker {worker} had given it up"));
        } else {
            tell(&format!(
                "match {number} ({id}) is given up and not scored: it ends each process that plays it; \
                 the match: {spec}"
            ));
        }
    }

    fn refused(&mut self, worker: &WorkerName, number: u64, why: &str, dropped: usize) {
        let played = match dropped {
            0 => String::new(),
            dropped => {
                format!("; {} of it are played again", text::counted(dropped as u64, "result", "results"))
            }
        };
        let programs = if self.has_programs {
            "; or the program of an entrant differs there, or its decisions do not follow from the lines that it reads"
        } else {
            ""
        };
        tell(&format!(
            "worker {worker} is refused because of match {number}: {}{played}\n\
             hint: stop this worker; if its program is this one, its machine computes wrongly, or somebody writes into \
             the queue{programs}",
            escape_hidden(why)
        ));
    }

    fn dropped(&mut self, why: &str) {
        tell(&format!("dropped a row of the queue: {}", escape_hidden(why)));
    }

    fn unreachable(&mut self, error: &DispatchError) {
        tell(&format!("{}; trying again", escape_hidden(&error.to_string())));
    }
}
