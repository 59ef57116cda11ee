//! `league tune` as a program.

use std::fs;
use std::path::Path;
use std::process::Output;

use league::store::Store;

use crate::run::{league, text};

const TEMPLATE: &str = "greedy:slip={slip}";

/// A small search, on a small board.
const WORDS: [&str; 18] = [
    "--param",
    "slip=0..0.9",
    "--against",
    "greedy",
    "--set",
    "boardX=5",
    "--set",
    "boardY=8",
    "--set",
    "goalAreaHeight=2",
    "--set",
    "numberOfGoals=2",
    "--set",
    "teamSize=2",
    "--samples",
    "300",
    "--held-out",
    "10",
];

fn tune(folder: &Path, words: &[&str]) -> Output {
    league(folder, &[&["tune"], words].concat())
}

/// Searches into `tune.results` in this folder; returns what is printed, and the report.
fn searched(folder: &Path, more: &[&str]) -> [String; 3] {
    let output = tune(folder, &[&[TEMPLATE], &WORDS[..], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let file = |name: &str| fs::read_to_string(folder.join("tune.results").join(name)).expect("the report");
    [text(&output.stdout), file("tune.html"), file("path.csv")]
}

#[test]
fn a_search_says_which_values_are_the_best() {
    let folder = tempfile::tempdir().unwrap();
    // A process that was killed as soon as it had begun leaves an empty file.
    fs::create_dir(folder.path().join("tune.results")).unwrap();
    fs::write(folder.path().join("tune.results").join(Store::FILE), "").unwrap();
    let [told, page, path] = searched(folder.path(), &["--jobs", "1"]);
    let lines: Vec<&str> = told.lines().collect();
    assert!(
        lines[0].starts_with("greedy:slip=0") && lines[0].contains(" is stronger than the start: +"),
        "{told}"
    );
    assert!(lines[0].ends_with(" of the points on 10 held-out pairs of games each"), "{told}");
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(cells(lines[2]), ["parameter", "start", "best", "from", "to"]);
    assert_eq!(cells(lines[3])[..2], ["slip", "0.45"], "the middle of the range: {told}");
    let [best, high] = [2, 4].map(|cell| cells(lines[3])[cell].parse::<f64>().unwrap());
    assert!(best < 0.3 && best <= high && high < 0.9, "who slips less wins more: {told}");
    assert_eq!(lines[4], "The intervals hold all best values together with 98 %.");
    assert_eq!(path.lines().next(), Some("samples,slip"));
    let samples: Vec<&str> = path.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(samples, ["32", "64", "96", "112"]);
    assert!(page.contains("<h1>Search of greedy:slip={slip}</h1>") && page.contains("data-chart=\"path-0\""));
    assert!(page.contains("aria-label=\"Parameters\"") && page.contains("<td>slip</td>"));
    let store = Store::look(&folder.path().join("tune.results")).unwrap();
    assert_eq!(store.count().unwrap(), 4 * 310);
}

#[test]
fn neither_jobs_nor_interruptions_change_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let whole = searched(folder.path(), &["--jobs", "1"]);
    // As if the program had been killed within the walk, and after it.
    for kept in [33_u64, 901] {
        let mut store = Store::open(&folder.path().join("tune.results")).unwrap();
        store.remove(&(kept + 1..=1_240).collect::<Vec<_>>()).unwrap();
        drop(store);
        assert_eq!(searched(folder.path(), &["--jobs", "3"]), whole, "after match {kept}");
    }
    // Nothing is left to play.
    assert_eq!(searched(folder.path(), &[]), whole);
}

#[test]
fn another_search_does_not_go_on_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    searched(folder.path(), &[]);
    let other = tune(folder.path(), &[&[TEMPLATE], &WORDS[..], &["--seed", "2"]].concat());
    assert_eq!(
        (other.status.code(), text(&other.stderr).as_str()),
        (
            Some(2),
            "error: tune.results has another search, or a league\n\
             hint: go on with the same flags, or name another folder with `--out`\n"
        )
    );
    let report = league(folder.path(), &["report", "tune.results"]);
    assert_eq!(
        text(&report.stderr),
        "error: tune.results has a search of `tune`, and no league\n\
         hint: the command with which the search began goes on with it\n"
    );
    assert!(!report.status.success());
}

/// The games of two versions of a program do not compare.
#[test]
#[cfg(target_os = "linux")]
fn a_search_goes_on_with_the_programs_with_which_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let search = |program: &str, further: &[&str]| {
        fs::write(folder.path().join("agent.sh"), program).unwrap();
        let words =
            ["\"sh agent.sh {depth}\"", "--param", "depth=1..9", "--against", "greedy", "--game", "dots"];
        text(&tune(folder.path(), &[&words[..], further].concat()).stderr)
    };
    assert!(search("exit 3\n", &[]).contains("ended with exit code 3"));
    let told = search("exit 4\n", &[]);
    assert!(told.starts_with("error: agent.sh is not the file with which the search began: "), "{told}");
    let told = search("exit 3\n", &[]);
    assert!(told.contains("ended with exit code 3"), "{told}");
    let told = search("exit 4\n", &["--changed-programs"]);
    let several =
        "warning: agent.sh has changed since the search began: its results are of several versions\n";
    assert!(told.starts_with(several) && told.contains("ended with exit code 4"), "{told}");
}

#[test]
fn faulty_searches_are_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    for (words, error) in [
        (
            &["greedy", "--param", "patience=0.2..5"][..],
            "error: `{patience}` is not in the line-up `greedy`\n",
        ),
        (&[TEMPLATE, "--param", "slip=1..0"], "the lower bound is not below the upper one"),
        (&["greedy:slip={slip},haste={haste}", "--param", "slip=0..0.9"], "haste"),
        (&["coordinated:patience={patience}", "--param", "patience=0.2..5000"], "patience"),
        (
            &["coordinated:pushes={pushes}", "--param", "pushes=0..8.0"],
            "wrong type; allowed: a whole number from 0 to 100\nhint: for a parameter of whole numbers, write bounds without a point",
        ),
        (
            &["coordinated:patience={patience}", "--param", "patience=0.2..5", "--start", "patience=7"],
            "error: patience=0.2..5 does not begin with 7: expected a value of this range\n",
        ),
        (
            &["coordinated:patience={patience}", "--param", "patience=0.2..5", "--start", "pace=1"],
            "error: `--start pace` names no parameter\n",
        ),
        (
            &[
                "coordinated:patience={patience}",
                "--param",
                "patience=0.2..5",
                "--start",
                "patience=1",
                "--start",
                "patience=4",
            ],
            "error: `--start patience` is given twice\nhint: name each parameter once\n",
        ),
        (
            &["coordinated:patience={patience}", "--param", "patience=0.2..5", "--start", "patience"],
            "error: invalid --start `patience`: expected NAME=VALUE\nhint: e.g. `--start patience=1`\n",
        ),
        (
            &["greedy:slip={slip}", "--param", "slip=0..0.9", "--seed", "990001"],
            "error: the held-out pairs have the seed of the search, 990001: ",
        ),
    ] {
        let output = tune(folder.path(), &[words, &["--against", "greedy"]].concat());
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true), "{words:?}: {told}");
        assert!(told.contains(error), "{words:?}: {told}");
    }
    assert!(!folder.path().join("tune.results").exists());
}
