//! `league run`: plays a league from its file.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;

use command_line::{Failure, quoted_path, shown, tell};
use contests::text;
use game_env::text::{escape_hidden, fit_for_a_log};

use super::arguments::{Running, Watching};
use super::interruption::Announced;
use super::page::Shown;
use super::screen::Screen;
use super::{interruption, page, report};
use crate::begin::{self, tell_standings};
use crate::executor::Executor;
use crate::file::{self, ExecutorKind, League};
use crate::in_process::InProcess;
use crate::invocation::command;
use crate::network::commands::{CommandEntrant, Confine};
use crate::network::joining::JoiningEntrant;
use crate::network::page::Page;
use crate::network::{Network, Rules};
use crate::program_files::ProgramFiles;
use crate::runner;
use crate::store::{Origin, Store};
use crate::trust::{CURRENT_FOLDER, Source, in_process};

pub(crate) fn start(running: &Running, plays: &InProcess) -> Result<(), Failure> {
    let path = &running.file;
    let mut origin = begin::origin(path, plays.program())?;
    origin.is_confined = running.confinement.confine;
    let league = begin::league(&origin, path, plays)?;
    begin::note_current_folder(&mut origin, &league)?;
    let jobs = running.jobs.count();
    tell_time(&league, league.rounds().number_of_matches().unwrap_or(u64::MAX), jobs);
    begin::warn_of_known_seed(&league);
    let source = Source {
        path,
        is_trusted: running.trust.trust,
        is_confined: origin.is_confined,
        folder: Path::new(CURRENT_FOLDER),
        restarts: league.restarts_programs,
    };
    let folder = running.out.clone().unwrap_or_else(|| begin::folder(&origin));
    let names = league.strategies();
    warn_of_exposed_files(&names, origin.is_confined, Path::new(&origin.folder), &[path, &folder]);
    let stage = stage(&league, &origin, source, plays, &running.watching)?;
    origin.executor = stage.executor.name().to_owned();
    let files = ProgramFiles::of(&names, Path::new(&origin.folder));
    let mut store = Store::create(&folder, &origin, &files)?;
    let resume = command(&format!("resume {}", quoted_path(&folder)));
    // The next line names the store. From there on an interruption names it too.
    let announced = interruption::announce(&folder)?;
    tell(&format!("results go to {}; after an interruption, `{resume}` goes on", shown(&folder)));
    play(&league, &origin, &stage, &mut store, jobs)?;
    stage.stay(&announced);
    Ok(())
}

/// The executor of a league, and the page on which its matches are watched, if there is one.
pub(super) struct Stage {
    pub(super) executor: Box<dyn Executor>,
    page: Option<Arc<dyn Page>>,
    stays: bool,
}

impl Stage {
    /// Keeps the page, if that was asked for.
    pub(super) fn stay(&self, announced: &Announced) {
        if let Some(page) = self.page.as_deref().filter(|_| self.stays) {
            page::stay(page, announced);
        }
    }
}

/// Prints the longest times of the matches that are left, if they are played in real time.
pub(super) fn tell_time(league: &League, left: u64, jobs: NonZeroUsize) {
    if league.executor == ExecutorKind::InProcess {
        return;
    }
    let longest = league.network.longest_match(league.limits.time);
    let in_a_row = u32::try_from(left.div_ceil(jobs.get() as u64)).unwrap_or(u32::MAX);
    let (one, all) = (text::span(longest), text::span(longest.saturating_mul(in_a_row)));
    let left = text::matches(left);
    tell(&format!(
        "all matches are played in real time: one takes at most {one}, {left}, {jobs} at a time, at most {all} if no match is added or repeated; \
         `time_ms` in `[limits]` sets when a match is given up"
    ));
}

/// Returns the executor for this league, with its page.
pub(super) fn stage(
    league: &League,
    origin: &Origin,
    source: Source<'_>,
    plays: &InProcess,
    watching: &Watching,
) -> Result<Stage, Failure> {
    let stays = watching.stay;
    let names = league.strategies();
    if league.executor == ExecutorKind::InProcess {
        let executor = Box::new(in_process(&names, source, plays)?);
        return Ok(Stage { executor, page: page::open(watching, league)?, stays });
    }
    check_folders(origin, source.path)?;
    let network = network(&names, source, league.network, &origin.folder, plays.program())?;
    let network = network.with_settings(league.settings.clone());
    let page = page::open(watching, league)?;
    let network = match &page {
        Some(page) => network.with_page(page.clone()),
        None => network,
    };
    Ok(Stage { executor: Box::new(network), page, stays })
}

/// Checks that the folder of each program of a league is there.
pub(super) fn check_folders(origin: &Origin, path: &Path) -> Result<(), Failure> {
    let missing = |folder: &str| {
        let place = Path::new(&origin.folder).join(folder);
        (!place.is_dir()).then(|| shown(&place))
    };
    file::check_folders(&origin.file, missing).map_err(|error| {
        Failure::misuse(
            format!("{} cannot be played\n{error}", shown(path)),
            "a relative `folder` of an entrant begins at the folder of the league file",
        )
    })
}

/// Returns the programs among these entrants that play over the network, each as often as it is an entrant.
fn programs(entrants: &[&str]) -> impl Iterator<Item = CommandEntrant> {
    entrants.iter().filter_map(|name| CommandEntrant::find(name)?.ok())
}

/// Plays these entrants of a file over the network in the name of this program, with all programs of entrants confined
/// if asked for; tells where agents from outside join.
pub(super) fn network(
    entrants: &[&str],
    source: Source<'_>,
    rules: Rules,
    folder: &str,
    program: &str,
) -> Result<Network, Failure> {
    source.confirm(entrants, Path::new(folder))?;
    let is_confined = source.is_confined;
    let programs: Vec<CommandEntrant> = programs(entrants).collect();
    let confined = || programs.iter().filter(|own| is_confined || own.confine != Confine::No);
    if confined().next().is_some() {
        child_process::check_confinement().map_err(|reason| {
            let hint = "leave out `--confine`, and `confine` in the league file, if you trust the programs";
            Failure::undone(reason, hint)
        })?;
    }
    for own in &programs {
        let place = Path::new(folder).join(&own.folder);
        if !place.is_dir() {
            let program = own.run.first().map_or("", String::as_str);
            return Err(Failure::misuse(
                format!("there is no folder {} for the program `{}`", shown(&place), fit_for_a_log(program)),
                "a relative `folder` of an entrant begins at the folder of the league file",
            ));
        }
    }
    let guard = child_process::Guard::of_this_program().map_err(|error| Failure::without_own_path(&error))?;
    let network = Network::new(program, guard, folder, rules);
    let network = if is_confined { network.with_confinement() } else { network };
    let mut without_namespaces = None;
    for own in confined() {
        network.check_confinement(own).map_err(|reason| {
            let hint = "allow namespaces, or write `confine = true`, which uses Landlock and seccomp if there are no namespaces";
            Failure::undone(escape_hidden(&reason), hint)
        })?;
        without_namespaces = without_namespaces.or_else(|| network.lacks_namespaces(&own.folder));
    }
    if let Some(why) = without_namespaces {
        tell(&format!("warning: programs are confined without namespaces: {}", escape_hidden(&why)));
    }
    let mut told = BTreeSet::new();
    for joining in entrants.iter().filter_map(|name| JoiningEntrant::find(name)).filter_map(Result::ok) {
        if told.contains(&joining) {
            continue;
        }
        let name = fit_for_a_log(&joining.name);
        let [red, blue] = network.open_ports(&joining).map_err(|error| {
            Failure::undone(
                format!("agents of {name} cannot join at {error}"),
                "free the port, or name others with `ports`; `listen` is an address of this machine",
            )
        })?;
        // The first lines may be read by a program that starts agents.
        tell(&format!("agents of {name} join red at {red} and blue at {blue}"));
        told.insert(joining);
    }
    if !told.is_empty() {
        let seconds = rules.join.as_secs_f64();
        tell(&format!("each match waits {seconds} s for them; they join anew for the next one"));
    }
    Ok(network)
}

/// Warns of confined programs that can read what decides the league: its file or its store, or the folder of another
/// program. `files` are those of the league; relative folders of programs begin at `base`.
pub(super) fn warn_of_exposed_files(entrants: &[&str], is_confined: bool, base: &Path, files: &[&Path]) {
    // The store may not be there yet, and a folder above it may be a link.
    let whole = |path: &Path| {
        let path = path::absolute(path).ok()?;
        path.ancestors().find_map(|above| {
            let (whole, rest) = (fs::canonicalize(above).ok()?, path.strip_prefix(above).ok()?);
            Some(if rest.as_os_str().is_empty() { whole } else { whole.join(rest) })
        })
    };
    let mut distinct: Vec<CommandEntrant> = Vec::new();
    for own in programs(entrants) {
        if !distinct.contains(&own) {
            distinct.push(own);
        }
    }
    let folder = |own: &CommandEntrant| whole(&base.join(&own.folder));
    for own in distinct.iter().filter(|own| is_confined || own.confine != Confine::No) {
        let readable: Vec<PathBuf> = [&own.folder]
            .into_iter()
            .chain(&own.may_read)
            .filter_map(|path| whole(&base.join(path)))
            .collect();
        let can_read = |path: &PathBuf| readable.iter().any(|open| path.starts_with(open));
        let of_league = files.iter().filter_map(|file| whole(file)).find(can_read);
        let of_others = || distinct.iter().filter(|other| *other != own).filter_map(folder).find(can_read);
        if let Some(found) = of_league.or_else(of_others) {
            let program = fit_for_a_log(own.run.first().map_or("", String::as_str));
            tell(&format!(
                "warning: the program `{program}` is confined and can read {}: give it a `folder` of its own, and leave this path out of `may_read`",
                shown(&found)
            ));
        }
    }
}

/// Plays the remaining matches of a league, and prints the standings.
pub(super) fn play(
    league: &League,
    origin: &Origin,
    stage: &Stage,
    store: &mut Store,
    jobs: NonZeroUsize,
) -> Result<(), Failure> {
    let shown_on = Shown::new(league, Screen::new(league, jobs), stage.page.clone());
    let played = runner::run(league, &*stage.executor, store, jobs, &shown_on);
    shown_on.finish();
    tell_standings(league, origin, &played?, store)?;
    if let Some(page) = report::renew(league, store)? {
        tell(&format!("{} is written anew", shown(&page)));
    }
    Ok(())
}
