//! The page of the book with all examples, made from their first lines.
//!
//! `UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it examples` writes it anew: read the diff.

use std::fmt::Write as _;
use std::fs;

use workspace_tests::{files, workspace};

/// Text before the list.
const HEAD: &str = "# The examples

Programs in the folder `examples`, one idea each. Every example opens with what it shows and how to run it, and is run by a test.
The first ones belong to [the tutorial](tutorial/start.md). To begin a crate of your own, use [`bots new`](tutorial/start.md#your-own-crate).
This page is generated from the examples.
";

/// Returns the name of an example, the idea that it shows, and the command that runs it, from its first lines.
fn opening(path: &std::path::Path) -> (String, String, String) {
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let opening = lines.join(" ");
    let (shows, run) = opening
        .strip_prefix("Shows: ")
        .and_then(|opening| opening.split_once(" Run it: "))
        .unwrap_or_else(|| panic!("{name} does not say what it shows and how to run it: {opening}"));
    (name, shows.to_owned(), run.to_owned())
}

/// Text before the list of league files.
const LEAGUES: &str = "
## League files

Each of these files is a league. To begin one of your own, copy the file that is closest to it.
[Leagues](leagues.md) describes every key.
";

/// Returns what a league file plays, and the command that plays it, from its first two lines.
fn league(path: &std::path::Path) -> (String, String) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("# "));
    let plays = lines.next().unwrap_or_else(|| panic!("{} does not say what it plays", path.display()));
    let run = lines.next().and_then(|line| line.find("cargo run").map(|at| &line[at..]));
    let run = run.unwrap_or_else(|| panic!("{} does not say how to play it", path.display()));
    (plays.to_owned(), run.to_owned())
}

#[test]
fn the_page_of_examples_is_what_they_say() {
    let mut page = HEAD.to_owned();
    let examples = files("examples", ".rs");
    let examples: Vec<_> = examples
        .iter()
        .filter(|path| path.parent().is_some_and(|folder| folder.ends_with("examples")))
        .collect();
    assert!(examples.len() > 15, "only {} examples were found", examples.len());
    let tests = fs::read_to_string(workspace().join("examples/tests/run.rs")).unwrap();
    let pages: String =
        files("book/src", ".md").iter().map(|page| fs::read_to_string(page).unwrap()).collect();
    for (path, number) in examples.iter().zip(1..) {
        let (name, shows, run) = opening(path);
        assert!(name.starts_with(&format!("e{number:02}_")), "{name} is example {number}");
        assert!(run.contains(&name), "{name} says how to run it: {run}");
        // By a test of its own, or as a command of a page.
        let is_run =
            tests.contains(&format!("CARGO_BIN_EXE_{name}")) || pages.contains(&format!("--bin {name}"));
        assert!(is_run, "no test runs {name}");
        let mut letters = shows.chars();
        let shows = letters.next().map(|first| first.to_uppercase().to_string() + letters.as_str()).unwrap();
        // A list, which is as narrow as the screen of a phone.
        write!(page, "\n- [`{name}`](../../examples/{name}.rs): {shows}\n\n  Run it: {run}\n").unwrap();
    }
    page += LEAGUES;
    let leagues = files("examples", ".toml");
    let leagues = leagues.iter().filter_map(|path| Some((path, path.file_name()?.to_str()?)));
    let leagues: Vec<_> = leagues.filter(|(_, name)| name.starts_with("league")).collect();
    assert!(leagues.len() > 5, "only {} league files were found", leagues.len());
    for (path, name) in leagues {
        let (plays, run) = league(path);
        assert!(run.contains(name), "{name} says how to play it: {run}");
        write!(page, "\n- [`{name}`](../../examples/{name}): {plays}\n\n  Play it: `{run}`\n").unwrap();
    }
    let path = workspace().join("book/src/examples.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(found, page, "stale: UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it examples");
}
