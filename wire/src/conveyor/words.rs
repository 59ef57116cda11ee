//! The words of which lines are made.

use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Action, Config, Direction, Place, Steps};
use game_env::{AgentId, NotationError};

/// The longest line that anybody reads, in bytes without its end. No line of the protocol has half of them.
pub const LONGEST_LINE: usize = 80;

/// Returns the player's name in the protocol.
pub fn name(player: AgentId) -> &'static str {
    if player == STEPPER { "KITTEH" } else { "SUPERCAT" }
}

/// Returns the player with this name.
pub(super) fn player(word: &str) -> Option<AgentId> {
    [STEPPER, TURNER].into_iter().find(|player| name(*player) == word)
}

/// Returns the player that can ask for this.
pub const fn player_of(action: Action) -> AgentId {
    match action {
        Action::Step(_) => STEPPER,
        Action::Turn(_) | Action::Ahead(_) => TURNER,
    }
}

pub(super) const fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "UP",
        Direction::Down => "DOWN",
        Direction::Left => "LEFT",
        Direction::Right => "RIGHT",
    }
}

pub(super) fn direction(word: &str) -> Option<Direction> {
    Direction::ALL.into_iter().find(|direction| direction_word(*direction) == word)
}

const fn steps_word(steps: Steps) -> &'static str {
    match steps {
        Steps::One => "ONE",
        Steps::Two => "TWO",
        Steps::Three => "THREE",
    }
}

fn steps(word: &str) -> Option<Steps> {
    Steps::ALL.into_iter().find(|steps| steps_word(*steps) == word)
}

/// `KITTEH WANT MOVE UP` and the like.
pub(super) fn action_line(action: Action) -> String {
    let name = name(player_of(action));
    match action {
        Action::Step(direction) => format!("{name} WANT MOVE {}", direction_word(direction)),
        Action::Turn(direction) => format!("{name} WANT TURN {}", direction_word(direction)),
        Action::Ahead(number) => format!("{name} WANT MOVE {}", steps_word(number)),
    }
}

pub(super) fn action(line: &str) -> Option<Action> {
    if let Some(word) = line.strip_prefix("KITTEH WANT MOVE ") {
        direction(word).map(Action::Step)
    } else if let Some(word) = line.strip_prefix("SUPERCAT WANT TURN ") {
        direction(word).map(Action::Turn)
    } else {
        line.strip_prefix("SUPERCAT WANT MOVE ").and_then(steps).map(Action::Ahead)
    }
}

/// Returns two numbers with a comma between them, each raised by `first`: column and row, or the length of rows and
/// columns.
pub(super) fn pair(text: &str, first: u8) -> Option<Place> {
    let number = |text: &str| {
        let is_short = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse::<u8>().ok().filter(|_| is_short)?.checked_add(first)?;
        (1..=Config::LONGEST_SIDE).contains(&number).then_some(number)
    };
    let (column, row) = text.split_once(',')?;
    Some(Place::new(number(column)?, number(row)?))
}

/// Returns the same as text. Nothing is below 0 in any dialect: places count from 1.
pub(super) fn pair_text(place: Place, first: u8) -> String {
    format!("{},{}", place.column.saturating_sub(first), place.row.saturating_sub(first))
}

/// Reads the value of a line from outside with this reader; an error names the expected form.
pub(super) fn read<T>(
    line: &[u8],
    what: &'static str,
    expected: &str,
    reader: impl FnOnce(&str) -> Option<T>,
) -> Result<T, NotationError> {
    let text = str::from_utf8(line).ok();
    text.and_then(reader).ok_or_else(|| NotationError::new(what, &String::from_utf8_lossy(line), expected))
}
