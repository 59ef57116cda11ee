//! The board: places, directions, the kinds of fields, and the set-up that a seed draws.

use std::fmt;

use game_env::text::counted;
use game_env::{Chance, Digest};
use thiserror::Error;

/// The four directions, as a player sees the board: up is away from the first row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// To the next row.
    Up,
    /// To the row before.
    Down,
    /// To the column before.
    Left,
    /// To the next column.
    Right,
}

impl Direction {
    /// Every direction, in the order of the protocol.
    pub const ALL: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// Returns the change of column and row by a step in this direction.
    pub const fn offset(self) -> (i16, i16) {
        match self {
            Self::Up => (0, 1),
            Self::Down => (0, -1),
            Self::Left => (-1, 0),
            Self::Right => (1, 0),
        }
    }

    fn draw(chance: &mut Chance) -> Self {
        Self::ALL[chance.index(Self::ALL.len())]
    }
}

/// A place on a board. Columns count from 1 at the left, rows from 1 at the bottom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The column.
    pub column: u8,
    /// The row.
    pub row: u8,
}

impl Place {
    /// Returns the place in this column and row.
    pub const fn new(column: u8, row: u8) -> Self {
        Self { column, row }
    }
}

/// The kind of a field. Every field is of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// A field without effect.
    Normal,
    /// The home of this player.
    Home(u8),
    /// The direction of the home of each player.
    Hint([Direction; 2]),
    /// The start of a conveyor that ends there.
    Start(Place),
}

/// The configuration of a game, chosen by its host: the size of the board, and the number of hints and of conveyors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    columns: u8,
    rows: u8,
    hints: u16,
    conveyors: u16,
}

/// A board that cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ConfigError {
    /// A side is too short or too long.
    #[error("a board of {columns}×{rows} fields: expected 1 to {} columns and rows", Config::LONGEST_SIDE)]
    Side {
        /// The number of columns.
        columns: u8,
        /// The number of rows.
        rows: u8,
    },
    /// There are fewer hints than the rules demand.
    #[error(
        "{}: expected at least {least} on this board, the length of its shorter side",
        counted(*.hints, "hint", "hints")
    )]
    FewHints {
        /// The number of hints.
        hints: u16,
        /// The fewest.
        least: u16,
    },
    /// Starts would lie on the border or touch one another.
    #[error(
        "{}: expected at most {most} on this board, whose starts neither lie at the border nor touch",
        counted(*.conveyors, "conveyor", "conveyors")
    )]
    ManyConveyors {
        /// The number of conveyors.
        conveyors: u16,
        /// The most.
        most: u16,
    },
    /// The special fields are more than the board has.
    #[error(
        "two homes, {} and {} on {}: expected at most as many as there are fields",
        counted(*.hints, "hint", "hints"), counted(*.conveyors, "conveyor", "conveyors"),
        counted(*.fields, "field", "fields")
    )]
    Full {
        /// The number of hints.
        hints: u16,
        /// The number of conveyors.
        conveyors: u16,
        /// The number of fields.
        fields: u16,
    },
}

impl Config {
    /// The most fields of a row or column.
    pub const LONGEST_SIDE: u8 = 99;

    /// Creates a board with as few hints as the rules allow, and no conveyor.
    ///
    /// # Errors
    ///
    /// If a side is shorter than 1 or longer than [`Config::LONGEST_SIDE`], or the homes and hints do not fit.
    pub fn new(columns: u8, rows: u8) -> Result<Self, ConfigError> {
        let allowed = 1..=Self::LONGEST_SIDE;
        if !allowed.contains(&columns) || !allowed.contains(&rows) {
            return Err(ConfigError::Side { columns, rows });
        }
        let hints = u16::from(columns.min(rows));
        Self { columns, rows, hints, conveyors: 0 }.checked()
    }

    /// Returns the same board with this number of hints.
    ///
    /// # Errors
    ///
    /// If there are fewer than [`Config::fewest_hints`], or more than fit.
    pub fn with_hints(self, hints: u16) -> Result<Self, ConfigError> {
        Self { hints, ..self }.checked()
    }

    /// Returns the same board with this number of conveyors.
    ///
    /// # Errors
    ///
    /// If there are more than [`Config::most_conveyors`], or more than fit.
    pub fn with_conveyors(self, conveyors: u16) -> Result<Self, ConfigError> {
        Self { conveyors, ..self }.checked()
    }

    /// Returns the same board with the usual number of conveyors, or with as many as it has room for.
    #[must_use]
    pub fn with_usual_conveyors(self) -> Self {
        let room = self.fields().saturating_sub(2).saturating_sub(self.hints);
        let conveyors = Self::default().conveyors.min(self.most_conveyors()).min(room);
        Self { conveyors, ..self }
    }

    fn checked(self) -> Result<Self, ConfigError> {
        let Self { hints, conveyors, .. } = self;
        let (least, most, fields) = (self.fewest_hints(), self.most_conveyors(), self.fields());
        if hints < least {
            return Err(ConfigError::FewHints { hints, least });
        }
        if conveyors > most {
            return Err(ConfigError::ManyConveyors { conveyors, most });
        }
        if 2 + u32::from(hints) + u32::from(conveyors) > u32::from(fields) {
            return Err(ConfigError::Full { hints, conveyors, fields });
        }
        Ok(self)
    }

    /// Returns the number of columns.
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// Returns the number of rows.
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// Returns the number of fields.
    pub const fn fields(self) -> u16 {
        self.columns as u16 * self.rows as u16
    }

    /// Returns the number of hints.
    pub const fn hints(self) -> u16 {
        self.hints
    }

    /// Returns the number of conveyors.
    pub const fn conveyors(self) -> u16 {
        self.conveyors
    }

    /// Returns the fewest hints that the rules allow: the length of the shorter side.
    pub const fn fewest_hints(self) -> u16 {
        (if self.columns < self.rows { self.columns } else { self.rows }) as u16
    }

    /// Returns the most conveyors whose starts neither lie at the border nor touch: one in each square of two by two
    /// inner fields.
    pub const fn most_conveyors(self) -> u16 {
        const fn squares(side: u8) -> u16 {
            side.saturating_sub(2).div_ceil(2) as u16
        }
        squares(self.columns) * squares(self.rows)
    }

    /// Returns whether there is such a place.
    pub const fn has(self, place: Place) -> bool {
        let Place { column, row } = place;
        column >= 1 && column <= self.columns && row >= 1 && row <= self.rows
    }

    /// Returns every place: the first row, then the second, and so on.
    pub fn places(self) -> impl Iterator<Item = Place> {
        (1..=self.rows).flat_map(move |row| (1..=self.columns).map(move |column| Place { column, row }))
    }

    /// Returns the place this many fields from another one in a direction, if it is on the board.
    #[inline]
    pub fn ahead(self, from: Place, direction: Direction, steps: u8) -> Option<Place> {
        let (right, up) = direction.offset();
        let to = |from: u8, step: i16| u8::try_from(i16::from(from) + step * i16::from(steps)).ok();
        let place = Place { column: to(from.column, right)?, row: to(from.row, up)? };
        self.has(place).then_some(place)
    }

    /// Returns the index of a place of the board in [`Self::places`].
    #[inline]
    pub const fn index(self, place: Place) -> usize {
        (place.row as usize - 1) * self.columns as usize + (place.column as usize - 1)
    }
}

/// Twelve columns, nine rows, nine hints, four conveyors.
impl Default for Config {
    fn default() -> Self {
        Self { columns: 12, rows: 9, hints: 9, conveyors: 4 }
    }
}

/// The sizes and counts, e.g. `12×9 fields, 9 hints, 4 conveyors`.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { columns, rows, hints, conveyors } = *self;
        let (hints, conveyors) =
            (counted(hints, "hint", "hints"), counted(conveyors, "conveyor", "conveyors"));
        write!(f, "{columns}×{rows} fields, {hints}, {conveyors}")
    }
}

/// The parts of the board that never change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    config: Config,
    fields: Vec<Field>,
    homes: [Place; 2],
}

/// Number of attempts to draw the starts one after the other, before they are put on a grid.
const DRAWS: u32 = 20;

impl Board {
    /// Draws a board.
    pub(crate) fn draw(config: Config, chance: &mut Chance) -> Self {
        let mut fields = vec![Field::Normal; config.fields().into()];
        let starts = draw_starts(config, chance);
        // The ends are drawn from the fields that are no starts.
        let nowhere = Field::Start(Place::new(0, 0));
        starts.iter().for_each(|start| fields[config.index(*start)] = nowhere);
        let mut others: Vec<Place> =
            config.places().filter(|place| fields[config.index(*place)] != nowhere).collect();
        for start in &starts {
            fields[config.index(*start)] = Field::Start(others[chance.index(others.len())]);
        }
        chance.shuffle(&mut others);
        let homes = [others[0], others[1]];
        for (player, home) in (0..).zip(homes) {
            fields[config.index(home)] = Field::Home(player);
        }
        for place in &others[2..2 + usize::from(config.hints)] {
            fields[config.index(*place)] = Field::Hint(homes.map(|home| hint(*place, home, chance)));
        }
        Self { config, fields, homes }
    }

    /// Returns the size, and the number of hints and of conveyors.
    pub fn config(&self) -> Config {
        self.config
    }

    /// Returns the kind of the field at a place.
    ///
    /// # Panics
    ///
    /// If the place is off the board.
    #[inline]
    pub fn field(&self, place: Place) -> Field {
        assert!(self.config.has(place), "{place} lies off a board of {}", self.config);
        self.fields[self.config.index(place)]
    }

    /// Returns the home of a player.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    #[inline]
    pub fn home(&self, player: usize) -> Place {
        self.homes[player]
    }

    /// Returns the places at which a player may begin: not its own home, and no start of a conveyor.
    pub(crate) fn beginnings(&self, player: usize) -> Vec<Place> {
        let may =
            |place: &Place| *place != self.homes[player] && !matches!(self.field(*place), Field::Start(_));
        self.config.places().filter(may).collect()
    }

    pub(crate) fn digest(&self, digest: &mut Digest) {
        let place = |digest: &mut Digest, place: Place| digest.bytes(&[place.column, place.row]);
        digest.bytes(&[self.config.columns, self.config.rows]);
        for field in &self.fields {
            match *field {
                Field::Normal => digest.u8(0),
                Field::Home(player) => digest.bytes(&[1, player]),
                Field::Hint([first, second]) => digest.bytes(&[2, first as u8, second as u8]),
                Field::Start(end) => {
                    digest.u8(3);
                    place(digest, end);
                }
            }
        }
    }
}

/// Returns the starts of all conveyors: inner fields of which no two touch.
///
/// They are drawn one after the other from all inner fields that are left. On a board with many conveyors the last ones
/// may find no room. After `DRAWS` attempts they are put into the corners of squares of two by two fields, where all of
/// [`Config::most_conveyors`] have room.
fn draw_starts(config: Config, chance: &mut Chance) -> Vec<Place> {
    let wanted = usize::from(config.conveyors);
    let is_inner = |place: &Place| {
        place.column > 1 && place.column < config.columns && place.row > 1 && place.row < config.rows
    };
    let mut inner: Vec<Place> = config.places().filter(is_inner).collect();
    let mut starts: Vec<Place> = Vec::with_capacity(wanted);
    for _ in 0..DRAWS {
        chance.shuffle(&mut inner);
        starts.clear();
        let mut is_taken = vec![false; config.fields().into()];
        for place in &inner {
            if starts.len() == wanted {
                break;
            }
            let (columns, rows) = (place.column - 1..=place.column + 1, place.row - 1..=place.row + 1);
            let is_free = rows
                .flat_map(|row| columns.clone().map(move |column| Place { column, row }))
                .all(|near| !is_taken[config.index(near)]);
            if is_free {
                is_taken[config.index(*place)] = true;
                starts.push(*place);
            }
        }
        if starts.len() == wanted {
            return starts;
        }
    }
    let mut corners: Vec<Place> = inner;
    corners.retain(|place| place.column.is_multiple_of(2) && place.row.is_multiple_of(2));
    corners.sort_unstable();
    chance.shuffle(&mut corners);
    corners.truncate(wanted);
    corners
}

/// Returns a direction in which the home lies; if two do, one of them at random.
fn hint(from: Place, home: Place, chance: &mut Chance) -> Direction {
    let across = match from.column.cmp(&home.column) {
        std::cmp::Ordering::Less => Some(Direction::Right),
        std::cmp::Ordering::Greater => Some(Direction::Left),
        std::cmp::Ordering::Equal => None,
    };
    let along = match from.row.cmp(&home.row) {
        std::cmp::Ordering::Less => Some(Direction::Up),
        std::cmp::Ordering::Greater => Some(Direction::Down),
        std::cmp::Ordering::Equal => None,
    };
    match (across, along) {
        (Some(across), Some(along)) => [across, along][chance.index(2)],
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => unreachable!("no hint lies on a home"),
    }
}

/// Draws the heading of a player at the beginning, or after a conveyor.
pub(crate) fn draw_heading(chance: &mut Chance) -> Direction {
    Direction::draw(chance)
}

#[cfg(test)]
mod tests {
    use game_env::Seed;

    use super::*;

    /// Returns whether two places are neighbours, diagonals included.
    fn touch(one: Place, other: Place) -> bool {
        one.column.abs_diff(other.column) <= 1 && one.row.abs_diff(other.row) <= 1
    }

    fn starts(board: &Board) -> Vec<(Place, Place)> {
        let start = |place: Place| match board.field(place) {
            Field::Start(end) => Some((place, end)),
            _ => None,
        };
        board.config.places().filter_map(start).collect()
    }

    #[test]
    fn a_configuration_is_shown_with_sizes_and_counts() {
        let config = Config::new(9, 8).unwrap().with_conveyors(1).unwrap();
        assert_eq!(config.to_string(), format!("9×8 fields, {} hints, 1 conveyor", config.hints()));
        assert_eq!(Config::default().to_string(), "12×9 fields, 9 hints, 4 conveyors");
    }

    #[test]
    fn a_board_has_the_usual_number_of_conveyors_if_it_has_room_for_them() {
        let usual = |columns, rows, hints| {
            let board = Config::new(columns, rows).and_then(|board| board.with_hints(hints)).unwrap();
            let board = board.with_usual_conveyors();
            assert_eq!(board.with_conveyors(board.conveyors()), Ok(board), "it is a board");
            board.conveyors()
        };
        assert_eq!(usual(12, 9, 9), Config::default().conveyors());
        assert_eq!((usual(12, 9, 103), usual(3, 3, 6), usual(3, 3, 7), usual(2, 9, 2)), (3, 1, 0, 0));
    }

    /// Checks a set-up against all demands of the rules.
    fn check(board: &Board) {
        let config = board.config;
        let count = |is: fn(Field) -> bool| config.places().filter(|place| is(board.field(*place))).count();
        assert_eq!(count(|field| matches!(field, Field::Home(_))), 2);
        assert_eq!(count(|field| matches!(field, Field::Hint(_))), usize::from(config.hints));
        for player in 0..2 {
            let home = board.home(player);
            assert_eq!(board.field(home), Field::Home(u8::try_from(player).unwrap()));
            assert!(!board.beginnings(player).contains(&home) && !board.beginnings(player).is_empty());
        }
        let starts = starts(board);
        assert_eq!(starts.len(), usize::from(config.conveyors));
        for (index, (start, end)) in starts.iter().enumerate() {
            assert!((2..config.columns).contains(&start.column) && (2..config.rows).contains(&start.row));
            assert!(starts[index + 1..].iter().all(|(other, _)| !touch(*start, *other)), "{start}");
            assert!(!matches!(board.field(*end), Field::Start(_)), "{start} leads to {end}, a start");
        }
        for place in config.places() {
            let Field::Hint(directions) = board.field(place) else { continue };
            for (player, direction) in directions.into_iter().enumerate() {
                let home = board.home(player);
                let is_right = match direction {
                    Direction::Up => home.row > place.row,
                    Direction::Down => home.row < place.row,
                    Direction::Left => home.column < place.column,
                    Direction::Right => home.column > place.column,
                };
                assert!(is_right, "{direction:?} at {place} for a home at {home}");
            }
        }
    }

    /// Every size, with no conveyor and with as many as fit. Three boards cannot be made: those of one and two fields,
    /// on which two homes and a hint have no room. 409 others have no room for the four conveyors of the default: a
    /// side is shorter than 3 fields, or the inner fields have fewer than four squares of two by two fields.
    #[test]
    fn every_size_with_room_for_homes_and_hints_has_boards() {
        let (mut refused, mut without_four) = (Vec::new(), 0);
        for columns in 1..=Config::LONGEST_SIDE {
            for rows in 1..=Config::LONGEST_SIDE {
                let Ok(config) = Config::new(columns, rows) else {
                    refused.push((columns, rows));
                    continue;
                };
                without_four += u32::from(config.with_conveyors(4).is_err());
                // Every size is checked; the boards of small sizes and of some large ones are drawn.
                if columns.max(rows) < 14 || (columns % 14 == 1 && rows % 14 < 2) {
                    let mut chance = Seed::new(u64::from(columns) << 8 | u64::from(rows)).game();
                    check(&Board::draw(config, &mut chance));
                    let room = config.fields() - 2 - config.hints;
                    let most = config.most_conveyors().min(room);
                    check(&Board::draw(config.with_conveyors(most).unwrap(), &mut chance));
                }
            }
        }
        assert_eq!(refused, [(1, 1), (1, 2), (2, 1)]);
        assert_eq!(without_four, 409);
    }

    #[test]
    fn what_cannot_be_made_is_told() {
        let config = Config::new(12, 9).unwrap();
        for (error, text) in [
            (Config::new(0, 5), "a board of 0×5 fields: expected 1 to 99 columns and rows"),
            (Config::new(5, 100), "a board of 5×100 fields: expected 1 to 99 columns and rows"),
            (
                Config::new(1, 2),
                "two homes, 1 hint and 0 conveyors on 2 fields: expected at most as many as there are fields",
            ),
            (
                config.with_hints(8),
                "8 hints: expected at least 9 on this board, the length of its shorter side",
            ),
            (
                config.with_conveyors(21),
                "21 conveyors: expected at most 20 on this board, whose starts neither lie at the border nor touch",
            ),
            (
                config.with_hints(107),
                "two homes, 107 hints and 0 conveyors on 108 fields: expected at most as many as there are fields",
            ),
        ] {
            assert_eq!(error.unwrap_err().to_string(), text);
        }
        assert_eq!(config.with_conveyors(20).unwrap().most_conveyors(), 20);
        assert_eq!(Config::default().checked(), Ok(Config::default()));
    }

    #[test]
    fn hints_of_two_directions_are_drawn() {
        let (from, home) = (Place::new(1, 1), Place::new(5, 5));
        let mut chance = Seed::new(0).game();
        let mut seen: Vec<Direction> = (0..50).map(|_| hint(from, home, &mut chance)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [Direction::Up, Direction::Right]);
        assert!((0..50).all(|_| hint(from, Place::new(1, 3), &mut chance) == Direction::Up));
    }

    #[test]
    fn a_place_ahead_is_on_the_board_or_none() {
        let config = Config::new(5, 4).unwrap();
        for (from, direction, steps, to) in [
            ((3, 2), Direction::Up, 2, Some((3, 4))),
            ((3, 2), Direction::Up, 3, None),
            ((3, 2), Direction::Down, 1, Some((3, 1))),
            ((3, 2), Direction::Down, 2, None),
            ((3, 2), Direction::Left, 2, Some((1, 2))),
            ((3, 2), Direction::Left, 3, None),
            ((3, 2), Direction::Right, 2, Some((5, 2))),
            ((3, 2), Direction::Right, 3, None),
        ] {
            let place = |(column, row)| Place::new(column, row);
            assert_eq!(config.ahead(place(from), direction, steps), to.map(place), "{direction:?} {steps}");
        }
    }
}
