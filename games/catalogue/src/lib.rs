//! Every game of the workspace behind one trait, for programs that serve all of them.
//!
//! [`games`] lists them, [`find`] finds one by name, [`preset`] finds a preset, and [`of_replay`] finds the game of a
//! replay. A [`Game`] describes itself, completes and checks configurations, and plays replays back.
//!
//! # What this crate does not do
//!
//! It plays no new games: strategies are in the crate `strategies`. It opens no files.
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
use game_env::names::did_you_mean;
use game_env::replay::Header;
use game_env::text::{fit_for_a_log, or_list};
use game_eriantys::State as Eriantys;
use game_project::State as Project;

use crate::entry::Entry;
pub use crate::game::{Game, PlayedBack};
pub use game_env::Preset;

/// All games. The first one is the default of all programs.
static GAMES: &[&dyn Game] = &[
    &Entry::<Project>::new(),
    &Entry::<Dots>::new(),
    &Entry::<Bricks>::new(),
    &Entry::<Conveyor>::new(),
    &Entry::<Eriantys>::new(),
];

/// Returns all games, always in this order.
pub fn games() -> &'static [&'static dyn Game] {
    GAMES
}

/// Returns the game of this name.
///
/// # Errors
///
/// Fails if there is none; the error names the nearest.
pub fn find(name: &str) -> Result<&'static dyn Game, UnknownGame> {
    let found = GAMES.iter().find(|game| game.name() == name);
    found.copied().ok_or_else(|| UnknownGame { asked: name.to_owned() })
}

/// Returns the preset of this game with this name.
///
/// # Errors
///
/// Fails if there is none; the error names all of them, and the nearest.
///
/// # Examples
///
/// ```
/// let dots = game_catalogue::find("dots")?;
/// assert_eq!(game_catalogue::preset(dots, "small").unwrap().name, "small");
/// let unknown = game_catalogue::preset(dots, "smal").unwrap_err();
/// let expected = "unknown preset `smal`: expected one of small, original, large; did you mean `small`?";
/// assert_eq!(unknown.to_string(), expected);
/// # Ok::<(), game_catalogue::UnknownGame>(())
/// ```
pub fn preset(game: &dyn Game, name: &str) -> Result<Preset, UnknownPreset> {
    let mut presets = game.presets();
    match presets.iter().position(|preset| preset.name == name) {
        Some(place) => Ok(presets.swap_remove(place)),
        None => Err(UnknownPreset {
            asked: name.to_owned(),
            presets: presets.iter().map(|preset| preset.name).collect(),
        }),
    }
}

/// Returns the game of a replay with this header.
///
/// # Errors
///
/// Fails if there is none of its name.
pub fn of_replay(header: &Header) -> Result<&'static dyn Game, UnknownGame> {
    find(&header.game)
}

/// A name that no game has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "no game `{}`: expected {}{}",
    fit_for_a_log(.asked),
    or_list(names()),
    did_you_mean(.asked, names())
)]
pub struct UnknownGame {
    asked: String,
}

/// A name that no preset of a game has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "unknown preset `{}`: expected one of {}{}",
    fit_for_a_log(.asked),
    .presets.join(", "),
    did_you_mean(.asked, .presets.iter().copied())
)]
pub struct UnknownPreset {
    asked: String,
    presets: Vec<&'static str>,
}

fn names() -> impl Iterator<Item = &'static str> {
    GAMES.iter().map(|game| game.name())
}
