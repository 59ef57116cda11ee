//! Terminal output while a league is played: a progress bar, or lines without a terminal.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use command_line::tell;
use contests::text;
use indicatif::{ProgressBar, ProgressStyle};

use crate::executor::Played;
use crate::file::League;
use crate::pace::Pace;
use crate::progress::{Progress, Task};
use crate::runner::Observer;
use crate::schedule::Pairing;
use crate::standings::leaders;

/// Time between two updates of the standings.
const INTERVAL: Duration = Duration::from_millis(250);

/// The time between two lines where there is no terminal.
pub(super) const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// A progress bar with the best entrants so far; without a terminal, a line each minute.
pub(crate) struct Screen<'a> {
    league: &'a League,
    jobs: NonZeroUsize,
    bar: ProgressBar,
    clock: Mutex<Clock>,
}

/// Times that matches took, and the matches under way.
struct Clock {
    pace: Pace,
    running: BTreeMap<u64, (Pairing, Instant)>,
    /// When the standings are shown.
    due: Due,
}

impl Clock {
    fn new(now: Instant) -> Self {
        Self { pace: Pace::default(), running: BTreeMap::new(), due: Due::new(now) }
    }
}

/// Says when a state is shown: once in each interval, the first time at the end of the first one.
pub(super) struct Due(Instant);

impl Due {
    /// The first interval begins now.
    pub(super) const fn new(now: Instant) -> Self {
        Self(now)
    }

    /// Returns whether the state is to be shown, because this time has passed; if so, the next interval begins.
    pub(super) fn is_due(&mut self, now: Instant, interval: Duration) -> bool {
        let is_due = now.duration_since(self.0) >= interval;
        if is_due {
            self.0 = now;
        }
        is_due
    }
}

impl<'a> Screen<'a> {
    pub(crate) fn new(league: &'a League, jobs: NonZeroUsize) -> Self {
        let bar = ProgressBar::new(league.rounds().number_of_matches().unwrap_or(u64::MAX));
        let style = "{bar:20} {pos} of {len} matches{prefix}\n{wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self { league, jobs, bar, clock: Mutex::new(Clock::new(Instant::now())) }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Screen<'_> {
    fn match_begins(&self, task: &Task) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.running.insert(task.number, (task.scheduled.id.pairing.clone(), Instant::now()));
    }

    fn match_ended(&self, task: &Task, progress: &Progress) {
        let is_hidden = self.bar.is_hidden();
        if !is_hidden {
            self.bar.set_length(progress.expected());
            self.bar.set_position(progress.counted());
        }
        let now = Instant::now();
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((pairing, begun)) = clock.running.remove(&task.number) {
            clock.pace.add(&pairing, now.duration_since(begun));
        }
        if !clock.due.is_due(now, if is_hidden { LINE_INTERVAL } else { INTERVAL }) {
            return;
        }
        let running = clock.running.values().map(|(pairing, begun)| (pairing, now.duration_since(*begun)));
        let left = clock.pace.estimate(&progress.left(), running, self.jobs);
        let left = left.map_or_else(String::new, |left| format!(", {}", text::left(left)));
        let best = leaders(self.league, progress);
        if is_hidden {
            tell(&line(progress.counted(), progress.expected(), &left, &best));
        } else {
            self.bar.set_prefix(left);
            self.bar.set_message(best);
        }
    }

    fn host_failed(&self, task: &Task, played: &Played) {
        let (number, id) = (task.number, &task.scheduled.id);
        let why = played.logs.last().map_or("this machine was too slow", |log| log.text.as_str());
        // Also where no bar is shown.
        self.bar.suspend(|| tell(&format!("match {number} ({id}) is repeated: {why}")));
    }
}

/// Returns a line of progress: `12 of 40 matches, about 3 min left: 1. greedy 71.3 %  2. random 28.7 %`.
fn line(counted: u64, expected: u64, left: &str, best: &str) -> String {
    format!("{} of {}{left}: {best}", text::with_commas(counted), text::matches(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_terminal_there_is_a_line_each_minute() {
        let start = Instant::now();
        let mut due = Due::new(start);
        let seconds = [0, 59, 60, 61, 119, 121, 180, 200];
        let shown = seconds.map(|seconds| due.is_due(start + Duration::from_secs(seconds), LINE_INTERVAL));
        assert_eq!(shown, [false, false, true, false, false, true, false, true]);
        let text = line(12, 4_000, ", about 3 min left", "1. greedy 71.3 %");
        assert_eq!(text, "12 of 4,000 matches, about 3 min left: 1. greedy 71.3 %");
    }
}
