//! What people see while a league is played.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use league::executor::Played;
use league::file::League;
use league::pace::Pace;
use league::progress::{Progress, Task};
use league::runner::Observer;
use league::schedule::Pairing;
use league::text;
use league::verdict::Verdict;

/// How often the standings are shown anew.
const INTERVAL: Duration = Duration::from_millis(250);

/// How many entrants are shown.
const SHOWN: usize = 3;

/// A progress bar with the best entrants so far; nothing without a terminal.
pub(crate) struct Screen<'a> {
    league: &'a League,
    jobs: NonZeroUsize,
    bar: ProgressBar,
    clock: Mutex<Clock>,
}

/// How long matches took, and which are played now.
struct Clock {
    pace: Pace,
    running: BTreeMap<u64, (Pairing, Instant)>,
    /// When the standings were shown.
    shown: Option<Instant>,
}

impl<'a> Screen<'a> {
    pub(crate) fn new(league: &'a League, jobs: NonZeroUsize) -> Self {
        let bar = ProgressBar::new(league.rounds().number_of_matches().unwrap_or(u64::MAX));
        let style = "{bar:20} {pos} of {len} matches{prefix}\n{wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        let clock = Clock { pace: Pace::default(), running: BTreeMap::new(), shown: None };
        Self { league, jobs, bar, clock: Mutex::new(clock) }
    }

    /// Leaves the terminal to what follows.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The best entrants so far, and how often matches did not end by the rules:
    /// `1. greedy 71.3 %  2. random 28.7 %  (never-joined 4)`.
    fn best(&self, progress: &Progress) -> String {
        let totals = progress.results().totals();
        let share = |(matches, points): &(u64, f64)| points / (*matches).max(1) as f64;
        let mut best: Vec<(&str, f64)> = self
            .league
            .entrants
            .iter()
            .zip(&totals)
            .map(|(own, total)| (own.name.as_str(), share(total)))
            .collect();
        best.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let told = best.iter().zip(1..).take(SHOWN);
        let best = told.map(|((name, share), rank)| format!("{rank}. {name} {:.1} %", 100.0 * share));
        let odd = progress.verdicts().iter().filter(|(verdict, _)| **verdict != Verdict::Normal);
        let odd: Vec<String> = odd.map(|(verdict, count)| format!("{verdict} {count}")).collect();
        let odd = if odd.is_empty() { None } else { Some(format!("({})", odd.join(", "))) };
        best.chain(odd).collect::<Vec<_>>().join("  ")
    }
}

impl Observer for Screen<'_> {
    fn match_begins(&self, task: &Task) {
        if !self.bar.is_hidden() {
            let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
            clock.running.insert(task.number, (task.scheduled.id.pairing.clone(), Instant::now()));
        }
    }

    fn match_ended(&self, task: &Task, progress: &Progress) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_length(progress.expected());
        self.bar.set_position(progress.counted());
        let now = Instant::now();
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let Clock { pace, running, shown } = &mut *clock;
        if let Some((pairing, begun)) = running.remove(&task.number) {
            pace.add(&pairing, now.duration_since(begun));
        }
        if shown.is_none_or(|shown| now.duration_since(shown) >= INTERVAL) {
            *shown = Some(now);
            let running = running.values().map(|(pairing, begun)| (pairing, now.duration_since(*begun)));
            let left = pace.estimate(&progress.left(), running, self.jobs);
            let left = left.map_or_else(String::new, |left| format!(", about {} left", text::span(left)));
            self.bar.set_prefix(left);
            self.bar.set_message(self.best(progress));
        }
    }

    fn host_failed(&self, task: &Task, played: &Played) {
        let (number, id) = (task.number, &task.scheduled.id);
        let why = played.logs.last().map_or("this machine was too slow", |log| log.text.as_str());
        // Also where no bar is shown.
        self.bar.suspend(|| eprintln!("match {number} ({id}) is repeated: {why}"));
    }
}
