//! One player's program and its streams: its events, and the bytes that are written to it.

use std::ffi::OsString;
use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use child_process::{Child, Command, Confinement, Ended, Guard, How, Isolation, SpawnError, Stream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::{Instant, timeout, timeout_at};
use wire::bricks::Gone;

use super::config::ProgramRules;
use super::entrants::Entrant;

/// Number of the last bytes of standard error that are kept.
pub const KEPT_BYTES: usize = 64 * 1024;

/// Time that a program has to end after its output has ended. Its end is only reported, and changes nothing.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The most that is read of a program at once, in bytes.
const READ_AT_ONCE: usize = 4096;

/// A program that runs.
#[derive(Debug)]
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    buffer: Box<[u8; READ_AT_ONCE]>,
    /// Bytes that are still to be written.
    waiting: Vec<u8>,
    /// The latest moment to wait for the end of the program. Set when its output has ended.
    leaves: Option<Instant>,
}

/// The result of a step of a program's streams.
enum Step {
    Read(io::Result<usize>),
    Left(Option<Gone>),
    Wrote(io::Result<()>),
}

/// An event of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramEvent {
    /// It wrote these bytes.
    Wrote(Vec<u8>),
    /// All bytes were written to the program, or it has closed its input.
    Written,
    /// It has ended, or its output has.
    Gone(Gone),
}

/// Returns the command of a player.
pub fn command(entrant: &Entrant, rules: &ProgramRules, isolation: Option<Isolation>) -> Command {
    let mut words = entrant.words.iter().map(OsString::from);
    Command {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        folder: entrant.folder.clone(),
        environment: child_process::usual_environment(),
        limits: rules.limits,
        confinement: isolation.map(|isolation| Confinement {
            isolation,
            port: None,
            may_read: rules.may_read.iter().map(PathBuf::from).collect(),
        }),
        input: Stream::Piped,
        output: Stream::Piped,
        kept_bytes: KEPT_BYTES,
        shows_errors: false,
        grace: rules.grace,
    }
}

impl Program {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// If there is no guard for it. A program that cannot be started is no error, but has [gone](ProgramEvent::Gone).
    pub async fn start(guard: &Guard, command: &Command) -> Result<Self, SpawnError> {
        let mut child = guard.spawn(command).await?;
        let (input, output) = (child.take_input(), child.take_output());
        let buffer = Box::new([0; READ_AT_ONCE]);
        Ok(Self { child, input, output, buffer, waiting: Vec::new(), leaves: None })
    }

    /// Begins to write; [`ProgramEvent::Written`] says when it is done.
    pub fn write(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    /// Waits for the next event. Nothing is read unless `reads`. May be called again after it was cancelled.
    pub async fn next(&mut self, reads: bool) -> ProgramEvent {
        loop {
            match self.step(reads).await {
                Step::Read(Ok(count @ 1..)) => return ProgramEvent::Wrote(self.buffer[..count].to_vec()),
                Step::Read(_) => {
                    self.output = None;
                    self.leaves = Some(Instant::now() + LAST_WORDS);
                }
                Step::Left(gone) => {
                    self.leaves = None;
                    let closed = || Gone::Ended("has closed its output".to_owned());
                    return ProgramEvent::Gone(gone.unwrap_or_else(closed));
                }
                Step::Wrote(Ok(())) if !self.waiting.is_empty() => {}
                Step::Wrote(written) => {
                    if written.is_err() {
                        // It does not read any more; perhaps it still writes.
                        self.input = None;
                        self.waiting.clear();
                    }
                    return ProgramEvent::Written;
                }
            }
        }
    }

    async fn step(&mut self, reads: bool) -> Step {
        let Self { child, input, output, buffer, waiting, leaves } = self;
        let is_writing = !waiting.is_empty();
        let reading = async {
            match output {
                Some(stream) if reads => stream.read(&mut buffer[..]).await,
                _ => pending().await,
            }
        };
        let leaving = async {
            match leaves {
                Some(until) => timeout_at(*until, child.ended()).await.ok().map(gone),
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            read = reading => Step::Read(read),
            gone = leaving => Step::Left(gone),
            written = write_some(input, waiting), if is_writing => Step::Wrote(written),
        }
    }

    /// Sends the program `farewell`, closes its input, and waits for its end. After `grace` the program is asked to
    /// end; after the [grace of its command](Command::grace) it is killed.
    pub async fn dismiss(mut self, farewell: &[u8], grace: Duration) -> Ended {
        self.waiting.extend_from_slice(farewell);
        let goes = async {
            while !self.waiting.is_empty() && write_some(&mut self.input, &mut self.waiting).await.is_ok() {}
            drop(self.input.take());
            // Its further output is dropped, but must be read, so that the program can write it.
            if let Some(output) = &mut self.output {
                while output.read(&mut self.buffer[..]).await.is_ok_and(|count| count > 0) {}
            }
            self.child.ended().await;
        };
        if timeout(grace, goes).await.is_err() {
            self.child.stop();
        }
        drop(self.input.take());
        drop(self.output.take());
        self.child.ended().await.clone()
    }
}

/// Writes what fits, and takes it out.
async fn write_some(input: &mut Option<ChildStdin>, waiting: &mut Vec<u8>) -> io::Result<()> {
    let Some(stream) = input else { return Err(io::ErrorKind::BrokenPipe.into()) };
    let count = stream.write(waiting).await?;
    if count == 0 {
        return Err(io::ErrorKind::WriteZero.into());
    }
    waiting.drain(..count);
    Ok(())
}

fn gone(ended: &Ended) -> Gone {
    match &ended.how {
        How::NotStarted(reason) | How::NoRoom(reason) => Gone::CannotStart(reason.clone()),
        _ => Gone::Ended(ended.to_string()),
    }
}
