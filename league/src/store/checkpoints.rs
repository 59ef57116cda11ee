//! Checkpoints beside the matches: brings the write-ahead log into the file of the store from a thread of its own.
//!
//! A checkpoint waits for the disk. The thread does that while workers play and write on: in `PASSIVE` mode it never makes
//! a writer wait. Only the end of the log is left to the writer's own automatic checkpoints, which also let the log begin
//! anew.

use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OpenFlags};

/// The length of the log, in pages of 4 KiB, at which the writer makes a checkpoint itself.
pub(super) const LONGEST_LOG_PAGES: u32 = 8_192;

/// How many bytes are written between two checkpoints.
const INTERVAL_BYTES: usize = 1 << 20;

/// Asks the thread for checkpoints; ends it when dropped.
pub(super) struct Checkpoints {
    /// How many bytes were written since the thread was asked.
    written: usize,
    /// `None` once the thread is to end.
    asks: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    /// Starts the thread for this store. Without it the store works the same, with longer pauses of the writer.
    pub(super) fn start(file: &Path) -> Self {
        // One more is asked for at most: the next checkpoint takes everything.
        let (asks, asked) = mpsc::sync_channel(1);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags);
        let thread = connection.ok().and_then(|connection| {
            let work = move || {
                for () in asked {
                    // If it fails, the log only stays longer: the writer's own checkpoint reports what is wrong.
                    let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
                }
            };
            thread::Builder::new().name("checkpoints".to_owned()).spawn(work).ok()
        });
        Self { written: 0, asks: Some(asks), thread }
    }

    /// Notes that about this many bytes were written.
    pub(super) fn wrote(&mut self, bytes: usize) {
        self.written = self.written.saturating_add(bytes);
        if self.written >= INTERVAL_BYTES {
            self.written = 0;
            // A full queue means that the thread is asked already; without a thread nobody is.
            let _ = self.asks.as_ref().map(|asks| asks.try_send(()));
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.asks = None;
        // A panic of the thread loses nothing: the log holds all that was written.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
