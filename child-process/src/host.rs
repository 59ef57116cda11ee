//! Measures whether this machine was fast enough for a match.
//!
//! While a match is played, a thread asks the system to wake it every [`BEAT`] and notes how late it was. Agents and
//! servers are woken by the same scheduler: a delay of this thread is a delay of theirs. If the system reports its
//! pressure (`/proc/pressure/cpu` on Linux), the share of the time is noted too in which anything on the machine waited
//! for a processor core. It is reported and does not decide: programs of low priority wait without delaying others. The
//! book's page "When the machine was too slow" has the measurements behind the limits.

use std::fmt;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Time between two beats of the measurement.
pub const BEAT: Duration = Duration::from_millis(5);

/// Limits on the delays of a host during a match that counts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HostLimits {
    /// A beat is late if it is this much behind its time.
    pub late: Duration,
    /// The most beats of a match that may be late, as a share of all.
    pub late_beats: f64,
    /// The longest delay.
    pub longest: Duration,
}

/// At most one beat of a hundred more than 10 ms late, and no delay of more than 100 ms: the shortest penalty of the
/// preset `quick`. Matches whose agents were on time had at most 0.44 % and 52 ms; see the book's page "When the
/// machine was too slow".
impl Default for HostLimits {
    fn default() -> Self {
        Self { late: Duration::from_millis(10), late_beats: 0.01, longest: Duration::from_millis(100) }
    }
}

/// Results of a measurement.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Load {
    /// The number of beats.
    pub beats: u64,
    /// The number of those that were late.
    pub late: u64,
    /// The longest delay.
    pub longest: Duration,
    /// The share of the time in which something waited for a processor core; none if the system does not tell it.
    pub pressure: Option<f64>,
}

impl Load {
    /// Returns the reason why a match under this load does not count, if there is one.
    pub fn fault(&self, limits: &HostLimits) -> Option<String> {
        if self.beats == 0 {
            return Some("the speed of this machine could not be measured".to_owned());
        }
        let share = self.late as f64 / self.beats as f64;
        if self.longest > limits.longest {
            let ms = |span: Duration| 1_000.0 * span.as_secs_f64();
            let (found, most) = told_apart(ms(self.longest), ms(limits.longest), 0);
            return Some(format!("this machine did not run the match for {found} ms (limit {most} ms)"));
        }
        if share > limits.late_beats {
            let late = limits.late.as_millis();
            let (found, most) = told_apart(100.0 * share, 100.0 * limits.late_beats, 1);
            return Some(format!(
                "this machine was more than {late} ms late in {found} % of the time (limit {most} %)"
            ));
        }
        None
    }
}

/// Returns two different numbers with the same number of decimal places: the smallest one, from `places` on, that shows
/// the difference.
fn told_apart(found: f64, limit: f64, places: usize) -> (String, String) {
    const MOST: usize = 9;
    let told = |places: usize| (format!("{found:.places$}"), format!("{limit:.places$}"));
    (places..MOST).map(told).find(|(found, limit)| found != limit).unwrap_or_else(|| told(MOST))
}

/// `longest delay 3 ms, 0 of 400 beats late, pressure 4.0 %`.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { beats, late, longest, pressure } = self;
        write!(f, "longest delay {} ms, {late} of {beats} beats late", longest.as_millis())?;
        match pressure {
            Some(pressure) => write!(f, ", pressure {:.1} %", 100.0 * pressure),
            None => f.write_str(", pressure unknown"),
        }
    }
}

/// A measurement that goes on.
#[derive(Debug)]
pub struct Measurement {
    began: Instant,
    pressure: Option<Duration>,
    is_over: Arc<AtomicBool>,
    beats: Option<JoinHandle<Load>>,
}

impl Measurement {
    /// Begins. A beat is late as these limits say.
    pub fn begin(limits: &HostLimits) -> Self {
        let (is_over, late) = (Arc::new(AtomicBool::new(false)), limits.late);
        let own = is_over.clone();
        let began = Instant::now();
        let beats = thread::Builder::new().name("host".to_owned()).spawn(move || {
            let mut load = Load::default();
            // The first beat is due however late this thread was started, and the last one is counted too.
            let mut due = began + BEAT;
            loop {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                load.beat(due.elapsed(), late);
                if own.load(Ordering::Relaxed) {
                    return load;
                }
                due = Instant::now() + BEAT;
            }
        });
        Self { began, pressure: pressure(), is_over, beats: beats.ok() }
    }

    /// Ends, and returns the results.
    pub fn end(mut self) -> Load {
        self.is_over.store(true, Ordering::Relaxed);
        let load = self.beats.take().and_then(|beats| beats.join().ok()).unwrap_or_default();
        let waited = self.pressure.zip(pressure()).map(|(before, after)| after.saturating_sub(before));
        let elapsed = self.began.elapsed().max(BEAT);
        Load { pressure: waited.map(|waited| waited.as_secs_f64() / elapsed.as_secs_f64()), ..load }
    }
}

/// A measurement that nobody asks for ends as well.
impl Drop for Measurement {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Load {
    fn beat(&mut self, delay: Duration, late: Duration) {
        self.beats += 1;
        self.late += u64::from(delay > late);
        self.longest = self.longest.max(delay);
    }
}

/// Returns the time for which anything has waited for a processor core since the system was started.
fn pressure() -> Option<Duration> {
    read_pressure(&fs::read_to_string("/proc/pressure/cpu").ok()?)
}

fn read_pressure(text: &str) -> Option<Duration> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    let total = some.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?;
    Some(Duration::from_micros(total.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pressure_is_read() {
        let text = "some avg10=88.61 avg60=91.67 avg300=88.58 total=15623397711\nfull avg10=0.00 total=0\n";
        assert_eq!(read_pressure(text), Some(Duration::from_micros(15_623_397_711)));
        assert_eq!(read_pressure("full avg10=0.00 total=0\n"), None);
        assert_eq!(read_pressure(""), None);
    }

    #[test]
    fn a_host_that_is_too_slow_is_told_from_one_that_is_not() {
        let limits = HostLimits::default();
        let load = |delays: &[(u64, u64)], pressure| {
            let mut load = Load { pressure, ..Load::default() };
            for (count, delay) in delays {
                (0..*count).for_each(|_| load.beat(Duration::from_millis(*delay), limits.late));
            }
            load
        };
        let quiet = load(&[(1010, 1), (10, 50)], Some(0.4));
        assert_eq!(quiet.fault(&limits), None);
        assert_eq!(quiet.to_string(), "longest delay 50 ms, 10 of 1020 beats late, pressure 40.0 %");
        assert_eq!(load(&[(1000, 10)], None).fault(&limits), None);
        // Programs of low priority that wait delay nobody.
        assert_eq!(load(&[(1000, 1)], Some(0.97)).fault(&limits), None);
        for (load, fault) in [
            (
                load(&[(1000, 1), (1, 101)], None),
                "this machine did not run the match for 101 ms (limit 100 ms)",
            ),
            (
                load(&[(1000, 1), (30, 11)], Some(0.0)),
                "this machine was more than 10 ms late in 2.9 % of the time (limit 1.0 %)",
            ),
            // Just above the limit.
            (
                load(&[(1088, 1), (11, 11)], None),
                "this machine was more than 10 ms late in 1.001 % of the time (limit 1.000 %)",
            ),
        ] {
            assert_eq!(load.fault(&limits).as_deref(), Some(fault));
        }
        let mut just = load(&[(1000, 1)], None);
        just.beat(Duration::from_micros(100_400), limits.late);
        let fault = "this machine did not run the match for 100.4 ms (limit 100.0 ms)";
        assert_eq!(just.fault(&limits).as_deref(), Some(fault));
    }

    #[test]
    fn a_measurement_that_ends_at_once_has_counted_a_beat() {
        let limits = HostLimits::default();
        for _ in 0..20 {
            let load = Measurement::begin(&limits).end();
            assert!(load.beats >= 1, "{load}");
            assert!(load.longest > Duration::ZERO, "{load:?}");
        }
    }

    #[test]
    fn a_host_that_was_not_measured_is_not_taken_for_a_fast_one() {
        let fault = Load::default().fault(&HostLimits::default());
        assert_eq!(fault.as_deref(), Some("the speed of this machine could not be measured"));
    }
}
