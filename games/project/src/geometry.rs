//! Fields, directions, areas and distances.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use game_env::NotationError;
use game_env::text::number;

use crate::team::Team;

/// A field: column `x` from the west, row `y` from the south, both from 0.
///
/// Written `3,4`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// The column, growing to the east.
    pub x: u16,
    /// The row, growing to the north.
    pub y: u16,
}

impl Position {
    /// Returns the field in this column and row.
    pub const fn new(x: u16, y: u16) -> Self {
        Self { x, y }
    }

    /// Returns the number of moves from this field to another one on an empty board (Manhattan distance).
    ///
    /// ```
    /// use game_project::Position;
    ///
    /// assert_eq!(Position::new(1, 1).moves_to(Position::new(0, 5)), 5);
    /// ```
    pub const fn moves_to(self, other: Self) -> u16 {
        self.x.abs_diff(other.x) + self.y.abs_diff(other.y)
    }

    /// Returns the directions that lead nearer to another field. The direction with the longer distance comes first; if
    /// both are equally long, north or south.
    ///
    /// ```
    /// use game_project::{Direction, Position};
    ///
    /// let directions: Vec<Direction> = Position::new(1, 1).towards(Position::new(0, 5)).collect();
    /// assert_eq!(directions, [Direction::North, Direction::West]);
    /// ```
    pub fn towards(self, other: Self) -> impl Iterator<Item = Direction> {
        let upright = match other.y.cmp(&self.y) {
            Ordering::Greater => Some(Direction::North),
            Ordering::Less => Some(Direction::South),
            Ordering::Equal => None,
        };
        let level = match other.x.cmp(&self.x) {
            Ordering::Greater => Some(Direction::East),
            Ordering::Less => Some(Direction::West),
            Ordering::Equal => None,
        };
        let is_upright_first = self.y.abs_diff(other.y) >= self.x.abs_diff(other.x);
        let (first, second) = if is_upright_first { (upright, level) } else { (level, upright) };
        first.into_iter().chain(second)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

impl FromStr for Position {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        text.split_once(',')
            .and_then(|(x, y)| Some(Self::new(number(x)?, number(y)?)))
            .ok_or_else(|| NotationError::new("field", text, "column and row, e.g. `3,4`"))
    }
}

/// A number of moves; the distance to a piece is [`Distance::INFINITE`] if no piece can be reached.
///
/// Written as a number, or `inf`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Distance(u16);

impl Distance {
    /// No piece lies on the board.
    pub const INFINITE: Self = Self(u16::MAX);

    /// This many moves.
    pub const fn new(moves: u16) -> Self {
        Self(moves)
    }

    /// Returns the number of moves; `None` if it is infinite.
    pub const fn moves(self) -> Option<u16> {
        if self.0 == u16::MAX { None } else { Some(self.0) }
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.moves() {
            Some(moves) => moves.fmt(f),
            None => f.write_str("inf"),
        }
    }
}

impl FromStr for Distance {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        if text == "inf" {
            return Ok(Self::INFINITE);
        }
        let fault = || NotationError::new("distance", text, "a number of moves or `inf`");
        number(text).map(Self).ok_or_else(fault)
    }
}

/// One of the four ways to move. North is up, towards red's goal area.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// `y + 1`
    North,
    /// `x + 1`
    East,
    /// `y - 1`
    South,
    /// `x - 1`
    West,
}

impl Direction {
    /// All four, clockwise from north.
    pub const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    /// Returns the letter that stands for it.
    pub const fn letter(self) -> char {
        match self {
            Self::North => 'N',
            Self::East => 'E',
            Self::South => 'S',
            Self::West => 'W',
        }
    }

    /// Returns the way back.
    pub const fn opposite(self) -> Self {
        match self {
            Self::North => Self::South,
            Self::East => Self::West,
            Self::South => Self::North,
            Self::West => Self::East,
        }
    }
}

/// `N`, `E`, `S` or `W`.
impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl FromStr for Direction {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let found = Self::ALL.into_iter().find(|direction| text.chars().eq([direction.letter()]));
        found.ok_or_else(|| NotationError::new("direction", text, "`N`, `E`, `S` or `W`"))
    }
}

/// One of the three parts of a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Area {
    /// A team's goals are here; the other team may not enter.
    Goal(Team),
    /// Pieces are here.
    Task,
}

/// The shape of a board. Blue's goal area lies in the lowest rows, red's in as many at the top.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Geometry {
    columns: u16,
    rows: u16,
    goal_rows: u16,
}

impl Geometry {
    /// The longest side of a board. Distances, sums of two coordinates, stay far inside 16 bits.
    pub const LONGEST_SIDE: u16 = 4096;

    /// Creates a board of this size, if it has a column, both goal areas and a task area between them.
    pub fn new(columns: u16, rows: u16, goal_rows: u16) -> Option<Self> {
        let fits = (1..=Self::LONGEST_SIDE).contains(&columns)
            && (1..=Self::LONGEST_SIDE).contains(&rows)
            && goal_rows > 0
            && u32::from(goal_rows) * 2 < u32::from(rows);
        fits.then_some(Self { columns, rows, goal_rows })
    }

    /// Returns the number of columns, `boardX`.
    pub const fn columns(self) -> u16 {
        self.columns
    }

    /// Returns the number of rows, `boardY`.
    pub const fn rows(self) -> u16 {
        self.rows
    }

    /// Returns the number of rows in each goal area, `goalAreaHeight`.
    pub const fn goal_rows(self) -> u16 {
        self.goal_rows
    }

    /// Returns the number of rows in the task area.
    pub const fn task_rows(self) -> u16 {
        self.rows - 2 * self.goal_rows
    }

    /// Returns the number of fields on the board.
    pub const fn fields(self) -> u32 {
        self.columns as u32 * self.rows as u32
    }

    /// Returns the number of fields in each goal area.
    pub const fn goal_fields(self) -> u32 {
        self.columns as u32 * self.goal_rows as u32
    }

    /// Returns the number of fields in the task area.
    pub const fn task_fields(self) -> u32 {
        self.columns as u32 * self.task_rows() as u32
    }

    /// Returns `true` if there is such a field.
    pub const fn contains(self, at: Position) -> bool {
        at.x < self.columns && at.y < self.rows
    }

    /// Returns the part of the board that a field belongs to.
    pub const fn area(self, at: Position) -> Area {
        if at.y < self.goal_rows {
            Area::Goal(Team::Blue)
        } else if at.y >= self.rows - self.goal_rows {
            Area::Goal(Team::Red)
        } else {
            Area::Task
        }
    }

    /// Returns the first row of a team's goal area.
    pub const fn goal_area_start(self, team: Team) -> u16 {
        match team {
            Team::Blue => 0,
            Team::Red => self.rows - self.goal_rows,
        }
    }

    /// Returns the neighbour in this direction; `None` off the board.
    pub fn neighbour(self, at: Position, direction: Direction) -> Option<Position> {
        let (x, y) = match direction {
            Direction::North => (at.x, at.y + 1),
            Direction::East => (at.x + 1, at.y),
            Direction::South => (at.x, at.y.checked_sub(1)?),
            Direction::West => (at.x.checked_sub(1)?, at.y),
        };
        Some(Position { x, y }).filter(|next| self.contains(*next))
    }

    /// Returns the field this many columns to the east and rows to the north; `None` off the board.
    #[inline]
    pub fn beside(self, at: Position, east: i16, north: i16) -> Option<Position> {
        let (x, y) = (at.x.checked_add_signed(east)?, at.y.checked_add_signed(north)?);
        Some(Position { x, y }).filter(|field| self.contains(*field))
    }

    /// Returns the field on the other side of the board's centre.
    pub const fn mirror(self, at: Position) -> Position {
        Position { x: self.columns - 1 - at.x, y: self.rows - 1 - at.y }
    }

    /// Returns the place of a field in a table of all fields: row by row from the south, each from the west.
    pub const fn index(self, at: Position) -> usize {
        at.y as usize * self.columns as usize + at.x as usize
    }

    /// Returns the field at a place of such a table.
    ///
    /// # Panics
    ///
    /// If the table has no such place.
    pub fn position(self, index: u32) -> Position {
        assert!(index < self.fields(), "field {index} of {}", self.fields());
        let columns = u32::from(self.columns);
        let narrow = |number: u32| u16::try_from(number).expect("both sides are below 2^16");
        Position { x: narrow(index % columns), y: narrow(index / columns) }
    }

    /// Returns every field, in the order of [`Geometry::index`].
    pub fn positions(self) -> impl Iterator<Item = Position> {
        (0..self.rows).flat_map(move |y| (0..self.columns).map(move |x| Position { x, y }))
    }
}

/// The result of a discovery: the distances of the own field and the eight around it, `None` off the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Surroundings(pub [Option<Distance>; 9]);

impl Surroundings {
    /// The offset of each distance from the own field, as steps to the east and to the north: row by row from the
    /// south-west to the north-east, the own field in the middle.
    pub const OFFSETS: [(i16, i16); 9] =
        [(-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

    /// Returns the distance of the field at this offset.
    pub fn at(&self, east: i16, north: i16) -> Option<Distance> {
        let place = Self::OFFSETS.iter().position(|offset| *offset == (east, north))?;
        self.0[place]
    }

    /// Returns the readings of a discovery that was made at this field: the fields on the board with a distance, in the
    /// order of [`Surroundings::OFFSETS`].
    #[inline]
    pub fn readings(&self, geometry: Geometry, from: Position) -> impl Iterator<Item = (Position, Distance)> {
        let distances = Self::OFFSETS.into_iter().zip(self.0);
        distances
            .filter_map(move |((east, north), distance)| geometry.beside(from, east, north).zip(distance))
    }
}

/// Nine readings joined by spaces, `-` for a field off the board.
impl fmt::Display for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, reading) in self.0.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            match reading {
                Some(distance) => write!(f, "{gap}{distance}")?,
                None => write!(f, "{gap}-")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Surroundings {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let readings: Vec<_> = text
            .split(' ')
            .map(|word| if word == "-" { Ok(None) } else { word.parse().map(Some) })
            .collect::<Result<_, _>>()?;
        let nine = readings.try_into();
        nine.map(Self).map_err(|_| NotationError::new("discovery", text, "nine distances"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_needs_all_three_areas() {
        for (columns, rows, goal_rows, fits) in [
            (1, 3, 1, true),
            (1, 2, 1, false),
            (0, 3, 1, false),
            (4, 4, 2, false),
            (4, 5, 2, true),
            (4, 5, 0, false),
        ] {
            assert_eq!(
                Geometry::new(columns, rows, goal_rows).is_some(),
                fits,
                "{columns}×{rows}, {goal_rows}"
            );
        }
        assert!(Geometry::new(4096, 4096, 2047).is_some());
        assert!(Geometry::new(4097, 3, 1).is_none());
    }

    #[test]
    fn directions_lead_nearer_along_the_longer_distance_first() {
        let towards = |x, y| Position::new(5, 5).towards(Position::new(x, y)).collect::<Vec<_>>();
        assert_eq!(towards(5, 5), []);
        assert_eq!((towards(5, 2), towards(9, 5)), (vec![Direction::South], vec![Direction::East]));
        assert_eq!(towards(1, 7), [Direction::West, Direction::North]);
        assert_eq!(towards(7, 9), [Direction::North, Direction::East]);
        assert_eq!(
            towards(3, 3),
            [Direction::South, Direction::West],
            "north or south if both are equally long"
        );
        for (x, y) in [(5, 5), (1, 7), (7, 9), (3, 3), (5, 2)] {
            let (from, to) = (Position::new(5, 5), Position::new(x, y));
            assert_eq!(from.moves_to(to), x.abs_diff(5) + y.abs_diff(5));
            assert_eq!(from.moves_to(to), to.moves_to(from));
        }
    }

    #[test]
    fn areas_and_neighbours_are_those_of_the_specification() {
        let board = Geometry::new(2, 5, 1).unwrap();
        let areas: Vec<Area> = (0..5).map(|y| board.area(Position::new(0, y))).collect();
        let task = Area::Task;
        assert_eq!(areas, [Area::Goal(Team::Blue), task, task, task, Area::Goal(Team::Red)]);
        let neighbours = Direction::ALL.map(|direction| board.neighbour(Position::new(0, 0), direction));
        assert_eq!(neighbours, [Some(Position::new(0, 1)), Some(Position::new(1, 0)), None, None]);
        let neighbours = Direction::ALL.map(|direction| board.neighbour(Position::new(1, 4), direction));
        assert_eq!(neighbours, [None, None, Some(Position::new(1, 3)), Some(Position::new(0, 4))]);
        assert_eq!(board.mirror(Position::new(0, 1)), Position::new(1, 3));
    }

    #[test]
    fn a_field_beside_another_lies_on_the_board() {
        let board = Geometry::new(2, 5, 1).unwrap();
        let beside = |x, y, east, north| board.beside(Position::new(x, y), east, north);
        assert_eq!(beside(0, 3, 1, -2), Some(Position::new(1, 1)));
        assert_eq!(beside(1, 0, -1, 4), Some(Position::new(0, 4)));
        for (x, y, east, north) in [(0, 1, -1, 0), (1, 1, 1, 0), (1, 0, 0, -1), (1, 4, 0, 1)] {
            assert_eq!(beside(x, y, east, north), None, "{x},{y} {east} {north}");
        }
    }

    /// Around the corner in the south-east, with distances off the board and one that is missing.
    #[test]
    fn a_discovery_has_the_readings_of_the_fields_on_the_board() {
        let board = Geometry::new(2, 5, 1).unwrap();
        let distances: Surroundings = "7 7 7 3 2 7 4 - 7".parse().unwrap();
        let readings: Vec<_> = distances.readings(board, Position::new(1, 0)).collect();
        let expected = [(0, 0, 3), (1, 0, 2), (0, 1, 4)];
        assert_eq!(readings, expected.map(|(x, y, moves)| (Position::new(x, y), Distance::new(moves))));
    }

    #[test]
    fn places_and_fields_are_one_to_one() {
        let board = Geometry::new(3, 4, 1).unwrap();
        for (index, at) in (0..12).zip(board.positions()) {
            assert_eq!(board.position(index), at);
            assert_eq!(board.index(at), index as usize);
        }
    }

    #[test]
    fn text_reads_as_it_is_written() {
        assert_eq!("3,4".parse(), Ok(Position::new(3, 4)));
        assert!("3;4".parse::<Position>().is_err() && "+3,4".parse::<Position>().is_err());
        assert!("+3".parse::<Distance>().is_err());
        assert_eq!("inf".parse(), Ok(Distance::INFINITE));
        assert!("N ".parse::<Direction>().is_err());
        let text = "- - - 1 0 1 2 1 inf";
        assert_eq!(text.parse::<Surroundings>().unwrap().to_string(), text);
        assert!("1 2 3".parse::<Surroundings>().is_err());
    }
}
