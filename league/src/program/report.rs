//! `league report`: the report of a league as files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use command_line::{Failure, print, quoted_path, shown, write_file_in_folder};
use contests::statistics::Bootstrap;
use contests::text;
use game_env::text::escape_hidden_in_lines;
use strategies::programs::has_programs;

use super::{log, site};
use crate::begin;
use crate::file::League;
use crate::in_process::InProcess;
use crate::invocation::{command, name};
use crate::network::Network;
use crate::report::{About, Failed, Played, Report};
use crate::runner::stored_progress;
use crate::store::{Store, StoreError};

/// The page of a report.
const PAGE: &str = "report.html";

/// The longest end of an agent's log on a page, in bytes.
const LONGEST_LOG: usize = 8 * 1024;

#[derive(Args)]
pub(crate) struct Reporting {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder for report.html, report.md, report.csv and report.json [default: the league's folder].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write pages for a web server into this folder instead: standings, a page for each entrant and each pairing, and
    /// replays.
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    site: Option<PathBuf>,
}

pub(crate) fn start(reporting: &Reporting, plays: &InProcess) -> Result<(), Failure> {
    let store = Store::look(&reporting.folder)?;
    let league = begin::league(&store.origin()?, &reporting.folder, plays)?;
    let (report, matches) = gather(&league, &store, reporting.site.is_some())?;
    let unfinished = report.unfinished().map_or_else(String::new, |unfinished| format!("{unfinished}\n"));
    if let Some(folder) = &reporting.site {
        let written = site::write(folder, &league, &report, &matches, &store, plays)?;
        let mut text = format!(
            "{} is the first of {}, with {}; put the folder on any web server, or open it from disk\n",
            shown(&folder.join("index.html")),
            text::counted(written.pages as u64, "page", "pages"),
            text::counted(written.replays as u64, "replay", "replays"),
        );
        if let Some((_, why)) = written.left_out.first() {
            const SHOWN: usize = 10;
            let count = written.left_out.len();
            let mut numbers: Vec<String> =
                written.left_out.iter().take(SHOWN).map(|(number, _)| number.to_string()).collect();
            if count > SHOWN {
                numbers.push(format!("and {} more", text::with_commas((count - SHOWN) as u64)));
            }
            text += &format!(
                "{} without a replay that can be shown: {}\nthe reason of the first: {why}\n",
                text::matches(count as u64),
                numbers.join(", ")
            );
            if has_programs(league.strategies()) && !league.keeps_replays {
                text +=
                    "a report starts no program; `replays = \"all\"` in the league file keeps all replays\n";
            }
        }
        text += &unfinished;
        return print(&text);
    }
    let folder = reporting.out.as_ref().unwrap_or(&reporting.folder);
    let page = shown(&write(&report, folder)?);
    let mut text =
        format!("{page} opens in any browser; report.md, report.csv and report.json are beside it\n");
    if !unfinished.is_empty() {
        let out =
            reporting.out.as_ref().map(|out| format!(" --out {}", quoted_path(out))).unwrap_or_default();
        let again = command(&format!("report {}{out}", quoted_path(&reporting.folder)));
        text += &format!("after further matches, `{again}` writes them anew\n{unfinished}");
    }
    print(&text)
}

/// Writes the report of a league anew if its folder has one; returns the path of its page then.
pub(super) fn renew(league: &League, store: &Store) -> Result<Option<PathBuf>, Failure> {
    if !store.folder().join(PAGE).is_file() {
        return Ok(None);
    }
    let (report, _) = gather(league, store, false)?;
    write(&report, store.folder()).map(Some)
}

/// Returns the report of a league, and its matches; with the logs of agents that failed only for the pages of a site.
fn gather(league: &League, store: &Store, with_logs: bool) -> Result<(Report, Vec<Played>), Failure> {
    let (origin, folder) = (store.origin()?, store.folder());
    let progress = stored_progress(league, store)?;
    let mut matches = Vec::new();
    let mut failures: BTreeMap<u64, Vec<Failed>> = BTreeMap::new();
    for (number, failure) in store.failures()? {
        let Some(team) = league.teams.get(failure.agent.index()).copied() else { continue };
        let agent = log::name(league, failure.agent, team);
        let logs = if with_logs { store.logs(number)? } else { Vec::new() };
        let log = logs.into_iter().rev().find(|(_, log)| log.source == agent);
        failures.entry(number).or_default().push(Failed {
            side: team.index(),
            agent,
            at: failure.at,
            how: failure.how,
            last_line: failure.last_line,
            log: log.map_or_else(String::new, |(_, log)| {
                escape_hidden_in_lines(text::end_of(&log.text, LONGEST_LOG))
            }),
        });
    }
    store.for_each(progress.counted(), |stored, _| {
        let (id, record) = (&stored.id, &stored.record);
        matches.push(Played {
            number: stored.number,
            set: format!("{}/{}", id.pairing, id.set),
            sides: id.seated().map(|entrant| entrant.index()).collect(),
            places: record.outcome.ranking.places().to_vec(),
            returns: record.outcome.returns.points().to_vec(),
            verdict: stored.verdict,
            at_fault: league.sides_at_fault(&record.outcome),
            time_ms: record.time.as_millis(),
            metrics: record.metrics.clone(),
            command: stored
                .has_game()
                .then(|| format!("{} replay {} {}", name(), quoted_path(folder), stored.number)),
            failed: failures.remove(&stored.number).unwrap_or_default(),
        });
        Ok::<(), StoreError>(())
    })?;
    let about = About {
        title: league.name.clone(),
        game: league.game.clone(),
        played_by: format!("{} by {}", how_played(&origin.executor), origin.program),
        seed: league.seed.to_string(),
        entrants: league.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
        sides: (0..league.sides()).map(|side| league.team_name(side)).collect(),
        rounds_won: progress.rounds_won().to_vec(),
        scheduled: progress.expected(),
        resume: (!progress.is_over()).then(|| command(&format!("resume {}", quoted_path(folder)))),
    };
    let bootstrap = Bootstrap { seed: league.seed, ..Bootstrap::default() };
    Ok((Report::new(about, &matches, &bootstrap), matches))
}

/// Writes the files of a report into this folder; returns the path of its page.
fn write(report: &Report, folder: &Path) -> Result<PathBuf, Failure> {
    let files = [
        (PAGE, report.html()),
        ("report.md", report.markdown()),
        ("report.csv", report.csv()),
        ("report.json", format!("{:#}\n", report.json())),
    ];
    for (name, text) in files {
        write_file_in_folder(&folder.join(name), text, "choose another folder with --out")?;
    }
    Ok(folder.join(PAGE))
}

/// Returns the phrase for an executor of this name, for use after "played".
fn how_played(executor: &str) -> String {
    match executor {
        InProcess::NAME => "in process".to_owned(),
        Network::NAME => "over the network".to_owned(),
        other => format!("by {other}"),
    }
}
