//! An agent in Rust: a crate with an agent, a test of one decision and a league file.
//!
//! The crate depends on this workspace by path. It has an empty `[workspace]` table, so it may be inside the workspace
//! or outside. It begins with the workspace's lock file, so it has the same versions. It builds in a target folder of
//! its own: in a shared one, cargo would take the program of another crate with the same name for this one.

use std::path::Path;

use command_line::{Failure, quoted, shown};
use strategies::programs::Command;

/// Name in the templates.
const NAME: &str = "my-agent";

/// Names that cannot be those of the crate: the crates and programs of the workspace, its opponent, and names that
/// cargo and the compiler reserve.
const TAKEN: &[&str] = &[
    "alloc",
    "book",
    "bots",
    "build",
    "child-process",
    "child-process-guard",
    "clients",
    "command-line",
    "contests",
    "core",
    "cs",
    "deps",
    "examples",
    "game-bricks",
    "game-catalogue",
    "game-conveyor",
    "game-dots",
    "game-env",
    "game-eriantys",
    "game-project",
    "greedy",
    "incremental",
    "league",
    "league-dist",
    "proc-macro",
    "project-game",
    "reference-gm",
    "sdk",
    "simulation",
    "std",
    "strategies",
    "study",
    "tcp",
    "test",
    "viewer",
    "whole-file",
    "wire",
    "workspace-tests",
    "xtask",
];

/// The keywords of Rust that could be a package's name.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Returns the name of the crate, which is that of its folder.
pub(super) fn package_name(folder: &Path) -> Result<String, Failure> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hint = format!("name a folder like ../{NAME}");
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let has_form = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| is_letter(letter) || ['-', '_'].contains(&letter));
    if !has_form {
        let expected = "expected small letters, digits, `-` and `_`, a letter first";
        return Err(Failure::misuse(
            format!("invalid name of a crate `{}`: {expected}", shown(Path::new(&name))),
            hint,
        ));
    }
    let spelt = name.replace('_', "-");
    if TAKEN.contains(&&spelt[..]) || KEYWORDS.contains(&&name[..]) {
        return Err(Failure::misuse(format!("a crate cannot be called `{name}`: the name is taken"), hint));
    }
    Ok(name)
}

/// Returns the words of the templates with their replacements, for a crate of this name in this folder, which is typed
/// in the folder of the workspace. `workspace` is the path from the crate to that folder.
pub(super) fn words(folder: &Path, name: &str, workspace: String) -> Vec<(&'static str, String)> {
    vec![
        (NAME, name.to_owned()),
        ("my_agent", name.replace('-', "_")),
        ("../project-game", workspace),
        ("LEAGUE-FILE", quoted(&folder.join("league.toml").display().to_string()).into_owned()),
        ("AGENT-COMMAND", serde_json::Value::from(agent_command(folder, name)).to_string()),
    ]
}

/// Returns the command of the agent as a program, for the folder from which the path of the crate begins.
fn agent_command(folder: &Path, name: &str) -> String {
    let program = folder.join("target/debug").join(name).display().to_string();
    // Words of commands are quoted in another way than those of a shell.
    let command = Command::of_words([program.as_str(), "agent"]).to_string();
    // A line-up is split at these signs outside of quotes.
    if command.contains(['+', '*']) { command } else { command.trim_matches('"').to_owned() }
}

/// Returns the next steps, for people. `typed` is the folder as it is typed in that of the workspace.
pub(super) fn steps(folder: &Path, typed: &Path, name: &str) -> String {
    let league = typed.join("league.toml").display().to_string();
    let own = agent_command(typed, name);
    let [cd, league, own] =
        [&folder.display().to_string(), &league, &own].map(|path| quoted(path).into_owned());
    let folder = shown(folder);
    format!(
        "{folder} is a crate with an agent: src/lib.rs decides, src/main.rs plays\n\
         \n\
         cd {cd}\n\
         cargo test                         # a test of one decision\n\
         cargo run                          # a game in this process against `greedy`\n\
         cargo run -- compare 400           # is it stronger than `greedy`, and where do they differ?\n\
         cargo run -- lost SEED TEAM        # one of these games again, decision by decision\n\
         cargo run -- 127.0.0.1:3727 red    # a game on a server\n\
         \n\
         in the folder of the workspace after `cargo build` in the crate (Linux), a game with the agent as a program, and\n\
         the decision that cost most:\n\
         cargo run --release -p bots -- {own} greedy --preset quick --virtual --replay game.replay\n\
         cargo run --release -p bots -- why game.replay --team red\n\
         \n\
         there as well, a league:\n\
         cargo run --release -p league -- run {league}\n\
         it asks before it starts an agent from outside that folder; `--trust` answers yes, also without a terminal\n"
    )
}

#[cfg(test)]
mod tests {
    use strategies::notation::line_up;

    use super::*;

    #[test]
    fn the_command_of_an_agent_is_read_whatever_its_folder() {
        for folder in ["/home/ada/my agent", "../o'brien/agent", "/tmp/c++/agent", "/tmp/a"] {
            let text = agent_command(Path::new(folder), "agent");
            assert_eq!(line_up(&text).map(|parts| parts.len()), Ok(1), "{text}");
            let read = Command::read(&text).expect("a command").expect("a sound one");
            assert_eq!(read.words(), [format!("{folder}/target/debug/agent").as_str(), "agent"], "{text}");
        }
    }

    #[test]
    fn names_are_those_of_crates() {
        let name = |path: &str| package_name(Path::new(path)).map_err(|failure| failure.to_string());
        assert_eq!(name("../my-agent").as_deref(), Ok("my-agent"));
        assert_eq!(name("a_2").as_deref(), Ok("a_2"));
        for path in ["..", "/", "My", "2fast", "a b", "é", "-x"] {
            assert!(name(path).unwrap_err().contains("expected small letters"), "{path}");
        }
        let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock")).unwrap();
        let packages = lock.split("[[package]]").filter(|package| !package.contains("source = "));
        let own = packages.filter_map(|package| package.split_once("name = \"")?.1.split('"').next());
        let own: Vec<&str> = own.collect();
        assert!(own.contains(&"sdk"), "{own:?}");
        for path in own.into_iter().chain(["proc_macro", "match"]) {
            assert!(name(path).unwrap_err().contains("the name is taken"), "{path}");
        }
    }
}
