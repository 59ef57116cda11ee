//! Programs of the agent protocol that `bots` starts.

use std::fs;
use std::process::Command;

#[test]
fn the_lines_of_a_program_for_people_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let agent = r#"
read -r hello
echo '{"type":"ready"}'
read -r decide
echo "thinking"
printf 'no \033[2Jplan\n' >&2
echo '{"move":1}'
exit 9
"#;
    fs::write(folder.path().join("agent.sh"), agent).unwrap();
    let mut bots = Command::new(env!("CARGO_BIN_EXE_bots"));
    bots.args(["--game", "dots", "sh agent.sh", "random", "--seed", "1"]).current_dir(folder.path());
    let shown = String::from_utf8(bots.output().unwrap().stderr).unwrap();
    for line in [
        "agent #0: thinking",
        "no \\u{1b}[2Jplan",
        "agent #0: is no answer: `{\"move\":1}`: it has no answer: expected `do`, `wait`, `walk` or `tell`",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line:?} is missing in:\n{shown}");
    }
}

#[test]
fn a_command_without_quotes_is_recognised() {
    let bots = Command::new(env!("CARGO_BIN_EXE_bots")).args(["sh", "agent.sh", "greedy"]).output().unwrap();
    assert_eq!(bots.status.code(), Some(2));
    let shown = String::from_utf8(bots.stderr).unwrap();
    assert!(shown.starts_with("error: unknown strategy `sh`: "), "{shown}");
    let hint =
        "hint: a command and its arguments are one word: put quotes around them, e.g. \"python3 agent.py\"\n";
    assert!(shown.ends_with(hint), "{shown}");
}
