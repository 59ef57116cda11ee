//! A shared file names no game: what one game has stands in its rooms, and the registries list the rooms.
//!
//! A room is a file or a folder with the name of its game, in any crate. `sdk` and `cs` belong to The Project Game, and
//! the crates below `games` to their games.

use std::fs;
use std::path::Path;

use workspace_tests::{files, workspace};

/// The files that list the rooms of all games.
const REGISTRIES: [&str; 11] = [
    "bots/src/program/rooms.rs",
    "league/src/export.rs",
    "league/src/import.rs",
    "league/src/network/mod.rs",
    "reference-gm/src/program/arguments.rs",
    "reference-gm/src/program/mod.rs",
    "reference-gm/src/program/replays.rs",
    "simulation/src/run.rs",
    "strategies/src/room.rs",
    "viewer/src/games/mod.rs",
    "viewer/src/room.rs",
];

/// The folders that belong to one game, or stand outside the programs. The last one has the files of a crate that
/// `bots new` writes.
const ELSEWHERE: [&str; 9] =
    ["book", "cs", "examples", "fuzz", "games", "sdk", "tests", "xtask", "bots/src/program/starter/files"];

/// Returns whether a file belongs to a game by the name of one of its folders or by its own.
fn is_room(file: &Path, games: &[&str]) -> bool {
    file.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        let stem = part.strip_suffix(".rs").unwrap_or(&part);
        games
            .iter()
            .any(|game| stem.strip_prefix(game).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
    })
}

/// The first line of the code of a file that names a game: its crate, or a module of its name.
fn names_a_game(source: &str, games: &[&str]) -> Option<usize> {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap();
    code.lines().position(|line| {
        let line = line.split("//").next().unwrap();
        let is_module = line.trim_start().starts_with("mod ") || line.trim_start().starts_with("pub mod ");
        !is_module
            && games.iter().any(|game| {
                let module = format!("::{game}");
                let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                line.contains(&format!("game_{game}")) || line.split(&module).skip(1).any(is_whole)
            })
    })
}

#[test]
fn a_shared_file_names_no_game() {
    let games: Vec<&str> = game_catalogue::games().iter().map(|game| game.name()).collect();
    let mut found = Vec::new();
    let mut rooms = 0;
    for file in files("", ".rs") {
        let below = file.strip_prefix(workspace()).unwrap();
        let is_source = below.components().any(|part| part.as_os_str() == "src");
        let is_elsewhere = ELSEWHERE.iter().any(|folder| below.starts_with(folder));
        if !is_source || is_elsewhere || below.to_str().is_some_and(|path| REGISTRIES.contains(&path)) {
            continue;
        }
        if is_room(below, &games) {
            rooms += 1;
            continue;
        }
        if let Some(line) = names_a_game(&fs::read_to_string(&file).unwrap(), &games) {
            found.push((below.to_str().unwrap().to_owned(), line + 1));
        }
    }
    assert!(rooms > 100, "only {rooms} files of rooms");
    let found: Vec<String> = found.iter().map(|(file, line)| format!("{file}:{line}")).collect();
    assert!(found.is_empty(), "what one game has belongs to its room:\n{}", found.join("\n"));
}

#[test]
fn rooms_and_names_are_told_apart() {
    let games = ["dots", "project"];
    assert!(is_room(Path::new("viewer/src/games/dots.rs"), &games));
    assert!(is_room(Path::new("bots/src/program/project/game.rs"), &games));
    assert!(is_room(Path::new("bots/src/program/dots_player.rs"), &games));
    assert!(!is_room(Path::new("viewer/src/projection.rs"), &games));
    assert_eq!(names_a_game("use a::b;\nuse game_dots::State;\n", &games), Some(1));
    assert_eq!(names_a_game("use wire::project::Dialect;\n", &games), Some(0));
    assert_eq!(names_a_game("mod dots;\n// game_dots\nuse crate::projects;\n", &games), None);
}
