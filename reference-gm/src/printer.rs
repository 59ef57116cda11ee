//! Non-blocking line output; drops lines when the queue is full.
//!
//! For the choice not to use the writer of a library, see `book/src/decisions/console-output.md`.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::watch;

/// Number of lines that may wait for their reader.
const MOST_LINES: usize = 1000;

/// Writes lines by a thread of its own, which alone waits until they are read. Lines that find no room any more
/// are counted and left out.
#[derive(Clone, Debug)]
pub struct Printer(Arc<Handle>);

/// The state that all clones of a printer share; its thread ends with the last of them.
#[derive(Debug)]
struct Handle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    grown: Condvar,
    /// Number of texts that the thread has finished, written or not.
    printed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Queue {
    texts: Vec<String>,
    /// Number of texts that were ever added.
    said: u64,
    left_out: u64,
    failure: Option<io::Error>,
    is_closed: bool,
}

impl Printer {
    /// Writes to `out`.
    ///
    /// # Errors
    ///
    /// If the system has no room for another thread.
    pub fn new(out: impl Write + Send + 'static) -> io::Result<Self> {
        let printed = watch::Sender::new(0);
        let shared = Arc::new(Shared { queue: Mutex::default(), grown: Condvar::new(), printed });
        let own = shared.clone();
        // Nobody waits for it at the end: writing to what nobody reads cannot be called off.
        thread::Builder::new().name("printer".to_owned()).spawn(move || own.print(out))?;
        Ok(Self(Arc::new(Handle(shared))))
    }

    /// Writes a line, or leaves it out if too many wait already.
    pub fn say(&self, line: impl fmt::Display) {
        let shared = &self.0.0;
        let mut queue = shared.lock();
        if queue.texts.len() < MOST_LINES {
            queue.add(format!("{line}\n"));
            shared.grown.notify_one();
        } else {
            queue.left_out += 1;
        }
    }

    /// Writes a text that is not to be left out, however many lines wait.
    pub fn print(&self, text: String) {
        let shared = &self.0.0;
        shared.lock().add(text);
        shared.grown.notify_one();
    }

    /// Ready when all texts so far are written, or cannot be.
    pub async fn drained(&self) {
        let said = self.0.0.lock().said;
        // The other end is held by this value.
        let _ = self.0.0.printed.subscribe().wait_for(|printed| *printed >= said).await;
    }

    /// Returns the first error of writing, or an error if texts were not read yet.
    ///
    /// # Errors
    ///
    /// The error.
    pub fn check(&self) -> io::Result<()> {
        let mut queue = self.0.0.lock();
        match queue.failure.take() {
            Some(error) => Err(error),
            None if *self.0.0.printed.borrow() < queue.said => Err(io::Error::other("nobody reads it")),
            None => Ok(()),
        }
    }
}

/// A line a call.
impl Write for Printer {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.say(String::from_utf8_lossy(line).trim_end_matches('\n'));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // A holder of the lock only moves texts about.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn print(&self, mut out: impl Write) {
        loop {
            let Some((text, said)) = self.take() else { return };
            let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            if let Err(error) = written {
                self.lock().failure.get_or_insert(error);
            }
            self.printed.send_replace(said);
        }
    }

    /// Waits for texts: returns all that wait, and the number of texts until now. None when there will be no more.
    fn take(&self) -> Option<(String, u64)> {
        let mut queue = self.lock();
        while queue.texts.is_empty() {
            if queue.is_closed {
                return None;
            }
            queue = self.grown.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        let mut text = std::mem::take(&mut queue.texts).concat();
        match std::mem::take(&mut queue.left_out) {
            0 => {}
            1 => text += "… one line is left out: it was not read in time\n",
            count => text += &format!("… {count} lines are left out: they were not read in time\n"),
        }
        Some((text, queue.said))
    }
}

impl Queue {
    fn add(&mut self, text: String) {
        self.texts.push(text);
        self.said += 1;
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.grown.notify_one();
    }
}
