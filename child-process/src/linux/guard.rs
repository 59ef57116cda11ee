//! The guard: starts the launcher, waits for the end of the program or of the caller, and leaves no process behind.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, pidfd_open, set_child_subreaper,
    wait,
};
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::arguments::Settings;
use super::own_user::own_user;
use super::processes::Processes;
use super::{LAUNCH, handover, namespaces};
use crate::command::Isolation;
use crate::ended::{How, Report, Stop};

/// The longest time between two checks for processes that have ended. The census, which counts those that have ended
/// and were not seen, is rarer.
const ROUND: Duration = Duration::from_millis(100);

/// Longest time for the system to end processes that were killed.
const LAST_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between two checks whether all processes that were killed are gone.
const PAUSE: Duration = Duration::from_millis(2);

/// Serves as a guard with these arguments. `leading` are the words before them, which the launcher needs too.
pub(super) fn run(leading: &[OsString], arguments: &[OsString]) -> ExitCode {
    let Some(settings) = Settings::read(arguments.iter().cloned()) else {
        eprintln!("error: a guard is started with other arguments");
        return ExitCode::from(2);
    };
    match guard(&settings, leading, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: the guard of a child process failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn guard(settings: &Settings, leading: &[OsString], arguments: &[OsString]) -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    let mut line = UnixStream::connect(settings.socket())?;
    let report = match start(settings, leading, arguments, &line) {
        Ok(Started { child, launcher }) => {
            let is_in_namespaces = is_in_namespaces(settings);
            let mut watch = Watch {
                child,
                is_in_namespaces,
                line: line.try_clone()?,
                how: None,
                stop: None,
                grace: settings.grace,
            };
            watch.watch()?;
            let left_behind = watch.clear()?;
            let how = watch.how.unwrap_or(How::Signalled(Signal::KILL.as_raw()));
            let how = if is_in_namespaces { inside(how) } else { how };
            // The launcher is gone, and nobody else writes there.
            let how = told(launcher, is_in_namespaces).map_or(how, How::NotStarted);
            // Processes that were left in namespaces have ended with the first process there.
            Report { how, stop: watch.stop, left_behind: if is_in_namespaces { 0 } else { left_behind } }
        }
        Err(error) => Report { how: not_started(&error), stop: None, left_behind: 0 },
    };
    // A caller that is gone wants no report.
    let _ = writeln!(line, "{report}");
    Ok(())
}

/// Returns the end of a program that was never started because of this error.
fn not_started(error: &io::Error) -> How {
    const NO_ROOM: [Errno; 4] = [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM];
    let is_of_host = Errno::from_io_error(error).is_some_and(|code| NO_ROOM.contains(&code));
    if is_of_host { How::NoRoom(error.to_string()) } else { How::NotStarted(error.to_string()) }
}

/// The first process that was started, and the line to the launcher.
struct Started {
    child: Pid,
    launcher: UnixStream,
}

/// Starts the launcher, which becomes the program. Its standard input is the line on which it gets its streams.
///
/// The guard keeps no end of these streams: when the program closes one, the caller sees that at once, also if the
/// guard has not run since the program began.
fn start(
    settings: &Settings,
    leading: &[OsString],
    arguments: &[OsString],
    line: &UnixStream,
) -> io::Result<Started> {
    let (own, launchers) = UnixStream::pair()?;
    handover::give(&own, &[io::stdin().as_fd(), io::stdout().as_fd(), line.as_fd()])?;
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    let spawn = |mut command: Command| {
        let command = command.args(leading).arg(LAUNCH).args(arguments).stdin(OwnedFd::from(launchers));
        command.spawn().map(|started| Pid::from_child(&started))
    };
    let child = match &settings.confinement {
        Some(confinement) if confinement.isolation == Isolation::Namespaces => {
            let folder = std::env::current_dir()?;
            let namespaces::Start { command, filters } = namespaces::start(&folder, &confinement.may_read)?;
            let child = spawn(command);
            drop(filters);
            child
        }
        confinement => {
            // Not the path of this program, which may have been replaced since.
            let mut command = Command::new("/proc/self/exe");
            if confinement.is_some() {
                own_user(&mut command);
            }
            spawn(command)
        }
    };
    Ok(Started { child: child?, launcher: own })
}

fn is_in_namespaces(settings: &Settings) -> bool {
    settings.confinement.as_ref().is_some_and(|confined| confined.isolation == Isolation::Namespaces)
}

/// Returns the reason why the program was not started, if so: after its first byte, the launcher writes nothing
/// else.
fn told(mut launcher: UnixStream, is_in_namespaces: bool) -> Option<String> {
    let mut text = Vec::new();
    // The bytes that can be read without waiting are all there are.
    let _ = launcher.set_nonblocking(true);
    let _ = launcher.read_to_end(&mut text);
    match text.split_first() {
        None if is_in_namespaces => {
            Some("its namespaces cannot be made; its standard error says why".to_owned())
        }
        None => Some("its launcher ended before it could start the program".to_owned()),
        Some((_, [])) => None,
        Some((_, reason)) => Some(String::from_utf8_lossy(reason).into_owned()),
    }
}

/// Converts the exit code of bubblewrap to the end of the program: bubblewrap reports a signal as shells do.
fn inside(how: How) -> How {
    match how {
        How::Exited(code @ 129..=192) => How::Signalled(code - 128),
        how => how,
    }
}

/// State of the guard while it waits for the end.
struct Watch {
    /// The first process.
    child: Pid,
    /// Whether the first process, and its child, belong to bubblewrap.
    is_in_namespaces: bool,
    line: UnixStream,
    /// The end of the first process.
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
                    signal(&self.players(), Signal::TERM);
                }
            }
        }
    }

    /// Returns the processes of the program. Those of bubblewrap would end all others at once.
    fn players(&self) -> Vec<Pid> {
        let processes = Processes::now();
        let below = |head: Pid| processes.below(&[head.as_raw_nonzero().get()]).remove(0).members;
        if !self.is_in_namespaces {
            return below(getpid());
        }
        let inside = below(self.child);
        let is_first = |pid: &Pid| processes.parent(*pid) == Some(self.child);
        inside.into_iter().filter(|pid| !is_first(pid)).collect()
    }

    /// Returns the reason why everything is to end, if it is: the caller says so, or is gone.
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

    /// Reaps the processes that have ended. Returns whether others are left.
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

    /// Kills everything that is left; returns the number of processes that outlived the first one.
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
        // Processes that were killed together with the first one were not left behind.
        let left_behind = if self.how.is_some() { seen } else { 0 };
        let deadline = Instant::now() + LAST_TIMEOUT;
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

/// Returns all processes below this one.
fn family() -> Vec<Pid> {
    Processes::now().below(&[getpid().as_raw_nonzero().get()]).remove(0).members
}

fn signal(family: &[Pid], signal: Signal) {
    for member in family {
        // A process that has ended since needs no signal.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_room_is_no_fault_of_the_program() {
        for code in [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM] {
            assert!(matches!(not_started(&code.into()), How::NoRoom(_)), "{code}");
        }
        for code in [Errno::NOENT, Errno::ACCESS, Errno::NOEXEC] {
            assert!(matches!(not_started(&code.into()), How::NotStarted(_)), "{code}");
        }
    }

    #[test]
    fn a_launcher_that_does_not_become_the_program_says_why() {
        let told_after = |written: &[u8], is_in_namespaces| {
            let (own, mut launchers) = UnixStream::pair().unwrap();
            launchers.write_all(written).unwrap();
            drop(launchers);
            told(own, is_in_namespaces)
        };
        let reason = "its launcher ended before it could start the program";
        assert_eq!(told_after(b"", false).as_deref(), Some(reason));
        let reason = "its namespaces cannot be made; its standard error says why";
        assert_eq!(told_after(b"", true).as_deref(), Some(reason));
        for is_in_namespaces in [false, true] {
            assert_eq!(told_after(b".", is_in_namespaces), None, "it has become the program");
            let reason = "`agent`: No such file or directory (os error 2)";
            let written = format!(".{reason}");
            assert_eq!(told_after(written.as_bytes(), is_in_namespaces).as_deref(), Some(reason));
        }
    }
}
