//! `bots new`: the files that it writes, and the names that it refuses. `tests/it/starter.rs` of the workspace builds
//! the files.

use std::fs;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;

use crate::run::{Run, run_without_cargo};

/// The workspace, as a path.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Runs `bots new` in a folder; returns its output and its exit code.
fn new(folder: &Path, words: &[&str]) -> (String, i32) {
    let Run { out, err, code } = run_without_cargo(folder, &[&["new"], words].concat());
    (out + &err, code)
}

#[test]
fn a_crate_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (told, code) = new(folder.path(), &["red-ants", "--workspace", WORKSPACE]);
    assert_eq!(code, 0, "{told}");
    // It is made elsewhere: in the folder of the workspace its path is typed as a whole.
    let place = folder.path().canonicalize().unwrap().display().to_string();
    assert_snapshot!(told.replace(&place, "DIR"));
    let read = |path: &str| fs::read_to_string(folder.path().join("red-ants").join(path)).unwrap();
    assert!(read("Cargo.toml").contains("name = \"red-ants\""));
    assert!(read("src/main.rs").contains("use red_ants::Mine;"));
    let league = read("league.toml");
    let own = format!("strategy = \"{place}/red-ants/target/debug/red-ants agent\"\n");
    assert!(league.contains(&own), "{league}");
    assert!(league.contains("# command = [\"target/debug/red-ants\", "), "{league}");
    let manifest = read("Cargo.toml");
    let (_, sdk) = manifest.split_once("sdk = { path = \"").unwrap();
    let sdk = folder.path().join("red-ants").join(sdk.split('"').next().unwrap());
    let found = sdk.parent().unwrap().canonicalize().unwrap();
    assert_eq!(found, Path::new(WORKSPACE).canonicalize().unwrap(), "the folder of the workspace");
    assert_eq!(read("Cargo.lock"), fs::read_to_string(Path::new(WORKSPACE).join("Cargo.lock")).unwrap());
    for file in ["Cargo.toml", "src/lib.rs", "src/main.rs", "league.toml"] {
        let text = read(file);
        for template in ["my-agent", "my_agent", "../project-game", "LEAGUE-FILE", "AGENT-COMMAND"] {
            assert!(!text.contains(template), "{file} has {template}:\n{text}");
        }
    }
}

/// In a shared target folder, cargo takes the program of one crate for that of another one with the same name: a copy
/// of a crate would measure the agent of the original.
#[test]
fn each_crate_builds_in_its_own_folder() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["first", "second"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        let (told, code) = new(folder.path(), &[&format!("{name}/red-ants"), "--workspace", WORKSPACE]);
        assert_eq!(code, 0, "{told}");
        let own = folder.path().join(name).join("red-ants");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["metadata", "--offline", "--no-deps", "--format-version", "1"]).current_dir(&own);
        let output = cargo.env_remove("CARGO_TARGET_DIR").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let target = Path::new(told["target_directory"].as_str().unwrap());
        assert_eq!(target, own.canonicalize().unwrap().join("target"));
    }
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes"), "mine").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let told: Vec<String> = ["notes", "empty", "missing/mine", "Mine", "sdk", ".."]
        .iter()
        .map(|path| {
            let (told, code) = new(folder.path(), &[path, "--workspace", WORKSPACE]);
            format!("> bots new {path}\n{told}exit code {code}\n")
        })
        .collect();
    assert_snapshot!(told.join("\n"));
    assert_eq!(fs::read_to_string(folder.path().join("notes")).unwrap(), "mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn the_workspace_has_to_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let unknown = new(folder.path(), &["mine"]);
    let (wrong, code) = new(folder.path(), &["mine", "--workspace", "."]);
    assert_eq!((unknown.1, code), (2, 2));
    assert_snapshot!(unknown.0 + &wrong);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn help_has_an_example() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot!(new(folder.path(), &["--help"]).0);
}
