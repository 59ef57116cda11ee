//! Contests whose matches other processes play.

use std::fs;

use crate::run::{PROGRAM, league, text};

/// A race of a few small games.
const RACE: [&str; 11] = [
    "race",
    "chains",
    "random",
    "--against",
    "greedy",
    "--game",
    "dots",
    "--preset",
    "small",
    "--most-pairs",
    "20",
];

/// The command of a worker: this script of a shell, in which `league play` is that of the program.
fn worker(script: &str) -> String {
    format!("sh -c '{}'", script.replace("league play", &format!("\"{PROGRAM}\" play")))
}

#[test]
fn workers_play_the_same_race_as_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let here = league(folder.path(), &[&RACE[..], &["--jobs", "1"]].concat());
    let workers = worker("tee -a asked | league play --spec - | tee -a answered");
    let there = league(folder.path(), &[&RACE[..], &["--worker", &format!("3*{workers}")]].concat());
    assert!(there.status.success(), "{}", text(&there.stderr));
    assert_eq!(text(&there.stdout), text(&here.stdout));
    let lines = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap().lines().count();
    assert_eq!(lines("asked"), lines("answered"));
    let asked = lines("asked");
    assert!(asked >= 12, "{asked} matches are three pairs of two variants at least");
}

#[test]
fn a_search_is_kept_whoever_plays_its_matches() {
    let folder = tempfile::tempdir().unwrap();
    let search = |out: &str, more: [&str; 2]| {
        let words = ["tune", "chains:nodes={nodes}", "--param", "nodes=10..1000", "--against", "greedy"];
        let size =
            ["--game", "dots", "--preset", "small", "--samples", "100", "--held-out", "4", "--out", out];
        let output = league(folder.path(), &[&words[..], &size, &more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let file = |name: &str| fs::read_to_string(folder.path().join(out).join(name)).expect("the report");
        (text(&output.stdout), file("tune.html"), file("path.csv"))
    };
    let here = search("here", ["--jobs", "1"]);
    assert_eq!(search("there", ["--worker", &format!("2*{}", worker("league play --spec -"))]), here);
    // The matches that workers have played are in the store: there is nothing to play any more.
    assert_eq!(search("there", ["--worker", "true"]), here);
}

#[test]
fn the_matches_of_a_lost_worker_are_played_by_others() {
    let folder = tempfile::tempdir().unwrap();
    let here = league(folder.path(), &[&RACE[..], &["--jobs", "1"]].concat());
    let lost = worker("sed -u 3q | league play --spec -");
    let kept = worker("league play --spec -");
    let there = league(folder.path(), &[&RACE[..], &["--worker", &lost, "--worker", &kept]].concat());
    assert!(there.status.success(), "{}", text(&there.stderr));
    assert_eq!(text(&there.stdout), text(&here.stdout));
    let told = text(&there.stderr);
    assert!(told.contains("lost a worker: `sh -c ") && told.contains("; 1 worker is left\n"), "{told}");
}

#[test]
fn workers_that_are_of_no_use_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (script, error) in [
        ("exit 3", "has ended (exit status: 3)"),
        ("echo Welcome to lab7; cat > rest", "answers `Welcome to lab7`, which is no record: "),
        ("league play --spec - | sed -u s/league.0/league_9/", " is league_9.1.0, and this is league 0.1.0"),
        ("league play --spec - | sed -u s/chains/random/", " answers with the record of another match"),
        (
            r"league play --spec - | sed -u -E 's/\[-?[0-9.]+,-?[0-9.]+\]/[1,1,1]/g'",
            " answers with a faulty record: it has places for 3 teams: expected 2",
        ),
    ] {
        let raced = league(folder.path(), &[&RACE[..], &["--worker", &worker(script)]].concat());
        let told = text(&raced.stderr);
        assert_eq!((raced.status.code(), raced.stdout.is_empty()), (Some(2), true), "{script}: {told}");
        assert!(told.contains("error: cannot play: no worker is left: `sh -c "), "{script}: {told}");
        assert!(told.contains(error), "{script}: {told}");
    }
    for (words, error) in [
        (&["--worker", "/no/such/program"][..], "the worker `/no/such/program` cannot be started: "),
        (
            &["--worker", "0*true"],
            "a command, e.g. `ssh lab7 league play --spec -`, or `8*COMMAND` for eight workers",
        ),
        (&["--worker", "true", "--jobs", "2"], "cannot be used with"),
        (&["--worker", "true", "--think-limit-ms", "2"], "cannot be used with"),
    ] {
        let raced = league(folder.path(), &[&RACE[..], words].concat());
        let told = text(&raced.stderr);
        assert_eq!(raced.status.code(), Some(2), "{words:?}: {told}");
        assert!(told.contains(error), "{words:?}: {told}");
    }
}

#[test]
fn a_worker_plays_programs_only_if_its_user_allows_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("agent.sh"), "exit 1\n").unwrap();
    let contest =
        ["race", "random", "sh agent.sh", "--against", "greedy", "--game", "dots", "--preset", "small"];
    let refused = worker("league play --spec -");
    let raced = league(folder.path(), &[&contest[..], &["--worker", &refused]].concat());
    let told = text(&raced.stderr);
    assert_eq!(raced.status.code(), Some(2), "{told}");
    assert!(
        told.contains("line 1 of standard input: ") || told.contains("line 3 of standard input: "),
        "{told}"
    );
    assert!(told.contains("`--trust` lets programs play"), "{told}");
}
