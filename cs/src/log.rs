//! The log: the reports of the router, on the console and in files that are rotated.
//!
//! The server never waits until a line is written. Each destination has its own queue and thread; if the queue is
//! full, lines are dropped and counted. A paused terminal, a pipe without a reader or a slow disk delays neither
//! the server nor its end.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use command_line::{LevelFilter, LogFilter, shown};
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::Registry;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::router::{Level, Report, Role};

/// Number of log files that are kept, one for each hour. Peers can cause `maxLogLinesPerSecond` lines a second, and as
/// many about closed connections, so this bounds the disk space of the log: with the default, and without the level
/// `debug`, 5 GB at worst.
const FILES: usize = 10;

/// Number of lines that wait for a slow destination. A line has 1.3 kB at most: 11 MB.
const QUEUED_LINES: usize = 8192;

/// Longest time for which the end of the program waits for the last lines to be written.
const LAST_LINES: Duration = Duration::from_millis(500);

/// Time between two reports of dropped lines.
const DROPPED_INTERVAL: Duration = Duration::from_secs(1);

/// The log of a program that runs. Writes the last lines when it is dropped, but waits for them no longer than half a
/// second.
#[derive(Debug)]
pub struct Log {
    console: NonBlocking,
    destinations: Vec<Destination>,
}

#[derive(Debug)]
struct Destination {
    lost: Lost,
    guard: Option<WorkerGuard>,
}

/// The lines that a destination was too slow for.
#[derive(Clone, Debug)]
struct Lost {
    destination: &'static str,
    lines: ErrorCounter,
    /// Number of them that have been reported.
    reported: Arc<AtomicUsize>,
}

/// Writes one report at its level.
pub fn write(report: &Report) {
    match report.level() {
        Level::Detail => tracing::debug!("{report}"),
        Level::Notice => tracing::info!("{report}"),
        Level::Warning => tracing::warn!("{report}"),
    }
}

/// Says that the system gives no connections at present.
pub fn cannot_accept(role: Role, error: &io::Error) {
    tracing::error!("cannot accept {role}: {error}");
}

/// Sends everything logged to the console and, if a folder is given, to files in it. Without a filter the variable
/// `RUST_LOG` selects the lines that are logged, e.g. `debug`; `info` unless it is set.
///
/// # Errors
///
/// If the folder or a file in it cannot be made.
pub fn start(folder: Option<&Path>, filter: Option<&LogFilter>) -> Result<Log> {
    let filter = LogFilter::or_environment(filter, LevelFilter::INFO);
    let (console, to_console) = destination("console", io::stderr());
    let mut log = Log { console: console.clone(), destinations: vec![to_console] };
    let console = layer().with_writer(console).with_ansi(io::stderr().is_terminal()).with_target(false);
    let file = match folder {
        None => None,
        Some(folder) => {
            fs::create_dir_all(folder).with_context(|| format!("the folder `{}`", shown(folder)))?;
            let files = RollingFileAppender::builder()
                .rotation(Rotation::HOURLY)
                .max_log_files(FILES)
                .filename_prefix("cs")
                .filename_suffix("log")
                .build(folder)?;
            let (file, to_file) = destination("file", files);
            log.destinations.push(to_file);
            Some(layer().with_writer(file).with_ansi(false).with_target(false))
        }
    };
    Registry::default().with(filter).with(console).with(file).init();
    Ok(log)
}

fn destination(name: &'static str, writer: impl io::Write + Send + 'static) -> (NonBlocking, Destination) {
    let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(QUEUED_LINES);
    let (writer, guard) = builder.finish(writer);
    let lost = Lost { destination: name, lines: writer.error_counter(), reported: Arc::default() };
    (writer, Destination { lost, guard: Some(guard) })
}

impl Lost {
    /// Logs how many lines have been lost since the last report. It may itself be lost for this destination, and is
    /// not for the other.
    fn report(&self) {
        let lines = self.lines.dropped_lines();
        let more = lines.saturating_sub(self.reported.swap(lines, Ordering::Relaxed));
        if more > 0 {
            tracing::warn!("{more} lines were not written to the {}, which is too slow", self.destination);
        }
    }
}

impl Log {
    /// Returns the console, to which a write never waits.
    pub fn console(&self) -> NonBlocking {
        self.console.clone()
    }

    /// Logs every second how many lines a destination was too slow for. Never ends.
    pub fn watch(&self) -> impl Future<Output = ()> + Send + use<> {
        let all: Vec<Lost> = self.destinations.iter().map(|to| to.lost.clone()).collect();
        async move {
            loop {
                tokio::time::sleep(DROPPED_INTERVAL).await;
                all.iter().for_each(Lost::report);
            }
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.destinations.iter().for_each(|to| to.lost.report());
        let guards: Vec<_> = self.destinations.iter_mut().rev().filter_map(|to| to.guard.take()).collect();
        // A guard waits for its thread, which may wait for a console that nobody reads. The program's end does not.
        let (sender, written) = mpsc::channel();
        thread::spawn(move || {
            drop(guards);
            let _ = sender.send(());
        });
        let _ = written.recv_timeout(LAST_LINES);
    }
}
