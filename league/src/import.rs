//! Folders of players of other programs as league files.
//!
//! The room of a game reads the folder. This module writes no file.

use std::io;
use std::path::{Path, PathBuf};

use game_env::parameter::Parameter;
use game_env::{ConfigError, Parameters, Seed};

use crate::bricks::players_folder;

/// A kind of folder from which a league file can be made.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// The game's name.
    pub game: &'static str,
    /// The parameters that can be chosen.
    pub parameters: fn() -> &'static [Parameter],
    pub(crate) read: fn(&Request<'_>) -> Result<LeagueText, ImportError>,
}

/// Every kind of folder, by game.
pub static IMPORTS: &[Import] = &[players_folder::IMPORT];

/// A folder, and what the league is to be like.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The folder of the players.
    pub folder: &'a Path,
    /// The path of the league file: relative paths in the file begin at its folder.
    pub file: &'a Path,
    /// Values of parameters that differ from their defaults.
    pub values: Parameters,
    /// The seed of the league unless the parameters have one.
    pub seed: Seed,
    /// Whether faulty players are left out.
    pub leaves_out: bool,
}

/// A league file, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeagueText {
    /// The file.
    pub text: String,
    /// The number of its entrants.
    pub entrants: usize,
    /// The faults of the players that are left out.
    pub left_out: Vec<String>,
    /// Facts that the user should know before the league is played.
    pub warnings: Vec<String>,
}

/// An error of an import.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Parameters are faulty.
    #[error("the parameters cannot be used\n{0}")]
    Parameters(ConfigError),
    /// Players are faulty, and were not to be left out.
    #[error("{0}")]
    Players(String),
    /// There are too few players, or the folder cannot be read.
    #[error("{0}")]
    Folder(String),
    /// A path has no name in UTF-8, which league files need.
    #[error("invalid path {}: expected a path in UTF-8", .0.display())]
    Path(PathBuf),
    /// The folder of the league file cannot be found.
    #[error("cannot use {}: {source}", .path.display())]
    File {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Import {
    /// Makes a league file of a folder.
    ///
    /// # Errors
    ///
    /// If parameters or players are faulty; all faults are named.
    pub fn read(&self, request: &Request<'_>) -> Result<LeagueText, ImportError> {
        (self.read)(request)
    }
}
