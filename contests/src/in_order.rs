//! Tasks on several threads, whose results are taken in the order of their numbers.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// The number of results that each thread may be ahead of a slow task, so that memory is bounded.
const AHEAD: u64 = 1 << 12;

/// Runs the tasks with the numbers below `count` on `jobs` threads, and passes each result to `take`, in the order of
/// the tasks' numbers, until `take` returns `Break`. The number of threads does not change the calls of `take`. Returns
/// `Break` if `take` has.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::ops::ControlFlow;
///
/// use contests::in_order::in_order;
///
/// let mut squares = Vec::new();
/// let square = |number| Ok::<u64, std::convert::Infallible>(number * number);
/// let flow = in_order(100, NonZeroUsize::MIN, square, |_, square| {
///     squares.push(square);
///     if square < 9 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// })?;
/// assert_eq!((flow, squares), (ControlFlow::Break(()), vec![0, 1, 4, 9]));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
///
/// # Errors
///
/// The error of the first task that fails, if `take` has not broken off before it.
///
/// # Panics
///
/// Panics if a task does.
pub fn in_order<T: Send, E: Send>(
    count: u64,
    jobs: NonZeroUsize,
    task: impl Fn(u64) -> Result<T, E> + Sync,
    mut take: impl FnMut(u64, T) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, E> {
    let (task, next) = (&task, &AtomicU64::new(0));
    let progress = &Progress::new(AHEAD.saturating_mul(jobs.get() as u64));
    // A thread waits with its result if that many others wait already: not all tasks are done ahead of a slow `take`.
    let (sender, receiver) = mpsc::sync_channel(jobs.get());
    thread::scope(|scope| {
        let _guard = EndsAll(progress);
        // More threads than tasks would have nothing to do.
        for _ in 0..count.min(jobs.get() as u64) {
            let sender = sender.clone();
            scope.spawn(move || {
                let _guard = EndsAll(progress);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let is_due = number < count && progress.wait_for_turn(number);
                    if !is_due || sender.send((number, task(number))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // Results arrive in any order.
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (number, done) in receiver {
            early.insert(number, done);
            while let Some(done) = early.remove(&due) {
                let taken = done.map(|done| take(due, done));
                due += 1;
                progress.set(due);
                if !matches!(taken, Ok(ControlFlow::Continue(()))) {
                    progress.end();
                    return taken;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// The progress of the receiver of the results.
struct Progress {
    /// The number of results that it has taken. None if it takes no more.
    taken: Mutex<Option<u64>>,
    changed: Condvar,
    /// The number of results that all threads together may be ahead.
    ahead: u64,
}

impl Progress {
    fn new(ahead: u64) -> Self {
        Self { taken: Mutex::new(Some(0)), changed: Condvar::new(), ahead }
    }

    fn taken(&self) -> MutexGuard<'_, Option<u64>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the task of this number is not too far ahead. Returns false if no more results are taken.
    fn wait_for_turn(&self, number: u64) -> bool {
        let is_early = |taken: &mut Option<u64>| taken.is_some_and(|taken| number - taken >= self.ahead);
        let taken = self.changed.wait_while(self.taken(), is_early);
        taken.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Notes how many results were taken, unless no more are.
    fn set(&self, count: u64) {
        if let Some(taken) = &mut *self.taken() {
            *taken = count;
        }
        self.changed.notify_all();
    }

    /// Stops taking results.
    fn end(&self) {
        *self.taken() = None;
        self.changed.notify_all();
    }
}

/// Stops all threads when the thread that holds this value panics: without that thread's result, no later result can be
/// taken.
struct EndsAll<'a>(&'a Progress);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use game_env::panics::catch;

    use super::*;

    /// The first task waits until all that may begin before its end have begun, and longer.
    #[test]
    fn no_task_is_far_ahead_of_a_slow_one() {
        let jobs = NonZeroUsize::new(3).unwrap();
        let most = 3 * AHEAD;
        let (begun, taken) = (AtomicU64::new(0), AtomicU64::new(0));
        let task = |number| {
            begun.fetch_add(1, Ordering::SeqCst);
            assert!(number - taken.load(Ordering::SeqCst) <= most, "task {number}");
            if number == 0 {
                while begun.load(Ordering::SeqCst) < most {
                    thread::yield_now();
                }
                (0..1_000).for_each(|_| thread::yield_now());
            }
            Ok::<u64, ()>(number)
        };
        let mut numbers = Vec::new();
        let flow = in_order(10 * AHEAD, jobs, task, |number, done| {
            assert_eq!(number, done);
            taken.store(number + 1, Ordering::SeqCst);
            numbers.push(number);
            ControlFlow::Continue(())
        });
        assert_eq!((flow, numbers), (Ok(ControlFlow::Continue(())), (0..10 * AHEAD).collect()));
    }

    #[test]
    fn a_panic_of_the_first_task_ends_all() {
        let jobs = NonZeroUsize::new(2).unwrap();
        let task = |number| if number == 0 { panic!("it fails") } else { Ok::<u64, ()>(number) };
        let flow = catch(|| in_order(10 * AHEAD, jobs, task, |_, _| ControlFlow::Continue(())));
        assert_eq!(flow.unwrap_err(), "a scoped thread panicked");
    }

    #[test]
    fn a_panic_of_the_receiver_ends_all() {
        let jobs = NonZeroUsize::new(2).unwrap();
        let flow = catch(|| in_order(10 * AHEAD, jobs, Ok::<u64, ()>, |_, _| panic!("it fails")));
        assert_eq!(flow.unwrap_err(), "it fails");
    }
}
