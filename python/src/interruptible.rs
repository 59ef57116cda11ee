//! The end of games before their time: an exception of a class, and Ctrl-C.
//!
//! Python handles signals on its main thread alone. A class that plays there gets `KeyboardInterrupt` from Python.
//! While other threads play, the thread of the call waits for them and for Ctrl-C, and interrupts the classes on them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// The time between two looks for Ctrl-C.
pub(crate) const INTERVAL: Duration = Duration::from_millis(50);

/// Says whether the games of a call are to end, and why.
#[derive(Default)]
pub(crate) struct Stop {
    is_asked: AtomicBool,
    /// The first exception since the beginning of the call.
    raised: Mutex<Option<PyErr>>,
    /// The threads on which classes play at this moment, by the numbers of Python.
    threads: Mutex<Vec<u64>>,
}

/// A class plays on this thread.
pub(crate) struct Running<'a> {
    stop: &'a Stop,
    thread: u64,
}

impl Stop {
    /// Begins a call.
    pub(crate) fn begin(&self) {
        self.is_asked.store(false, Ordering::Relaxed);
        self.take();
    }

    /// Keeps an exception, and asks all games of the call to end.
    pub(crate) fn keep(&self, error: PyErr) {
        locked(&self.raised).get_or_insert(error);
        self.is_asked.store(true, Ordering::Relaxed);
    }

    /// Takes the first exception.
    pub(crate) fn take(&self) -> Option<PyErr> {
        locked(&self.raised).take()
    }

    /// Returns whether the games are to end.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }

    /// Keeps the exception of a signal that has arrived, e.g. `KeyboardInterrupt`, and returns whether there was one.
    /// On another thread than the main one there is none.
    pub(crate) fn check_signals(&self) -> bool {
        let raised = Python::attach(|py| py.check_signals()).err();
        let is_raised = raised.is_some();
        raised.into_iter().for_each(|error| self.keep(error));
        is_raised
    }

    /// Marks this thread while a class plays on it.
    ///
    /// # Errors
    ///
    /// If Python does not know the thread.
    pub(crate) fn run(&self, py: Python<'_>) -> PyResult<Running<'_>> {
        let thread = py.import("threading")?.call_method0("get_ident")?.extract()?;
        locked(&self.threads).push(thread);
        Ok(Running { stop: self, thread })
    }

    /// Raises `KeyboardInterrupt` in the classes that play at this moment.
    fn interrupt(&self) {
        let threads = locked(&self.threads).clone();
        let interrupted = Python::attach(|py| {
            let interrupt = py.import("project_game.agents")?.getattr("interrupt")?;
            threads.into_iter().try_for_each(|thread| interrupt.call1((thread,)).map(drop))
        });
        if let Err(error) = interrupted {
            self.keep(error);
        }
    }

    /// Waits for games on other threads, until the other end of the channel is gone. Ctrl-C asks them to end; each one
    /// interrupts the classes among them.
    pub(crate) fn wait(&self, games: &Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = games.recv_timeout(INTERVAL) {
            if self.check_signals() {
                self.interrupt();
            }
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut threads = locked(&self.stop.threads);
        if let Some(place) = threads.iter().position(|thread| *thread == self.thread) {
            threads.swap_remove(place);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the work on another thread, without the global interpreter lock. Ctrl-C asks it to end.
pub(crate) fn interruptible<T: Send>(py: Python<'_>, stop: &Stop, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        thread::scope(|scope| {
            let (at_work, games) = channel();
            let worker = scope.spawn(move || {
                let done = work();
                drop(at_work);
                done
            });
            stop.wait(&games);
            // A panic of the work goes on here, and becomes an exception.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}
