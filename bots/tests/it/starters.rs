//! The agents that `bots new` writes in each language: their tests pass, they beat `random`, and their recorded lines
//! are those of a match.
//!
//! A test takes its commands from the printed steps and from the README, so that these are right. `UPDATE_GOLDEN=1
//! cargo test -p bots --test it starters` records the lines of the templates again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::Value;

use crate::run::{Run, run_without_cargo};

/// The folder of the templates.
const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/program/starter/files/program");

/// An agent that `bots new` has written.
struct Starter {
    /// The folder above that of the agent; it is removed with this value.
    above: tempfile::TempDir,
    /// The printed steps.
    told: String,
}

/// Runs `bots`; returns its output and whether it has succeeded.
fn bots(folder: &Path, words: &[&str]) -> (String, bool) {
    let Run { out, err, code } = run_without_cargo(folder, words);
    (out + &err, code == 0)
}

impl Starter {
    /// Writes an agent in a folder whose name has to be quoted.
    fn new(language: &str, game: &str) -> Self {
        let above = tempfile::tempdir().unwrap();
        let (told, is_done) = bots(above.path(), &["new", "my agent's", "--lang", language, "--game", game]);
        assert!(is_done, "{told}");
        Self { above, told }
    }

    fn folder(&self) -> PathBuf {
        self.above.path().join("my agent's")
    }

    /// The printed commands.
    fn commands(&self) -> Vec<&str> {
        self.told.lines().skip_while(|line| !line.starts_with("cd ")).collect()
    }

    /// The printed functions of the shell.
    fn functions(&self) -> String {
        let functions = self.commands().into_iter().filter(|line| line.contains("() {"));
        functions.map(|line| format!("{line}\n")).collect()
    }

    /// Runs these commands; returns their output. They must succeed.
    fn shell(&self, folder: &Path, commands: &str) -> String {
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", commands]).current_dir(folder).stdin(Stdio::null());
        let output = shell.output().unwrap();
        let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(output.status.success(), "{commands}\n{}\n{out}{err}", output.status);
        out.into_owned()
    }

    /// Runs the printed commands up to those of `league`, which is another program.
    fn try_steps(&self) -> String {
        let commands: Vec<&str> =
            self.commands().into_iter().filter(|line| !line.starts_with("league ")).collect();
        self.shell(self.above.path(), &commands.join("\n"))
    }

    /// Number of games that the agent wins of six against `random`. The compiled program must be there.
    fn wins(&self) -> u64 {
        let play = self.commands().into_iter().find(|line| line.starts_with("bots ")).unwrap();
        let play = play.replace("--games 20", "--games 6 --seed 1 --json");
        let printed = self.shell(&self.folder(), &(self.functions() + &play));
        let series: Value = serde_json::from_str(&printed).unwrap();
        let games = series["games"].as_array().unwrap();
        assert_eq!(games.len(), 6);
        for game in games {
            assert_eq!(game["outcome"]["termination"], "normal", "{game}");
        }
        series["wins"][0].as_u64().unwrap()
    }
}

/// Returns whether these programs can be started, and prints a line if one of them cannot.
fn has(programs: &[&str]) -> bool {
    let is_there = |program: &str| {
        let mut command = Command::new(program);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let missing = programs.iter().find(|program| !is_there(program));
    if let Some(program) = missing {
        eprintln!("{program} is not installed: its starter is not tested");
    }
    missing.is_none()
}

/// The agent passes its own test and beats `random`.
fn check(language: &str, games: &[&str]) {
    for game in games {
        let starter = Starter::new(language, game);
        let printed = starter.try_steps();
        assert!(printed.contains("20 games: "), "{language}, {game}: {printed}");
        let wins = starter.wins();
        assert!(wins >= 5, "{language}, {game}: {wins} of 6 games");
    }
}

#[cfg(target_os = "linux")]
mod played {
    use super::{Command, Starter, check, fs, has};

    /// Runs the test of one decision with an agent that answers with the number of its decisions; returns the output.
    fn tested(language: &str, agent: (&str, &str), command: &[&str]) -> String {
        let starter = Starter::new(language, "project");
        let (file, source) = agent;
        fs::write(starter.folder().join(file), source).unwrap();
        let output =
            Command::new(command[0]).args(&command[1..]).current_dir(starter.folder()).output().unwrap();
        assert!(!output.status.success(), "a number is not the answer");
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
    }

    /// The tenth line is the tenth message, and the ninth decision.
    #[test]
    fn a_tested_agent_has_made_the_decisions_before() {
        if has(&["python3"]) {
            let agent = "class Agent:\n    made = 0\n\n    def __init__(self, hello):\n        pass\n\n    \
                         def decide(self, see, options):\n        self.made += 1\n        return {\"do\": self.made}\n";
            let told = tested("python", ("agent.py", agent), &["python3", "-m", "unittest", "discover"]);
            assert!(told.contains("{'do': 9} != {'do': 'pick-up'}"), "{told}");
        }
        if has(&["node"]) {
            let agent = "class Agent { constructor(hello) { this.made = 0; } decide() { return { do: ++this.made }; } }\n\
                         module.exports = { Agent };\n";
            let told = tested("javascript", ("agent.js", agent), &["node", "--test"]);
            assert!(told.contains("do: 9"), "{told}");
        }
    }

    #[test]
    fn an_agent_in_python_beats_random() {
        if has(&["python3"]) {
            check("python", &["project", "dots"]);
        }
    }

    #[test]
    fn an_agent_in_javascript_beats_random() {
        if has(&["node"]) {
            check("javascript", &["project", "dots"]);
        }
    }

    #[test]
    fn an_agent_in_java_beats_random() {
        if has(&["javac", "java"]) {
            check("java", &["project"]);
        }
    }

    #[test]
    fn an_agent_in_cpp_beats_random() {
        if has(&["g++"]) {
            check("cpp", &["project"]);
        }
    }
}

/// The README says how its lines were recorded.
#[test]
#[cfg(unix)]
fn recorded_lines_are_those_of_the_match() {
    for game in ["project", "dots"] {
        let starter = Starter::new("python", game);
        let folder = starter.folder();
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        let blocks: Vec<&str> =
            readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        let [steps, recording] = blocks[..] else { panic!("{readme}") };
        assert!(starter.told.contains(steps), "{readme}\n{}", starter.told);
        starter.shell(&folder, &(starter.functions() + recording));
        let recorded = fs::read_to_string(folder.join("lines.jsonl")).unwrap();
        let template = Path::new(TEMPLATES).join(format!("{game}.jsonl"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&template, &recorded).unwrap();
        }
        let found = fs::read_to_string(&template).unwrap();
        assert_eq!(recorded, found, "stale: UPDATE_GOLDEN=1 cargo test -p bots --test it starters");
    }
}

/// No word of a template is left, and the files are those of the language.
#[test]
fn every_word_of_the_templates_is_replaced() {
    let words = "LANGUAGE SOURCE TITLE STEPS RECORDING COMMAND GAME PRESET DECISION EXPECTED LINE_COUNT";
    for (language, game, files) in [
        ("python", "project", ["agent.py", "test_agent.py"]),
        ("python", "dots", ["agent.py", "test_agent.py"]),
        ("javascript", "project", ["agent.js", "agent.test.js"]),
        ("javascript", "dots", ["agent.js", "agent.test.js"]),
        ("java", "project", ["Agent.java", "Json.java"]),
        ("cpp", "project", ["agent.cpp", "json.hpp"]),
    ] {
        let starter = Starter::new(language, game);
        let mut names = Vec::new();
        for entry in fs::read_dir(starter.folder()).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let left =
                text.split(|letter| !is_letter(letter)).find(|word| words.split(' ').any(|own| own == *word));
            assert_eq!(left, None, "{}", path.display());
        }
        names.sort();
        let mut expected = [".gitignore", "README.md", "league.toml", "lines.jsonl", files[0], files[1]];
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
}

#[test]
fn the_steps_are_printed_for_the_workspace() {
    let above = tempfile::tempdir().unwrap();
    fs::create_dir(above.path().join("game")).unwrap();
    for package in ["sdk", "strategies", "contests"] {
        fs::create_dir(above.path().join("game").join(package)).unwrap();
        fs::write(above.path().join("game").join(package).join("Cargo.toml"), "").unwrap();
    }
    let (told, is_done) = bots(above.path(), &["new", "ants", "--lang", "java", "--workspace", "game"]);
    assert!(is_done, "{told}");
    assert_snapshot!(told);
}

#[test]
fn an_unknown_language_or_game_is_refused_with_a_hint() {
    let above = tempfile::tempdir().unwrap();
    let told: Vec<String> = [
        &["new", "mine", "--lang", "pyton"][..],
        &["new", "mine", "--lang", "java", "--game", "dots"],
        &["new", "mine", "--lang", "python", "--game", "bricks"],
        &["new", "mine", "--lang", "python", "--game", "dot"],
    ]
    .iter()
    .map(|words| {
        let (told, is_done) = bots(above.path(), words);
        assert!(!is_done, "{told}");
        format!("> bots {}\n{told}", words.join(" "))
    })
    .collect();
    assert_snapshot!(told.join("\n"));
    assert_eq!(fs::read_dir(above.path()).unwrap().count(), 0);
}
