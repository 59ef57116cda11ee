//! What people see while a league is played.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use league::executor::Played;
use league::file::League;
use league::progress::{Progress, Task};
use league::runner::Observer;

/// How often the standings are shown anew.
const INTERVAL: Duration = Duration::from_millis(250);

/// How many entrants are shown.
const SHOWN: usize = 3;

/// A progress bar with the best entrants so far; nothing without a terminal.
pub(crate) struct Screen<'a> {
    league: &'a League,
    bar: ProgressBar,
    /// When the standings were shown.
    shown: Mutex<Option<Instant>>,
}

impl<'a> Screen<'a> {
    pub(crate) fn new(league: &'a League) -> Self {
        let bar = ProgressBar::new(0);
        let style = "{bar:20} {pos} of {len} matches, {eta} left\n{wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self { league, bar, shown: Mutex::new(None) }
    }

    /// Leaves the terminal to what follows.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The best entrants so far: `1. greedy 71.3 %  2. random 28.7 %`.
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
        told.map(|((name, share), rank)| format!("{rank}. {name} {:.1} %", 100.0 * share))
            .collect::<Vec<_>>()
            .join("  ")
    }
}

impl Observer for Screen<'_> {
    fn match_ended(&self, progress: &Progress) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_length(progress.expected());
        self.bar.set_position(progress.counted());
        let Ok(mut shown) = self.shown.try_lock() else { return };
        if shown.is_none_or(|shown| shown.elapsed() >= INTERVAL) {
            *shown = Some(Instant::now());
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
