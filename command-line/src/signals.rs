//! The signals that end a program.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, process};

use crate::failure::Failure;

/// Ready when a signal asks the program to end: Ctrl-C, SIGTERM, or SIGHUP of a terminal that goes away. From
/// this call on, they do not end it by themselves. A program that was started by `nohup` still ignores SIGHUP.
///
/// # Errors
///
/// If the system does not let the program listen to them.
///
/// # Panics
///
/// Outside a tokio runtime.
#[cfg(unix)]
pub fn stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    // A program that listens to a signal no longer ignores it.
    let mut hang_up = if ignores_hang_up() { None } else { Some(signal(SignalKind::hangup())?) };
    let hung_up = async move {
        match &mut hang_up {
            Some(hang_up) => hang_up.recv().await,
            None => std::future::pending().await,
        }
    };
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hung_up => {}
        }
    })
}

/// Returns whether SIGHUP is ignored, where the system tells: the first bit of the signals that are.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|signals| u64::from_str_radix(signals.trim(), 16).ok())
        .is_some_and(|signals| signals & 1 == 1)
}

/// Ready when a signal asks the program to end: Ctrl-C, which does not end it by itself from this call on.
///
/// # Errors
///
/// If the system does not let the program listen to it.
///
/// # Panics
///
/// Outside a tokio runtime.
#[cfg(not(unix))]
pub fn stop() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        let _ = interrupt.recv().await;
    })
}

/// Calls `then` on a thread of its own when a signal asks the program to end, as [`stop`] says; for programs without a
/// runtime.
///
/// # Errors
///
/// If the system does not let the program listen to signals.
pub fn when_stopped(then: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let stopped = {
        let _inside = runtime.enter();
        stop()?
    };
    std::thread::spawn(move || {
        runtime.block_on(stopped);
        // No signal would end the program any more.
        if catch_unwind(AssertUnwindSafe(then)).is_err() {
            process::exit(Interruption::EXIT_CODE);
        }
    });
    Ok(())
}

/// The first signal that asks the program to end, as [`stop`] says, for work that stops cleanly: the results so
/// far still count. A second signal ends the program at once.
#[derive(Clone, Debug)]
pub struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// The exit code after an interruption, as of a program that SIGINT has ended.
    pub const EXIT_CODE: i32 = 130;

    /// Listens from now on.
    ///
    /// # Errors
    ///
    /// If the system does not let the program listen to signals.
    pub fn expect() -> Result<Self, Failure> {
        let has_come = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&has_come);
        let listening = Self::tell(move || flag.store(true, Ordering::Relaxed));
        listening.map_err(|error| Failure::without_signals(&error))?;
        Ok(Self(has_come))
    }

    /// Calls `then` on another thread when the signal comes.
    ///
    /// # Errors
    ///
    /// If the system does not let the program listen to signals.
    pub fn tell(then: impl FnOnce() + Send + 'static) -> io::Result<()> {
        when_stopped(move || {
            then();
            if when_stopped(|| process::exit(Self::EXIT_CODE)).is_err() {
                process::exit(Self::EXIT_CODE);
            }
        })
    }

    /// Returns whether the signal has come.
    pub fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends the program with [`Self::EXIT_CODE`] if the signal has come. The result so far is printed before.
    pub fn finish(&self) {
        if self.has_come() {
            process::exit(Self::EXIT_CODE);
        }
    }

    /// Work goes on until the signal comes.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.has_come() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
