//! The program for an operator: its output, and its exit codes.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use cs::router::Ending as ServerEnding;
use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Disruption, Environment, Limits, Rollout, Seed, SimTime, Witness as _};
use game_project::policy::Random;
use game_project::{RawConfig, State, Team};
use insta::assert_snapshot;
use tcp::ReservedPort;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::agent::{Behaviour, End, play_observed};
use crate::browser::Site;
use crate::full_game::{ends, seat, teams};
use crate::run::{Run, program, run};
use crate::server::{Server, TIMEOUT};

/// Runs the program to its end: returns its standard output, its standard error and its exit code.
fn printed(folder: &Path, words: &[&str]) -> String {
    let Run { out, err, code } = run(folder, words);
    format!("{out}{err}exit code {code}")
}

fn with_file(text: &str, words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gm.json"), text).unwrap();
    printed(folder.path(), words)
}

#[test]
fn the_configuration_in_force_says_where_it_comes_from() {
    let file = r#"{"boardX": 20, "goalAreaHight": 4, "seed": 18446744073709551615}"#;
    let words = [
        "config",
        "--config",
        "gm.json",
        "--cs",
        "example.org:4000",
        "--dialect",
        "union",
        "--set",
        "boardX=30",
    ];
    assert_snapshot!(with_file(file, &words));
}

#[test]
fn the_help_is_as_its_readers_know_it() {
    let commands: [&[&str]; 5] = [
        &["--help"],
        &["config", "--help"],
        &["view", "--help"],
        &["export", "--help"],
        &["verify", "--help"],
    ];
    let told =
        commands.map(|words| format!("> reference-gm {}\n{}", words.join(" "), with_file("{}", words)));
    assert_snapshot!(told.join("\n\n"));
}

#[test]
fn the_port_without_further_words_is_that_of_the_server() {
    let told = with_file("{}", &["config", "--port", "4000"]);
    assert!(told.contains("CsPort                      4000         flag\n"), "{told}");
    assert!(with_file("{}", &["config", "--port", "x"]).contains("CsPort = \"x\": wrong type (in a flag)"));
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let script = printed(folder.path(), &["completions", "zsh"]);
    assert!(script.contains("--start-when-full") && script.ends_with("exit code 0"), "{script}");
    assert_eq!(printed(folder.path(), &["man", "."]), "exit code 0");
    for page in ["reference-gm.1", "reference-gm-verify.1", "reference-gm-view.1"] {
        assert!(folder.path().join(page).exists(), "{page}");
    }
    assert!(
        printed(folder.path(), &["man", "missing"])
            .ends_with("\nhint: name a folder that exists and can be written to\nexit code 1")
    );
}

#[tokio::test]
async fn the_log_shows_every_message_if_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let path = folder.path().to_owned();
    let running = tokio::task::spawn_blocking(move || {
        printed(&path, &["--headless", "--cs", &address, "--log", "debug", "--start-when-full"])
    });
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut bytes = Vec::new();
    wire::frame::write(br#"{"messageID":6,"agentID":1,"payload":{"teamID":"red"}}"#, &mut bytes).unwrap();
    stream.write_all(&bytes).await.unwrap();
    // The answer: so long the connection stays open.
    let mut answer = [0; 2];
    stream.read_exact(&mut answer).await.unwrap();
    drop(stream);
    let told = timeout(TIMEOUT, running).await.expect("it ends without a server").unwrap();
    assert!(
        told.contains("DEBUG reference_gm::project::link: received {\"messageID\":6,\"agentID\":1,\"payload\":{\"teamID\":\"red\"}}\n"),
        "{told}"
    );
    assert!(told.contains("DEBUG reference_gm::project::link: sent {\"messageID\":107,"), "{told}");
    let told = with_file("{}", &["--stay", "--no-page"]);
    assert!(told.contains("'--stay' cannot be used with '--no-page'"), "{told}");
    let told = with_file("{}", &["--log", "inof"]);
    assert!(told.contains("unknown level `inof`") && told.contains("did you mean `info`?"), "{told}");
}

#[test]
fn a_preset_stands_between_the_defaults_and_the_file() {
    let told = with_file(
        r#"{"boardX": 20}"#,
        &["config", "--config", "gm.json", "--preset", "quick", "--set", "boardY=30"],
    );
    let line = |name: &str| {
        let line = told.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
        line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("boardX"), "20 file");
    assert_eq!(line("boardY"), "30 flag");
    assert_eq!(line("goalAreaHeight"), "3 preset");
    assert_eq!(line("teamSize"), "2 default");
    // Parameters that the preset does not set are decided by the dialect.
    let told = with_file("{}", &["config", "--preset", "quick", "--dialect", "union"]);
    assert!(told.contains("landingPickUp               false        union dialect\n"), "{told}");
    assert_snapshot!(with_file("{}", &["--preset", "larg"]), @r"
    error: invalid value 'larg' for '--preset <NAME>': unknown preset `larg`: expected one of quick, spec, large; did you mean `large`?

    For more information, try '--help'.
    exit code 2
    ");
}

#[test]
fn every_fault_of_file_and_flags_is_named_at_once() {
    let file = r#"{"boardX": 0, "boradY": 3, "CsPrt": 1, "CsPort": 0, "putPenalty": "long", "teamSize": 2, "teamSize": 3}"#;
    let words = [
        "--config",
        "gm.json",
        "--dialect",
        "klingon",
        "--set",
        "numberOfGoals=999",
        "--ack",
        "green",
        "--seed",
        "x",
    ];
    assert_snapshot!(with_file(file, &words));
}

#[test]
fn values_of_the_wrong_kind_hide_no_other_fault() {
    let file = r#"{"boardX": [1], "boradY": {"a": 3}, "teamSize": null, "CsPort": {}, "seed": [5], "dialect": 1.5,
        "CsIP": "", "maxMessageBytes": 70000, "landingPickUp": "often", "ackAgents": [1, [2]], "xyzzy": 1,
        "movePenalty": 99999999999999999999999}"#;
    assert_snapshot!(with_file(file, &["config", "--config", "gm.json"]));
}

#[test]
fn a_name_given_twice_is_a_fault_wherever_it_is() {
    let file =
        r#"{"CsPort": 1, "CsPort": 2, "acknowledge": "red", "ackAgents": 3, "boardX": 3, "boardX": 4}"#;
    let flags = ["--seed", "5", "--set", "seed=6", "--cs", "h:1", "--set", "CsIP=i", "--set", "boardX=9"];
    let words = [&["config", "--config", "gm.json"][..], &flags].concat();
    assert_snapshot!(with_file(file, &words));
}

#[test]
fn a_file_may_begin_as_some_editors_write_it() {
    let file = "\u{feff}{\"ackAgents\": [3, \"red\", \"14\"], \"movePenalty\": 1504, \"putPenalty\": 705}";
    let told = with_file(file, &["config", "--config", "gm.json", "--json", "--set", "discoveryPenalty=1"]);
    let (document, rest) = told.split_at(told.find("notice").unwrap());
    assert_eq!(rest, "notice: gm.json begins with a byte-order mark, which is left out\nexit code 0");
    let document: serde_json::Value = serde_json::from_str(document).unwrap();
    assert_eq!(document["ackAgents"], serde_json::json!({ "value": "3,red,14", "from": "file" }));
    // As they are played: rounded to 10 ms.
    let penalties = ["movePenalty", "putPenalty", "discoveryPenalty"].map(|name| &document[name]["value"]);
    assert_eq!(penalties, [1500, 710, 0]);
    assert_eq!(document["seed"], serde_json::json!({ "value": "", "from": "default" }));
}

#[test]
fn what_cannot_be_used_is_said_in_one_message() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list.json"), "[1]").unwrap();
    let told: Vec<String> = [
        &["--config", "missing.json"][..],
        &["--config", "list.json"],
        &["--cs", "example.org"],
        &["--set", "boardX"],
        &["--start-after", "soon"],
        &["--start-after=-1"],
        &["--replay", "missing/game.replay"],
        &["verify", "missing.replay"],
        &["verify", "list.json"],
    ]
    .iter()
    .map(|words| format!("{}\n{}", words.join(" "), printed(folder.path(), words)))
    .collect();
    assert_snapshot!(told.join("\n\n"));
}

#[test]
fn a_headless_game_without_a_page_keeps_none() {
    let told = with_file("{}", &["--headless", "--stay"]);
    assert_snapshot!(told, @"
    error: `--stay` keeps the game page, and a headless game has none without `--page`
    hint: add e.g. `--page 127.0.0.1:0`, or leave out `--stay`
    exit code 2
    ");
}

#[test]
fn without_a_server_nothing_is_started_and_nothing_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = ReservedPort::new().unwrap();
    let address = nobody.address().to_string();
    let told = printed(folder.path(), &["--headless", "--cs", &address, "--replay", "game.replay"]);
    assert_snapshot!(told.replace(&nobody.number().to_string(), "PORT"), @"
    error: no communication server at 127.0.0.1:PORT: Connection refused (os error 111)
    hint: start one with `cargo run -p cs`, or name another with --cs HOST:PORT
    exit code 1
    ");
    assert!(!folder.path().join("game.replay").exists());
}

#[test]
fn an_older_replay_is_kept_until_a_game_begins() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.replay"), "an older game").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let hang_up = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let told = printed(folder.path(), &["--headless", "--replay", "game.replay", "--cs", &address]);
    hang_up.join().unwrap();
    assert!(told.ends_with("exit code 1"), "{told}");
    assert_eq!(fs::read_to_string(folder.path().join("game.replay")).unwrap(), "an older game");
}

#[test]
fn a_server_that_hangs_up_is_said_to_have() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let hang_up = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let folder = tempfile::tempdir().unwrap();
    let told =
        printed(folder.path(), &["--headless", "--start-when-full", "--cs", &format!("127.0.0.1:{port}")]);
    hang_up.join().unwrap();
    assert_snapshot!(told.replace(&port.to_string(), "PORT"), @"
    the game is called off
    connected to 127.0.0.1:PORT; board 40×40, up to 2 agents a team, auto dialect; starts when both teams are full
    error: the communication server at 127.0.0.1:PORT was lost: it closed the connection
    hint: if it was never one, check that this is its port for the game master, and that no other game master has it
    exit code 1
    ");
}

/// As `cs` does at its port for agents.
#[test]
fn a_server_that_turns_a_game_master_away_names_the_right_port() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let refuse = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let why = "it sent nothing within 60s; hint: a game master connects to port 3728";
        let body = format!(
            r#"{{"messageID":107,"agentID":0,"payload":{{"accepted":false,"agentID":0,"reason":"{why}"}}}}"#
        );
        let mut frame = Vec::new();
        wire::frame::write(body.as_bytes(), &mut frame).unwrap();
        connection.write_all(&frame).unwrap();
    });
    let folder = tempfile::tempdir().unwrap();
    let told =
        printed(folder.path(), &["--headless", "--start-when-full", "--cs", &format!("127.0.0.1:{port}")]);
    refuse.join().unwrap();
    assert_snapshot!(told.replace(&port.to_string(), "PORT"), @"
    the game is called off
    connected to 127.0.0.1:PORT; board 40×40, up to 2 agents a team, auto dialect; starts when both teams are full
    error: the communication server at 127.0.0.1:PORT rejected this game master: it sent nothing within 60s
    hint: a game master connects to port 3728
    exit code 1
    ");
}

#[test]
fn something_else_than_a_server_is_told_by_what_it_sends() {
    let told = [&b"SSH-2.0-OpenSSH_9.6\r\n"[..], b"\x15\x03\x01\0\x02\x02\x46"].map(|greeting| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let greet = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            connection.write_all(greeting).unwrap();
            // The peer that is greeted closes the connection, and has sent nothing.
            assert_eq!(connection.read(&mut [0]).unwrap(), 0);
        });
        let folder = tempfile::tempdir().unwrap();
        let words = ["--headless", "--replay", "game.replay", "--cs", &format!("127.0.0.1:{port}")];
        let told = printed(folder.path(), &words).replace(&port.to_string(), "PORT");
        greet.join().unwrap();
        assert!(!folder.path().join("game.replay").exists());
        told
    });
    assert_snapshot!(told.join("\n\n"));
}

#[test]
fn a_signal_calls_the_game_off() {
    assert_eq!(called_off(&[]), "the game is called off\n");
    let document: serde_json::Value = serde_json::from_str(&called_off(&["--json"])).unwrap();
    assert_eq!(document, serde_json::json!({ "calledOff": true, "outcome": null, "seed": "7" }));
}

/// Returns the output of a game master that is stopped before anybody has joined.
fn called_off(words: &[&str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut child = program(".".as_ref(), &["--headless", "--cs", &address, "--seed", "7"])
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut connection, _) = listener.accept().unwrap();
    // It greets when it is connected; before that there is nothing to call off.
    let mut greeting = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut greeting).unwrap();
    assert!(greeting.starts_with("connected to "), "{greeting}");
    terminate(&child);
    // The game master closes its end, and says why.
    assert_eq!(connection.read(&mut [0; 16]).unwrap(), 0);
    drop(connection);
    let mut told = String::new();
    child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    told
}

fn terminate(child: &Child) {
    let sent = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status().unwrap();
    assert!(sent.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_stops_a_game_in_order() {
    let folder = tempfile::tempdir().unwrap();
    // A longer file, of which nothing may be left behind the new one.
    fs::write(folder.path().join("game.replay"), [0; 1_000_000]).unwrap();
    let server = Server::start();
    let words = ["--headless", "--start-when-full", "--json", "--set", "shamPieceProbability=1"];
    let mut child = program(folder.path(), &words)
        .args(["--replay", "game.replay", "--cs", &server.gm.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let players = seat(server.agents, &teams(2, Behaviour::sensible));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("the game starts: 2 red, 2 blue, seed ")));
    terminate(&child);
    // On equal points no winner is sent.
    assert_eq!(ends(players).await, [End::Closed; 4]);
    assert_eq!(timeout(TIMEOUT, server.ended).await.unwrap().unwrap(), ServerEnding::GmLeftEarly);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["outcome"], serde_json::json!({ "winner": null, "termination": "stopped" }));
    let last = [
        "nobody wins, red 0 : 0 blue (stopped)",
        "the replay is game.replay; check it with `reference-gm verify`",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), last);
    let told = printed(folder.path(), &["verify", "game.replay"]);
    assert!(told.ends_with("red 0 : 0 blue (stopped)\nevery hash is as recorded\nexit code 0"), "{told}");
}

#[test]
fn a_replay_becomes_one_file_that_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = crate::feed::replay(&RawConfig::default(), 500);
    fs::write(folder.path().join("game.replay"), file).unwrap();
    let words = ["export", "game.replay", "--html", "game.html", "--feed", "feed.json"];
    let told = "game.html is written: it opens in any browser\nfeed.json is written\nexit code 0";
    assert_eq!(printed(folder.path(), &words), told);
    let page = fs::read_to_string(folder.path().join("game.html")).unwrap();
    let feed = fs::read_to_string(folder.path().join("feed.json")).unwrap();
    let (before, rest) = page.split_once(r#"<script type="application/json" id="feed">"#).unwrap();
    let (inside, _) = rest.split_once("</script>").unwrap();
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(parse(inside), parse(&feed));
    // A module runs when all is read; of a file that was cut off it is there all the same.
    assert!(before.contains(r#"<script type="module">"#));
    // Nothing is fetched from anywhere.
    for reference in ["src=\"", "href=\"", "url("] {
        for (place, _) in page.match_indices(reference) {
            let target = &page[place + reference.len()..];
            let is_inside = ["data:", "#", "'data:", "\"data:"].iter().any(|start| target.starts_with(start));
            assert!(is_inside, "{}", target.chars().take(80).collect::<String>());
        }
    }
    let policy = "Content-Security-Policy\" content=\"default-src 'none';";
    assert!(page.contains(policy), "a browser is to see to it as well");
}

/// Starts the program; the address of its board, its process, and what else it complains of.
fn start_with_board(folder: &Path, words: &[&str]) -> (Site, Child, Lines<BufReader<ChildStderr>>) {
    let mut child = program(folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let url = lines
        .by_ref()
        .map(Result::unwrap)
        .find_map(|line| line.strip_prefix("the game page is at ").map(str::to_owned));
    (Site::of(&url.expect("an address")), child, lines)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_without_a_terminal_is_operated_from_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start();
    let cs = server.gm.to_string();
    let (site, child, _) = start_with_board(folder.path(), &["--json", "--cs", &cs]);
    let mut viewer = site.watch(true).await;
    let told = site.ask("PUT", "/settings", r#"{"boardX": 6, "boardY": 7, "goalAreaHeight": 1}"#).await;
    assert_eq!(told.status, 200);
    let players = seat(server.agents, &teams(2, Behaviour::sensible));
    while viewer.until("lobby").await.last().unwrap()["mayStart"] != true {}
    assert_eq!(site.ask("POST", "/start", "").await.status, 204);
    assert_eq!(viewer.until("start").await.last().unwrap()["board"]["columns"], 6);
    viewer.until("events").await;
    assert_eq!(site.ask("POST", "/stop", "").await.status, 204);
    let statistics = viewer.until("statistics").await.pop().unwrap();
    assert_eq!(viewer.next().await.unwrap()["kind"], "gone");
    // Nobody is there to end it: it ends with the game.
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told, statistics["document"]);
    ends(players).await;
}

/// No key is read there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_stays_without_a_terminal_says_how_to_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start();
    let cs = server.gm.to_string();
    let words = ["--headless", "--stay", "--start-when-full", "--set", "teamSize=1", "--page", "127.0.0.1:0"];
    let (site, child, mut lines) = start_with_board(folder.path(), &[&words[..], &["--cs", &cs]].concat());
    let mut viewer = site.watch(true).await;
    assert_eq!(viewer.until("lobby").await.pop().unwrap()["startsWhenFull"], true);
    let players = seat(server.agents, &teams(1, Behaviour::sensible));
    viewer.until("events").await;
    assert_eq!(site.ask("POST", "/stop", "").await.status, 204);
    let stays = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("the game is over"));
    let url = format!("http://{}/?token={}", site.address, site.token);
    assert_eq!(
        stays.unwrap(),
        format!("the game is over; the game page stays at {url} until Ctrl-C or SIGTERM")
    );
    terminate(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    ends(players).await;
}

#[tokio::test]
async fn a_replay_is_viewed_until_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = crate::feed::replay(&RawConfig::default(), 500);
    fs::write(folder.path().join("game.replay"), file).unwrap();
    let (site, child, _) = start_with_board(folder.path(), &["view", "game.replay"]);
    let mut viewer = site.watch(false).await;
    assert_eq!(viewer.next().await.unwrap()["file"], "game.replay");
    viewer.until("statistics").await;
    terminate(&child);
    assert_eq!(viewer.next().await, None);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn a_board_that_cannot_be_shown_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let told = ["127.0.0.1", &address].map(|board| printed(folder.path(), &["--page", board]));
    assert_snapshot!(told.join("\n\n").replace(&address, "ADDRESS"));
}

#[test]
fn what_is_no_replay_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list.json"), "[1]").unwrap();
    let (file, _) = crate::feed::replay(&RawConfig::default(), 5000);
    fs::write(folder.path().join("cut.replay"), &file[..file.len() / 2]).unwrap();
    let told: Vec<String> = ["missing.replay", "list.json", "cut.replay"]
        .iter()
        .map(|name| printed(folder.path(), &["export", name, "--html", "out.html"]))
        .collect();
    assert_snapshot!(told.join("\n\n"));
}

/// A game of 1000 steps that agent 3 leaves at the beginning.
fn game() -> (Header, Vec<u8>) {
    let raw =
        RawConfig { board_x: 5, board_y: 6, goal_area_height: 1, number_of_goals: 1, ..RawConfig::default() };
    let (config, seed) = (raw.check().unwrap(), Seed::new(3));
    let mut state = State::new(&config, seed);
    let players = Player::all(&state, |_| "random");
    let header = Header::new::<State>(&config, seed, players, "tests");
    let mut policies: Vec<Random> =
        AgentId::all(state.agents()).map(|agent| Random::new(seed, agent)).collect();
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    let lost = Disruption::AgentLost(AgentId::new(3));
    writer.disruption(&state, SimTime::START, lost);
    state.disrupt(SimTime::START, lost, &mut ());
    let limits = Limits { steps: 1000, ..Limits::default() };
    Rollout { limits, ..Rollout::default() }.play(&mut state, &mut policies, &mut writer);
    (header, writer.finish().unwrap())
}

#[test]
fn replays_are_verified() {
    let folder = tempfile::tempdir().unwrap();
    let (header, file) = game();
    let header = serde_json::to_string(&header).unwrap() + "\n";
    // Not the state that this game begins with.
    let changed = header.clone() + r#"{"t":0,"n":0,"hash":"00c0ffee00c0ffee"}"# + "\n";
    let altered = header.replace("\"seed\":\"3\"", "\"seed\":3.5");
    let files: [(&str, &[u8]); 9] = [
        ("whole", &file),
        ("cut", &file[..file.len() / 2]),
        ("altered", changed.as_bytes()),
        ("with-garbage", &[&file[..], b"garbage"].concat()),
        ("twice", &[&file[..], &file].concat()),
        ("header-alone", header.as_bytes()),
        ("header-cut", &header.as_bytes()[..90]),
        ("header-altered", altered.as_bytes()),
        ("foreign", b"{\"boardX\": 3}\n"),
    ];
    let told = files.map(|(name, file)| {
        fs::write(folder.path().join(name), file).unwrap();
        printed(folder.path(), &["verify", name])
    });
    assert_snapshot!(told.join("\n\n"));
}

/// Looks at a replay that grows, whenever its agent has another request to make.
struct Watcher {
    replay: PathBuf,
    length: u64,
    /// Number of the agent's requests that were answered when the file was looked at last.
    answered: u64,
    /// Receives the number of requests that were answered before the first growth of the file was written.
    grown: Option<oneshot::Sender<u64>>,
}

impl Watcher {
    fn look(&mut self) {
        let length = fs::metadata(&self.replay).map_or(0, |file| file.len());
        // An empty file grows by its header first.
        if 0 < self.length
            && self.length < length
            && let Some(grown) = self.grown.take()
        {
            grown.send(self.answered).unwrap();
        }
        self.length = length;
        self.answered += 1;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_game_master_leaves_a_replay_up_to_the_last_second() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start();
    let mut command = program(folder.path(), &["--headless", "--start-when-full", "--replay", "game.replay"]);
    command.args(["--cs", &server.gm.to_string()]);
    // Nobody can win, and what is written in a second is far too little to reach the disk by itself.
    command.args(["--set", "shamPieceProbability=1"]);
    for action in
        ["move", "put", "discovery", "checkForSham", "destroyPiece", "informationExchange", "pickUp"]
    {
        command.args(["--set", &format!("{action}Penalty=20")]);
    }
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut players = seat(server.agents, &teams(2, Behaviour::sensible)[1..]);
    let (grown, written) = oneshot::channel();
    let replay = folder.path().join("game.replay");
    let mut watcher = Watcher { replay, length: 0, answered: 0, grown: Some(grown) };
    let stream = TcpStream::connect(server.agents).await.unwrap();
    let behaviour = Behaviour::sensible(Team::Red, 0);
    players.push(tokio::spawn(play_observed(stream, behaviour, move || watcher.look())));
    let written = timeout(TIMEOUT, written).await.expect("no replay is written").unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let ended = timeout(TIMEOUT, server.ended).await.expect("the communication server hangs").unwrap();
    // The system closes a killed program's connection, and breaks it off if something was unread.
    assert!(matches!(ended, ServerEnding::GmLost | ServerEnding::GmLeftEarly), "{ended:?}");
    assert_eq!(ends(players).await, [End::Closed; 4]);
    let told = printed(folder.path(), &["verify", "game.replay"]);
    let count = told.split(", ").find_map(|part| part.strip_suffix(" actions")).unwrap();
    assert!(count.parse::<u64>().unwrap() >= written, "{written} requests were written: {told}");
    assert!(told.contains(", not over\nthe file breaks off after line "), "{told}");
    // A game that was killed early has no hash yet.
    let compared = ["up to there every hash is as recorded", "there is no hash to compare up to there"];
    assert!(compared.iter().any(|text| told.ends_with(&format!("{text}\nexit code 1"))), "{told}");
}
