//! The referee of Bricks as a program, with programs of players.

mod duels;
mod examples;
mod misbehaving;
mod python;
mod serve;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::run::{Run, run};

/// Runs `reference-gm bricks` in this folder.
pub(super) fn referee(folder: &Path, words: &[&str]) -> Run {
    run(folder, &[&["bricks"], words].concat())
}

/// Makes a player whose program is a shell script.
pub(super) fn player(players: &Path, nick: &str, script: &str) -> PathBuf {
    let folder = players.join(nick);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("info.txt"), format!("./player.sh\n{nick}\n")).unwrap();
    let program = folder.join("player.sh");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// The processes that run in a folder or below it.
pub(super) fn processes_in(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().unwrap();
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lives_there =
        |path: &PathBuf| fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder));
    let name = |path: PathBuf| fs::read_to_string(path.join("comm")).unwrap_or_default();
    entries.map(|entry| entry.path()).filter(lives_there).map(name).collect()
}

/// A board with room for two bricks, one in the first row and one in the last.
pub(super) const TWO_BRICKS: [&str; 4] = ["--size", "3", "--filled-cells", "2x0_0x1_1x1_2x1_2x2"];

/// Limits that no test reaches, on whatever machine, and one attempt for a player that is to be late.
pub(super) const PATIENT: [&str; 8] = [
    "--set",
    "answerLimitMs=600000",
    "--set",
    "moveLimitMs=600000",
    "--set",
    "silenceLimitMs=600000",
    "--set",
    "checkHost=false",
];

/// Plays on that board: the first brick in the first row, the second in the last one.
pub(super) const HONEST: &str = "read -r opening; echo OK
while read -r line; do
  case $line in
    START) echo 0x0_1x0 ;;
    STOP) exit 0 ;;
    *) echo 0x2_1x2 ;;
  esac
done";
