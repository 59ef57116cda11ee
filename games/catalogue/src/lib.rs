//! Every game of the workspace behind one trait, for programs that serve all of them.
//!
//! [`games`] lists them, [`find`] finds one by name, and [`of_replay`] finds the game of a replay. A [`Game`]
//! describes itself, completes and checks configurations, and plays replays back.
//!
//! # What this crate does not do
//!
//! It plays no new games: strategies are found in `bots`. It opens no files.
//!
//! # Example
//!
//! ```
//! use game_env::Parameters;
//!
//! let dots = game_catalogue::find("dots")?;
//! assert_eq!(dots.description().title, "Dots & Boxes");
//! assert_eq!(dots.complete(&Parameters::new()).unwrap().to_string(), "rows=5 cols=5");
//! let unknown = game_catalogue::find("dot").err().unwrap();
//! assert_eq!(unknown.to_string(), "no game `dot`: expected project, dots, bricks, conveyor or eriantys; did you mean `dots`?");
//! # Ok::<(), game_catalogue::UnknownGame>(())
//! ```

mod entry;
mod game;

use game_bricks::State as Bricks;
use game_conveyor::State as Conveyor;
use game_dots::State as Dots;
use game_env::names::nearest;
use game_env::notation::fit_for_a_log;
use game_env::replay::Header;
use game_env::{Parameters, Value};
use game_eriantys::State as Eriantys;
use game_project::{Preset as ProjectPreset, State as Project};

use crate::entry::Entry;
pub use crate::game::{Game, PlayedBack, Preset};

/// All games. The first one is the default of all programs.
static GAMES: [&dyn Game; 5] = [
    &Entry::<Project>::new(project_presets),
    &Entry::<Dots>::new(dots_presets),
    &Entry::<Bricks>::new(bricks_presets),
    &Entry::<Conveyor>::new(conveyor_presets),
    &Entry::<Eriantys>::new(eriantys_presets),
];

/// All games, always in this order.
pub fn games() -> &'static [&'static dyn Game] {
    &GAMES
}

/// The game of this name.
///
/// # Errors
///
/// Fails if there is none; the error names the nearest.
pub fn find(name: &str) -> Result<&'static dyn Game, UnknownGame> {
    let found = GAMES.iter().find(|game| game.name() == name);
    found.copied().ok_or_else(|| UnknownGame { asked: name.to_owned() })
}

/// The game of a replay with this header.
///
/// # Errors
///
/// Fails if there is none of its name.
pub fn of_replay(header: &Header) -> Result<&'static dyn Game, UnknownGame> {
    find(&header.game)
}

/// A name that no game has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no game `{asked}`: expected {}{}", names(), likely(.asked), asked = fit_for_a_log(.asked))]
pub struct UnknownGame {
    asked: String,
}

fn names() -> String {
    let (last, others) = GAMES.split_last().expect("there are games");
    format!("{} or {}", others.iter().map(|game| game.name()).collect::<Vec<_>>().join(", "), last.name())
}

fn likely(asked: &str) -> String {
    let near = nearest(asked, GAMES.map(Game::name)).filter(|near| near.is_meant);
    near.map_or_else(String::new, |near| format!("; did you mean `{}`?", near.name))
}

fn project_presets() -> Vec<Preset> {
    let preset = |preset: ProjectPreset| Preset {
        name: preset.name(),
        summary: preset.summary(),
        parameters: preset.parameters(),
    };
    ProjectPreset::ALL.map(preset).to_vec()
}

fn dots_presets() -> Vec<Preset> {
    let preset = |name, summary, dots: u16| {
        let side = Value::Whole(dots.into());
        let parameters: Parameters = [("rows", side.clone()), ("cols", side)].into_iter().collect();
        Preset { name, summary, parameters }
    };
    vec![
        preset("small", "3×3 dots, 4 boxes: small enough to be solved", 3),
        preset("original", "5×5 dots, 16 boxes: the board of the original", 5),
        preset("large", "9×9 dots, 64 boxes", 9),
    ]
}

fn bricks_presets() -> Vec<Preset> {
    let preset = |name, summary, more: &[(&str, Value)]| {
        let parameters = more.iter().cloned().collect();
        Preset { name, summary, parameters }
    };
    let size = |cells: u16| ("size", Value::Whole(cells.into()));
    vec![
        preset("small", "5×5 cells: small enough to be solved", &[size(5)]),
        preset(
            "original",
            "15×15 cells, 20 of them filled: a board as in tournaments of 2018",
            &[size(15), ("filled", Value::Whole(20))],
        ),
        preset(
            "torus",
            "15×15 cells without edges, a tenth filled: a board as in tournaments of 2019",
            &[size(15), ("torus", Value::Flag(true)), ("filled", Value::Whole(22))],
        ),
        preset("large", "31×31 cells", &[size(31)]),
    ]
}

fn conveyor_presets() -> Vec<Preset> {
    let preset = |name, summary, columns: u16, rows: u16, conveyors: u16| {
        let whole = |number: u16| Value::Whole(number.into());
        let parameters =
            [("columns", whole(columns)), ("rows", whole(rows)), ("conveyors", whole(conveyors))];
        Preset { name, summary, parameters: parameters.into_iter().collect() }
    };
    vec![
        preset("small", "5×4 fields and a conveyor", 5, 4, 1),
        preset("usual", "12×9 fields and four conveyors", 12, 9, 4),
        preset("large", "40×30 fields and forty conveyors", 40, 30, 40),
    ]
}

fn eriantys_presets() -> Vec<Preset> {
    let preset = |name, summary, players: u8, is_expert| {
        let parameters = [("players", Value::Whole(players.into())), ("expert", Value::Flag(is_expert))];
        Preset { name, summary, parameters: parameters.into_iter().collect() }
    };
    vec![
        preset("two", "two players, simple", 2, false),
        preset("two-expert", "two players, with coins and characters", 2, true),
        preset("three", "three players, simple", 3, false),
        preset("three-expert", "three players, with coins and characters", 3, true),
        preset("four", "two teams of two players, simple", 4, false),
        preset("four-expert", "two teams of two players, with coins and characters", 4, true),
    ]
}
