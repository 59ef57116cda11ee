//! The players of `examples/players`: each builds as its file says, and plays whole games.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{PATIENT, player, referee};

/// A copy of an example in a folder of players.
pub(super) fn copy(name: &str, players: &Path) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/players").join(name);
    let to = players.join(name);
    fs::create_dir_all(&to).unwrap();
    for entry in fs::read_dir(&from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    to
}

/// Builds a program by a compiler, in its folder.
fn build(folder: &Path, compiler: OsString, words: &[&str]) {
    let output = Command::new(&compiler).args(words).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", compiler.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Plays this example against itself on boards with filled cells, once as each player: every game ends by the rules.
pub(super) fn check(folder: &Path, name: &str, more: &[&str]) {
    let players = folder.join("players");
    let other = players.join("other");
    fs::create_dir_all(&other).unwrap();
    for entry in fs::read_dir(players.join(name)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), other.join(entry.file_name())).unwrap();
    }
    let info = fs::read_to_string(other.join("info.txt")).unwrap();
    let command = info.lines().next().unwrap();
    fs::write(other.join("info.txt"), format!("{command}\nother\n")).unwrap();
    let [own, other] = [name, "other"].map(|nick| format!("players/{nick}"));
    for [first, second] in [[&own, &other], [&other, &own]] {
        let mut words = vec!["duel", first, second, "--size", "9", "--filled", "8", "--seed", "3", "--json"];
        words.extend(PATIENT);
        words.extend(more);
        let run = referee(folder, &words);
        assert_eq!(run.code, 0, "{run:?}");
        let duel: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(duel["letter"], "N", "{duel:#}");
        assert!(duel["bricks"].as_array().unwrap().len() > 15, "{duel:#}");
    }
}

/// Checks that a player has fewer than 60 lines.
fn check_length(name: &str, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/players").join(name).join(file);
    let lines = fs::read_to_string(&path).unwrap().lines().count();
    assert!(lines < 60, "{} has {lines} lines", path.display());
}

#[test]
fn the_example_in_rust_plays() {
    let folder = tempfile::tempdir().unwrap();
    let example = copy("rust", &folder.path().join("players"));
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    build(&example, compiler, &["--edition", "2024", "-O", "player.rs"]);
    check(folder.path(), "rust", &[]);
}

#[test]
fn the_example_in_c_plays() {
    let folder = tempfile::tempdir().unwrap();
    let example = copy("c", &folder.path().join("players"));
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    build(&example, compiler, &["-O2", "-Wall", "-Wextra", "-Werror", "-o", "player", "player.c"]);
    check(folder.path(), "c", &[]);
}

#[test]
fn examples_are_short() {
    for (name, file) in [("rust", "player.rs"), ("python", "player.py"), ("c", "player.c")] {
        check_length(name, file);
    }
}

/// A program that does not exist loses, and the result is reported.
#[test]
fn an_example_that_is_not_built_cannot_be_started() {
    let folder = tempfile::tempdir().unwrap();
    let players = folder.path().join("players");
    copy("c", &players);
    player(&players, "other", "read -r opening; echo OK; read -r line");
    let run = referee(folder.path(), &["duel", "players/c", "players/other", "--json"]);
    let result: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!(result["letter"], "S", "{run:?}");
}
