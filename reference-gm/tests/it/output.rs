//! Games whose output nobody reads, and replays that cannot be written.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, PipeReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{ChildStderr, Command, Stdio};
use std::sync::mpsc;

use game_env::replay::Playback;
use game_project::{Action, State, Team};
use reference_gm::printer::Printer;
use wire::frame;
use wire::project::{AgentNumber, Dialect, Request, Writer};

use crate::run::program;
use crate::served::process::Program;

/// A writer that reports each call, and waits until it may go on.
struct Reluctant {
    called: mpsc::Sender<String>,
    go_on: mpsc::Receiver<()>,
}

impl Write for Reluctant {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.called.send(String::from_utf8(text.to_vec()).unwrap()).unwrap();
        self.go_on.recv().unwrap();
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn lines_that_nobody_reads_are_counted_and_left_out() {
    let ((called, calls), (go_on, gone_on)) = (mpsc::channel(), mpsc::channel());
    let printer = Printer::new(Reluctant { called, go_on: gone_on }).unwrap();
    printer.say("first");
    assert_eq!(calls.recv().unwrap(), "first\n");
    // The thread waits for its reader; the callers do not.
    for line in 0..5000 {
        printer.say(line);
    }
    printer.print("the statistics\n".to_owned());
    assert!(printer.check().is_err());
    go_on.send(()).unwrap();
    let text = calls.recv().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[999], lines[1000]), ("0", "999", "the statistics"));
    assert_eq!(lines[1001..], ["… 4000 lines are left out: they were not read in time"]);
    printer.say("last");
    go_on.send(()).unwrap();
    assert_eq!(calls.recv().unwrap(), "last\n");
    go_on.send(()).unwrap();
    printer.drained().await;
    printer.check().unwrap();
}

/// The program, hosting a game of one against one; the test is its communication server.
struct Hosted {
    child: Program,
    server: TcpStream,
    complained: BufReader<ChildStderr>,
}

impl Hosted {
    fn start(folder: &Path, words: &[&str], out: Stdio) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut child = program(folder, &["--headless", "--start-when-full", "--set", "teamSize=1"])
            .args(["--cs", &listener.local_addr().unwrap().to_string()])
            .args(words)
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (server, _) = listener.accept().unwrap();
        let mut complained = BufReader::new(child.stderr.take().unwrap());
        let mut greeting = String::new();
        complained.read_line(&mut greeting).unwrap();
        assert!(greeting.starts_with("connected to "), "{greeting}");
        let mut hosted = Self { child: Program(child), server, complained };
        for (agent, team) in [(1, Team::Red), (2, Team::Blue)] {
            hosted.say(agent, &Request::Join { team });
        }
        // The game has begun when something is served.
        hosted.say(1, &Action::Discover.into());
        while hosted.hear() != 103 {}
        hosted
    }

    fn say(&mut self, agent: i64, request: &Request) {
        let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
        let mut bytes = Vec::new();
        frame::write_with(&mut bytes, |out| writer.request(out, AgentNumber(agent), request)).unwrap();
        self.server.write_all(&bytes).unwrap();
    }

    /// The number of the next message that it sends.
    fn hear(&mut self) -> i64 {
        let mut length = [0; 2];
        self.server.read_exact(&mut length).unwrap();
        let mut body = vec![0; u16::from_le_bytes(length).into()];
        self.server.read_exact(&mut body).unwrap();
        wire::envelope::Envelope::parse(&body).unwrap().message_id
    }

    fn signal(&self, name: &str) {
        let sent =
            Command::new("sh").args(["-c", &format!("kill {name} {}", self.child.id())]).status().unwrap();
        assert!(sent.success());
    }

    /// Stops it; returns its exit code and its standard error.
    fn stop(self) -> (Option<i32>, String) {
        self.signal("-TERM");
        self.end()
    }

    fn end(mut self) -> (Option<i32>, String) {
        self.server.read_to_end(&mut Vec::new()).unwrap();
        self.server.shutdown(Shutdown::Write).unwrap();
        let mut told = String::new();
        self.complained.read_to_string(&mut told).unwrap();
        (self.child.wait().unwrap().code(), told)
    }
}

/// Panics unless this is a whole replay.
fn check_replay(path: &Path) {
    let mut playback = Playback::<State>::open(File::open(path).unwrap()).unwrap();
    assert!(playback.run(&mut ()).unwrap().completeness.is_complete());
}

/// A pipe that has no room left, and its end for readers.
fn full_pipe() -> (PipeReader, io::PipeWriter) {
    let (reader, mut writer) = io::pipe().unwrap();
    let flags = rustix::fs::fcntl_getfl(&writer).unwrap();
    rustix::fs::fcntl_setfl(&writer, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    while writer.write(&[b'.'; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writer, flags).unwrap();
    (reader, writer)
}

#[test]
fn a_game_waits_for_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    for words in [&["--replay", "game.replay"][..], &["--replay", "game.replay", "--json"]] {
        let (reader, writer) = full_pipe();
        // The answer shows that nothing waits.
        let hosted = Hosted::start(folder.path(), words, writer.into());
        let (code, told) = hosted.stop();
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains("error: cannot write all output to standard output"), "{told}");
        check_replay(&folder.path().join("game.replay"));
        drop(reader);
    }
}

#[test]
fn the_replay_is_whole_when_the_statistics_cannot_be_printed() {
    let folder = tempfile::tempdir().unwrap();
    for words in [&["--replay", "game.replay"][..], &["--replay", "game.replay", "--json"]] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let (code, told) = Hosted::start(folder.path(), words, writer.into()).stop();
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains("the replay is game.replay"), "{told}");
        assert!(told.contains("error: cannot write all output to standard output"), "{told}");
        check_replay(&folder.path().join("game.replay"));
    }
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = program(folder.path(), &["verify", "game.replay"]).stdout(writer).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: cannot write to standard output"), "{told}");
    assert_eq!(output.status.code(), Some(1));
}

/// Agents that want to know which of their questions were passed on are informed, whichever way they are named.
#[test]
fn a_game_starts_after_a_time_and_tells_those_who_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let words = ["--headless", "--start-when-full", "--start-after", "0.01", "--ack", "red", "--ack", "2"];
    let mut child = program(folder.path(), &words)
        .args(["--cs", &listener.local_addr().unwrap().to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (server, _) = listener.accept().unwrap();
    let mut complained = BufReader::new(child.stderr.take().unwrap());
    let mut greeting = String::new();
    complained.read_line(&mut greeting).unwrap();
    let starts = "; starts when both teams are full; starts after 0.01 s with the agents that have joined\n";
    assert!(greeting.ends_with(starts), "{greeting}");
    let mut hosted = Hosted { child: Program(child), server, complained };
    // The teams are not full, and never will be.
    for (agent, team) in [(1, Team::Red), (2, Team::Blue)] {
        hosted.say(agent, &Request::Join { team });
    }
    assert_eq!([(); 4].map(|()| hosted.hear()), [107, 107, 105, 105]);
    hosted.say(1, &Action::Ask(AgentNumber(2)).into());
    assert_eq!([hosted.hear(), hosted.hear()], [106, 113]);
    hosted.say(2, &Action::Ask(AgentNumber(1)).into());
    assert_eq!([hosted.hear(), hosted.hear()], [106, 113]);
    assert_eq!(hosted.stop().0, Some(0));
}

#[test]
fn a_replay_that_cannot_be_written_is_said_twice_and_fails_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let hosted = Hosted::start(folder.path(), &["--json", "--replay", "/dev/full"], Stdio::null());
    let (code, told) = hosted.stop();
    assert_eq!(code, Some(1), "{told}");
    let why = "cannot write /dev/full: No space left on device";
    assert!(told.contains(&format!("warning: {why}")), "{told}");
    assert!(told.contains("; the game goes on without it"), "{told}");
    let last: Vec<&str> = told.lines().rev().take(2).collect();
    assert!(last[1].starts_with(&format!("error: {why}")), "{told}");
    assert_eq!(last[0], "hint: choose another place for replays, or free disk space");
    assert!(Path::new("/dev/full").exists());
}

#[test]
fn a_terminal_that_goes_away_stops_the_game_as_a_signal_does() {
    let folder = tempfile::tempdir().unwrap();
    let hosted = Hosted::start(folder.path(), &["--replay", "game.replay"], Stdio::null());
    hosted.signal("-HUP");
    if is_hang_up_ignored() {
        // The tests themselves were started by `nohup`, and so was the game master: it goes on.
        hosted.signal("-TERM");
    }
    assert_eq!(hosted.end().0, Some(0));
    check_replay(&folder.path().join("game.replay"));
    fs::remove_file(folder.path().join("game.replay")).unwrap();
}

/// Returns whether this program ignores SIGHUP, and its children with it.
fn is_hang_up_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1
}

#[test]
fn a_connection_that_served_a_game_was_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut hosted = Hosted::start(folder.path(), &[], Stdio::null());
    hosted.server.shutdown(Shutdown::Both).unwrap();
    let mut told = String::new();
    hosted.complained.read_to_string(&mut told).unwrap();
    assert_eq!(hosted.child.wait().unwrap().code(), Some(1));
    assert!(told.contains("was lost: it closed the connection\n"), "{told}");
    assert!(!told.contains("if it was never one"), "{told}");
}
