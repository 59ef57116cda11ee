//! The caller's side: starts a guard, keeps the program's output, and reads the report.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader, Interest};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{ChildStdin, ChildStdout, Command as Starter};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::arguments::Settings;
use super::{GUARD, census, handover, namespaces};
use crate::child::{Guard, SpawnError};
use crate::command::{Command, Confinement, Isolation, Stream};
use crate::ended::{Ended, How, Report, Stop};
use crate::tail::{SharedTail, ShownLines, Tail};

/// Longest time for the answer of a guard. On a machine so busy that it needs longer nothing can be played.
const ANSWER: Duration = Duration::from_secs(20);

/// Longest time for the last output of a child whose guard is lost. Processes that nobody ends may keep a stream open.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// A child and its guard.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: Option<ChildStdout>,
    guard: tokio::process::Child,
    guard_id: u32,
    pub(crate) listener: Option<std::net::TcpListener>,
    /// The guard ends its child when this is closed.
    line: BufReader<UnixStream>,
    report: Vec<u8>,
    errors: Kept,
    kept_output: Kept,
    ended: Option<Ended>,
    /// None if the guard had ended before it could be counted, and when it has ended.
    place: Option<census::Place>,
}

/// Starts a guard, and through it the program.
pub(crate) async fn spawn(guard: &Guard, command: &Command) -> Result<Guarded, SpawnError> {
    let program = guard.program();
    let failed = |source| SpawnError::Guard { program: program.to_owned(), source };
    let variables = command.environment.iter().flat_map(|(name, value)| [name, value]);
    let words = command.arguments.iter().chain([&command.program]).chain(variables);
    if let Some(word) = words.into_iter().find(|word| word.as_bytes().contains(&0)) {
        return Err(SpawnError::Nul { word: word.to_string_lossy().into_owned() });
    }
    // No other user may connect.
    let meeting =
        tempfile::Builder::new().prefix("child-").permissions(Permissions::from_mode(0o700)).tempdir();
    let meeting = meeting.map_err(failed)?;
    let settings = Settings::new(meeting.path().to_owned(), command);
    let listener = UnixListener::bind(settings.socket()).map_err(failed)?;
    let piped = |stream| if stream == Stream::Piped { Stdio::piped() } else { Stdio::null() };
    let mut starter = Starter::new(program);
    starter.args(guard.leading()).arg(GUARD).args(settings.write()).env_clear();
    starter.envs(command.environment.iter().map(|(name, value)| (name as &OsStr, value as &OsStr)));
    starter
        .current_dir(&command.folder)
        .stdin(piped(command.input))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // Ctrl-C in a terminal reaches the caller, and the guard by way of the caller's end.
    starter.process_group(0);
    let mut guard = match starter.spawn() {
        Ok(guard) => guard,
        // The guard is there, so that it is the folder that is missing.
        Err(source) if !command.folder.is_dir() => {
            return Err(SpawnError::Folder { folder: command.folder.clone(), source });
        }
        Err(error) => return Err(failed(error)),
    };
    let guard_id = guard.id().unwrap_or_default();
    let (input, mut output) = (guard.stdin.take(), guard.stdout.take());
    let mut errors = Kept::of(guard.stderr.take(), command.kept_bytes, command.shows_errors);
    let kept_output = match command.output {
        Stream::Kept => Kept::of(output.take(), command.kept_bytes, false),
        Stream::Piped => Kept::default(),
    };
    let silent = |reason: String| SpawnError::Silent { program: program.to_owned(), reason };
    let met = meet(listener, &mut guard).await.map_err(failed)?;
    // Nobody else connects. If this process is killed later, it leaves no folder behind.
    drop(meeting);
    let line = match met {
        Met::Line(line) => line,
        Met::Late => {
            // It is a program that does something else.
            let _ = guard.start_kill();
            return Err(silent(format!("it did not answer within {ANSWER:?}")));
        }
        Met::Ended(status) => {
            let told = errors.whole().await.to_string();
            return Err(silent(format!("it ended with {status}: {}", told.trim_end())));
        }
    };
    let mut place = None;
    // The id of a guard that has ended may be another process's by now.
    if guard.id().is_some() {
        let mut limits = command.limits;
        if matches!(&command.confinement, Some(confined) if confined.isolation == Isolation::Namespaces) {
            limits.processes += namespaces::PROCESSES;
        }
        let pid = i32::try_from(guard_id).unwrap_or_default();
        place = Some(census::join(pid, limits, duplicate(&line).map_err(failed)?));
    }
    let (mut listener, mut report) = (None, Vec::new());
    if let Some(Confinement { isolation: Isolation::Namespaces, port: Some(_), .. }) = &command.confinement {
        // Without a listener, these are the first bytes of the report that says why.
        (listener, report) = timeout(ANSWER, take_listener(&line))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .map_err(failed)?;
    }
    let line = BufReader::new(line);
    Ok(Guarded {
        input,
        output,
        listener,
        guard,
        guard_id,
        line,
        report,
        errors,
        kept_output,
        ended: None,
        place,
    })
}

/// Receives the listener that a launcher has opened, or the first byte of a report.
async fn take_listener(line: &UnixStream) -> io::Result<(Option<std::net::TcpListener>, Vec<u8>)> {
    let (byte, files) = line.async_io(Interest::READABLE, || handover::take(line)).await?;
    let listener = files.into_iter().next().map(std::net::TcpListener::from);
    let report = byte.filter(|_| listener.is_none()).into_iter().collect();
    Ok((listener, report))
}

/// The result of waiting for a guard.
#[derive(Debug)]
enum Met {
    /// It has connected.
    Line(UnixStream),
    /// It has ended without a connection.
    Ended(ExitStatus),
    /// It did neither in time.
    Late,
}

/// Waits until the guard connects or ends.
async fn meet(listener: UnixListener, guard: &mut tokio::process::Child) -> io::Result<Met> {
    let ended = tokio::select! {
        biased;
        ended = guard.wait() => ended?,
        accepted = timeout(ANSWER, listener.accept()) => {
            return accepted.map_or(Ok(Met::Late), |accepted| Ok(Met::Line(accepted?.0)));
        }
    };
    // A guard whose program cannot be started connects, reports and ends: its connection may still wait here.
    match listener.into_std()?.accept() {
        Ok((line, _)) => {
            line.set_nonblocking(true)?;
            UnixStream::from_std(line).map(Met::Line)
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Met::Ended(ended)),
        Err(error) => Err(error),
    }
}

impl Guarded {
    pub(crate) fn guard_id(&self) -> u32 {
        self.guard_id
    }

    /// Returns the end of its standard error, also while it runs.
    pub(crate) fn errors(&self) -> &SharedTail {
        &self.errors.tail
    }

    pub(crate) fn stop(&mut self) {
        // One line always fits; a guard that is gone has nothing left to stop.
        let _ = self.line.get_ref().try_write(format!("{}\n", Stop::Asked.word()).as_bytes());
    }

    pub(crate) async fn ended(&mut self) -> &Ended {
        if self.ended.is_none() {
            // Cancelled, this goes on where it was: `read_until` adds to the bytes that it has.
            let _ = self.line.read_until(b'\n', &mut self.report).await;
            // The guard has been asked for nothing else, and ends.
            let _ = self.guard.wait().await;
            let report = String::from_utf8_lossy(&self.report);
            let report = Report::read(report.trim_end()).unwrap_or(Report {
                how: How::GuardLost,
                stop: None,
                left_behind: 0,
            });
            self.place = None;
            let Report { how, stop, left_behind } = report;
            if how == How::GuardLost {
                let _ = timeout(LAST_OUTPUT, async {
                    self.errors.whole().await;
                    self.kept_output.whole().await;
                })
                .await;
                self.errors.stop();
                self.kept_output.stop();
            }
            let errors = self.errors.whole().await;
            let output = self.kept_output.whole().await;
            self.ended = Some(Ended { how, stop, left_behind, errors, output });
        }
        self.ended.as_ref().expect("it was just set")
    }
}

/// The last bytes of a stream, which a task reads to its end.
#[derive(Debug, Default)]
struct Kept {
    tail: SharedTail,
    task: Option<JoinHandle<()>>,
}

impl Kept {
    fn of(stream: Option<impl AsyncRead + Unpin + Send + 'static>, most: usize, is_shown: bool) -> Self {
        let tail = SharedTail::new(most);
        let shown = is_shown.then(ShownLines::default);
        let task = stream.map(|stream| tokio::spawn(drain(stream, tail.clone(), shown)));
        Self { tail, task }
    }

    /// Waits for the end of the stream. May be called again, also after it was cancelled.
    async fn whole(&mut self) -> Tail {
        if let Some(task) = &mut self.task {
            let _ = task.await;
        }
        self.task = None;
        self.tail.now()
    }

    /// Stops reading the stream.
    fn stop(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Reads to the end, and keeps the last bytes.
async fn drain(mut stream: impl AsyncRead + Unpin, tail: SharedTail, mut shown: Option<ShownLines>) {
    let mut buffer = vec![0; 16 * 1024];
    // A standard error that is closed is no reason to end a child.
    let mut show = |line: &Tail| drop(writeln!(io::stderr(), "{line}"));
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        tail.push(&buffer[..read]);
        if let Some(shown) = &mut shown {
            shown.push(&buffer[..read], &mut show);
        }
    }
    if let Some(shown) = &mut shown {
        shown.end(&mut show);
    }
}

/// Returns the same connection for another thread, which never waits for it.
fn duplicate(line: &UnixStream) -> io::Result<std::os::unix::net::UnixStream> {
    use std::os::fd::AsFd as _;

    Ok(line.as_fd().try_clone_to_owned()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A guard that connected and ended is reported as connected, and one that ended without a connection as ended.
    #[tokio::test]
    async fn a_guard_that_has_ended_is_heard_if_it_has_connected() {
        for has_connected in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let socket = folder.path().join("socket");
            let listener = UnixListener::bind(&socket).expect("a socket");
            let connection = has_connected.then(|| std::os::unix::net::UnixStream::connect(&socket));
            assert!(connection.as_ref().is_none_or(Result::is_ok), "{connection:?}");
            let mut guard = Starter::new("true").spawn().expect("`true` starts");
            guard.wait().await.expect("it ends");
            let met = meet(listener, &mut guard).await.expect("no error");
            assert_eq!(matches!(met, Met::Line(_)), has_connected, "{met:?}");
            assert_eq!(matches!(met, Met::Ended(_)), !has_connected, "{met:?}");
        }
    }
}
