//! A child that is asked over its standard input and output, from a thread without a runtime.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::process;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use tokio::sync::oneshot;

use super::pool::is_a_fork;
use crate::child::Child;
use crate::command::Command;
use crate::ended::{Ended, How};
use crate::pool::Lost;
use crate::tail::SharedTail;

/// Length of the buffer for the child's output, in bytes: as much as a pipe holds.
const BUFFER: usize = 64 * 1024;

/// The time in which a child that has closed its input may answer what it has read.
const LAST_ANSWER: Duration = Duration::from_secs(1);

/// The caller's side of a child whose streams are pipes.
#[derive(Debug)]
pub(crate) struct Piped {
    /// The command, as the caller gave it.
    command: Command,
    /// The longest time from the end of a stream to the report of the child's end.
    report_limit: Duration,
    /// The number of the process that has started the child. Its forks have the pipes too.
    owner: u32,
    input: OwnedFd,
    output: OwnedFd,
    /// At its end when the child has ended.
    end: PipeReader,
    ended: Arc<OnceLock<Lost>>,
    errors: SharedTail,
    buffer: Box<[u8]>,
    /// The rest of the line of an exchange that was late: the child gets it with the next one.
    unwritten: Vec<u8>,
    /// Whether each exchange so far was completed.
    is_in_step: bool,
    was_given_back: bool,
    /// Tells the watcher, when it is dropped, that the child was.
    is_held: Option<oneshot::Sender<OutOfStep>>,
}

/// A child was dropped in the middle of an exchange: its state is unknown, so it is stopped at once.
#[derive(Debug)]
pub(super) struct OutOfStep;

/// The watcher's side of the end of a child. A [`Piped`] sees that this is dropped.
#[derive(Debug)]
pub(super) struct End {
    ended: Arc<OnceLock<Lost>>,
    _end: PipeWriter,
}

impl Piped {
    /// Takes the streams of a child. The watcher stops the child when the receiver of `is_held` is told.
    pub(super) fn new(
        command: Command,
        report_limit: Duration,
        child: &mut Child,
        is_held: oneshot::Sender<OutOfStep>,
    ) -> io::Result<(Self, End)> {
        let (Some(input), Some(output)) = (child.take_input(), child.take_output()) else {
            return Err(io::Error::other("its standard streams are not piped"));
        };
        let (input, output) = (input.into_owned_fd()?, output.into_owned_fd()?);
        // The child has the other ends, whose flags are their own.
        ioctl_fionbio(&input, true)?;
        ioctl_fionbio(&output, true)?;
        let (end, own_end) = io::pipe()?;
        let ended = Arc::new(OnceLock::new());
        let piped = Self {
            command,
            report_limit,
            owner: process::id(),
            input,
            output,
            end,
            ended: Arc::clone(&ended),
            errors: child.errors().clone(),
            buffer: vec![0; BUFFER].into(),
            unwritten: Vec::new(),
            is_in_step: true,
            was_given_back: false,
            is_held: Some(is_held),
        };
        Ok((piped, End { ended, _end: own_end }))
    }

    pub(super) fn command(&self) -> &Command {
        &self.command
    }

    pub(crate) fn was_given_back(&self) -> bool {
        self.was_given_back
    }

    pub(super) fn set_given_back(&mut self) {
        self.was_given_back = true;
    }

    pub(super) fn is_in_step(&self) -> bool {
        self.is_in_step
    }

    /// Returns whether the child runs and its output is open. The system closes the output of a process with its end,
    /// before the guard reports it.
    pub(super) fn is_running(&self) -> bool {
        let mut sources = [PollFd::new(&self.end, PollFlags::IN), PollFd::new(&self.output, PollFlags::IN)];
        // If this fails, the first exchange finds out.
        let _ = poll(&mut sources, Some(&Timespec::default()));
        !sources.iter().any(|source| source.revents().contains(PollFlags::HUP))
    }

    pub(crate) fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Duration, Lost> {
        if self.owner != process::id() {
            return Err(Lost::NotStarted(is_a_fork().to_string()));
        }
        let start = Instant::now();
        self.is_in_step = false;
        let mut joined = std::mem::take(&mut self.unwritten);
        let mut line = line;
        if !joined.is_empty() {
            joined.extend_from_slice(line);
            line = &joined;
        }
        let mut is_done = take(&[]);
        // The child reads no more, or has ended: its output holds all that can still come.
        let mut is_over = false;
        // The moment at which its input was found closed behind the line. It may answer the line, and nothing more.
        let mut deaf_since = None;
        loop {
            if !line.is_empty() && !is_over {
                match write(&self.input, line) {
                    Ok(written) => line = &line[written..],
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(_) => is_over = true,
                }
            }
            let passed = start.elapsed();
            if is_done && line.is_empty() {
                self.is_in_step = true;
                return Ok(passed);
            }
            let Some(mut left) = limit.checked_sub(passed) else {
                self.unwritten = line.to_vec();
                return Err(Lost::Late);
            };
            if let Some(since) = deaf_since {
                let answer = LAST_ANSWER.checked_sub(passed.saturating_sub(since));
                left = left.min(answer.ok_or_else(|| self.lost_now())?);
            }
            // A limit of more seconds than the system counts is none.
            let left = if is_over { Some(Timespec::default()) } else { Timespec::try_from(left).ok() };
            let mut sources = [
                PollFd::new(&self.input, if line.is_empty() { PollFlags::empty() } else { PollFlags::OUT }),
                PollFd::new(&self.end, PollFlags::IN),
                PollFd::new(&self.output, PollFlags::IN),
            ];
            let first = usize::from(deaf_since.is_some() || is_over);
            let behind_last = if is_done { 2 } else { 3 };
            match poll(&mut sources[first..behind_last], left.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(Lost::Ended(format!("cannot be waited for: {error}"))),
            }
            let is_closed = line.is_empty() && sources[0].revents().contains(PollFlags::ERR);
            deaf_since = deaf_since.or(is_closed.then_some(passed));
            let [_, has_ended, is_readable] = sources.map(|source| !source.revents().is_empty());
            if is_readable {
                match read(&self.output, &mut *self.buffer) {
                    Ok(0) => return Err(self.lost()),
                    Ok(length) => is_done = take(&self.buffer[..length]),
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(_) => return Err(self.lost()),
                }
            } else if is_over {
                return Err(self.lost());
            }
            is_over |= has_ended;
        }
    }

    /// Returns the reason why a stream is closed, which the watcher may be about to learn.
    fn lost(&self) -> Lost {
        let start = Instant::now();
        while let Some(left) = self.report_limit.checked_sub(start.elapsed()) {
            let left = Timespec::try_from(left).unwrap_or_default();
            match poll(&mut [PollFd::new(&self.end, PollFlags::IN)], Some(&left)) {
                Err(Errno::INTR) => {}
                _ => break,
            }
        }
        self.lost_now()
    }

    /// Returns the reason why a stream is closed, as far as the watcher knows it.
    fn lost_now(&self) -> Lost {
        self.ended.get().cloned().unwrap_or(Lost::Closed)
    }

    pub(crate) fn told(&self) -> String {
        self.errors.now().to_string()
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        if let Some(is_held) = self.is_held.take_if(|_| !self.is_in_step) {
            let _ = is_held.send(OutOfStep);
        }
    }
}

impl End {
    /// Tells the caller's side that the child has ended.
    pub(super) fn tell(self, ended: &Ended) {
        let lost = match (&ended.how, ended.stop) {
            (How::NotStarted(reason), None) => Lost::NotStarted(reason.clone()),
            (How::NoRoom(reason), None) => Lost::NoRoom(reason.clone()),
            _ => Lost::Ended(ended.to_string()),
        };
        let _ = self.ended.set(lost);
    }
}
