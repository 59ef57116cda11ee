//! The program that plays many runs, and resumes them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use simulation::GAMES;

/// This many runs from number 7 on, with a record.
fn simulate(runs: &str, record: &Path, jobs: &str) -> Output {
    // The game with the shortest runs.
    let game = GAMES[1].game;
    let mut command = Command::new(env!("CARGO_BIN_EXE_simulation"));
    command.args(["--game", game, "--from", "7", "--seeds", runs, "--jobs", jobs]);
    command.arg("--record").arg(record).output().expect("the program starts")
}

/// The lines of a record, in the order of the runs.
fn lines(record: &Path) -> Vec<String> {
    let text = fs::read_to_string(record).expect("a record");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1..].sort_by_key(|line| line.split(' ').next().and_then(|number| number.parse::<u64>().ok()));
    lines
}

#[test]
fn runs_that_were_cut_off_are_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, cut] = ["whole", "cut"].map(|name| folder.path().join(name));
    let played = simulate("250", &whole, "1");
    assert!(played.status.success(), "{played:?}");
    let all = lines(&whole);
    assert_eq!(all.len(), 4, "{all:?}");
    // The program was killed while it wrote the second piece.
    fs::write(&cut, format!("{}\n{}\n{}", all[0], all[1], &all[2][..9])).unwrap();
    let resumed = simulate("250", &cut, "2");
    assert!(resumed.status.success(), "{resumed:?}");
    assert!(String::from_utf8_lossy(&resumed.stderr).starts_with("100 of 250 runs were finished before"));
    assert_eq!(lines(&cut), all);
    let again = simulate("250", &cut, "2");
    let (before, after) =
        (String::from_utf8(played.stdout).unwrap(), String::from_utf8(again.stdout).unwrap());
    let totals = |text: &str| text.split(';').next().unwrap().to_owned();
    assert_eq!(totals(&before), totals(&after), "a finished record is only counted");
    assert!(after.contains("; 0 of them now"), "{after}");
}

/// The last piece had fewer runs than it has now.
#[test]
fn more_runs_go_on_with_the_record_of_fewer() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    for (runs, told) in [("30", ""), ("150", ""), ("150", "150 of 150 runs were finished before")] {
        let played = simulate(runs, &record, "1");
        assert!(played.status.success(), "{played:?}");
        let text = String::from_utf8_lossy(&played.stderr);
        assert!(text.starts_with(told), "{text}");
    }
    assert_eq!(lines(&record).len(), 3);
}

#[test]
fn a_file_that_is_no_record_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    fs::write(&other, "something\nelse\n").unwrap();
    let refused = simulate("250", &other, "1");
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains("line 1: `something`: expected `simulation of "), "{told}");
    assert_eq!(fs::read_to_string(&other).unwrap(), "something\nelse\n");
}
