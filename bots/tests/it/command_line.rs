//! The program as users see it: its output and its exit codes.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use bots::project::loopback::Loopback;
use command_line::as_inside;
use game_env::matches::MatchRecord;
use game_env::replay::{Playback, Reader, Record};
use game_env::{Termination, Thinking};
use game_project::{State, Team};
use insta::assert_snapshot;
use sdk::agent::Agent;
use sdk::driver::session;
use strategies::project::climber::Climber;
use strategies::project::registry::names;
use strategies::room::{find, rooms};
use tcp::ReservedPort;
use tokio::sync::watch;

use crate::fixture::{Later, host, tiny};
use crate::run::{PROGRAM, Run, beside, program, run};

fn told(Run { out, err, code }: &Run) -> String {
    format!("{out}{err}exit code {code}")
}

/// A configuration of a game master in which a game takes a moment.
const TINY: &str = r#"{"boardX": 5, "boardY": 6, "goalAreaHeight": 1, "numberOfGoals": 1, "numberOfPieces": 8,
    "teamSize": 2, "shamPieceProbability": 0.1, "movePenalty": 0, "informationExchangePenalty": 0,
    "discoveryPenalty": 10, "putPenalty": 0, "checkForShamPenalty": 0, "destroyPiecePenalty": 0}"#;

#[test]
fn strategies_are_listed_with_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let listed = run(folder.path(), &["list"]);
    let (games, hints) = listed.out.rsplit_once("\n\n").unwrap();
    let games: Vec<&str> = games.split("\n\n").collect();
    assert_eq!(games.len(), rooms().len(), "{}", listed.out);
    for (text, room) in games.iter().zip(rooms()) {
        let mut lines = text.lines();
        let game = room.game();
        assert_eq!(lines.next(), Some(&format!("{} ({})", game.name(), game.description().title)[..]));
        for (strategy, number) in room.strategies().iter().zip(1..) {
            let line = lines.next().unwrap();
            assert!(line.starts_with(&format!("{number:>2}  {} ", strategy.name)), "{line}");
            assert!(line.ends_with(&format!(" {}", strategy.summary)), "{line}");
            for parameter in strategy.parameters {
                let line = lines.next().unwrap();
                assert!(line.starts_with(&format!("      {}=", parameter.name)), "{line}");
            }
        }
        assert_eq!(lines.next(), None);
    }
    let slip = "\n      slip=0.0       the probability that a decision is random: a number from 0 to 1\n";
    assert!(games[0].contains(slip), "{}", games[0]);
    assert_snapshot!(hints);
}

#[test]
fn presets_are_listed_with_the_values_that_they_set() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot!(told(&run(folder.path(), &["presets"])));
}

#[test]
fn lists_are_printed_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let document = |words: &[&str]| -> serde_json::Value {
        let printed = run(folder.path(), words);
        assert_eq!(printed.code, 0, "{}", printed.err);
        serde_json::from_str(&printed.out).unwrap()
    };
    let strategies = document(&["list", "--json"]);
    assert_eq!(strategies[2]["number"], 3);
    assert_eq!(strategies[2]["name"], "greedy");
    assert!(strategies[2]["summary"].as_str().is_some_and(|summary| !summary.is_empty()));
    let of = |game: &str| strategies.as_array().unwrap().iter().filter(|entry| entry["game"] == game).count();
    for room in rooms() {
        assert_eq!(of(room.game().name()), room.strategies().len());
    }
    let presets = document(&["presets", "--json"]);
    assert_eq!(presets[0]["name"], "quick");
    assert_eq!(presets[0]["parameters"]["boardY"], 14);
    assert_eq!(presets[1]["parameters"]["landingPickUp"], true);
    assert_eq!(presets[2]["parameters"]["shamPieceProbability"], 0.3);
}

/// Another game plays by its name; the same seed plays the same game.
#[test]
fn another_game_is_played_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let play = |more: &[&str]| {
        let words = ["--game", "dots", "--strategy", "greedy", "--against", "random", "--virtual"];
        run(folder.path(), &[&words[..], more].concat())
    };
    let one = play(&["--seed", "7", "--replay", "game.replay"]);
    assert_snapshot!(told(&one));
    let file = File::open(folder.path().join("game.replay")).unwrap();
    let mut playback = Playback::<game_dots::State>::open(file).unwrap();
    let summary = playback.run(&mut ()).unwrap();
    assert!(summary.completeness.is_complete());
    let record: MatchRecord = play(&["--seed", "7", "--json"]).out.parse().unwrap();
    assert_eq!(Some(record.outcome), summary.outcome);
    assert_eq!(record.spec.entrants, ["greedy", "random"]);
    let series = play(&["--seed", "7", "--games", "3", "--preset", "small"]);
    assert_snapshot!(told(&series));
    let document: serde_json::Value =
        serde_json::from_str(&play(&["--seed", "7", "--games", "3", "--json"]).out).unwrap();
    assert_eq!(document["games"].as_array().unwrap().len(), 3);
}

#[test]
fn another_game_is_asked_for_with_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("faulty.json"), r#"{"rows": 1, "colour": 3}"#).unwrap();
    let told: Vec<String> = [
        &["--game", "dost"][..],
        &["join", "--game", "dots"],
        &["--game", "dots", "greddy", "--virtual"],
        &["--game", "dots", "greedy", "random", "greedy", "--virtual"],
        &["--game", "dots", "--virtual", "--preset", "smal"],
        &["--game", "dots", "--virtual", "--config", "faulty.json"],
        &["--game", "dots", "--virtual", "--config", "none.json"],
        &["--game", "dots", "--virtual", "--port", "1"],
        &["join", "--game", "dots", "--help"],
    ]
    .iter()
    .map(|words| format!("> bots {}\n{}", words.join(" "), told(&run(folder.path(), words))))
    .collect();
    let strategies: Vec<&str> = find("dots").unwrap().strategies().iter().map(|entry| entry.name).collect();
    assert_snapshot!(told.join("\n\n").replace(&strategies.join(", "), "NAMES"));
}

/// An address that cannot be one is a faulty flag in every game, and not a server that cannot be reached.
#[test]
fn a_faulty_address_of_a_server_is_misuse() {
    let folder = tempfile::tempdir().unwrap();
    for (game, address, expected) in [
        ("dots", "nonsense", "HOST:PORT"),
        ("eriantys", "127.0.0.1:0", "a port from 1 to 65535"),
        ("conveyor", "http://127.0.0.1:5001", "HOST:PORT without the name of a protocol"),
        ("project", "a host:3727", "a name or an address"),
    ] {
        let run = run(folder.path(), &["join", address, "--game", game, "--strategy", "random"]);
        let why = format!("error: invalid server `{address}`: expected {expected}\nhint: e.g. ");
        assert!(run.code == 2 && run.err.starts_with(&why), "{game}: {run:?}");
    }
}

/// A flag goes before a file, and a file before a preset.
#[test]
fn parameters_of_another_game_are_set_by_flags() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("dots.json"), r#"{"rows": 4, "cols": 4}"#).unwrap();
    let play = |more: &[&str]| {
        let words = ["--game", "dots", "random", "--virtual", "--seed", "7", "--preset", "small"];
        run(folder.path(), &[&words[..], more].concat())
    };
    let file_and_flag = ["--config", "dots.json", "--set", "cols=6"];
    let record: MatchRecord = play(&[&file_and_flag[..], &["--json"]].concat()).out.parse().unwrap();
    let side = |name| record.spec.config.get(name).unwrap().to_string();
    assert_eq!([side("rows"), side("cols")], ["4", "6"]);
    let told = play(&file_and_flag).out;
    assert!(told.contains("--config dots.json --set cols=6 --seed 7"), "{told}");
    for (faulty, why) in [
        (&["--set", "cols"][..], "invalid --set `cols`: expected NAME=VALUE"),
        (&["--set", "cols=1"], "cols = 1: it is too small"),
        (&["--set", "cols=3", "--set", "cols=3"], "cols = 3: it is given twice"),
    ] {
        let told = play(faulty);
        assert!(told.code == 2 && told.err.contains(why), "{}", told.err);
    }
}

/// File names of Linux are bytes.
#[cfg(target_os = "linux")]
#[test]
fn files_may_have_names_that_are_no_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    let [config, replay] = [&b"r\xe8gles.json"[..], b"r\xe8gles.replay"].map(OsStr::from_bytes);
    fs::write(folder.path().join(config), r#"{"rows": 3, "cols": 3}"#).unwrap();
    let mut bots = program(folder.path(), &["--game", "dots", "random", "--virtual", "--seed", "7"]);
    let output = bots.arg("--config").arg(config).arg("--replay").arg(replay).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.path().join(replay).exists());
}

/// `perfect` wins won games, and its replay is one of Bricks.
#[test]
fn bricks_is_played_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let words =
        ["--game", "bricks", "--strategy", "greedy", "--against", "perfect", "--virtual", "--set", "size=9"];
    let played = run(folder.path(), &[&words[..], &["--seed", "7", "--replay", "game.replay"]].concat());
    assert_eq!(played.code, 0, "{}", played.err);
    assert!(played.out.contains("2 (perfect) wins 0 : 1"), "{}", played.out);
    let file = File::open(folder.path().join("game.replay")).unwrap();
    let mut playback = Playback::<game_bricks::State>::open(file).unwrap();
    assert!(playback.run(&mut ()).unwrap().completeness.is_complete());
    let torus = [
        "--set",
        "torus=true",
        "--set",
        "filled=12",
        "--set",
        "filledCells=1x1_2x3",
        "--games",
        "2",
        "--json",
    ];
    let series = run(folder.path(), &[&words[..], &torus].concat());
    let document: serde_json::Value = serde_json::from_str(&series.out).unwrap();
    assert_eq!(document["games"][0]["match"]["config"]["filledCells"], "1x1_2x3");
    assert_eq!(document["wins"], serde_json::json!([0, 2]));
}

/// A file goes before a preset, and a preset before the defaults.
#[test]
fn a_preset_stands_below_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gm.json"), r#"{"boardX": 9}"#).unwrap();
    let words = ["--preset", "quick", "--config", "gm.json", "--virtual", "--replay", "game.replay"];
    let played = run(folder.path(), &words);
    assert_eq!(played.code, 0, "{}", played.err);
    let file = File::open(folder.path().join("game.replay")).unwrap();
    let playback = Playback::<State>::open(file).unwrap();
    let geometry = playback.state().config().geometry();
    assert_eq!((geometry.columns(), geometry.rows()), (9, 14));
}

#[test]
fn help_names_every_flag() {
    let folder = tempfile::tempdir().unwrap();
    let helps = [&["--help"][..], &["join", "--help"], &["join", "--game", "bricks", "--help"]];
    let told = helps.map(|words| format!("> bots {}\n{}", words.join(" "), told(&run(folder.path(), words))));
    assert_snapshot!(told.join("\n\n"));
}

#[test]
fn line_ups_play_against_each_other_without_flags() {
    let folder = tempfile::tempdir().unwrap();
    let short = run(folder.path(), &["greedy", "random", "--seed", "7", "--virtual"]);
    let long =
        run(folder.path(), &["--strategy", "greedy", "--against", "random", "--seed", "7", "--virtual"]);
    assert_eq!((short.code, &short), (0, &long));
    assert!(
        short.out.starts_with("The Project Game: red (greedy) against blue (random); seed 7\n"),
        "{}",
        short.out
    );
}

#[test]
fn a_series_of_games_ends_with_the_wins() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["climber", "random", "--games", "3", "--seed", "7", "--virtual"];
    let played = run(folder.path(), &words);
    assert_snapshot!(told(&played), @"
    seed 7: red (climber) wins 3 : 0
    seed 8: red (climber) wins 3 : 0
    seed 9: red (climber) wins 3 : 0
    3 games: red (climber) won 3, blue (random) won 0, drawn 0
    play them again: cargo run -p bots -- climber random --seed 7 --games 3 --virtual
    exit code 0
    ");
    // Every game is the one that its seed alone plays.
    let second = run(folder.path(), &["climber", "random", "--seed", "8", "--virtual"]);
    let outcome = second.out.lines().nth(1).unwrap().split(" after ").next().unwrap();
    assert!(played.out.contains(&format!("seed 8: {outcome}\n")), "{}", played.out);
    let json = run(folder.path(), &[&words[..], &["--json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(document["games"].as_array().unwrap().len(), 3);
    assert_eq!(document["games"][1]["match"]["seed"], "8");
    assert_eq!(document["wins"], serde_json::json!([3, 0]));
}

#[test]
fn a_series_over_tcp_plays_one_game_after_another() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gm.json"), TINY).unwrap();
    let played = run(folder.path(), &["climber", "--config", "gm.json", "--seed", "9", "--games", "2"]);
    assert_eq!(played.code, 0, "{}", played.err);
    assert!(played.out.starts_with("seed 9: ") && played.out.contains("\nseed 10: "), "{}", played.out);
    assert!(played.out.contains("\n2 games: red (climber) won "), "{}", played.out);
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let script = run(folder.path(), &["completions", "fish"]);
    assert!(script.code == 0 && script.out.contains("preset"), "{}", told(&script));
    assert_eq!(told(&run(folder.path(), &["man", "."])), "exit code 0");
    for page in ["bots.1", "bots-join.1", "bots-presets.1"] {
        assert!(folder.path().join(page).exists(), "{page}");
    }
}

#[test]
fn what_cannot_be_done_is_said_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("gm.json"), r#"{"boradX": 5, "boardY": 0, "strategy": "greedy"}"#).unwrap();
    fs::write(path.join("faulty.json"), r#"{"CsPrt": 5, "teamID": "green", "strategy": 77}"#).unwrap();
    fs::write(path.join("list.json"), "[1]").unwrap();
    fs::write(path.join("bad.script"), "join red\nawait strat\nflod 10 move N\n").unwrap();
    let nobody = ReservedPort::new().unwrap();
    let port = nobody.number();
    let address = nobody.address().to_string();
    let cases: [&[&str]; 30] = [
        &["--strategy", "gredy"],
        &["greedy*0"],
        &["greedy", "--strategy", "greedy"],
        &["--against", "random"],
        &["greedy*3", "--set", "teamSize=2"],
        &["--set", "teamSize=9999"],
        &["--set", "teamSize"],
        &["--preset", "qiuck"],
        &["greedy", "randon"],
        &["lst"],
        &["--games", "x"],
        &["--games", "2", "--replay", "game.replay"],
        &["greedy", "random", "idle"],
        &["--config", "missing.json"],
        &["--config", "list.json"],
        &["--config", "gm.json"],
        &["--seed", "-1"],
        &["--log", "=x="],
        &["--log", "inof"],
        &["--strategy", "greedy+"],
        &["--strategy", "scripted"],
        &["join", "http://127.0.0.1"],
        &["join", "127.0.0.1/game:3727"],
        &["--virtual", "--replay", "missing/game.replay"],
        &["join", &address],
        &["join", &address, "--agents", "0"],
        &["join", "--config", "faulty.json"],
        &["join", "--config", "list.json"],
        &["join", &address, "--script", "bad.script"],
        &["--game", "dots", "--page", "127.0.0.1:0"],
    ];
    let said: Vec<String> =
        cases.iter().map(|words| format!("> {}\n{}", words.join(" "), told(&run(path, words)))).collect();
    let said = said.join("\n\n").replace(&names(), "NAMES");
    assert_snapshot!(said.replace(&port.to_string(), "PORT"));
}

#[test]
fn on_the_virtual_clock_a_seed_prints_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let game = ["--strategy", "coordinated*3+liar", "--against", "greedy", "--seed", "7", "--virtual"];
    for further in [&[][..], &["--json"], &["--replay", "game.replay"]] {
        let words = [&game[..], further].concat();
        let mut runs = Vec::new();
        for _ in 0..2 {
            let played = run(folder.path(), &words);
            assert_eq!(played.code, 0, "{}", played.err);
            let replay = fs::read(folder.path().join("game.replay")).unwrap_or_default();
            runs.push((played, replay));
        }
        assert_eq!(runs[0], runs[1]);
    }
    let played = run(folder.path(), &game);
    let head = "The Project Game: red (coordinated*3+liar) against blue (greedy); seed 7\n";
    assert!(played.out.starts_with(head), "{}", played.out);
    let last = played.out.lines().last().unwrap();
    assert_eq!(last, "play it again: cargo run -p bots -- 'coordinated*3+liar' greedy --seed 7 --virtual");
    assert_eq!(played.err, "");
}

/// The command that is printed plays the game that it is printed for.
#[test]
fn a_seed_that_nobody_chose_is_told_and_repeats_the_game() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a tiny gm.json"), TINY).unwrap();
    let first = run(folder.path(), &["climber", "--virtual", "--config", "a tiny gm.json"]);
    let command = first.out.lines().last().unwrap().strip_prefix("play it again: ").unwrap();
    let words = command.strip_prefix("cargo run -p bots -- ").unwrap();
    let shell = Command::new("sh")
        .args(["-c", &format!("{PROGRAM} {words}")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(as_inside(&String::from_utf8(shell.stdout).unwrap()), first.out);
}

#[test]
fn a_replay_names_strategies_and_keeps_their_notes() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["coordinated+greedy", "climber", "--seed", "5", "--virtual"];
    let played = run(folder.path(), &[&words[..], &["--replay", "game.replay", "--json"]].concat());
    assert_eq!(played.code, 0, "{}", played.err);
    let record: MatchRecord = played.out.parse().unwrap();
    assert_eq!(record.spec.entrants, ["coordinated", "greedy", "climber", "climber"]);
    assert_eq!(record.blunders, 0);
    let file = || File::open(folder.path().join("game.replay")).unwrap();
    let mut playback = Playback::<State>::open(file()).unwrap();
    let names: Vec<String> =
        playback.reader().header().players.iter().map(|player| player.name.clone()).collect();
    assert_eq!(names, ["coordinated", "greedy", "climber", "climber"]);
    let summary = playback.run(&mut ()).unwrap();
    assert!(summary.completeness.is_complete());
    assert_eq!(record.steps, summary.count);
    let mut reader = Reader::open(file()).unwrap();
    let mut notes = 0;
    while let Some(record) = reader.next_record().unwrap() {
        notes += u32::from(matches!(record, Record::Note { .. }));
    }
    assert!(notes > 0, "the strategies have noted nothing");
}

#[test]
fn a_game_over_tcp_needs_no_server_to_start() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gm.json"), TINY).unwrap();
    let words = ["--strategy", "climber", "--config", "gm.json", "--seed", "9", "--replay", "game.replay"];
    let played = run(folder.path(), &words);
    assert_eq!(played.code, 0, "{}", played.err);
    let head = "The Project Game: red (climber) against blue (climber); file gm.json, seed 9\n";
    assert!(played.out.starts_with(head) && played.out.contains(" (climber) wins "), "{}", played.out);
    assert!(
        played.out.ends_with(
            "play the same board again: cargo run -p bots -- climber --config gm.json --seed 9\n\
                 games in real time depend on timing; for an exactly repeatable game: \
                 cargo run -p bots -- climber --config gm.json --seed 9 --virtual\n"
        ),
        "{}",
        played.out
    );
    let begins = "the game starts: 2 against 2 agents, board 5×6, 1 goal for each team, seed 9\n";
    assert!(played.err.starts_with(begins), "{}", played.err);
    let mut playback =
        Playback::<State>::open(File::open(folder.path().join("game.replay")).unwrap()).unwrap();
    let summary = playback.run(&mut ()).unwrap();
    assert!(summary.completeness.is_complete());
    assert_eq!(summary.outcome.unwrap().termination, Termination::Normal);
}

/// Waits for this on the program's standard error.
fn wait_for(child: &mut std::process::Child, wanted: &str) -> BufReader<std::process::ChildStderr> {
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(wanted) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "it ended without `{wanted}`");
    }
    lines
}

/// The signal comes in a game, which is played to its end.
#[cfg(unix)]
#[test]
fn a_series_on_the_virtual_clock_ends_at_a_signal_with_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["greedy", "random", "--virtual", "--preset", "quick", "--seed", "1", "--games", "1000000"];
    let mut child = program(folder.path(), &words).stdout(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    told.read_line(&mut first).unwrap();
    assert!(first.starts_with("seed 1: "), "{first}");
    terminate(&child);
    let rest: Vec<String> = told.lines().map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let [.., tally, again] = &rest[..] else { panic!("{rest:?}") };
    let games = rest.len() - 1;
    assert!(tally.starts_with(&format!("{games} of 1,000,000 games: ")), "{tally}");
    assert!(again.starts_with("play them again: "), "{again}");
}

fn terminate(child: &std::process::Child) {
    let stopped = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status().unwrap();
    assert!(stopped.success());
}

#[test]
fn a_signal_stops_a_game_as_an_operator_does() {
    let folder = tempfile::tempdir().unwrap();
    // No team can win: all pieces are shams.
    let endless = TINY.replace("0.1", "1.0");
    fs::write(folder.path().join("gm.json"), endless).unwrap();
    let words = ["--strategy", "random", "--config", "gm.json", "--seed", "9"];
    let mut child =
        program(folder.path(), &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut rest = wait_for(&mut child, "the game starts");
    terminate(&child);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    rest.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(out.contains("nobody wins 0 : 0 (stopped) after "), "{out}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_play_on_somebodys_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let loopback = Loopback::open().await.unwrap();
    let server = loopback.agents();
    let file =
        format!(r#"{{"CsIP": "127.0.0.1", "CsPort": {}, "teamID": "red", "strategy": 4}}"#, server.port());
    fs::write(path.join("agent.json"), file).unwrap();
    let hosting = tokio::spawn(async move { host(loopback, &tiny(2)).await });
    let address = server.to_string();
    let (red, blue) = (
        beside(
            path,
            &[
                "join",
                "--config",
                "agent.json",
                "--agents",
                "2",
                "--seed",
                "1",
                "--max-message-bytes",
                "2048",
            ],
        ),
        // Flags go before the file, and a file that is missing is no matter without a terminal.
        beside(
            path,
            &[
                "join",
                &address,
                "--config",
                "none.json",
                "--team",
                "blue",
                "--strategy",
                "climber+coordinated",
                "--json",
                "--seed",
                "2",
            ],
        ),
    );
    let (red, blue) = (red.await.unwrap(), blue.await.unwrap());
    let outcome = hosting.await.unwrap().outcome.unwrap();
    assert_eq!(outcome.termination, Termination::Normal);
    let winner = Team::try_from(outcome.winner().unwrap()).unwrap();
    assert_eq!((red.code, blue.code), (0, 0), "{}{}", red.err, blue.err);
    assert_eq!(
        red.out.replace(&server.port().to_string(), "PORT"),
        format!(
            "agent 1 (climber): the game is over, {winner} wins\n\
             agent 2 (climber): the game is over, {winner} wins\n\
             seed 1; the same agents join the next game with: cargo run -p bots -- join 127.0.0.1:PORT --strategy climber --team red --seed 1 --max-message-bytes 2048 --agents 2\n"
        )
    );
    assert!(
        red.err.contains("agent 2 of 2 (climber) plays for red; waiting for the game to begin\n"),
        "{}",
        red.err
    );
    let document: serde_json::Value = serde_json::from_str(&blue.out).unwrap();
    assert_eq!(document["agents"][0]["strategy"], "climber");
    assert_eq!(document["agents"][1]["winner"], winner.to_string());
    assert_eq!(document["seed"], "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_turned_away_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let loopback = Loopback::open().await.unwrap();
    let address = loopback.agents().to_string();
    let hosting = tokio::spawn(async move { host(loopback, &tiny(1)).await });
    let red = beside(path, &["join", &address, "--strategy", "climber", "--agents", "2", "--seed", "1"]);
    // Blue's only agent gets the game started whenever it comes.
    let blue = beside(path, &["join", &address, "--strategy", "climber", "--team", "blue"]);
    let (red, blue) = (red.await.unwrap(), blue.await.unwrap());
    assert_eq!(hosting.await.unwrap().outcome.unwrap().termination, Termination::Normal);
    assert_eq!((red.code, blue.code), (1, 0), "{}{}", red.err, blue.err);
    assert!(red.out.contains("(climber): it was rejected\n"), "{}", red.out);
    let complaint = red.err.split_once("error: ").unwrap().1.replace(&address, "SERVER");
    assert_snapshot!(complaint, @"
    the game master at SERVER rejected an agent
    hint: the team is full, or the game has begun: try `--team`, or wait for the next game
    ");
}

/// Lets an agent join a server that sends these bytes, and then waits or ends the connection; returns the output of the
/// agent.
fn join_server_that_sends(bytes: Vec<u8>, ends: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        connection.write_all(&bytes).unwrap();
        if ends {
            connection.shutdown(std::net::Shutdown::Write).unwrap();
        }
        // Until the agent has gone, so that nothing is lost on its way.
        connection.read_to_end(&mut Vec::new()).unwrap();
    });
    let folder = tempfile::tempdir().unwrap();
    let played = run(folder.path(), &["join", &address, "--seed", "1"]);
    server.join().unwrap();
    told(&played).replace(&address, "SERVER")
}

/// Returns the frames of these messages.
fn frames(bodies: &[&str]) -> Vec<u8> {
    let mut frames = Vec::new();
    bodies.iter().for_each(|body| wire::frame::write(body.as_bytes(), &mut frames).unwrap());
    frames
}

/// The answer is that of `cs` when it is full.
#[test]
fn a_full_server_says_why_it_turns_an_agent_away() {
    let rejection = r#"{"messageID":107,"agentID":0,"payload":{"accepted":false,"agentID":0,"reason":"2 agents are connected, as many as maxConnections allows"}}"#;
    assert_snapshot!(join_server_that_sends(frames(&[rejection]), true), @"
    agent 1 (greedy): it was rejected: 2 agents are connected, as many as maxConnections allows
    connected to SERVER: 1 agent asked to join red; waiting for the game master's answer
    error: the communication server at SERVER rejected an agent: 2 agents are connected, as many as maxConnections allows
    hint: if the server is full, wait until an agent leaves, or raise the limit that it names; name its port for agents as HOST:PORT
    exit code 1
    ");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_is_obeyed_by_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("mine.script"), "join red\nawait start\nflood 50 discover\ndie").unwrap();
    let loopback = Loopback::open().await.unwrap();
    let address = loopback.agents().to_string();
    let hosting = tokio::spawn(async move { host(loopback, &tiny(1)).await });
    let script = beside(path, &["join", &address, "--script", "mine.script"]);
    // Blue plays only when the script has ended: otherwise it may win before that.
    let (open, gate) = watch::channel(false);
    let blue = tokio::spawn(async move {
        let agent = Agent::builder(Team::Blue).server(address).connect().await.unwrap();
        agent.play(Later { gate, then: Climber::default() }).await
    });
    let red = script.await.unwrap();
    assert_eq!(red.code, 0, "{}", red.err);
    assert!(red.out.starts_with("agent 1 (scripted): it died, as its script says\n"), "{}", red.out);
    open.send_replace(true);
    assert_eq!(blue.await.unwrap().end, session::End::Over { winner: Team::Blue });
    assert_eq!(hosting.await.unwrap().outcome.unwrap().termination, Termination::Normal);
}

/// A script draws nothing at random.
#[test]
fn a_seed_for_a_script_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["join", "127.0.0.1:1", "--script", "mine.script", "--seed", "1"];
    let refused = run(folder.path(), &words);
    assert!(refused.code == 2 && refused.err.contains("cannot be used with"), "{}", told(&refused));
}

/// An agent that is given nothing else reads its default file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_joins_by_its_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let loopback = Loopback::open().await.unwrap();
    let port = loopback.agents().port().to_string();
    let file = format!(r#"{{"CsIP": "127.0.0.1", "CsPort": {port}, "teamID": "red", "strategy": 4}}"#);
    fs::write(path.join("agent.json"), file).unwrap();
    let hosting = tokio::spawn(async move { host(loopback, &tiny(1)).await });
    let red = beside(path, &["join"]);
    let server = format!("127.0.0.1:{port}");
    let blue = beside(path, &["join", &server, "--team", "blue", "--strategy", "climber"]);
    let (red, blue) = (red.await.unwrap(), blue.await.unwrap());
    assert_eq!(hosting.await.unwrap().outcome.unwrap().termination, Termination::Normal);
    assert_eq!((red.code, blue.code), (0, 0), "{}{}", red.err, blue.err);
    let connected = "1 agent asked to join red; waiting for the game master's answer\n";
    assert!(red.err.contains(connected), "{}", red.err);
    assert!(blue.out.starts_with("agent 1 (climber): the game is over, "), "{}", blue.out);
}

/// For example on the game master's port.
#[test]
fn an_agent_that_gets_no_answer_says_what_it_waits_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let mut child = program(folder.path(), &["join", "--port", &port])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (connection, _) = listener.accept().unwrap();
    let mut lines = wait_for(&mut child, &format!("no answer from 127.0.0.1:{port} for 3 s; still waiting"));
    let mut hint = String::new();
    lines.read_line(&mut hint).unwrap();
    assert_eq!(
        hint,
        "hint: start a game master if there is none; agents need the communication server's port for agents, \
         3727 by default, not that for the game master; `--game NAME` joins a server of another game\n"
    );
    drop(connection);
    child.wait().unwrap();
}

#[test]
fn a_server_that_hangs_up_is_said_to_have() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let hang_up = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let folder = tempfile::tempdir().unwrap();
    let played = run(folder.path(), &["join", &address, "--seed", "1"]);
    hang_up.join().unwrap();
    assert_snapshot!(told(&played).replace(&address, "SERVER"), @"
    agent 1 (greedy): the connection was lost before the game was over
    connected to SERVER: 1 agent asked to join red; waiting for the game master's answer
    error: the connection to SERVER ended
    hint: the game was stopped, or one of the servers is gone; start them again. At a port of a league, ask for the team of this port with `--team`
    exit code 1
    ");
}

/// A game that is stopped with equal points has no winner that message 104 could name: the servers close in order.
#[test]
fn a_game_that_is_stopped_without_a_winner_is_no_failure() {
    let accepted = r#"{"messageID":107,"payload":{"accepted":true,"agentID":1}}"#;
    let start = r#"{"messageID":105,"payload":{"agentID":1,"alliesIDs":[],"leaderID":1,"enemiesIDs":[2],"teamID":"red","boardSize":{"x":4,"y":6},"goalAreaSize":1,"numberOfPieces":2,"numberOfGoals":1,"penalties":{"move":60000,"checkForSham":60000,"discovery":60000,"destroyPiece":60000,"putPiece":60000,"informationExchange":60000},"shamPieceProbability":0.5,"position":{"x":1,"y":3}}}"#;
    assert_snapshot!(join_server_that_sends(frames(&[accepted, start]), true), @"
    agent 1 (greedy): the connection was closed, and nobody said who won: the game was stopped without a winner, or a server has ended; as far as the agent knows, red has covered 0 of 1 goals
    seed 1; the same agents join the next game with: cargo run -p bots -- join SERVER --strategy greedy --team red --seed 1 --agents 1
    connected to SERVER: 1 agent asked to join red; waiting for the game master's answer
    agent 1 of 1 (greedy) plays for red; waiting for the game to begin
    agent 1 of 1 (greedy): the game begins
    exit code 0
    ");
}

#[test]
fn a_server_of_another_kind_is_told_from_one() {
    let answer = b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec();
    assert_snapshot!(join_server_that_sends(answer, false), @r"
    agent 1 (greedy): what it has connected to is no communication server
    connected to SERVER: 1 agent asked to join red; waiting for the game master's answer
    error: this is no communication server: SERVER sent `HTTP/1.1 400 Bad Request\r\n\r\n`
    hint: name the communication server's port for agents as HOST:PORT
    exit code 1
    ");
}

#[test]
fn agents_that_are_told_to_leave_close_their_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let child = program(folder.path(), &["join", &address, "--seed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut connection, _) = listener.accept().unwrap();
    let mut length = [0; 2];
    connection.read_exact(&mut length).unwrap();
    terminate(&child);
    // The rest of the request to join, and then an orderly end.
    connection.read_to_end(&mut Vec::new()).unwrap();
    drop(connection);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.starts_with("agent 1 (greedy): it has left\n"), "{out}");
}

#[test]
fn parameters_of_a_game_reach_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let words = ["join", &address, "--game", "eriantys", "--strategy", "random"];
    let words = [&words[..], &["--set", "players=4", "--set", "expert=true"]].concat();
    let mut player =
        program(folder.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut server, _) = listener.accept().unwrap();
    server.write_all(b"{\"type\":\"LoginMatchOptions\",\"open\":[],\"saved\":[]}\n").unwrap();
    let mut line = String::new();
    BufReader::new(server).read_line(&mut line).unwrap();
    player.kill().unwrap();
    player.wait().unwrap();
    assert_eq!(line, "{\"type\":\"LoginAnyMatch\",\"players\":4,\"rules\":\"expert\"}\n");
    // Parameters that the game does not have, or that are given twice, are refused before a client connects.
    for (game, flags, expected) in [
        ("eriantys", &["--set", "players=5"][..], "players = 5"),
        ("eriantys", &["--set", "players=2", "--set", "players=3"], "it is given twice"),
        ("eriantys", &["--set", "size=4"], "unknown parameter"),
        ("dots", &["--set", "expert=true"], "unknown parameter"),
        ("conveyor", &["--set", "players=2"], "unknown parameter"),
    ] {
        let told = run(
            folder.path(),
            &[&["join", "127.0.0.1:1", "--game", game, "--strategy", "random"], flags].concat(),
        );
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{game} {flags:?}: {}", told.err);
        assert!(told.err.contains(expected), "{game} {flags:?}: {}", told.err);
    }
}

/// An agent of Dots & Boxes that draws the first edge of the list, and keeps the first line that it reads in `hello`;
/// with the word `silent`, it answers no decision.
#[cfg(target_os = "linux")]
const FIRST_EDGE: &str = r#"
while read -r line; do
    case $line in
        *'"type":"hello"'*) printf '%s\n' "$line" > hello; echo '{"type":"ready"}' ;;
        *'"type":"decide"'*) rest=${line#*'"options":["'}; [ "$1" = silent ] || echo "{\"do\":\"${rest%%\"*}\"}" ;;
    esac
done
"#;

/// The rule for the time of decisions reaches the program, the record, the replay and the command that plays again.
#[cfg(target_os = "linux")]
#[test]
fn the_time_of_a_programs_decisions_has_the_rule_of_the_flags() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("agent.sh"), FIRST_EDGE).unwrap();
    let words = ["sh agent.sh", "greedy", "--game", "dots", "--seed", "7", "--replay", "game.replay"];
    let play = |flag: [&str; 2]| run(folder.path(), &[&words[..], &flag].concat());
    for (flag, thinking, told) in [
        (["--think-limit-ms", "60000"], Thinking::LimitMs(60_000), r#""thinking":{"limit_ms":60000}"#),
        (["--think-charge-ms", "3"], Thinking::ChargeMs(3), r#""thinking":{"charge_ms":3}"#),
    ] {
        let played = play(flag);
        assert_eq!(played.code, 0, "{}", played.err);
        let again = format!(
            "play it again: cargo run -p bots -- 'sh agent.sh' greedy --game dots {} {} --seed 7",
            flag[0], flag[1]
        );
        assert_eq!(played.out.lines().last().unwrap(), again);
        assert!(fs::read_to_string(folder.path().join("hello")).unwrap().contains(told));
        let reader = Reader::open(File::open(folder.path().join("game.replay")).unwrap()).unwrap();
        assert_eq!(reader.header().thinking, thinking);
        let lines = run(folder.path(), &["decisions", "game.replay", "--agent", "0"]).out;
        assert!(lines.lines().next().unwrap().contains(told), "{lines}");
        let json = run(folder.path(), &[&words[..], &flag, &["--json"]].concat());
        let record: MatchRecord = json.out.parse().unwrap();
        assert_eq!(record.spec.limits.thinking, thinking);
    }
    fs::write(folder.path().join("agent.sh"), FIRST_EDGE.replace("= silent", "!= loud")).unwrap();
    let late = play(["--think-limit-ms", "30"]);
    assert!(late.out.contains("2 (greedy) wins") && late.out.contains("(time of agent #0)"), "{}", late.out);
}

#[test]
fn a_rule_for_programs_without_a_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (flags, expected) in [
        (&["--think-limit-ms", "100"][..], "`--think-limit-ms` limits programs, and no entrant is a program"),
        (&["--think-charge-ms", "1"], "`--think-charge-ms` limits programs, and no entrant is a program"),
        (&["--think-limit-ms", "0"], "invalid value '0' for '--think-limit-ms <MS>'"),
        (&["--think-limit-ms", "1", "--think-charge-ms", "1"], "cannot be used with"),
    ] {
        let refused = run(folder.path(), &[&["greedy", "random", "--virtual"], flags].concat());
        assert_eq!(refused.code, 2, "{flags:?}");
        assert!(refused.err.contains(expected), "{flags:?}: {}", refused.err);
    }
}
