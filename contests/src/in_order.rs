//! Tasks on several threads, whose results are taken in the order of their numbers.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

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
    let (task, next, is_over) = (&task, &AtomicU64::new(0), &AtomicBool::new(false));
    // A thread waits with its result if that many others wait already: not all tasks are done ahead of a slow `take`.
    let (sender, receiver) = mpsc::sync_channel(jobs.get());
    thread::scope(|scope| {
        // More threads than tasks would have nothing to do.
        for _ in 0..count.min(jobs.get() as u64) {
            let sender = sender.clone();
            scope.spawn(move || {
                let _guard = EndsAll(is_over);
                while !is_over.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count || sender.send((number, task(number))).is_err() {
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
                if !matches!(taken, Ok(ControlFlow::Continue(()))) {
                    is_over.store(true, Ordering::Relaxed);
                    return taken;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Stops all threads when the thread that holds this value panics: without that thread's result, no later result can be
/// taken.
struct EndsAll<'a>(&'a AtomicBool);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
