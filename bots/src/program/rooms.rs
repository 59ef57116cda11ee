//! The rooms of the games: the parts of the command line that one game has alone.

use std::path::Path;

use clap::{ArgMatches, Command};
use command_line::Failure;
use game_env::matches::MatchRecord;
use game_env::{Parameters, Seed};

use super::arguments::{Joining, Playing};
use super::decisions::Decision;
use super::screen::Screen;
use super::series::{self, Series};
use super::{bricks, conveyor, dots, eriantys, project, served};

/// The part of the command line that one game has alone.
pub(crate) trait Room: Sync {
    /// Returns the name of the game.
    fn game(&self) -> &'static str;

    /// Adds the flags of this game to the command `join`.
    fn join_flags(&self, join: Command) -> Command {
        join
    }

    /// Plays on a server, or for a referee.
    ///
    /// # Errors
    ///
    /// If a flag is faulty, the game is not played to its end, or it is played on no server.
    fn join(&self, joining: &Joining, flags: &ArgMatches, screen: &Screen) -> Result<(), Failure> {
        let _ = (joining, flags, screen);
        let why = format!("`{}` is played on no server", self.game());
        Err(Failure::misuse(why, "`bots --game NAME` plays it in this process"))
    }

    /// Returns the configuration of a game in this process. `longest` is the number of strategies that the longest
    /// line-up names.
    ///
    /// # Errors
    ///
    /// If the flags or the file have faults; all of them are named.
    fn configure(&self, playing: &Playing, longest: usize) -> Result<Configured, Failure> {
        let _ = longest;
        series::configure(self.game(), playing)
    }

    /// Returns the function that plays a game in this process in real time. Games without one are played on the virtual
    /// clock.
    fn host(&self) -> Option<Host> {
        None
    }

    /// Returns the function that makes the figures of a game for people from its replay; without one, they are those of
    /// the record.
    fn figures(&self) -> Option<Figures> {
        None
    }

    /// Returns the function that makes the figures of a game for the study of a defeat; those of [`Room::figures`]
    /// unless there are more.
    fn review(&self) -> Option<Figures> {
        self.figures()
    }

    /// Returns the function that writes a Rust test of a decision, if a crate of an author can have one in this game.
    fn decision_test(&self) -> Option<DecisionTest> {
        None
    }
}

/// Writes a Rust test of this decision.
pub(crate) type DecisionTest = fn(&Decision) -> String;

/// Makes figures of a replay; none if it cannot be played back.
pub(crate) type Figures = fn(&[u8]) -> Option<String>;

/// Plays the game of a series with this seed in real time; writes its replay to this file.
pub(crate) type Host = fn(&Playing, &Series, Seed, Option<&Path>, &Screen) -> Result<Hosted, Failure>;

/// A game that was played to its end.
pub(crate) struct Hosted {
    pub(crate) record: MatchRecord,
    /// Its figures for people.
    pub(crate) figures: String,
    /// Whether the replay that was asked for could be written.
    pub(crate) replay: Result<(), Failure>,
}

/// The configuration of a game, and the seed that its file names, if it names one.
pub(crate) struct Configured {
    pub(crate) config: Parameters,
    pub(crate) seed: Option<Seed>,
}

static ROOMS: &[&dyn Room] = &[
    &project::Project,
    &served::Served::<dots::Client>::NEW,
    &bricks::Bricks,
    &served::Served::<conveyor::Client>::NEW,
    &served::Served::<eriantys::Client>::NEW,
];

/// Returns the rooms of all games; that of the game which is played unless another is named comes first.
pub(crate) fn all() -> &'static [&'static dyn Room] {
    ROOMS
}

/// Returns the room of the game with this name, or of the first game without one.
///
/// # Errors
///
/// If there is no such game; the error names the nearest.
pub(crate) fn find(game: Option<&str>) -> Result<&'static dyn Room, Failure> {
    let Some(name) = game else { return Ok(ROOMS[0]) };
    let game = game_catalogue::find(name);
    let game = game.map_err(|error| Failure::misuse(error.to_string(), "`bots list` shows the games"))?;
    let room = ROOMS.iter().find(|room| room.game() == game.name());
    Ok(*room.expect("every game of the catalogue has a room"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_of_the_catalogue_has_a_room() {
        let rooms: Vec<&str> = all().iter().map(|room| room.game()).collect();
        let games: Vec<&str> = game_catalogue::games().iter().map(|game| game.name()).collect();
        assert_eq!(rooms, games);
    }
}
