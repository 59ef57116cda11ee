//! `league compare` and `league report` as programs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn league(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_league"));
    command.args(words).current_dir(folder).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_comparison_says_who_is_stronger_and_writes_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["compare", "greedy", "random", "--game", "dots", "--preset", "small", "--jobs"];
    let by = |jobs| league(folder.path(), &[&words[..], &[jobs]].concat());
    let (one, three) = (by("1"), by("3"));
    assert!(one.status.success(), "{}", text(&one.stderr));
    let said = text(&one.stdout);
    assert!(said.starts_with("greedy is stronger: ") && said.contains("once in 1,000,000"), "{said}");
    assert_eq!(said, text(&three.stdout), "the number of jobs changes nothing");
    let replays = fs::read_dir(folder.path().join("compare.replays")).expect("there are replays");
    let mut replays: Vec<String> =
        replays.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    replays.sort_unstable();
    assert!(!replays.is_empty() && replays.iter().all(|replay| said.contains(replay.as_str())), "{said}");
}

#[test]
fn a_comparison_of_what_is_not_there_says_what_is() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, expected) in [
        (&["compare", "gredy", "random"][..], "did you mean `greedy`?"),
        (
            &["compare", "greedy", "random", "--preset", "quik"],
            "expected one of quick, spec, large; did you mean `quick`?",
        ),
        (&["compare", "greedy", "random", "--game", "dot"], "did you mean `dots`?"),
        (&["compare", "greedy", "random", "--margin", "0"], "expected a number of Elo from 0.1 to 1000"),
        (&["compare", "greedy", "random", "--error", "0.5"], "expected a number from 0.000001"),
    ] {
        let refused = league(folder.path(), words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(text(&refused.stderr).contains(expected), "{words:?}: {}", text(&refused.stderr));
    }
}

#[test]
fn a_league_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"dots\"\npreset = \"small\"\n[schedule]\nkind = \"round-robin\"\nsets = 5\n\
                [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";
    fs::write(folder.path().join("small.toml"), file).expect("the folder can be written");
    let played = league(folder.path(), &["run", "small.toml", "--out", "small"]);
    assert!(played.status.success(), "{}", text(&played.stderr));
    let reported = league(folder.path(), &["report", "small"]);
    assert!(reported.status.success(), "{}", text(&reported.stderr));
    let read = |name: &str| fs::read_to_string(folder.path().join("small").join(name)).expect("a report");
    assert!(read("report.md").contains("2 entrants, 10 matches of dots"), "{}", read("report.md"));
    assert!(read("report.csv").contains("\n1,greedy,"), "{}", read("report.csv"));
    assert!(read("report.html").contains("league replay small "));
    let json: serde_json::Value = serde_json::from_str(&read("report.json")).expect("JSON");
    let best = &json["entrants"][0];
    let met = ["won", "drawn", "lost"].map(|of| best["against"]["random"][of].as_u64().unwrap_or(0));
    assert_eq!((met.iter().sum::<u64>(), &best["matches"]), (10, &10.into()));
}
