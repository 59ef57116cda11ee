//! The standard streams of children.

use child_process::{Guard, How, SpawnError, Stream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::harness::{TIMEOUT, command, ended, guard, python, run, spawn};

#[tokio::test]
async fn a_child_ends_by_itself_and_its_last_words_are_kept() {
    let program = python("import sys; print('out'); print('a' * 2000 + 'end', file=sys.stderr); sys.exit(3)");
    let ended = run(&program).await;
    assert_eq!((ended.how.clone(), ended.stop, ended.left_behind), (How::Exited(3), None, 0));
    assert_eq!(ended.output.to_string(), "out\n");
    assert_eq!((ended.errors.bytes().count(), ended.errors.total()), (1000, 2004));
    assert!(ended.errors.to_string().ends_with("aend\n"), "{}", ended.errors);
    assert_eq!(ended.to_string(), "ended with exit code 3");
    let killed = run(&python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")).await;
    assert_eq!(killed.how, How::Signalled(11));
}

/// A child gets its arguments, its environment and its folder, and nothing else.
#[tokio::test]
async fn a_child_has_no_environment_but_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = python("import os, sys; print(sorted(os.environ), os.getcwd(), sys.argv[1:])");
    program.arguments.push("a b\n--".into());
    program.environment.push(("AGENT_PORT".into(), "1".into()));
    program.folder = folder.path().canonicalize().unwrap();
    let output = run(&program).await.output.to_string();
    let folder = program.folder.display();
    assert_eq!(output.replace(", 'LC_CTYPE'", ""), format!("['AGENT_PORT', 'PATH'] {folder} ['a b\\n--']\n"));
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let ended = run(&command(&["no-such-program-anywhere"])).await;
    let How::NotStarted(reason) = &ended.how else { panic!("{ended:?}") };
    assert!(reason.starts_with("`no-such-program-anywhere`: No such file"), "{reason}");
    assert!(ended.errors.is_empty());
    let mut nowhere = command(&["true"]);
    nowhere.folder = "/no/such/folder".into();
    assert!(matches!(guard().spawn(&nowhere).await, Err(SpawnError::Folder { .. })));
    let nul = guard().spawn(&command(&["true", "a\0b"])).await.map_err(|error| error.to_string());
    assert_eq!(nul.unwrap_err(), "`a\\u{0}b` has the character U+0000: expected words without it");
    let absent = Guard::new("/no/such/guard").spawn(&command(&["true"])).await;
    assert!(matches!(absent, Err(SpawnError::Guard { .. })), "{absent:?}");
    let other = Guard::new("/bin/false").spawn(&command(&["true"])).await;
    assert!(matches!(other, Err(SpawnError::Silent { .. })), "{other:?}");
}

/// `env` passes its words on to the guard, as an interpreter would pass them on to a program that calls the guard.
#[tokio::test]
async fn a_guard_can_be_started_by_another_program() {
    let own = env!("CARGO_BIN_EXE_child-process-guard");
    let other = Guard::new("/usr/bin/env").with_leading([own.into()]);
    let mut child = other.spawn(&command(&["echo", "hello"])).await.unwrap();
    let ended = child.ended().await;
    assert_eq!((ended.how.clone(), ended.output.to_string()), (How::Exited(0), "hello\n".to_owned()));
    let without = Guard::new("/usr/bin/env").spawn(&command(&["true"])).await;
    assert!(matches!(without, Err(SpawnError::Silent { .. })), "{without:?}");
}

#[tokio::test]
async fn the_caller_may_talk_to_a_child() {
    let mut program = command(&["cat"]);
    (program.input, program.output) = (Stream::Piped, Stream::Piped);
    let mut child = spawn(&program).await;
    let (mut input, mut output) = (child.take_input().unwrap(), child.take_output().unwrap());
    input.write_all(b"hello\n").await.unwrap();
    let mut line = [0; 6];
    output.read_exact(&mut line).await.unwrap();
    assert_eq!(&line, b"hello\n");
    drop(input);
    assert_eq!(ended(&mut child).await.how, How::Exited(0));
}

#[tokio::test]
async fn a_stream_that_a_child_closes_is_closed_while_it_runs() {
    let mut program = command(&["sh", "-c", "exec >&-; read -r line"]);
    (program.input, program.output) = (Stream::Piped, Stream::Piped);
    let mut child = spawn(&program).await;
    let (mut input, mut output) = (child.take_input().unwrap(), child.take_output().unwrap());
    let mut rest = Vec::new();
    timeout(TIMEOUT, output.read_to_end(&mut rest)).await.expect("its output ends").unwrap();
    // It still runs: it waits for this line.
    input.write_all(b"on\n").await.unwrap();
    assert_eq!(ended(&mut child).await.how, How::Exited(0));

    program.arguments = ["-c", "exec <&-; echo closed; exec sleep 1000"].map(Into::into).to_vec();
    let mut child = spawn(&program).await;
    let (mut input, mut output) = (child.take_input().unwrap(), child.take_output().unwrap());
    output.read_exact(&mut [0; 7]).await.unwrap();
    // The guard has a copy of the stream's end until it sees that the child runs.
    let refusal = async {
        loop {
            if let Err(error) = input.write_all(b"on\n").await {
                return error.kind();
            }
        }
    };
    let refusal = timeout(TIMEOUT, refusal).await.expect("writing fails");
    assert_eq!(refusal, std::io::ErrorKind::BrokenPipe);
    child.stop();
    ended(&mut child).await;
}
