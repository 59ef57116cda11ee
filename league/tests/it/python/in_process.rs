//! Programs of the agent protocol that play in process: processes that are kept, leagues that repeat, and checks.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use child_process::Guard;
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::{Parameters, Seed, Termination};
use league::executor::Executor as _;
use league::games::Games as _;
use league::in_process::InProcess;
use strategies::programs::{Processes, Programs};

use super::PYTHON;
use crate::leagues::play;
use crate::run::{self, PROGRAM, text};

/// An agent that draws from the number of `hello`, and writes its process and each `hello` down. The last lines are its
/// answers.
const AGENT: &str = r#"
import json, os, random, sys, time
chance = None
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'hello':
        chance = random.Random(message['chance'])
        with open('processes', 'a') as file: file.write(f'{os.getpid()}\n')
        print(json.dumps({'type': 'ready', 'once': 'once' in sys.argv}))
    elif message['type'] == 'decide':
        answer = json.dumps({'do': chance.choice(message['options'])})
        if 'illegal' in sys.argv: answer = '{"do":"jump"}'
        if 'twice' in sys.argv: answer += '\n' + answer
        print(answer)
    elif message['type'] == 'end':
        if 'slow' in sys.argv: time.sleep(0.2)
        if 'leaves' in sys.argv: break
"#;

fn executor(folder: &Path) -> InProcess {
    let guard = Guard::new(PROGRAM);
    let programs: Arc<dyn Programs> = Arc::new(Processes::new(guard, folder));
    InProcess::new("tests 1.0").with_programs(&programs)
}

fn command(words: &str) -> String {
    format!("\"{} -S -B agent.py{words}\"", *PYTHON)
}

/// The processes that served the agent with these words in three matches, one after the other.
fn processes(words: &str, termination: Termination) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("agent.py"), AGENT).expect("a program");
    let executor = executor(folder.path());
    let configured = executor.configure("dots", Some("small"), &Parameters::new()).expect("it is valid");
    for seed in 0..3 {
        let spec = MatchSpec {
            game: "dots".to_owned(),
            config: configured.config.clone(),
            seed: Seed::new(seed),
            entrants: vec![command(words), "random".to_owned()],
            limits: MatchLimits::default(),
        };
        let played = executor.play(&spec, false).expect("a match that can be played");
        assert_eq!(played.record.outcome.termination, termination, "{:?}", played.record.first_blunders);
    }
    let written = fs::read_to_string(folder.path().join("processes")).expect("it is written");
    written.lines().map(str::to_owned).collect()
}

#[test]
fn a_process_serves_one_match_after_the_other_unless_it_has_failed_or_says_otherwise() {
    for (words, termination, are_kept) in [
        ("", Termination::Normal, true),
        (" once", Termination::Normal, false),
        (" illegal", Termination::Illegal, false),
        // The line behind the last answer could be taken for an answer of the next match.
        (" twice", Termination::Normal, false),
        (" leaves", Termination::Normal, false),
        // It is still there when the next match begins, and ends without a word.
        (" leaves slow", Termination::Normal, false),
    ] {
        let mut processes = processes(words, termination);
        assert_eq!(processes.len(), 3, "{words}: {processes:?}");
        processes.sort();
        processes.dedup();
        assert_eq!(processes.len(), if are_kept { 1 } else { 3 }, "{words}: {processes:?}");
    }
}

#[test]
fn the_results_of_programs_do_not_depend_on_the_number_of_jobs() {
    let entrants = format!(
        "[[entrant]]\nname = \"first\"\nstrategy = '{}'\n[[entrant]]\nname = \"second\"\nstrategy = '{}'\n\
         [[entrant]]\nstrategy = \"greedy\"\n",
        command(" first"),
        command(" once")
    );
    for (game, sets, matches) in [
        ("game = \"dots\"\npreset = \"small\"\nseed = 21", 4, 24),
        (
            "game = \"project\"\npreset = \"quick\"\nseed = 22\n[configuration]\nteamSize = 2\n\
             [limits]\ntime_ms = 10_000",
            2,
            12,
        ),
    ] {
        let file = format!("{game}\n[schedule]\nsets = {sets}\n{entrants}");
        let results = [1, 8].map(|jobs| {
            let folder = tempfile::tempdir().expect("a folder");
            fs::write(folder.path().join("agent.py"), AGENT).expect("a program");
            play(&file, &executor(folder.path()), jobs).1
        });
        assert_eq!(results[0][2].lines().count(), matches);
        assert!(!results[0][2].contains("crash"), "{}", results[0][2]);
        assert_eq!(results[0], results[1], "{game}");
    }
}

fn league(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = run::league(folder, words);
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Each program plays one short match, and the report of one that fails is shown.
#[test]
fn programs_in_process_are_checked_before_a_league() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("agent.py"), AGENT).expect("a program");
    let python = PYTHON.as_str();
    let odd = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'hello': print('{"type":"ready"}')
    if message['type'] == 'decide': print('{"move":"N"}'); print(json.dumps({'do': message['options'][0]}))
"#;
    fs::write(folder.path().join("odd.py"), odd).expect("a program");
    fs::write(folder.path().join("broken.sh"), "echo no plan >&2; exit 9\n").expect("a program");
    fs::write(
        folder.path().join("idle.sh"),
        "echo '{\"type\":\"ready\"}'; while read -r line; do echo '{\"wait\":null}'; done\n",
    )
    .expect("a program");
    let entrants = format!(
        "[schedule]\nsets = 1\n[[entrant]]\nname = \"sound\"\nstrategy = '{}'\n[[entrant]]\nname = \"odd\"\n\
         strategy = '\"{python} -S -B odd.py\"'\n[[entrant]]\nname = \"broken\"\nstrategy = '\"sh broken.sh\"'\n\
         [[entrant]]\nname = \"absent\"\nstrategy = '\"no-such-program anywhere\"'\n\
         [[entrant]]\nname = \"idle\"\nstrategy = '\"sh idle.sh\"'\n[[entrant]]\nstrategy = \"greedy\"\n",
        command("")
    );
    let check = |game: &str| {
        fs::write(folder.path().join("class.toml"), format!("{game}\n{entrants}")).expect("a league file");
        let (code, told, errors) = league(folder.path(), &["check", "class.toml"]);
        assert_eq!(code, Some(1), "{told}{errors}");
        assert!(errors.contains("3 of 5 programs failed"), "{told}{errors}");
        told
    };
    let told = check("game = \"project\"\npreset = \"quick\"\n[configuration]\nteamSize = 2");
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("sound: 2 agents played for ") && lines[0].ends_with(" actions"), "{told}");
    assert!(lines[1].starts_with("odd: 2 agents played for "), "{told}");
    let warning =
        "odd: warning: the program of agent #0 has written a line that is no answer: `{\"move\":\"N\"}`: ";
    assert!(lines[2].starts_with(warning), "{told}");
    let broken = "broken: failed: 2 of 2 agents, the first is agent #0 (red), at 0.0 s: crash\n  \
                  the program of agent #0 ended with exit code 9 (at 0.000 s)\n  the end of its standard error:\n  no plan\n";
    assert!(told.contains(broken), "{told}");
    assert!(
        told.contains("absent: failed: 2 of 2 agents, the first is agent #0 (red), at 0.0 s: cannot-start\n"),
        "{told}"
    );
    assert!(told.contains("cannot be started: `no-such-program`: No such file"), "{told}");
    assert!(told.contains("idle: failed: 2 agents played for 10.0 s and did nothing\n"), "{told}");
    let told = check("game = \"dots\"\npreset = \"small\"");
    assert!(told.starts_with("sound: 1 agent played: "), "{told}");
    assert!(told.contains("idle: failed: agent #0 (side 1), at 0.0 s: silence\n"), "{told}");
    // Nothing confines programs in process: the flag says more than it could do.
    for words in [&["check", "class.toml", "--confine"][..], &["run", "class.toml", "--confine", "--trust"]] {
        let (code, _, errors) = league(folder.path(), words);
        assert_eq!(code, Some(2), "{errors}");
        assert!(errors.contains("programs that play in process cannot be confined: "), "{errors}");
    }
    let mut files: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").flatten().map(|file| file.file_name()).collect();
    files.sort();
    assert_eq!(
        files,
        ["agent.py", "broken.sh", "class.toml", "idle.sh", "odd.py", "processes"],
        "no store is begun"
    );
}

/// A league can have each match start its programs, and so can a comparison.
#[test]
fn programs_are_started_anew_where_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("agent.py"), AGENT).expect("a program");
    let program = command("");
    // The numbers of matches and of processes that have served them.
    let served = |words: &[&str]| {
        drop(fs::remove_file(folder.path().join("processes")));
        let (code, _, errors) = league(folder.path(), words);
        assert_eq!(code, Some(0), "{errors}");
        let written = fs::read_to_string(folder.path().join("processes")).expect("it is written");
        (written.lines().count(), written.lines().collect::<BTreeSet<_>>().len())
    };
    let run = |restarts: bool| {
        let file = format!(
            "game = \"dots\"\npreset = \"small\"\nrestart_programs = {restarts}\n[schedule]\nsets = 2\n\
             [[entrant]]\nname = \"own\"\nstrategy = '{program}'\n[[entrant]]\nstrategy = \"greedy\"\n"
        );
        let name = format!("{restarts}.toml");
        fs::write(folder.path().join(&name), file).expect("a league file");
        served(&["run", &name, "--trust", "--jobs", "1"])
    };
    assert_eq!([run(false), run(true)], [(4, 1), (4, 4)]);
    let compare = [
        "compare",
        &program,
        "greedy",
        "--game",
        "dots",
        "--preset",
        "small",
        "--most-pairs",
        "2",
        "--jobs",
        "1",
    ];
    let (matches, processes) = served(&[&compare[..], &["--restart-programs"]].concat());
    assert!(matches >= 4 && processes == matches, "{processes} processes for {matches} matches");
    assert_eq!(served(&compare).1, 1);
}

/// A program that fails is named after the standings, and by `league log`.
#[test]
fn failed_programs_of_a_league_in_process_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("broken.sh"), "echo no plan >&2; exit 9\n").expect("a program");
    let file = "game = \"project\"\npreset = \"quick\"\n[schedule]\nsets = 1\n[[entrant]]\nname = \"broken\"\n\
                strategy = '\"sh broken.sh\"'\n[[entrant]]\nstrategy = \"greedy\"\n";
    fs::write(folder.path().join("class.toml"), file).expect("a league file");
    let (code, _, errors) = league(folder.path(), &["run", "class.toml", "--out", "results", "--trust"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("agents have failed, or have told blunders, in 2 matches; `"), "{errors}");
    let (_, told, _) = league(folder.path(), &["log", "results", "1"]);
    let report = "the program of agent #0 ended with exit code 9 (at 0.000 s)\n  the end of its standard error:\n  no plan\n";
    assert!(told.contains(report), "{told}");
    let (_, told, _) = league(folder.path(), &["log", "results"]);
    let failed = "  broken, agent #0 (red), at 0.0 s: ended with exit code 9; last line: no plan\n";
    assert!(told.contains(failed) && !told.contains("the program of agent"), "{told}");
    assert!(told.contains("2 matches; `"), "{told}");
    let (code, _, errors) = league(folder.path(), &["report", "results"]);
    assert_eq!(code, Some(0), "{errors}");
    let report = fs::read_to_string(folder.path().join("results/report.md")).expect("a report");
    assert!(
        report.contains("Programs that failed")
            && report.contains("| broken | agent #0 (red) | 0.0 s | ended with exit code 9 | no plan | 1 |"),
        "{report}"
    );
    let (_, told, _) = league(folder.path(), &["log", "results", "--entrant", "greedy"]);
    assert_eq!(told, "no agent of this entrant has failed\n");
    // A store from the time when the flag `--confine` was taken in process.
    let store = rusqlite::Connection::open(folder.path().join("results/store.sqlite")).expect("it opens");
    store.execute_batch("UPDATE league SET confined = 1; DELETE FROM matches WHERE number = 2").expect("SQL");
    drop(store);
    let (code, _, errors) = league(folder.path(), &["resume", "results", "--trust"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("nothing confines programs in process"), "{errors}");
}

/// The matches of two versions of a program do not compare.
#[test]
fn a_league_goes_on_with_the_programs_with_which_it_began() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("agent.py"), AGENT).expect("a program");
    let file = format!(
        "game = \"dots\"\npreset = \"small\"\nreplays = \"none\"\n[schedule]\nsets = 1\n[[entrant]]\n\
         name = \"sound\"\nstrategy = '{}'\n[[entrant]]\nstrategy = \"greedy\"\n",
        command("")
    );
    fs::write(path("class.toml"), file).expect("a league file");
    let (code, _, errors) = league(folder.path(), &["run", "class.toml", "--out", "results"]);
    assert_eq!(code, Some(0), "{errors}");
    let change = |sql: &str| {
        let store = rusqlite::Connection::open(path("results/store.sqlite")).expect("it opens");
        store.execute_batch(sql).expect("SQL");
    };
    change("DELETE FROM matches WHERE number = 2");
    fs::write(path("agent.py"), format!("{AGENT}\n")).expect("a program");
    let resume = |further: &[&str]| {
        let (code, _, errors) = league(folder.path(), &[&["resume", "results"], further].concat());
        (code, errors)
    };
    let changed = "agent.py is not the file with which the league began";
    let (code, errors) = resume(&[]);
    assert!(code == Some(1) && errors.starts_with(&format!("error: {changed}: ")), "{errors}");
    assert!(errors.contains("`--changed-programs`"), "{errors}");
    let verify = || {
        let (code, _, errors) = league(folder.path(), &["verify", "results"]);
        assert_eq!(code, Some(0), "{errors}");
        errors
    };
    assert!(verify().starts_with(&format!("warning: {changed}\n")));
    let (code, errors) = resume(&["--changed-programs"]);
    let several =
        "warning: agent.py has changed since the league began: its results are of several versions\n";
    assert!(code == Some(0) && errors.contains(several), "{errors}");
    // From now on this version counts.
    assert!(!verify().contains(changed));
    change("DELETE FROM matches WHERE number = 2");
    let (code, errors) = resume(&[]);
    assert!(code == Some(0) && errors.contains(several), "{errors}");
    change("DELETE FROM matches WHERE number = 2");
    fs::write(path("agent.py"), AGENT).expect("a program");
    assert_eq!(resume(&[]).0, Some(1));
    // A store of a time without this check.
    change("DROP TABLE programs");
    for further in [&[][..], &["--changed-programs"]] {
        change("DELETE FROM matches WHERE number = 2");
        let (code, errors) = resume(further);
        assert!(code == Some(0) && !errors.contains("agent.py"), "{errors}");
    }
}

/// The programs play again if no replay was kept.
#[test]
fn matches_with_programs_are_verified_and_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("agent.py"), AGENT).expect("a program");
    let league_of = |name: &str, limits: &str, command: &str| {
        let file = format!(
            "game = \"dots\"\npreset = \"small\"\n[schedule]\nsets = 1\n{limits}[[entrant]]\nname = \"sound\"\n\
             strategy = '{command}'\n[[entrant]]\nstrategy = \"greedy\"\n"
        );
        fs::write(folder.path().join("class.toml"), file).expect("a league file");
        let (code, _, errors) = league(folder.path(), &["run", "class.toml", "--out", name]);
        assert_eq!(code, Some(0), "{errors}");
    };
    league_of("free", "", &command(""));
    let (code, told, errors) = league(folder.path(), &["verify", "free", "--sample", "100%"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(told.contains("2 of 2 matches were played again: all took the same course"), "{told}");
    // The programs run where they ran in the league.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("free").display().to_string();
    let (code, told, errors) = league(elsewhere.path(), &["verify", &store, "--sample", "100%", "--trust"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(told.contains("2 of 2 matches were played again: all took the same course"), "{told}");
    let (code, told, errors) = league(folder.path(), &["export", "free", "--events", "events.csv"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(told.ends_with("2 matches exported\n"), "{told}");
    // A program that is gone is no fault of the matches.
    let agent = folder.path().join("agent");
    fs::write(&agent, format!("#!/usr/bin/env python3\n{AGENT}")).expect("a program");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("it can be started");
    league_of("gone", "", "./agent");
    fs::remove_file(agent).expect("a program");
    for words in [&["verify", "gone"][..], &["replay", "gone", "1"], &["export", "gone", "--events", "e.csv"]]
    {
        let (code, _, errors) = league(folder.path(), words);
        assert_eq!(code, Some(2), "{words:?}: {errors}");
        assert!(errors.contains("`./agent`"), "{words:?}: {errors}");
    }
    // The time of decisions is not the same again: nothing is checked, which is no success.
    league_of("timed", "[limits]\nthink_limit_ms = 60_000\n", &command(""));
    let (code, _, errors) = league(folder.path(), &["verify", "timed", "--sample", "100%"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("2 have no replay: the league keeps none"), "{errors}");
}
