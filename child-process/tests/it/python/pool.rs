//! Children that are asked over pipes, from threads without a runtime.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use child_process::{Command, Guard, Lost, Piped, Pool, SpawnError};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::harness::{TIMEOUT, check_gone, command, guard, interpreter, python};

/// Answers each line with its own id and that of its guard.
const IDS: &str = "while read -r line; do echo $$ $PPID; done";

/// Far below [`TIMEOUT`], far above the time that an end needs.
const SOON: Duration = Duration::from_secs(20);

fn pool() -> Pool {
    Pool::new(guard())
}

fn shell(code: &str) -> Command {
    command(&["sh", "-c", code])
}

fn take(pool: &Pool, command: &Command) -> Piped {
    pool.take(command).expect("the guard is there")
}

/// Sends a line, and returns the answer up to this number of line ends.
fn lines(piped: &mut Piped, line: &[u8], mut number: usize) -> Result<String, Lost> {
    let mut answer = Vec::new();
    piped.exchange(line, TIMEOUT, &mut |bytes| {
        answer.extend_from_slice(bytes);
        number -= bytes.iter().filter(|byte| **byte == b'\n').count();
        number == 0
    })?;
    Ok(String::from_utf8(answer).expect("text"))
}

fn ask(piped: &mut Piped) -> Result<String, Lost> {
    lines(piped, b"go\n", 1)
}

/// The process of a child of [`IDS`], and its guard.
fn ids(piped: &mut Piped) -> (String, String) {
    let answer = ask(piped).expect("it answers");
    let (own, guard) = answer.trim().split_once(' ').expect("two ids");
    (own.to_owned(), guard.to_owned())
}

fn pid(id: &str) -> Pid {
    Pid::from_raw(id.parse().expect("the id of a process")).expect("ids are above 0")
}

#[test]
fn lines_are_answered_in_order_and_without_allocations() {
    let pool = pool();
    let mut cat = take(&pool, &command(&["cat"]));
    for number in 0..10_000 {
        let line = format!("line {number}\n");
        assert_eq!(lines(&mut cat, line.as_bytes(), 1), Ok(line));
    }
    let used = allocation_counter::measure(|| {
        let mut length = 0;
        let took = cat.exchange(b"abc\n", TIMEOUT, &mut |bytes| {
            length += bytes.len();
            length == 4
        });
        assert!(took.is_ok_and(|took| took > Duration::ZERO && took < TIMEOUT));
    });
    assert_eq!(used.count_total, 0);
}

#[test]
fn a_line_without_an_answer_is_only_written() {
    let pool = pool();
    let mut child = take(&pool, &shell("read -r first; read -r second; echo $first $second; read -r last"));
    let took = child.exchange(b"one\n", TIMEOUT, &mut |bytes| bytes.is_empty());
    assert!(took.as_ref().is_ok_and(|took| *took < SOON), "{took:?}");
    assert_eq!(lines(&mut child, b"two\n", 1).as_deref(), Ok("one two\n"));
}

#[test]
fn a_program_that_does_not_flush_is_late() {
    let code = "import sys\nfor line in sys.stdin: print(line, end='')";
    let program = command(&[&interpreter().0, "-S", "-c", code]);
    let pool = pool();
    let late =
        take(&pool, &program).exchange(b"go\n", Duration::from_millis(300), &mut |bytes| !bytes.is_empty());
    assert_eq!(late, Err(Lost::Late));
    // The command for agents sees to it.
    let words = [&*interpreter().0, "-S", "-c", code].map(str::to_owned);
    let flushing = Command::for_agent(&words, program.folder);
    assert_eq!(ask(&mut take(&pool, &flushing)).as_deref(), Ok("go\n"));
}

#[test]
fn an_agent_gets_its_words_its_folder_and_the_usual_environment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let code =
        "import os, sys; print(os.getcwd(), sys.argv[1], sys.flags.utf8_mode, 'PATH' in os.environ); input()";
    let words = [&*interpreter().0, "-S", "-c", code, "a b"].map(str::to_owned);
    let pool = pool();
    let answer = ask(&mut take(&pool, &Command::for_agent(&words, folder.clone())));
    assert_eq!(answer, Ok(format!("{} a b 1 True\n", folder.display())));
    let nothing = ask(&mut take(&pool, &Command::for_agent(&[], folder)));
    assert!(matches!(&nothing, Err(Lost::NotStarted(reason)) if reason.starts_with("``: ")), "{nothing:?}");
}

#[test]
fn a_child_may_write_before_it_reads() {
    let code = "
print('x' * 300000)
print(len(input()))
input()
";
    let pool = pool();
    let mut child = take(&pool, &python(code));
    let line = "y".repeat(300_000) + "\n";
    let answer = lines(&mut child, line.as_bytes(), 2).unwrap();
    assert_eq!((answer.len(), &answer[300_001..]), (300_001 + 7, "300000\n"));
}

/// The answer comes before the line was read, and the next line is read from its beginning nevertheless.
#[test]
fn a_line_is_written_whole_also_if_the_answer_comes_first() {
    let code = "
import sys
sys.stdout.write('early\\n')
print(len(input()))
print(len(input()))
input()
";
    let pool = pool();
    let mut child = take(&pool, &python(code));
    let line = "y".repeat(1_000_000) + "\n";
    let mut calls = 0;
    let took = child.exchange(line.as_bytes(), TIMEOUT, &mut |bytes| {
        calls += usize::from(!bytes.is_empty());
        calls == 1
    });
    assert!(took.is_ok(), "{took:?}");
    assert_eq!(calls, 1);
    assert!(lines(&mut child, b"go\n", 2).unwrap().ends_with("1000000\n2\n"));
}

#[test]
fn standard_error_blocks_no_child_and_its_end_is_told() {
    let code = "
import sys
input()
sys.stderr.write('e' * 1000000 + 'last words\\n')
print('answer')
input()
sys.exit('good\\x1bbye')
";
    let pool = pool();
    let mut child = take(&pool, &python(code));
    assert_eq!(child.told(), "");
    assert_eq!(ask(&mut child).as_deref(), Ok("answer\n"));
    // The answer may be faster than the last bytes of standard error.
    let start = Instant::now();
    while !child.told().ends_with("last words\n") {
        assert!(start.elapsed() < TIMEOUT, "{}", child.told());
        thread::yield_now();
    }
    assert!(child.told().starts_with("[999011 bytes before this are not kept]\ne"), "{}", child.told());
    assert_eq!(ask(&mut child), Err(Lost::Ended("ended with exit code 1".to_owned())));
    assert!(child.told().ends_with("last words\ngood\\u{1b}bye\n"), "{}", child.told());
}

#[test]
fn the_end_of_a_child_is_told_in_words() {
    let pool = pool();
    let ended = |words: &str| Err(Lost::Ended(words.to_owned()));
    assert_eq!(ask(&mut take(&pool, &shell("read -r line; exit 3"))), ended("ended with exit code 3"));
    assert_eq!(ask(&mut take(&pool, &shell("exit 3"))), ended("ended with exit code 3"));
    assert_eq!(ask(&mut take(&pool, &shell("read -r line; kill -9 $$"))), ended("was ended by signal 9"));
    let start = Instant::now();
    let left = ask(&mut take(&pool, &shell("sleep 60 & read -r line; exit 3")));
    assert_eq!(left, ended("ended with exit code 3; it left 1 process behind, which was killed"));
    assert!(start.elapsed() < SOON);
    // Its last words count.
    assert_eq!(ask(&mut take(&pool, &shell("read -r line; echo bye; exit 3"))).as_deref(), Ok("bye\n"));
    let absent = ask(&mut take(&pool, &command(&["no-such-program-anywhere"]))).unwrap_err();
    let Lost::NotStarted(reason) = &absent else { panic!("{absent:?}") };
    assert!(reason.starts_with("`no-such-program-anywhere`: No such file"), "{reason}");
    assert_eq!(absent.to_string(), format!("could not be started: {reason}"));
}

/// Here the pipe stays open: this test holds it.
#[test]
fn the_end_of_a_child_is_seen_while_others_hold_its_pipe() {
    let pool = pool();
    let mut child = take(&pool, &shell(&format!("echo $$; read -r line; {IDS}")));
    let id = lines(&mut child, b"", 1).unwrap();
    let held = OpenOptions::new().write(true).open(format!("/proc/{}/fd/1", id.trim())).unwrap();
    kill_process(pid(id.trim()), Signal::KILL).unwrap();
    let start = Instant::now();
    let reader = &mut |bytes: &[u8]| !bytes.is_empty();
    let lost = child.exchange(&[b'x'; 300_000], TIMEOUT, reader).unwrap_err();
    assert_eq!(lost, Lost::Ended("was ended by signal 9".to_owned()));
    assert_eq!(child.exchange(b"", TIMEOUT, reader), Err(lost));
    assert!(start.elapsed() < SOON);
    drop(held);
}

/// No child ends here, so no report of an end is waited for.
#[test]
fn a_stream_that_a_child_closes_is_closed_while_it_runs() {
    let begun = Instant::now();
    let pool = Pool::with_report_limit(guard(), Duration::from_millis(100));
    let mut child = take(&pool, &shell("read -r line; exec >&-; read -r line"));
    assert_eq!(ask(&mut child), Err(Lost::Closed));
    let mut child = take(&pool, &shell("exec <&-; echo closed; exec sleep 1000"));
    assert_eq!(lines(&mut child, b"", 1).as_deref(), Ok("closed\n"));
    // The guard has a copy of the stream's end until it sees that the child runs.
    let lost = child.exchange(&[b'x'; 300_000], TIMEOUT, &mut |_| false);
    assert_eq!(lost, Err(Lost::Closed));
    // The line was written: the child may have read it, and may answer.
    let start = Instant::now();
    let mut child = take(&pool, &shell("read -r line; exec <&-; exec sleep 1000"));
    assert_eq!(ask(&mut child), Err(Lost::Closed));
    assert!(start.elapsed() < SOON);
    let mut child = take(&pool, &shell("read -r line; exec <&-; sleep 0.1; echo last; exec sleep 1000"));
    assert_eq!(ask(&mut child).as_deref(), Ok("last\n"));
    assert_eq!(ask(&mut child), Err(Lost::Closed));
    // With the usual limit, three of these waits take longer.
    assert!(begun.elapsed() < 3 * Pool::REPORT_LIMIT);
}

#[test]
fn a_limit_is_kept_while_a_child_writes_and_while_it_does_not_read() {
    let pool = pool();
    let limit = Duration::from_millis(100);
    for (code, line) in [("yes", 3), ("exec sleep 1000", 300_000)] {
        let start = Instant::now();
        let late = take(&pool, &shell(code)).exchange(&vec![b'x'; line], limit, &mut |_| false);
        assert_eq!(late, Err(Lost::Late), "{code}");
        assert!(start.elapsed() >= limit && start.elapsed() < SOON);
    }
}

#[test]
fn an_exchange_that_was_late_goes_on_with_the_next_one() {
    let pool = pool();
    let mut cat = take(&pool, &command(&["cat"]));
    // More than a pipe holds.
    let line = [vec![b'x'; 300_000], vec![b'\n']].concat();
    assert_eq!(cat.exchange(&line, Duration::ZERO, &mut |_| false), Err(Lost::Late));
    assert_eq!(lines(&mut cat, b"", 1).map(String::into_bytes), Ok(line));
    assert_eq!(lines(&mut cat, b"next\n", 1).as_deref(), Ok("next\n"));
}

#[test]
fn a_dropped_child_leaves_no_process() {
    let pool = pool();
    let mut child = take(&pool, &shell("sleep 1000 & read -r line; echo $$ $PPID; echo $!; wait"));
    let answer = lines(&mut child, b"go\n", 2).unwrap();
    drop(child);
    answer.split_whitespace().for_each(check_gone);
}

/// It reads the end of its input, and is not stopped while it ends by itself.
#[test]
fn a_dropped_child_can_save_what_it_has_learned() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved");
    let code = format!("read -r line; echo ok; cat; sleep 0.1; echo done > '{}'", saved.display());
    let pool = pool();
    let mut child = take(&pool, &shell(&code));
    assert_eq!(ask(&mut child).as_deref(), Ok("ok\n"));
    drop(child);
    drop(pool);
    assert_eq!(std::fs::read_to_string(saved).unwrap(), "done\n");
}

#[test]
fn a_dropped_pool_leaves_no_process() {
    let (pool, program) = (pool(), shell(IDS));
    let clone = pool.clone();
    let (mut idle, mut taken) = (take(&pool, &program), take(&clone, &program));
    let [idle_ids, taken_ids] = [ids(&mut idle), ids(&mut taken)];
    pool.give_back(idle);
    drop(pool);
    assert_eq!(ids(&mut taken), taken_ids);
    drop(clone);
    for id in [idle_ids.0, idle_ids.1, taken_ids.0, taken_ids.1] {
        assert_eq!(test_kill_process(pid(&id)), Err(Errno::SRCH));
    }
    assert_eq!(ask(&mut taken), Err(Lost::Ended("was stopped".to_owned())));
}

#[test]
fn a_child_that_is_given_back_is_used_again() {
    let (pool, program) = (pool(), shell(IDS));
    let mut first = take(&pool, &program);
    let first_ids = ids(&mut first);
    pool.give_back(first);
    let other = shell(&format!("{IDS} "));
    assert_ne!(ids(&mut take(&pool, &other)), first_ids);
    let mut again = take(&pool.clone(), &program);
    assert_eq!(ids(&mut again), first_ids);
    let mut second = take(&pool, &program);
    assert_ne!(ids(&mut second), first_ids);
    assert_eq!(ids(&mut again), first_ids);
}

#[test]
fn a_child_that_has_died_while_idle_is_replaced() {
    let (pool, program) = (pool(), shell(IDS));
    let mut child = take(&pool, &program);
    let (id, _) = ids(&mut child);
    pool.give_back(child);
    kill_process(pid(&id), Signal::KILL).unwrap();
    check_gone(&id);
    let mut child = take(&pool, &program);
    let (other, _) = ids(&mut child);
    assert_ne!(other, id);
    // Neither is one kept that died before.
    kill_process(pid(&other), Signal::KILL).unwrap();
    check_gone(&other);
    pool.give_back(child);
    assert!(ask(&mut take(&pool, &program)).is_ok());
}

#[test]
fn a_child_whose_exchange_failed_is_not_kept() {
    let (pool, program) = (pool(), shell(IDS));
    let mut child = take(&pool, &program);
    let (id, _) = ids(&mut child);
    assert_eq!(child.exchange(b"", Duration::ZERO, &mut |_| false), Err(Lost::Late));
    pool.give_back(child);
    check_gone(&id);
}

#[test]
fn few_idle_children_are_kept_for_a_command() {
    let (pool, program) = (pool(), shell(IDS));
    let mut children: Vec<_> = (0..=Pool::MOST_IDLE).map(|_| take(&pool, &program)).collect();
    let all: Vec<_> = children.iter_mut().map(|child| ids(child).0).collect();
    let mut other = take(&pool, &shell(&format!("{IDS} ")));
    let other_ids = ids(&mut other);
    pool.give_back(other);
    children.into_iter().for_each(|child| pool.give_back(child));
    check_gone(&all[0]);
    let mut kept: Vec<_> = (0..Pool::MOST_IDLE).map(|_| take(&pool, &program)).collect();
    let mut ids_kept: Vec<_> = kept.iter_mut().map(|child| ids(child).0).collect();
    ids_kept.reverse();
    assert_eq!(ids_kept, all[1..]);
    assert_eq!(ids(&mut take(&pool, &shell(&format!("{IDS} ")))), other_ids);
}

#[test]
fn threads_share_a_pool() {
    let (pool, program) = (pool(), command(&["cat"]));
    thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let (pool, program) = (pool.clone(), &program);
            scope.spawn(move || {
                for number in 0..20 {
                    let mut child = take(&pool, program);
                    let line = format!("{name} {number}\n");
                    assert_eq!(lines(&mut child, line.as_bytes(), 1), Ok(line));
                    pool.give_back(child);
                }
            });
        }
    });
}

#[test]
fn a_child_that_has_no_guard_is_an_error() {
    let mut nowhere = command(&["true"]);
    nowhere.folder = "/no/such/folder".into();
    let pool = pool();
    let error = pool.take(&nowhere).map(drop);
    assert!(matches!(error, Err(SpawnError::Folder { .. })), "{error:?}");
    // The pool serves others.
    assert_eq!(ask(&mut take(&pool, &command(&["cat"]))).as_deref(), Ok("go\n"));
    let absent = Pool::new(Guard::new("/no/such/guard")).take(&command(&["true"])).map(drop);
    assert!(
        matches!(&absent, Err(SpawnError::Guard { source, .. }) if source.kind() == ErrorKind::NotFound),
        "{absent:?}"
    );
}
