//! `league-dist status`: the standings of a league so far, and its workers.

use command_line::{Failure, print};
use contests::text;
use game_env::SimTime;
use league::begin;
use league::runner::stored_progress;
use league::standings::Standings;
use league::store::Store;
use league_dist::dispatch::WorkerState;
use league_dist::origin::QueueOrigin;

use super::arguments::Asking;
use super::open_existing;

pub(crate) fn start(asking: &Asking) -> Result<(), Failure> {
    let queue = QueueOrigin::read(&asking.folder)?;
    let store = Store::look(&asking.folder)?;
    let origin = store.origin()?;
    let league = begin::league(&origin, &asking.folder, &begin::in_process())?;
    let progress = stored_progress(&league, &store)?;
    let mut dispatch = open_existing(&queue.queue)?;
    let is_open = dispatch.is_open(queue.league)?;
    let workers = dispatch.workers(SimTime::START, queue.league)?;
    let state = match (progress.is_over(), is_open) {
        (true, _) => "over",
        (false, true) => "open",
        (false, false) => "cancelled",
    };
    let mut text = format!(
        "the league \"{}\" is {state}: {} of {}\n",
        league.name,
        text::with_commas(progress.counted()),
        text::matches(progress.expected())
    );
    if progress.counted() > 0 {
        text += &Standings::new(&league, &origin, &progress).to_string();
    }
    if workers.is_empty() {
        text += "no workers\n";
    } else {
        text += &table(&workers);
    }
    print(&text)
}

/// Returns the games that a worker has played in a second.
pub(super) fn rate(worker: &WorkerState) -> f64 {
    worker.matches as f64 / worker.seconds.max(1) as f64
}

/// Returns a table of workers for people.
fn table(workers: &[WorkerState]) -> String {
    let names: Vec<String> = workers.iter().map(|worker| worker.name.to_string()).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!("\n{:<width$} {:>5} {:>8} {:>8}  state\n", "worker", "jobs", "matches", "games/s");
    for (name, worker) in names.iter().zip(workers) {
        let state = if worker.is_alive { "alive" } else { "gone" };
        text += &format!(
            "{name:<width$} {:>5} {:>8} {:>8.1}  {state}\n",
            worker.slots,
            worker.matches,
            rate(worker)
        );
    }
    text
}
