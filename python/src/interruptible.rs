//! Work on another thread, while the caller's thread waits for it and for Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::{PyErr, PyResult, Python};

/// The time between two looks for Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(50);

/// Says that the work is to end.
#[derive(Default)]
pub(crate) struct Stop(AtomicBool);

impl Stop {
    /// Asks the work to end.
    pub(crate) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Withdraws this.
    pub(crate) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Returns whether the work is to end.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Does the work on another thread without the global interpreter lock. Ctrl-C asks it to end.
///
/// # Errors
///
/// `KeyboardInterrupt`, or what a signal handler raised, once the work has ended.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &Stop,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let worker = scope.spawn(move || {
                let done = work();
                // The receiver waits until the worker has ended.
                let _ = sender.send(());
                done
            });
            let mut interrupted: Option<PyErr> = None;
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(INTERVAL) {
                if let Err(raised) = Python::attach(|py| py.check_signals()) {
                    stop.ask();
                    interrupted.get_or_insert(raised);
                }
            }
            // A panic of the work goes on here, and becomes an exception.
            let done = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            interrupted.map_or(Ok(done), Err)
        })
    })
}
