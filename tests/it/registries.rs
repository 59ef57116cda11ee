//! The registries of games: each is one list with a line a game, and all of them have the games of the catalogue.

use std::collections::BTreeSet;
use std::fs;

use workspace_tests::workspace;

/// The names of all games, in the order of the catalogue.
fn games() -> Vec<&'static str> {
    game_catalogue::games().iter().map(|game| game.name()).collect()
}

#[test]
fn every_game_has_strategies() {
    let strategies: Vec<&str> = strategies::room::rooms().iter().map(|room| room.game().name()).collect();
    assert_eq!(strategies, games());
    for room in strategies::room::rooms() {
        assert!(!room.strategies().is_empty(), "{} has no strategy", room.game().name());
        assert!(!room.game().presets().is_empty(), "{} has no preset", room.game().name());
    }
}

#[test]
fn every_game_has_a_place_on_the_page() {
    let rooms: Vec<&str> = viewer::room::ROOMS.iter().map(viewer::room::Room::game).collect();
    assert_eq!(rooms, games());
    let folders = fs::read_dir(workspace().join("viewer/page/games")).unwrap();
    let folders: BTreeSet<String> =
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    assert!(folders.iter().eq(games().into_iter().collect::<BTreeSet<_>>()), "{folders:?}");
}

/// Games have what they need of these, but no name that the catalogue does not have. A game without a server is not
/// simulated.
#[test]
fn simulations_networks_imports_and_exports_know_only_games_of_the_catalogue() {
    let simulated = simulation::GAMES.iter().map(|room| room.game);
    let networked = league::network::games();
    let folders = league::export::RESULT_FOLDERS.iter().map(|folder| folder.game);
    let imported = league::import::IMPORTS.iter().map(|import| import.game);
    for named in simulated.chain(networked).chain(folders).chain(imported) {
        assert!(games().contains(&named), "{named}");
    }
}
