//! The program at a terminal: keys work without Enter, and the terminal is left as it was.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{ChildStderr, ChildStdout, Command, Stdio};

use game_project::Team;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{LocalModes, OutputModes, Termios, tcgetattr};
use tcp::ReservedPort;
use wire::frame;
use wire::project::{AgentNumber, Dialect, Request, Writer};

use crate::browser::Site;
use crate::run::{PROGRAM, program};
use crate::served::process::Program;

/// The program at a terminal of its own, connected to a server that sends nothing.
struct Session {
    terminal: File,
    before: Termios,
    child: Program,
    said: BufReader<ChildStdout>,
    complained: BufReader<ChildStderr>,
    server: TcpStream,
    /// The address of its board, if it has one.
    url: Option<String>,
}

impl Session {
    fn start() -> Self {
        Self::with(&["--no-page"])
    }

    fn with(words: &[&str]) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
        let terminal = openpt(flags | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let keyboard = ioctl_tiocgptpeer(&terminal, flags).unwrap();
        let before = tcgetattr(&keyboard).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut command = program(".".as_ref(), &["--cs", &address]);
        command.args(words).stdin(keyboard);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (server, _) = listener.accept().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let complained = BufReader::new(child.stderr.take().unwrap());
        let mut session = Self {
            terminal: terminal.into(),
            before,
            child: Program(child),
            said,
            complained,
            server,
            url: None,
        };
        let mut greeting = session.complaint();
        if let Some(url) = greeting.strip_prefix("the game page is at ") {
            session.url = Some(url.trim().to_owned());
            greeting = session.complaint();
        }
        assert!(greeting.ends_with("; press Enter to start, q to stop\n"), "{greeting}");
        session
    }

    fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    fn complaint(&mut self) -> String {
        let mut line = String::new();
        self.complained.read_line(&mut line).unwrap();
        line
    }

    /// Has these agents join, one after the other.
    fn join(&mut self, agents: &[(i64, Team)]) {
        for &(agent, team) in agents {
            let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
            let mut join = Vec::new();
            let request = Request::Join { team };
            frame::write_with(&mut join, |out| writer.request(out, AgentNumber(agent), &request)).unwrap();
            self.server.write_all(&join).unwrap();
            assert_eq!(self.line(), format!("agent {agent} joins {team}\n"));
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line
    }

    /// Returns the rest of its output, and its exit code, when it has ended and left the terminal as it was.
    fn end(mut self) -> (String, Option<i32>) {
        // It waits for its server to close as well.
        assert_eq!(self.server.read(&mut [0]).unwrap(), 0);
        drop(self.server);
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        self.complained.read_to_string(&mut said).unwrap();
        let code = self.child.wait().unwrap().code();
        let after = tcgetattr(&self.terminal).unwrap();
        assert_eq!(format!("{after:?}"), format!("{:?}", self.before));
        (said, code)
    }
}

#[test]
fn keys_work_without_enter_and_are_not_shown() {
    let mut session = Session::start();
    let during = tcgetattr(&session.terminal).unwrap();
    assert!(!during.local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO));
    assert_eq!(during.output_modes, session.before.output_modes, "what is printed looks as always");
    assert!(during.output_modes.contains(OutputModes::OPOST));
    for key in ["s", "\r", " "] {
        session.press(key);
        assert_eq!(session.line(), "the game cannot start: red has no agents\n");
    }
    // Nothing, Ctrl-D, Ctrl-S, Ctrl-Z: none of them is to do anything.
    session.press("x\x04\x13\x1a");
    session.press("q");
    assert_eq!(session.end(), ("the game is called off\n".to_owned(), Some(0)));
}

/// The program at a terminal, with a configuration file that has a fault.
fn start_with_fault(folder: &std::path::Path, words: &[&str]) -> (File, Program, BufReader<ChildStderr>) {
    std::fs::write(folder.join("gm.json"), r#"{"boardX": 0}"#).unwrap();
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let terminal = openpt(flags | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let keyboard = ioctl_tiocgptpeer(&terminal, flags).unwrap();
    let mut command = program(folder, &["--no-page", "--config", "gm.json"]);
    command.args(words).stdin(keyboard);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let complained = BufReader::new(child.stderr.take().unwrap());
    (terminal.into(), Program(child), complained)
}

const FAULT: [&str; 2] = [
    "error: boardX = 0: it is too small (in the file); allowed: a whole number from 1 to 4096",
    "correct gm.json and press Enter to read it again; q and Enter to give up",
];

#[test]
fn a_person_at_the_terminal_may_correct_a_faulty_file() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (mut terminal, mut child, complained) = start_with_fault(folder.path(), &["--cs", &address]);
    let mut lines = complained.lines().map(Result::unwrap);
    for _ in 0..2 {
        assert_eq!([lines.next().unwrap(), lines.next().unwrap()], FAULT);
        terminal.write_all(b"\n").unwrap();
    }
    assert_eq!([lines.next().unwrap(), lines.next().unwrap()], FAULT);
    std::fs::write(folder.path().join("gm.json"), r#"{"boardX": 7}"#).unwrap();
    terminal.write_all(b"\n").unwrap();
    drop(listener.accept().unwrap());
    assert!(lines.next().unwrap().contains("; board 7×40, up to 2 agents"));
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_person_who_gives_up_is_not_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut terminal, mut child, complained) = start_with_fault(folder.path(), &[]);
    let mut lines = complained.lines().map(Result::unwrap);
    assert_eq!([lines.next().unwrap(), lines.next().unwrap()], FAULT);
    terminal.write_all(b"q\n").unwrap();
    assert_eq!((child.wait().unwrap().code(), lines.next()), (Some(2), None));
    // Flags cannot be corrected any more.
    let (_terminal, mut child, complained) = start_with_fault(folder.path(), &["--set", "boardX=-1"]);
    let told: Vec<String> = complained.lines().map(Result::unwrap).collect();
    let fault = "error: boardX = -1: it is too small (in a flag); allowed: a whole number from 1 to 4096";
    let hint = "hint: `reference-gm config` lists all parameters";
    assert_eq!((child.wait().unwrap().code(), told), (Some(2), vec![fault.to_owned(), hint.to_owned()]));
}

/// The system stops a program in the background that touches its terminal.
#[test]
fn in_the_background_there_are_no_keys() {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let terminal = openpt(flags | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let keyboard = ioctl_tiocgptpeer(&terminal, flags).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // `timeout` runs its command in the background, as `&` does, and ends it should it be stopped.
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", "sh", "-c", r#"timeout --signal=KILL 300 "$0" "$@"; exit $?"#]);
    command.args([PROGRAM, "--no-page", "--cs", &address.to_string()]);
    let child = command.stdin(keyboard).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Gone as soon as it is there: the program says so and ends, unless it is stopped.
    drop(listener.accept().unwrap());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("nothing starts this game: use --start-after, a terminal or --page; a signal stops it"),
        "{told}"
    );
}

#[test]
fn ctrl_c_stops_as_a_signal_does() {
    let mut session = Session::start();
    session.press("\x03");
    assert_eq!(session.end(), ("the game is called off\n".to_owned(), Some(0)));
}

#[test]
fn what_ends_by_itself_waits_for_no_key() {
    let session = Session::start();
    session.server.shutdown(Shutdown::Write).unwrap();
    let (said, code) = session.end();
    assert!(said.contains("was lost: it closed the connection"), "{said}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let session = Session::start();
    let signal =
        Command::new("sh").args(["-c", &format!("kill -TERM {}", session.child.id())]).status().unwrap();
    assert!(signal.success());
    assert_eq!(session.end(), ("the game is called off\n".to_owned(), Some(0)));
}

#[tokio::test]
async fn after_a_game_its_board_stays_until_the_next_key() {
    let mut session = Session::with(&[]);
    let url = session.url.clone().expect("a board");
    session.join(&[(1, Team::Red), (2, Team::Blue)]);
    session.press("s");
    assert!(session.line().starts_with("the game starts: 1 red, 1 blue, seed "));
    session.press("q");
    assert_eq!(session.line(), "nobody wins, red 0 : 0 blue (stopped)\n");
    // The messages to agents are read to the end, and the connection closed, as a server does it.
    session.server.read_to_end(&mut Vec::new()).unwrap();
    session.server.shutdown(Shutdown::Write).unwrap();
    assert_eq!(
        session.complaint(),
        format!("the game is over; the game page stays at {url} until q or Ctrl-C\n")
    );
    let site = Site::of(&url);
    let mut viewer = site.watch(true).await;
    assert!(viewer.until("statistics").await.iter().any(|message| message["kind"] == "start"));
    assert_eq!(site.get("/statistics.json").await.json()["outcome"]["termination"], "stopped");
    session.press("s"); // nothing is to be started any more
    session.press("q");
    assert_eq!(viewer.next().await.unwrap()["kind"], "gone");
    assert_eq!(session.end().1, Some(0));
}

/// As a board outlives the game, the reason is not to wait for the end of the program.
#[tokio::test]
async fn a_server_that_is_lost_in_a_game_is_said_at_once() {
    let mut session = Session::with(&[]);
    let url = session.url.clone().expect("a board");
    session.join(&[(1, Team::Red), (2, Team::Blue)]);
    session.press("s");
    assert!(session.line().starts_with("the game starts: 1 red, 1 blue, seed "));
    let mut viewer = Site::of(&url).watch(false).await;
    viewer.until("start").await;
    session.server.shutdown(Shutdown::Both).unwrap();
    let lost = session.complaint();
    assert!(lost.starts_with("error: the communication server at 127.0.0.1:"), "{lost}");
    assert!(lost.ends_with(" was lost: it closed the connection\n"), "{lost}");
    assert_eq!(
        session.complaint(),
        "hint: start the server again, then this game master: a game cannot go on\n"
    );
    let told = viewer.until("server").await.pop().unwrap();
    assert_eq!((&told["state"], &told["why"]), (&"lost".into(), &"it closed the connection".into()));
    assert_eq!(
        session.complaint(),
        format!("the game is over; the game page stays at {url} until q or Ctrl-C\n")
    );
    let _ = session.server.read_to_end(&mut Vec::new());
    session.press("q");
    let goodbye = viewer.until("gone").await.pop().unwrap();
    assert!(goodbye["why"].as_str().unwrap().ends_with("was lost: it closed the connection"), "{goodbye}");
    let (said, code) = session.end();
    assert!(!said.contains("was lost"), "it is said twice: {said}");
    assert_eq!(code, Some(1));
}

/// The program at a terminal, with a server that is not there.
#[tokio::test]
async fn a_server_that_cannot_be_reached_is_chosen_on_the_board() {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let terminal = openpt(flags | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let keyboard = ioctl_tiocgptpeer(&terminal, flags).unwrap();
    let reserved = ReservedPort::new().unwrap();
    let nobody = reserved.address().to_string();
    let mut command = program(".".as_ref(), &["--cs", &nobody]);
    let mut child = command.stdin(keyboard).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut line = || lines.next().unwrap();
    let url = line().strip_prefix("the game page is at ").unwrap().to_owned();
    assert!(line().starts_with(&format!("error: no communication server at {nobody}: ")));
    assert!(line().starts_with("hint: "));
    assert_eq!(line(), "choose the server on the game page and connect; Enter tries again, q ends");
    let mut terminal = File::from(terminal);
    terminal.write_all(b"\r").unwrap();
    assert!(line().starts_with("error: no communication server"));
    line();
    line();
    let site = Site::of(&url);
    let mut viewer = site.watch(true).await;
    // The attempts may be seen as well.
    let failed = loop {
        let server = viewer.until("server").await.pop().unwrap();
        if server["state"] != "connecting" {
            break server;
        }
    };
    assert_eq!((&failed["state"], &failed["field"]), (&"failed".into(), &"CsPort".into()));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let settings = format!(r#"{{"CsPort": {}, "boardX": 7}}"#, address.port());
    assert_eq!(site.ask("PUT", "/settings", &settings).await.status, 200);
    assert_eq!(site.ask("POST", "/connect", "").await.status, 204);
    let (server, _) = listener.accept().unwrap();
    assert!(line().starts_with(&format!("connected to {address}; board 7×40, ")));
    while viewer.until("server").await.pop().unwrap()["state"] != "connected" {}
    // One that is lost in the lobby may come back.
    drop(server);
    assert!(line().contains("was lost: it closed the connection"));
    line();
    line();
    while viewer.until("server").await.pop().unwrap()["state"] != "lost" {}
    terminal.write_all(b"\r").unwrap();
    let (mut server, _) = listener.accept().unwrap();
    assert!(line().starts_with("connected to "));
    terminal.write_all(b"q").unwrap();
    assert_eq!(server.read(&mut [0]).unwrap(), 0);
    drop(server);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
