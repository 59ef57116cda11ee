//! The player's side of the conversation, for programs that play.
//!
//! A shell hands in every line that it reads, and does what [`Reply`] asks for. It chooses bricks by its own means from
//! [`Player::state`].

use game_bricks::{Brick, Config, State};
use game_env::{AgentId, Environment as _, Seed, SimTime, Turn};
use thiserror::Error;

use super::dialect::{Compat, Dialect, cells_in_braces};

/// The longest line that a player reads, in bytes: the largest board with every cell filled.
pub const LONGEST_OPENING: usize = 16 << 20;

/// A player in one game.
#[derive(Clone, Debug)]
pub struct Player {
    dialect: Dialect,
    compat: Compat,
    is_torus: bool,
    game: Phase,
}

#[derive(Clone, Debug)]
enum Phase {
    /// The board is not known yet.
    Nothing,
    /// Of the dialect 2019 the size is known.
    Sized(Config),
    Playing(Box<State>),
}

/// Reaction of a player to a line that it has read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Writes this line.
    Say(&'static str),
    /// Chooses a brick, hands it to [`Player::put`], and writes the line that this returns.
    Move,
    /// Writes nothing.
    Listen,
    /// Ends.
    Stop,
}

/// A line that a player cannot understand.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// It is none of the conversation's.
    #[error("unknown line: {0}")]
    Unknown(String),
    /// The board that it names cannot be played.
    #[error("the board cannot be played: {0}")]
    Board(game_bricks::ConfigError),
    /// It names a move before the board is known.
    #[error("a move before the board is known")]
    NoBoard,
    /// The opponent's brick does not fit.
    #[error("the opponent's brick {0} does not fit")]
    Misfit(Brick),
}

impl Player {
    /// Creates a player at the beginning, for a referee that reads as `compat` says. The board is a torus if `is_torus`
    /// says so, which no dialect tells.
    pub fn new(dialect: Dialect, compat: Compat, is_torus: bool) -> Self {
        Self { dialect, compat, is_torus, game: Phase::Nothing }
    }

    /// Takes in a line without its end.
    ///
    /// # Errors
    ///
    /// If the line makes no sense here; the player stays as it was.
    pub fn line(&mut self, line: &str) -> Result<Reply, PlayerError> {
        if self.dialect.stop() == Some(line) {
            return Ok(Reply::Stop);
        }
        let unknown =
            |what: &str| PlayerError::Unknown(game_env::NotationError::new("line", line, what).to_string());
        match (&self.game, self.dialect) {
            (Phase::Nothing, Dialect::Year2017) if line == "PING" => Ok(Reply::Say("PONG")),
            (Phase::Nothing, Dialect::Year2017) => {
                let config =
                    self.config(line).map_err(|error| error.unwrap_or(unknown("a size, e.g. `7`")))?;
                self.begin(&config);
                Ok(Reply::Listen)
            }
            (Phase::Nothing, Dialect::Year2018) => {
                let mut words = line.split('_');
                let wrong = || unknown("a size and filled cells, e.g. `7_2x3_4x5`");
                let config = self.config(words.next().unwrap_or_default());
                let config = config.map_err(|error| error.unwrap_or_else(wrong))?;
                let cells: Result<Vec<_>, _> = words.map(str::parse).collect();
                let config = config.filled(cells.map_err(|_| wrong())?).map_err(PlayerError::Board)?;
                self.begin(&config);
                Ok(Reply::Say("OK"))
            }
            (Phase::Nothing, Dialect::Year2019) => {
                let config =
                    self.config(line).map_err(|error| error.unwrap_or(unknown("a size, e.g. `7`")))?;
                self.game = Phase::Sized(config);
                Ok(Reply::Say("ok"))
            }
            (Phase::Sized(config), _) => {
                let cells = cells_in_braces(line).ok_or(unknown("filled cells, e.g. `{0;1},{2;2}`"))?;
                let config = config.clone().filled(cells).map_err(PlayerError::Board)?;
                self.begin(&config);
                Ok(Reply::Say("ok"))
            }
            (Phase::Playing(_), _) if line == self.dialect.start() => Ok(Reply::Move),
            (Phase::Playing(_), dialect) => {
                let brick = dialect.read(line, self.compat);
                let brick = brick.map_err(|error| PlayerError::Unknown(error.to_string()))?;
                self.put(brick).ok_or(PlayerError::Misfit(brick))?;
                let is_over = self.state().is_none_or(|state| matches!(state.turn(), Turn::Over(_)));
                Ok(if is_over { Reply::Listen } else { Reply::Move })
            }
        }
    }

    /// Returns the game as it stands; none until the board is known.
    pub fn state(&self) -> Option<&State> {
        match &self.game {
            Phase::Playing(state) => Some(state),
            Phase::Nothing | Phase::Sized(_) => None,
        }
    }

    /// Puts the brick of the player whose turn it is, and returns its line. None if it does not fit, or there is no
    /// game.
    pub fn put(&mut self, brick: Brick) -> Option<String> {
        let Phase::Playing(state) = &mut self.game else { return None };
        let board = state.board();
        let is_free = brick.cells().into_iter().all(|cell| board.is_free(cell));
        let is_over = matches!(state.turn(), Turn::Over(_));
        if is_over || !is_free || !(board.are_neighbours(brick) || board.are_loose(brick)) {
            return None;
        }
        let mover: AgentId = state.mover();
        state.step(SimTime::START, mover, brick, &mut ());
        Some(self.dialect.write(brick, self.compat))
    }

    /// Returns the board of this size; without an error if the text is no number.
    fn config(&self, size: &str) -> Result<Config, Option<PlayerError>> {
        let is_number = !size.is_empty() && size.bytes().all(|digit| digit.is_ascii_digit());
        let size = size.parse().ok().filter(|_| is_number).ok_or(None)?;
        let config = Config::new(size).map_err(|error| Some(PlayerError::Board(error)))?;
        // An opponent may put bricks that only a referee of 2018 lets it put.
        Ok(config.torus(self.is_torus).loose(true).move_limit(None))
    }

    fn begin(&mut self, config: &Config) {
        self.game = Phase::Playing(Box::new(State::new(config, Seed::new(0))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the answers to each line of a player that puts `own` bricks one after the other.
    fn talk(dialect: Dialect, own: &[&str], lines: &[&str]) -> Vec<String> {
        talk_to(Compat::Strict, dialect, own, lines)
    }

    fn talk_to(compat: Compat, dialect: Dialect, own: &[&str], lines: &[&str]) -> Vec<String> {
        let mut player = Player::new(dialect, compat, dialect.is_torus());
        let mut own = own.iter();
        let answer = |line: &&str| match player.line(line) {
            Ok(Reply::Say(answer)) => answer.to_owned(),
            Ok(Reply::Move) => player.put(own.next().unwrap().parse().unwrap()).unwrap(),
            Ok(Reply::Listen) => "-".to_owned(),
            Ok(Reply::Stop) => "stop".to_owned(),
            Err(error) => error.to_string(),
        };
        lines.iter().map(answer).collect()
    }

    #[test]
    fn a_player_speaks_each_dialect() {
        let bricks = ["0x0_1x0", "2x1_2x2"];
        let told = talk(Dialect::Year2018, &bricks, &["3_1x1", "START", "0x1_0x2", "STOP"]);
        assert_eq!(told, ["OK", "0x0_1x0", "2x1_2x2", "stop"]);
        let told = talk(Dialect::Year2017, &bricks, &["PING", "3", "ZACZYNAJ", "1 2 1 3"]);
        assert_eq!(told, ["PONG", "-", "1 1 2 1", "3 2 3 3"]);
        let told = talk(Dialect::Year2019, &bricks, &["3", "{1;1}", "START", "{0;1},{0;2}", "STOP"]);
        assert_eq!(told, ["ok", "ok", "{0;0},{1;0}", "{2;1},{2;2}", "stop"]);
        assert_eq!(talk(Dialect::Year2019, &[], &["3", ""]), ["ok", "ok"]);
        // The referee of that year has filled cells as they are, and bricks with the row first.
        let lines = ["3", "{0;1}", "START", "{1;1},{1;2}", "STOP"];
        let told = talk_to(Compat::Year2019, Dialect::Year2019, &["1x0_2x0", "0x2_1x2"], &lines);
        assert_eq!(told, ["ok", "ok", "{0;1},{0;2}", "{2;0},{2;1}", "stop"]);
    }

    #[test]
    fn the_player_who_is_second_begins_with_an_answer() {
        let told = talk(Dialect::Year2018, &["0x0_0x1"], &["3_1x1", "2x0_2x1", "1x0_2x0", "1x2_2x2", "STOP"]);
        assert_eq!(told[..3], ["OK", "0x0_0x1", "the opponent's brick 1x0_2x0 does not fit"]);
        // The opponent's second brick leaves no place: there is nothing to answer.
        assert_eq!(told[3..], ["-", "stop"]);
    }

    #[test]
    fn lines_that_make_no_sense_are_errors_and_change_nothing() {
        let told =
            talk(Dialect::Year2018, &["0x0_0x1"], &["hello", "4", "3_9x9", "99999", "3_1x1", "1x0", "START"]);
        assert_eq!(
            told,
            [
                "unknown line: `hello` is no line: expected a size and filled cells, e.g. `7_2x3_4x5`",
                "the board cannot be played: a board of 4×4 cells: expected an odd number from 3 to 999",
                "the board cannot be played: cell 9x9 is not on the board: expected columns and rows from 0 to 2",
                "unknown line: `99999` is no line: expected a size and filled cells, e.g. `7_2x3_4x5`",
                "OK",
                "unknown line: `1x0` is no brick: expected two cells, e.g. `1x2_2x2`",
                "0x0_0x1",
            ]
        );
    }
}
