//! Children that want more than they may have.

use child_process::{How, Limits, Stop};

use crate::harness::{check_gone, python, run};

const MIB: u64 = 1024 * 1024;

#[tokio::test]
async fn memory_beyond_the_limit_is_refused_to_a_process() {
    let mut program = python("data = bytearray(300 * 1024 * 1024)");
    program.limits = Limits { memory_bytes: 100 * MIB, ..Limits::default() };
    let ended = run(&program).await;
    assert_eq!((ended.how, ended.stop), (How::Exited(1), None));
    assert!(ended.errors.to_string().contains("MemoryError"), "{}", ended.errors);
}

#[tokio::test]
async fn processes_that_hold_too_much_together_are_killed() {
    let code = "
import os, time
for _ in range(3):
    if os.fork() == 0: break
data = b'x' * (60 * 1024 * 1024)
os.write(1, b'%d\\n' % os.getpid())
while True: time.sleep(1000)
";
    let mut program = python(code);
    program.limits = Limits { memory_bytes: 150 * MIB, ..Limits::default() };
    let ended = run(&program).await;
    assert_eq!((ended.how, ended.stop), (How::Signalled(9), Some(Stop::Memory)));
    ended.output.to_string().lines().for_each(check_gone);
}

#[tokio::test]
async fn a_child_with_too_many_processes_is_killed_with_all_of_them() {
    let code = "
import os, time
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        os.write(1, b'%d\\n' % os.getpid())
        time.sleep(1000)
time.sleep(1000)
";
    let mut program = python(code);
    program.limits = Limits { processes: 10, ..Limits::default() };
    let ended = run(&program).await;
    assert_eq!((ended.how.clone(), ended.stop), (How::Signalled(9), Some(Stop::Processes)));
    assert_eq!(ended.to_string(), "was killed: it had more processes than it may");
    ended.output.to_string().lines().for_each(check_gone);
}

#[tokio::test]
async fn files_are_limited_in_number_and_length() {
    let code = "
import sys
try:
    files = [open('/dev/null') for _ in range(100)]
except OSError as error:
    print(error.strerror)
";
    let mut program = python(code);
    program.limits = Limits { open_files: 50, ..Limits::default() };
    assert_eq!(run(&program).await.output.to_string(), "Too many open files\n");
    let folder = tempfile::tempdir().unwrap();
    let code = "
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open('file', 'wb', buffering=0) as file:
    try:
        for _ in range(100): file.write(b'x' * 1000)
    except OSError as error:
        print(error.strerror)
";
    let mut program = python(code);
    program.folder = folder.path().to_owned();
    program.limits = Limits { file_bytes: 10_000, ..Limits::default() };
    assert_eq!(run(&program).await.output.to_string(), "File too large\n");
    assert_eq!(std::fs::metadata(folder.path().join("file")).unwrap().len(), 10_000);
}
