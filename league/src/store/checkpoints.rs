//! Checkpoints beside the matches: brings the write-ahead log into the file of the store from a thread of its own.
//!
//! A checkpoint waits for the disk. The thread does that while workers play and write on: in `PASSIVE` mode it never
//! makes a writer wait. Only the writer can let the log begin anew: it does so when the log is long, and finds most of
//! it in the file already.

use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OpenFlags};

/// The length of the log, in bytes, at which it begins anew.
const LONGEST_LOG: usize = 32 << 20;

/// Number of bytes written between two checkpoints of the thread.
const INTERVAL: usize = 4 << 20;

/// Bytes that a match adds to the log beside its contents: parts of pages that are written again, and those of indices.
const MATCH_OVERHEAD: usize = 3 * 4_096;

/// Asks the thread for checkpoints; ends it when dropped.
pub(super) struct Checkpoints {
    /// Approximate number of bytes written since the thread was asked.
    written: usize,
    /// Approximate length of the log, in bytes.
    log: usize,
    /// Held during a checkpoint: SQLite refuses a second one at the same time and does not wait.
    checkpoint: Arc<Mutex<()>>,
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
        let checkpoint = Arc::new(Mutex::new(()));
        let held = checkpoint.clone();
        let thread = connection.ok().and_then(|connection| {
            let work = move || {
                for () in asked {
                    let _held = held.lock().unwrap_or_else(PoisonError::into_inner);
                    // If it fails, the log only stays longer: the writer's own checkpoint reports the fault.
                    let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
                }
            };
            thread::Builder::new().name("checkpoints".to_owned()).spawn(work).ok()
        });
        Self { written: 0, log: 0, checkpoint, asks: Some(asks), thread }
    }

    /// Notes that this connection has written a match with this many bytes.
    pub(super) fn wrote(&mut self, bytes: usize, connection: &Connection) -> rusqlite::Result<()> {
        let bytes = bytes.saturating_add(MATCH_OVERHEAD);
        self.written = self.written.saturating_add(bytes);
        self.log = self.log.saturating_add(bytes);
        if self.log >= LONGEST_LOG {
            (self.written, self.log) = (0, 0);
            let _held = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
            // If others read for long, the log begins anew the next time.
            return connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()));
        }
        if self.written >= INTERVAL {
            self.written = 0;
            // If the queue is full, the thread is asked already. Without a thread there is no queue.
            let _ = self.asks.as_ref().map(|asks| asks.try_send(()));
        }
        Ok(())
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.asks = None;
        // A panic of the thread loses nothing: the log holds all that was written.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
