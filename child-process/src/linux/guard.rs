//! The guard: starts the launcher, waits for the end of the program or of the caller, and leaves no process behind.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, pidfd_open, set_child_subreaper,
    wait,
};

use super::LAUNCH;
use super::arguments::Settings;
use super::processes::Processes;
use crate::ended::{How, Report, Stop};

/// How often what has ended is taken note of, at the least.
const ROUND: Duration = Duration::from_secs(1);

/// How long the system may take to end what was killed.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before looking again whether all that was killed is gone.
const PAUSE: Duration = Duration::from_millis(2);

pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    let Some(settings) = Settings::read(arguments.iter().cloned()) else {
        eprintln!("error: a guard is started with other arguments");
        return ExitCode::from(2);
    };
    match guard(&settings, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: the guard of a child process failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn guard(settings: &Settings, arguments: &[OsString]) -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    let mut line = UnixStream::connect(settings.socket())?;
    let report = match start(arguments) {
        Ok(child) => {
            let mut watch =
                Watch { child, line: line.try_clone()?, how: None, stop: None, grace: settings.grace };
            watch.watch()?;
            let left_behind = watch.clear()?;
            let how = watch.how.unwrap_or(How::Signalled(Signal::KILL.as_raw()));
            // The launcher is gone, and nobody else writes there.
            let how = complaint(&settings.complaint()).map_or(how, How::NotStarted);
            Report { how, stop: watch.stop, left_behind }
        }
        Err(error) => Report { how: How::NotStarted(error.to_string()), stop: None, left_behind: 0 },
    };
    // A caller that is gone wants no report.
    let _ = writeln!(line, "{report}");
    Ok(())
}

fn complaint(file: &Path) -> Option<String> {
    let text = fs::read(file).ok().filter(|text| !text.is_empty())?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The launcher, which becomes the program.
fn start(arguments: &[OsString]) -> io::Result<Pid> {
    // Not the path of this program, which somebody may have replaced since.
    let launcher = Command::new("/proc/self/exe").arg(LAUNCH).args(arguments).spawn()?;
    Ok(Pid::from_child(&launcher))
}

/// What the guard waits for.
struct Watch {
    /// The first process.
    child: Pid,
    line: UnixStream,
    /// How the first process ended.
    how: Option<How>,
    stop: Option<Stop>,
    grace: Duration,
}

impl Watch {
    /// Waits until the first process has ended, or everything is to end and had the time for it.
    fn watch(&mut self) -> io::Result<()> {
        let handle = pidfd_open(self.child, PidfdFlags::empty())?;
        self.line.set_nonblocking(true)?;
        let mut deadline: Option<Instant> = None;
        loop {
            self.reap()?;
            if self.how.is_some() {
                return Ok(());
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                if self.stop == Some(Stop::Asked) {
                    self.stop = Some(Stop::Killed);
                }
                return Ok(());
            }
            let left = left.unwrap_or(ROUND).min(ROUND);
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            let listens = self.stop.is_none();
            let mut sources = vec![PollFd::new(&handle, PollFlags::IN)];
            if listens {
                sources.push(PollFd::new(&self.line, PollFlags::IN));
            }
            match poll(&mut sources, Some(&left)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if listens && let Some(stop) = self.order() {
                self.stop = Some(stop);
                let grace = if stop == Stop::Asked { self.grace } else { Duration::ZERO };
                deadline = Some(Instant::now() + grace);
                if stop == Stop::Asked {
                    signal(&family(), Signal::TERM);
                }
            }
        }
    }

    /// Why everything is to end, if it is: the caller says so, or is gone.
    fn order(&mut self) -> Option<Stop> {
        let mut buffer = [0; 64];
        match self.line.read(&mut buffer) {
            Ok(0) => Some(Stop::Asked),
            Ok(read) => {
                let text = String::from_utf8_lossy(&buffer[..read]);
                let word = text.lines().next().unwrap_or_default();
                Some(Stop::ALL.into_iter().find(|stop| stop.word() == word).unwrap_or(Stop::Asked))
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                None
            }
            Err(_) => Some(Stop::Asked),
        }
    }

    /// Takes note of every process that has ended. Whether there are others.
    fn reap(&mut self) -> io::Result<bool> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.child => self.how = Some(how(status)),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Ok(true),
                Err(Errno::CHILD) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Kills everything that is left; how many processes outlived the first one.
    fn clear(&mut self) -> io::Result<usize> {
        // Stopped, none of them can start others while this goes through them.
        let mut seen = 0;
        for _ in 0..100 {
            let family = family();
            if family.len() <= seen {
                break;
            }
            seen = family.len();
            signal(&family, Signal::STOP);
        }
        // What was killed together with the first one was not left behind.
        let left_behind = if self.how.is_some() { seen } else { 0 };
        let deadline = Instant::now() + LAST_PATIENCE;
        while self.reap()? {
            signal(&family(), Signal::KILL);
            if Instant::now() > deadline {
                return Err(io::Error::other("the system does not end processes that were killed"));
            }
            thread::sleep(PAUSE);
        }
        Ok(left_behind)
    }
}

/// All processes below this one.
fn family() -> Vec<Pid> {
    Processes::now().below(&[getpid().as_raw_nonzero().get()]).remove(0).members
}

fn signal(family: &[Pid], signal: Signal) {
    for member in family {
        // One that has ended since need not be told.
        let _ = kill_process(*member, signal);
    }
}

fn how(status: WaitStatus) -> How {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => How::Exited(code),
        (None, Some(signal)) => How::Signalled(signal),
        (None, None) => How::GuardLost,
    }
}
