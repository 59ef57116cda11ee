//! Duels that an operator starts on the page.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::path::Path;
use std::process::{ChildStderr, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{HONEST, PATIENT, player, processes_in};
use crate::browser::{Site, Viewer};
use crate::run::program;
use crate::served::process::Program;

/// `reference-gm bricks serve`, and its output.
struct Referee {
    program: Program,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Referee {
    fn start(folder: &Path, words: &[&str]) -> (Self, Site) {
        let mut command = program(folder, &["bricks", "serve"]);
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let lines = BufReader::new(program.stderr.take().unwrap()).lines();
        let mut referee = Self { program: Program(program), lines };
        let line = referee.line("the page is at ");
        (referee, Site::of(line.split_once("is at ").unwrap().1))
    }

    /// The next line with this text.
    fn line(&mut self, text: &str) -> String {
        let found = self.lines.find_map(|line| Some(line.unwrap()).filter(|line| line.contains(text)));
        found.unwrap_or_else(|| panic!("no line has {text:?}"))
    }

    /// Ends it with a signal; returns its output.
    fn end(mut self) -> String {
        kill_process(Pid::from_child(&self.program), Signal::TERM).unwrap();
        // Nobody reads further lines: they have room in the pipe.
        let mut told = String::new();
        self.program.stdout.take().unwrap().read_to_string(&mut told).unwrap();
        assert!(self.program.wait().unwrap().success(), "{told}");
        told
    }
}

/// Returns the referee's answer to an order of its operator.
async fn order(site: &Site, path: &str, asked: &Value) -> (u16, Value) {
    let page = site.ask("POST", path, &asked.to_string()).await;
    (page.status, if page.body.is_empty() { Value::Null } else { page.json() })
}

/// A viewer of the first match, once there is one, that has received the board.
async fn watch(site: &Site) -> Viewer {
    loop {
        let mut viewer = site.connect("?match=1", None).await.unwrap();
        while let Some(message) = viewer.next().await {
            if message["kind"] == "start" {
                return viewer;
            }
            if message["kind"] == "matches" && message["matches"] == json!([]) {
                break;
            }
        }
    }
}

/// Waits until the page says that nothing runs any more: a duel takes a moment to end after its last line.
async fn rest(site: &Site) {
    let mut viewer = site.connect("", None).await.unwrap();
    while let Some(message) = viewer.next().await {
        if message["kind"] == "settings" && message["locked"] == false {
            return;
        }
    }
    panic!("the page has closed its feed");
}

/// Faults of the command line do not wait for the first start.
#[test]
fn faulty_folders_of_the_command_line_are_named_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("players/ada")).unwrap();
    let words = ["players", "--set", "first=ada", "--set", "second=bob"];
    let (mut referee, _) = Referee::start(folder.path(), &words);
    let told = referee.line("warning: no duel can start with these settings: first = ");
    assert!(told.contains("ada/info.txt: "), "{told}");
    referee.line("start duels on the page");
    referee.end();
}

#[tokio::test]
async fn an_operator_starts_steers_and_stops_duels() {
    let folder = tempfile::tempdir().unwrap();
    for nick in ["Ada", "Bob"] {
        player(&folder.path().join("players"), nick, HONEST);
    }
    let mut words = vec!["--replays", "replays"];
    words.extend(PATIENT);
    let (mut referee, site) = Referee::start(folder.path(), &words);
    assert_eq!(
        site.request("POST", "/start", "", "{}").await.status,
        403,
        "only the operator starts anything"
    );
    let (status, told) = order(&site, "/start", &json!({})).await;
    assert_eq!((status, told["faults"][0]["field"].as_str()), (422, Some("first")), "{told}");
    assert_eq!(order(&site, "/next", &json!({})).await.0, 409);
    assert_eq!(order(&site, "/stop", &json!({})).await.0, 409);
    // A duel by hand: each of its two bricks waits for the operator.
    let board = json!({
        "players": "players", "first": "Bob", "second": "Ada", "mode": "hand",
        "size": 3, "filledCells": "2x0_0x1_1x1_2x1_2x2",
    });
    assert_eq!(order(&site, "/start", &board).await, (204, Value::Null));
    let mut viewer = watch(&site).await;
    let (status, told) = order(&site, "/start", &board).await;
    assert_eq!((status, told["why"].as_str()), (409, Some("a match is still running: stop it first")));
    for brick in ["[[0,0],[1,0]]", "[[0,2],[1,2]]"] {
        assert_eq!(order(&site, "/next", &json!({})).await.0, 204);
        let event = loop {
            let message = viewer.next().await.expect("the feed goes on");
            if message["kind"] == "events" {
                break message["events"][0].clone();
            }
        };
        assert_eq!(event[3]["cells"].to_string(), brick, "{event}");
    }
    referee.line("the replay is replays/1.replay");
    // The next one goes by what was chosen before, where nothing else is asked for.
    // By hand still: it cannot end before it is stopped.
    rest(&site).await;
    assert_eq!(order(&site, "/start", &json!({})).await, (204, Value::Null));
    // An operator who has the answer can steer the duel: no page has to see first that it runs.
    assert_eq!(order(&site, "/next", &json!({})).await, (204, Value::Null));
    assert_eq!(order(&site, "/stop", &json!({})).await, (204, Value::Null));
    referee.line("the replay is replays/2.replay");
    // A signal ends a duel, and the referee.
    rest(&site).await;
    assert_eq!(order(&site, "/start", &json!({})).await, (204, Value::Null));
    referee.line("duel 3: 3×3 cells");
    let printed = referee.end();
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("duel 1: Bob – Ada: Player Ada won normally! (2 bricks, "), "{printed}");
    let stopped = ["duel 2", "duel 3"].map(|duel| format!("{duel}: the duel was stopped: nobody has won"));
    assert_eq!(lines[1..], stopped);
    assert!(processes_in(folder.path()).is_empty());
}

#[test]
fn what_cannot_be_served_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let run = super::referee(folder.path(), &["serve", "--size", "4"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
    let told: Vec<&str> = run.err.lines().collect();
    assert_eq!(
        told[..2],
        [
            "error: the configuration cannot be used",
            "size = 4: a board of 4×4 cells (in a flag); allowed: an odd number from 3 to 999",
        ]
    );
}
