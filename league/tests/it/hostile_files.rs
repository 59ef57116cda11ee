//! Files of others: endless files and pipes, texts that control a terminal or a spreadsheet, and commands.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use crate::run::{league, text};

const FILE: &str = "game = \"dots\"\npreset = \"small\"\n[schedule]\nsets = 1\n\
                    [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";

/// Refused with this exit code and this part of a message, and nothing is printed raw.
#[track_caller]
fn refused(folder: &Path, words: &[&str], code: i32, expected: &str) {
    let ended = league(folder, words);
    let said = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(code), "{words:?}: {said}");
    assert!(said.contains(expected), "{words:?}: {said}");
    assert_nothing_raw(&ended);
}

#[track_caller]
fn assert_nothing_raw(ended: &Output) {
    for out in [&ended.stdout, &ended.stderr] {
        let raw = text(out).chars().find(|letter| game_env::text::is_hidden(*letter) && *letter != '\n');
        assert_eq!(raw, None, "{:?}", text(out));
    }
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("`mkfifo` starts");
    assert!(made.success(), "{made}");
}

#[test]
fn endless_files_and_pipes_are_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("small.toml"), FILE).expect("a file");
    make_pipe(&path.join("pipe.toml"));
    let no_file = "it is not a regular file, e.g. a pipe or a device: expected a regular file";
    refused(path, &["run", "/dev/zero"], 2, no_file);
    refused(path, &["run", "pipe.toml"], 2, no_file);
    refused(path, &["plan", "/dev/zero"], 2, no_file);
    refused(path, &["play", "--spec", "/dev/zero"], 2, no_file);
    refused(path, &["play", "--spec", "pipe.toml"], 2, no_file);
    // A hole in a file takes no room on the disk.
    fs::File::create(path.join("long.toml")).and_then(|file| file.set_len(1 << 40)).expect("a long file");
    refused(path, &["run", "long.toml"], 2, "it is longer than 4194304 bytes");
    refused(path, &["play", "--spec", "long.toml"], 2, "it is longer than 16777216 bytes");
    assert!(league(path, &["plan", "small.toml", "--out", "many"]).status.success());
    let record = path.join("many/records/1.json");
    symlink("/dev/zero", &record).expect("a link");
    refused(path, &["collect", "many"], 1, no_file);
    fs::remove_file(&record).expect("a link");
    make_pipe(&record);
    refused(path, &["collect", "many"], 1, no_file);
    fs::remove_file(&record).expect("a pipe");
    fs::rename(path.join("long.toml"), &record).expect("a long file");
    refused(path, &["collect", "many"], 1, "1.json, line 1: it is longer than 16777216 bytes");
}

#[test]
fn texts_of_others_reach_a_terminal_as_escapes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("small.toml"), FILE).expect("a file");
    assert!(league(path, &["plan", "small.toml", "--out", "many"]).status.success());
    let (spec, record) = (path.join("many/specs/1.json"), path.join("many/records/\u{1b}[2J.json"));
    let played = league(path, &["play", "--spec", spec.to_str().expect("text")]);
    let own = concat!("league ", env!("CARGO_PKG_VERSION"));
    let foreign = text(&played.stdout).replace(own, "\\u001b]0;owned\\u0007\u{202e}");
    assert_ne!(foreign, text(&played.stdout));
    fs::write(&record, foreign).expect("a file");
    refused(path, &["collect", "many"], 1, "it was played by \\u{1b}]0;owned\\u{7}\\u{202e}, and");
    fs::remove_file(&record).expect("a file");
    // The name of a league is that of its file.
    fs::write(path.join("\u{1b}[2J.toml"), FILE).expect("a file");
    let run = league(path, &["run", "\u{1b}[2J.toml", "--out", "out"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert_nothing_raw(&run);
    let standings = fs::read_to_string(path.join("out/standings.json")).expect("a file");
    assert!(standings.contains(r#""league": "\\u{1b}[2J""#), "{standings}");
    // Line-ups: only spaces may stand around a name.
    refused(path, &["compare", "greedy\u{2028}", "random", "--game", "dots"], 2, "`greedy\\u{2028}`");
    fs::write(path.join("blank.toml"), FILE.replace("\"greedy\"", "\"greedy\\u000b\"")).expect("a file");
    refused(path, &["run", "blank.toml"], 2, "`greedy\\u{b}`");
    // Logs of a store.
    let store = rusqlite::Connection::open(path.join("out/store.sqlite")).expect("a store");
    store
        .execute("INSERT INTO logs VALUES (1, 1, 'agent\u{1b}[2J', 'a\u{1b}[2J\n\u{202e}b')", [])
        .expect("it can be written");
    drop(store);
    let log = league(path, &["log", "out", "1"]);
    assert!(
        text(&log.stdout).contains("agent\\u{1b}[2J: a\\u{1b}[2J\n  \\u{202e}b\n"),
        "{}",
        text(&log.stdout)
    );
    assert_nothing_raw(&log);
}

#[test]
fn no_name_is_a_formula_of_a_spreadsheet() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let formula = "=cmd|' /C calc'!A0";
    let file = FILE.replace(
        "[[entrant]]\nstrategy = \"random\"",
        &format!("[[entrant]]\nname = \"{formula}\"\nstrategy = \"random\""),
    );
    fs::write(path.join("small.toml"), file).expect("a file");
    assert!(league(path, &["run", "small.toml", "--out", "out"]).status.success());
    assert!(league(path, &["report", "out"]).status.success());
    for name in ["standings.csv", "report.csv"] {
        let csv = fs::read_to_string(path.join("out").join(name)).expect("a file");
        assert!(csv.contains(&format!(",\"'{formula}\",")), "{name}: {csv}");
    }
}

/// A command that is started makes the file `started`.
#[test]
fn commands_of_files_from_elsewhere_are_shown_and_not_started_without_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    fs::create_dir_all(&own).expect("a folder");
    fs::create_dir_all(&other).expect("a folder");
    let started = folder.path().join("started");
    let command = format!("[\"touch\", \"{}\", \"\\u001b[2J\"]", started.display());
    let file = format!(
        "game = \"project\"\npreset = \"quick\"\n[schedule]\nsets = 1\n[network]\ncheck_host = false\njoin_ms = 200\n\
         [[entrant]]\nname = \"a\"\ncommand = {command}\n[[entrant]]\nstrategy = \"random\"\n"
    );
    fs::write(other.join("league.toml"), &file).expect("a file");
    // The folder tells whose commands these are: that of the file, or for a match the current one.
    let shown = |place: &Path| {
        let place = place.canonicalize().expect("a folder");
        format!("\"touch\" \"{}\" \"\\u{{1b}}[2J\" in the folder {}\n", started.display(), place.display())
    };
    for words in [&["run", "../other/league.toml"][..], &["run", "./../own/../other/league.toml"]] {
        refused(&own, words, 2, &shown(&other));
        refused(&own, words, 2, "hint: if you trust the file, `--trust` starts its commands without asking");
    }
    assert!(!started.exists(), "a command was started");
    assert!(!own.join("league.results").exists(), "the league was begun");
    // In its own folder it is played, and from elsewhere with `--trust`.
    let played = league(&other, &["run", "league.toml", "--jobs", "1", "--out", "out"]);
    assert!(started.exists(), "{}", text(&played.stderr));
    fs::remove_file(&started).expect("a file");
    let matches = fs::read_to_string(other.join("out/matches.jsonl")).expect("a file");
    let line: serde_json::Value =
        serde_json::from_str(matches.lines().next().expect("a match")).expect("JSON");
    fs::write(other.join("match.json"), line["record"]["match"].to_string()).expect("a file");
    refused(&own, &["play", "--spec", "../other/match.json"], 2, &shown(&own));
    let store = rusqlite::Connection::open(other.join("out/store.sqlite")).expect("a store");
    store.execute("DELETE FROM matches WHERE number = 2", []).expect("it can be written");
    drop(store);
    refused(&own, &["resume", "../other/out"], 2, &shown(&other));
    assert!(!started.exists(), "a command was started");
    let trusted = league(&own, &["play", "--spec", "../other/match.json", "--trust"]);
    assert!(started.exists(), "{}", text(&trusted.stderr));
    // Strategies alone start nothing.
    fs::write(other.join("small.toml"), FILE).expect("a file");
    assert!(league(&own, &["run", "../other/small.toml"]).status.success());
}

/// The same for commands that play in process. A command that is started makes the file `started`.
#[cfg(target_os = "linux")]
#[test]
fn programs_in_process_of_files_from_elsewhere_are_not_started_without_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    fs::create_dir_all(&own).expect("a folder");
    fs::create_dir_all(&other).expect("a folder");
    let started = folder.path().join("started");
    let file = format!(
        "game = \"dots\"\npreset = \"small\"\nreplays = \"all\"\n[schedule]\nsets = 1\n\
         [[entrant]]\nname = \"a\"\nstrategy = '\"touch {}\"'\n[[entrant]]\nstrategy = \"random\"\n",
        started.display()
    );
    fs::write(other.join("league.toml"), &file).expect("a file");
    // Programs in process run in the current folder.
    let place = own.canonicalize().expect("a folder");
    let shown = format!("\"touch\" \"{}\" in the folder {}\n", started.display(), place.display());
    for words in [&["run", "../other/league.toml"][..], &["check", "../other/league.toml"]] {
        refused(&own, words, 2, &shown);
        refused(&own, words, 2, "hint: if you trust the file, `--trust` starts its commands without asking");
    }
    assert!(!started.exists(), "a command was started");
    assert!(!own.join("league.results").exists(), "the league was begun");
    // The own folder and `--trust` allow it.
    let is_started = |place: &Path, words: &[&str]| {
        let ended = league(place, words);
        assert!(started.exists(), "{words:?}: {}{}", text(&ended.stdout), text(&ended.stderr));
        fs::remove_file(&started).expect("a file");
        ended
    };
    let checked = is_started(&own, &["check", "../other/league.toml", "--trust"]);
    let told = text(&checked.stdout);
    assert!(told.contains("a: failed: agent #0 (side 1), at 0.0 s: crash\n"), "{told}");
    is_started(&other, &["check", "league.toml"]);
    is_started(&other, &["run", "league.toml", "--out", "out"]);
    is_started(&own, &["run", "../other/league.toml", "--trust", "--out", "out"]);
    let matches = fs::read_to_string(other.join("out/matches.jsonl")).expect("a file");
    let line: serde_json::Value =
        serde_json::from_str(matches.lines().next().expect("a match")).expect("JSON");
    fs::write(other.join("match.json"), line["record"]["match"].to_string()).expect("a file");
    refused(&own, &["play", "--spec", "../other/match.json"], 2, &shown);
    assert!(!started.exists(), "a command was started");
    is_started(&own, &["play", "--spec", "../other/match.json", "--trust"]);
    // A verification starts nothing, wherever the store is: programs may answer in another way.
    for (place, store) in [(&own, "../other/out"), (&other, "out")] {
        let verified = league(place, &["verify", store, "--sample", "100%"]);
        let told = text(&verified.stdout);
        let expected = "2 of 2 matches were checked by their replays: all end as their records say\n";
        assert!(verified.status.success() && told == expected, "{told}{}", text(&verified.stderr));
    }
    assert!(!started.exists(), "a command was started");
    // An unfinished league of another folder is not resumed without the question. Its programs run where they ran.
    let store = rusqlite::Connection::open(other.join("out/store.sqlite")).expect("a store");
    store.execute("DELETE FROM matches WHERE number = 2", []).expect("it can be written");
    drop(store);
    let place = other.canonicalize().expect("a folder");
    let shown = format!("\"touch\" \"{}\" in the folder {}\n", started.display(), place.display());
    refused(&own, &["resume", "../other/out"], 2, &shown);
    assert!(!started.exists(), "a command was started");
    is_started(&own, &["resume", "../other/out", "--trust"]);
}
