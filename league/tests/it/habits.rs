//! `league habits` as a program.

use std::fs;
use std::path::Path;

use crate::run::{league, text};

const LEAGUE: &str = r#"name = "class"
game = "project"
seed = 7
[configuration]
boardX = 5
boardY = 8
goalAreaHeight = 2
teamSize = 2
numberOfGoals = 2
[schedule]
kind = "round-robin"
sets = 4
[[entrant]]
name = "clumsy"
strategy = "greedy:slip=0.2"
[[entrant]]
strategy = "greedy"
"#;

/// A folder with a league that was played.
fn played() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    play(folder.path(), LEAGUE);
    folder
}

fn play(folder: &Path, file: &str) {
    fs::write(folder.join("class.toml"), file).expect("a file");
    let run = league(folder, &["run", "class.toml"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
}

#[test]
fn the_habits_of_an_entrant_are_told() {
    let folder = played();
    let words = [
        "habits",
        "class.results",
        "--entrant",
        "clumsy",
        "--reference",
        "greedy",
        "--games",
        "600",
        "--jobs",
    ];
    let asked = |more: &[&str]| {
        let asked = league(folder.path(), &[&words[..], more].concat());
        assert!(asked.status.success(), "{}", text(&asked.stderr));
        text(&asked.stdout)
    };
    let told = asked(&["1", "--most", "3", "--matches", "6"]);
    insta::assert_snapshot!(command_line::as_inside(&told));
    assert_eq!(told, asked(&["3", "--most", "3", "--matches", "6"]), "the number of jobs changes nothing");

    let json: serde_json::Value = serde_json::from_str(&asked(&["2", "--json"])).expect("JSON");
    assert_eq!(
        (&json["entrant"], &json["matches_of_the_entrant"], &json["matches_studied"]),
        (&"clumsy".into(), &8.into(), &8.into())
    );
    let habits = json["habits"].as_array().expect("a list");
    assert_eq!(habits.len(), 5);
    let count: u64 = habits.iter().map(|habit| habit["decisions"].as_u64().expect("a number")).sum();
    assert!(count <= json["suspects"].as_u64().expect("a number"), "{json}");
    let costs = habits.iter().map(|habit| habit["cost"]["value"].as_f64().expect("a number"));
    assert!(costs.is_sorted_by(|one, next| one >= next), "{json}");
    for habit in habits {
        assert!((1..=8).contains(&habit["first"]["match"].as_u64().expect("a number")), "{habit}");
    }
}

#[test]
fn an_entrant_that_the_reference_repeats_has_none() {
    let folder = played();
    let words = ["habits", "class.results", "--entrant", "greedy", "--reference", "greedy", "--matches", "2"];
    let asked = league(folder.path(), &words);
    assert!(asked.status.success(), "{}", text(&asked.stderr));
    let told = text(&asked.stdout);
    assert!(told.starts_with("greedy would have asked for nothing else at any of the "), "{told}");
}

#[test]
fn a_reference_that_fails_is_no_praise() {
    let folder = played();
    let words =
        ["habits", "class.results", "--entrant", "greedy", "--reference", "sh none.sh", "--matches", "2"];
    let failed = league(folder.path(), &words);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stdout));
    let told = text(&failed.stderr);
    assert!(told.contains("error: match ") && told.contains("failed in the place of agent #"), "{told}");
    assert!(told.contains("ended with exit code"), "{told}");
}

/// Its end costs games, whatever the habits do.
#[test]
fn a_reference_that_fails_in_the_games_is_named() {
    let folder = played();
    // It plays on in both places of the one match that is studied, and ends at its sixth decision of a further game.
    let plays = "n=0; while read -r line; do case $line in *'\"type\":\"hello\"'*) n=0; echo >> runs; \
                 echo '{\"type\":\"ready\"}';; *'\"type\":\"decide\"'*) n=$((n + 1)); \
                 if [ $n -ge 6 ] && [ $(wc -l < runs) -gt 2 ]; then exit 3; fi; \
                 echo '{\"do\":\"discover\"}';; esac; done";
    fs::write(folder.path().join("agent.sh"), plays).expect("a program");
    let words = ["habits", "class.results", "--entrant", "clumsy", "--reference", "sh agent.sh"];
    let words = [&words[..], &["--matches", "1", "--games", "100"]].concat();
    for format in [&[][..], &["--json"]] {
        drop(fs::remove_file(folder.path().join("runs")));
        let asked = league(folder.path(), &[&words[..], format].concat());
        assert!(asked.status.success(), "{}", text(&asked.stderr));
        let told = text(&asked.stdout);
        assert!(told.contains("the program of agent #") && told.contains("ended with exit code 3"), "{told}");
    }
}

/// Its games would be those of a player that does nothing.
#[test]
fn a_player_that_is_gone_is_named() {
    for (replays, where_it_fails) in [("all", "error: "), ("none", "error: cannot play match 1 again: ")] {
        let folder = tempfile::tempdir().expect("a folder");
        let agent = folder.path().join("agent.sh");
        let plays = "while read -r line; do case $line in *hello*) echo '{\"type\":\"ready\"}';; \
                     *decide*) echo '{\"do\":\"discover\"}';; esac; done";
        fs::write(&agent, plays).expect("a program");
        let file = LEAGUE
            .replace("seed = 7\n", &format!("seed = 7\nreplays = \"{replays}\"\n"))
            .replace("strategy = \"greedy\"\n", "name = \"second\"\nstrategy = \"sh agent.sh\"\n");
        play(folder.path(), &file);
        fs::write(&agent, "exit 3").expect("a program");
        let words =
            ["habits", "class.results", "--entrant", "clumsy", "--reference", "greedy", "--games", "100"];
        let failed = league(folder.path(), &words);
        assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stdout));
        let told = text(&failed.stderr);
        let expected = format!("{where_it_fails}the program of agent #");
        assert!(told.contains(&expected) && told.contains("ended with exit code 3"), "{told}");
    }
}

#[test]
fn habits_of_nobody_are_refused() {
    let folder = played();
    for (words, expected) in [
        (
            &["--entrant", "clumzy"][..],
            "unknown entrant `clumzy`: expected one of clumsy, greedy; did you mean `clumsy`?",
        ),
        (&["--entrant", "clumsy", "--reference", "gredy"], "did you mean `greedy`?"),
        (&["--entrant", "clumsy", "--reference", "greedy+liar"], "names 2 strategies"),
    ] {
        let refused = league(folder.path(), &[&["habits", "class.results"], words].concat());
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(text(&refused.stderr).contains(expected), "{words:?}: {}", text(&refused.stderr));
    }
}
