//! Children that are stopped, and the processes that they leave behind.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use child_process::{How, Stop, Stream};
use tokio::time::timeout;

use crate::harness::{POLITE, check_gone, ended, first_line, python, run, spawn};

/// A process that has left its parent, its group and its session, and writes its id; the parent waits for that.
const DAEMON: &str = "
import os, signal, sys, time
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.write(tell, b'%d\\n' % os.getpid())
        while True: time.sleep(1000)
    os._exit(0)
os.wait()
print(os.read(ready, 100).decode().strip())
";

#[tokio::test]
async fn what_a_child_leaves_behind_is_killed() {
    let ended = run(&python(DAEMON)).await;
    assert_eq!((ended.how.clone(), ended.left_behind), (How::Exited(0), 1), "{ended:?}");
    check_gone(&ended.output.to_string());
    assert_eq!(ended.to_string(), "ended with exit code 0; it left 1 process behind, which was killed");
}

/// A process chooses its name, in any bytes.
#[tokio::test]
async fn a_process_whose_name_is_no_text_is_killed_as_well() {
    let named = "os.setsid(); open('/proc/self/comm', 'wb').write(b'\\xff\\xfe')";
    let ended = run(&python(&DAEMON.replace("os.setsid()", named))).await;
    assert_eq!((ended.how.clone(), ended.left_behind), (How::Exited(0), 1), "{ended:?}");
    check_gone(&ended.output.to_string());
}

#[tokio::test]
async fn a_child_that_is_stopped_ends_in_its_own_way() {
    let mut program = python(POLITE);
    program.output = Stream::Piped;
    let mut child = spawn(&program).await;
    first_line(&mut child).await;
    child.stop();
    let ended = ended(&mut child).await;
    assert_eq!(
        (ended.how, ended.stop, ended.errors.to_string()),
        (How::Exited(7), Some(Stop::Asked), "leaving\n".into())
    );
}

/// A host that is killed removes nothing, and so there is nothing to remove while its programs run.
#[tokio::test]
async fn the_folder_of_the_guards_socket_is_gone_when_the_child_runs() {
    let mut program = python(POLITE);
    program.output = Stream::Piped;
    let mut child = spawn(&program).await;
    first_line(&mut child).await;
    let arguments = std::fs::read(format!("/proc/{}/cmdline", child.guard_id())).unwrap();
    let folder = arguments.split(|byte| *byte == 0).find_map(|argument| argument.strip_prefix(b"meeting="));
    let folder = Path::new(OsStr::from_bytes(folder.expect("the guard was told the folder")));
    assert!(folder.is_absolute() && !folder.exists(), "{}", folder.display());
    child.stop();
    ended(&mut child).await;
}

#[tokio::test]
async fn a_child_that_does_not_end_is_killed_with_all_that_it_started() {
    let code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)".to_owned()
        + DAEMON
        + "
while True: time.sleep(1000)";
    let mut program = python(&code);
    program.output = Stream::Piped;
    program.grace = Duration::from_millis(50);
    let mut child = spawn(&program).await;
    let daemon = first_line(&mut child).await;
    child.stop();
    let ended = ended(&mut child).await;
    assert_eq!((ended.how, ended.stop), (How::Signalled(9), Some(Stop::Killed)));
    check_gone(&daemon);
}

/// Nobody ends the daemon then, and it holds both streams.
#[tokio::test]
async fn the_end_of_a_child_without_a_guard_does_not_wait_for_its_processes() {
    let code =
        DAEMON.to_owned() + "sys.stdout.flush()\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(1000)";
    let ended = run(&python(&code)).await;
    assert_eq!(ended.how, How::GuardLost, "{ended:?}");
    let daemon = ended.output.to_string().trim().parse().expect("the id of the daemon");
    let daemon = rustix::process::Pid::from_raw(daemon).expect("an id");
    rustix::process::kill_process(daemon, rustix::process::Signal::KILL).expect("it is still there");
}

/// As after the end of the caller, however it ended: the connection to the guard is closed.
#[tokio::test]
async fn a_child_that_nobody_holds_any_more_ends() {
    let mut program = python(&(DAEMON.to_owned() + "\nwhile True: time.sleep(1000)"));
    program.output = Stream::Piped;
    let mut child = spawn(&program).await;
    let daemon = first_line(&mut child).await;
    let guard = child.guard_id().to_string();
    drop(child);
    check_gone(&daemon);
    check_gone(&guard);
}

#[tokio::test]
async fn waiting_can_be_cancelled_and_begun_again() {
    let mut program = python("print('ready'); input()");
    (program.input, program.output) = (Stream::Piped, Stream::Piped);
    let mut child = spawn(&program).await;
    let input = child.take_input();
    first_line(&mut child).await;
    assert!(timeout(Duration::from_millis(1), child.ended()).await.is_err());
    drop(input);
    let first = ended(&mut child).await;
    assert_eq!(first.how, How::Exited(1));
    assert!(first.errors.to_string().contains("EOFError"), "{}", first.errors);
    assert_eq!(ended(&mut child).await, first);
}
