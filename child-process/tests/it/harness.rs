//! Starts programs in Python, and waits for processes without sleeping.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::LazyLock;
use std::time::Duration;

use child_process::{Child, Command, Ended, Guard, Limits, Stream};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::time::timeout;

/// Longer than anything here takes; never waited for when all is well.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn guard() -> Guard {
    Guard::new(env!("CARGO_BIN_EXE_child-process-guard"))
}

/// A program of these words.
pub(crate) fn command(words: &[&str]) -> Command {
    Command {
        program: words[0].into(),
        arguments: words[1..].iter().map(Into::into).collect(),
        folder: std::env::temp_dir(),
        environment: vec![("PATH".into(), std::env::var_os("PATH").expect("a path"))],
        limits: Limits::default(),
        confinement: None,
        input: Stream::Kept,
        output: Stream::Kept,
        kept_bytes: 1000,
        shows_errors: false,
        grace: TIMEOUT,
    }
}

/// A program that says that it is ready, and ends in its own way when it is asked to.
pub(crate) const POLITE: &str = "
import signal, sys, time
def leave(*_):
    print('leaving', file=sys.stderr)
    sys.exit(7)
signal.signal(signal.SIGTERM, leave)
print('ready')
while True: time.sleep(1000)
";

/// A program in Python.
pub(crate) fn python(code: &str) -> Command {
    command(&[&interpreter().0, "-I", "-S", "-B", "-u", "-c", code])
}

/// The interpreter itself, which may be behind a script that chooses one, and the folder of its library. That of the
/// system comes first: users other than root may be unable to enter the folder of another one.
pub(crate) fn interpreter() -> &'static (String, String) {
    static FOUND: LazyLock<(String, String)> = LazyLock::new(|| {
        let code = "import sys; print(sys.executable); print(sys.base_prefix)";
        let run = |python| std::process::Command::new(python).args(["-I", "-S", "-c", code]).output();
        let output = ["/usr/bin/python3", "python3"].into_iter().find_map(|python| run(python).ok());
        let output = output.expect("Python can be started: install Python 3.9 or newer").stdout;
        let text = String::from_utf8(output).expect("paths in UTF-8");
        let mut lines = text.lines().map(str::to_owned);
        lines.next().zip(lines.next()).expect("two paths")
    });
    &FOUND
}

pub(crate) async fn spawn(command: &Command) -> Child {
    guard().spawn(command).await.expect("the guard is there")
}

/// The first line that a child writes.
pub(crate) async fn first_line(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.take_output().expect("the caller reads it")).lines();
    let line = timeout(TIMEOUT, lines.next_line()).await.expect("it writes");
    line.expect("it can be read").expect("it writes a line")
}

pub(crate) async fn ended(child: &mut Child) -> Ended {
    timeout(TIMEOUT, child.ended()).await.expect("it ends").clone()
}

/// Runs a program to its end.
pub(crate) async fn run(command: &Command) -> Ended {
    ended(&mut spawn(command).await).await
}

/// A folder that every user may enter, as players' folders are.
pub(crate) fn open_folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).expect("its owner may do this");
    folder
}

/// Waits until the process of this id is gone.
pub(crate) fn check_gone(id: &str) {
    let pid = Pid::from_raw(id.trim().parse().expect("the id of a process")).expect("ids are above 0");
    let handle = match pidfd_open(pid, PidfdFlags::empty()) {
        Err(Errno::SRCH) => return,
        handle => handle.expect("a process that is there"),
    };
    let most = Timespec::try_from(TIMEOUT).expect("a short time");
    let ready = poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&most)).expect("it can be waited for");
    assert_eq!(ready, 1, "process {pid:?} stays");
}
