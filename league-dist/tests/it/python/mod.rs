//! Leagues on many machines with programs in Python. `cargo xtask test` leaves out this module where Python is missing.

#![cfg(target_os = "linux")]

use std::fs;
use std::sync::Arc;

use child_process::Guard;
use league::begin::PROGRAM;
use league::in_process::InProcess;
use strategies::programs::{Processes, Programs};

use crate::processes::{Process, assert_same_files, finish, play_alone_with, text};

/// An agent whose decisions follow from what it reads: it draws from the number of `hello`. If it has the word `dies`,
/// it ends in its third decision of each game, and names its folder.
const AGENT: &str = r#"
import json, os, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'hello':
        chance, left = random.Random(message['chance']), 3
        print('{"type":"ready"}')
    elif message['type'] == 'decide':
        left -= 1
        if 'dies' in sys.argv and left == 0: sys.exit('in ' + os.getcwd())
        print(json.dumps({'do': chance.choice(message['options'])}))
"#;

const FILE: &str = "game = \"dots\"\npreset = \"small\"\nseed = 3\nreplays = \"all\"\n[schedule]\nsets = 10\n\
                    [[entrant]]\nstrategy = \"greedy\"\n\
                    [[entrant]]\nname = \"first\"\nstrategy = \"python3 -S -B agent.py\"\n\
                    [[entrant]]\nname = \"second\"\nstrategy = \"python3 -S -B agent.py second\"\n";

/// Workers whose hosts allow it play matches with programs, with the results of one process, byte for byte. A worker
/// without this permission plays nothing, and says which flag gives it.
#[test]
fn workers_play_matches_with_programs_if_they_are_allowed_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("small.toml"), FILE).expect("a file");
    fs::write(path.join("agent.py"), AGENT).expect("a program");
    let run = ["run", "small.toml", "--queue", "sqlite://queue.db", "--out", "many", "--chunk", "1"];
    let worker = ["worker", "--queue", "sqlite://queue.db", "--jobs", "1"];
    let mut coordinator = Process::start(path, &run);
    let told = coordinator.hear("results go to many");
    assert!(told.contains("queue.db --trust` adds a worker"), "{told}");
    let refused = finish(path, &[&worker[..], &["--idle-timeout", "0"]].concat());
    assert!(refused.status.success(), "{}", text(&refused.stderr));
    let told = text(&refused.stderr);
    assert!(told.contains("it starts 2 commands on this machine, e.g. \"python3\" "), "{told}");
    assert!(told.contains("a worker with `--trust` starts the commands"), "{told}");
    let mut workers = [(); 2].map(|()| Process::start(path, &[&worker[..], &["--trust"]].concat()));
    for worker in &mut workers {
        worker.hear("plays for the league \"small\"");
    }
    coordinator.hear("standings.json");
    drop(workers);
    let programs: Arc<dyn Programs> =
        Arc::new(Processes::new(Guard::new(env!("CARGO_BIN_EXE_league-dist")), path));
    play_alone_with(&InProcess::new(PROGRAM).with_programs(&programs), &path.join("one"), FILE);
    assert_same_files(&path.join("one"), &path.join("many"));
    let matches = fs::read_to_string(path.join("many/matches.jsonl")).expect("the matches");
    assert_eq!(matches.lines().count(), 60);
    assert!(!matches.contains("crash"), "{matches}");
}

/// The folder of a program differs from machine to machine, and the end of its standard error is in the record if it
/// fails: no worker is refused for that. All results are verified.
#[test]
fn a_program_that_names_its_folder_when_it_fails_makes_no_result_false() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let file = FILE.replace("agent.py second", "agent.py dies").replace("sets = 10", "sets = 2");
    fs::create_dir(path.join("elsewhere")).expect("a folder");
    fs::write(path.join("small.toml"), file).expect("a file");
    for place in ["agent.py", "elsewhere/agent.py"] {
        fs::write(path.join(place), AGENT).expect("a program");
    }
    let run = ["run", "small.toml", "--queue", "sqlite://queue.db", "--out", "many", "--verify-every", "1"];
    let elsewhere = path.join("elsewhere");
    let worker = Process::start(&elsewhere, &["worker", "--queue", "sqlite://../queue.db", "--trust"]);
    let ended = finish(path, &run);
    drop(worker);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(!text(&ended.stderr).contains("is refused"), "{}", text(&ended.stderr));
    let matches = fs::read_to_string(path.join("many/matches.jsonl")).expect("the matches");
    assert_eq!(matches.lines().filter(|line| line.contains("/elsewhere")).count(), 8, "{matches}");
}

/// A file from elsewhere does not start its commands by itself, as with `league run`.
#[test]
fn a_coordinator_asks_before_it_starts_commands_of_a_file_from_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("own");
    fs::create_dir(&own).expect("a folder");
    fs::write(folder.path().join("small.toml"), FILE).expect("a file");
    let run = ["run", "../small.toml", "--queue", "sqlite://queue.db", "--out", "many"];
    let refused = finish(&own, &run);
    let told = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(
        told.contains("small.toml is not in the current folder, and starts 2 commands on this machine:"),
        "{told}"
    );
    assert!(told.contains("`--trust` starts its commands without asking"), "{told}");
    assert!(!own.join("many").exists(), "no league is begun");
    let mut trusted = Process::start(&own, &[&run[..], &["--trust"]].concat());
    trusted.hear("results go to many");
}
