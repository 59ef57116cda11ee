//! `league race` as a program.

use std::process::Output;

use crate::run::{league, text};

fn race(words: &[&str]) -> Output {
    league(".".as_ref(), &[&["race"], words].concat())
}

#[test]
fn the_strongest_is_named_first_and_the_number_of_jobs_changes_nothing() {
    let told = |jobs| {
        let words =
            ["random", "chains", "greedy", "--against", "greedy", "--game", "dots", "--preset", "small"];
        let raced = race(&[&words[..], &["--jobs", jobs]].concat());
        assert!(raced.status.success(), "{}", text(&raced.stderr));
        text(&raced.stdout)
    };
    let told_by_one = told("1");
    let lines: Vec<&str> = told_by_one.lines().collect();
    assert!(lines[0].starts_with("chains is the strongest of 3 variants, after "), "{told_by_one}");
    assert!(lines[0].ends_with("the strongest is dropped at most once in 20 races"), "{told_by_one}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = lines[2..].iter().map(|line| words(line)).collect();
    assert_eq!(rows[0], ["variant", "pairs", "points"], "{told_by_one}");
    let ends = |row: &[String]| (row[0].clone(), row[row.len() - 1].clone());
    let found: Vec<(String, String)> = rows[1..].iter().map(|row| ends(row)).collect();
    let expected = [("chains", "strongest"), ("greedy", "dropped"), ("random", "dropped")];
    assert_eq!(found, expected.map(|(name, state)| (name.to_owned(), state.to_owned())));
    assert_eq!(told("3"), told_by_one);
}

#[test]
fn several_presets_and_opponents_count_together() {
    let pool = ["--preset", "small", "--preset", "original", "--against", "greedy", "--against", "random"];
    let words = [&["chains", "random", "--game", "dots", "--most-pairs", "8"][..], &pool].concat();
    let raced = race(&words);
    assert!(raced.status.success(), "{}", text(&raced.stderr));
    let told = text(&raced.stdout);
    assert!(
        told.starts_with("undecided after 32 games: 2 of 2 variants are left, chains with the most points\n"),
        "{told}"
    );
}

#[test]
fn faulty_races_are_refused_with_a_hint() {
    for (words, error) in [
        (&["greedy", "greedy", "--against", "random"][..], "error: the variant `greedy` is named twice\n"),
        (&["greedy", "gredy", "--against", "random"], "did you mean `greedy`?"),
        (&["greedy", "climber", "--against", "random", "--preset", "quik"], "unknown preset `quik`"),
        (&["greedy", "climber", "--against", "random", "--set", "teamSize=0"], "teamSize"),
        (&["greedy", "--against", "random"], "2 values required"),
        (&["greedy", "climber"], "--against"),
        (&["greedy", "climber", "--against", "random", "--margin", "0"], "from 0.1 to 1000"),
    ] {
        let raced = race(words);
        let told = text(&raced.stderr);
        assert_eq!((raced.status.code(), raced.stdout.is_empty()), (Some(2), true), "{words:?}: {told}");
        assert!(told.contains(error), "{words:?}: {told}");
    }
}
