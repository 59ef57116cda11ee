//! The log: what the router reports, on the console and in files that are rotated.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry};

use crate::router::{Level, Report, Role};

/// How many files are kept, one for each hour. Peers can cause so many lines a second and no more, so that
/// this bounds what the log takes of a disk: 1 GB at worst with the default.
const FILES: usize = 10;

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

/// Sends everything logged to the console and, if a folder is given, to files in it. What is logged is chosen
/// by the variable `RUST_LOG`, e.g. `debug`; `info` unless it is set.
///
/// The returned guard writes the last lines when it is dropped.
///
/// # Errors
///
/// If the folder or a file in it cannot be made.
pub fn start(folder: Option<&Path>) -> Result<Option<WorkerGuard>> {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env_lossy();
    let console = layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal()).with_target(false);
    let (file, guard) = match folder {
        None => (None, None),
        Some(folder) => {
            fs::create_dir_all(folder).with_context(|| format!("the folder `{}`", folder.display()))?;
            let files = RollingFileAppender::builder()
                .rotation(Rotation::HOURLY)
                .max_log_files(FILES)
                .filename_prefix("cs")
                .filename_suffix("log")
                .build(folder)?;
            // A disk that is slow delays neither the relay nor, when it does not keep up at all, fills memory.
            let (writer, guard) = tracing_appender::non_blocking(files);
            (Some(layer().with_writer(writer).with_ansi(false).with_target(false)), Some(guard))
        }
    };
    Registry::default().with(filter).with(console).with(file).init();
    Ok(guard)
}
