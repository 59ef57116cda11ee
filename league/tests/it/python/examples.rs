//! The players of `examples/players`, as their README builds them and lets them play.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{PROGRAM, text};

/// The words before those of the program in commands of the README.
const CARGO: &str = "cargo run --release -p league -- ";

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let (entry, to) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).expect("an entry");
        if entry.is_dir() {
            copy(&entry, &to);
        } else {
            fs::copy(&entry, &to).expect("a file");
        }
    }
}

#[test]
fn the_commands_of_the_readme_play_a_league() {
    let players = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/players");
    let readme = fs::read_to_string(players.join("README.md")).expect("a file");
    let block = readme.split("```").nth(1).and_then(|block| block.strip_prefix("text\n"));
    let block = block.expect("a block with commands");
    assert_eq!(block.matches(CARGO).count(), 2, "{block}");
    let folder = tempfile::tempdir().expect("a folder");
    copy(&players, &folder.path().join("examples/players"));
    // The machine may be busy.
    assert_eq!(block.matches("--set size=15").count(), 1, "{block}");
    let patient =
        ["answerLimitMs", "moveLimitMs", "silenceLimitMs"].map(|name| format!(" --set {name}=600000"));
    let patient = block.replace("--set size=15", &format!("--set size=15{}", patient.concat()));
    let commands = patient.replace(CARGO, &format!("'{PROGRAM}' "));
    let ran = Command::new("sh").args(["-ec", &commands]).current_dir(folder.path()).output();
    let ran = ran.expect("a shell");
    let told = text(&ran.stdout);
    assert!(ran.status.success(), "{told}{}", text(&ran.stderr));
    assert!(told.contains("players.toml: 3 entrants; "), "{told}");
    assert!(["Rusty", "Monty", "Ceecee"].iter().all(|name| told.contains(name)), "{told}");
    // Each meets each other twice.
    let records = folder.path().join("players.results/matches.jsonl");
    assert_eq!(fs::read_to_string(records).expect("a file").lines().count(), 6, "{told}");
}
