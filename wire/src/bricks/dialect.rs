//! The words of the conversation in the years from which player programs come.

use game_bricks::{Board, Brick, Cell};
use game_env::NotationError;

/// Form of the lines between a referee and its players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// `PING` and `PONG`, the size, `ZACZYNAJ`; moves are four numbers from 1.
    Year2017,
    /// Size and filled cells as `7_2x3_4x5`, `START`; moves are `1x2_2x2`.
    #[default]
    Year2018,
    /// The size, then filled cells as `{0;1},{2;2}`, `START`; moves are `{1;2},{2;2}`, and the board is a torus.
    Year2019,
}

game_env::words! { Dialect, "dialect": Year2017 = "2017", Year2018 = "2018", Year2019 = "2019" }

/// Compatibility with the referee of a year: its mistakes in reading lines are repeated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Compat {
    /// No compatibility: lines are read as the protocol says.
    #[default]
    Strict,
    /// The referee of 2018. It accepts `ok` instead of `OK`, accepts a line that arrives before its request, and
    /// ignores some text in a brick, see [`Dialect::read`].
    Year2018,
    /// The referee of 2019. A brick has the row first, but the line of filled cells has the column first.
    Year2019,
}

game_env::words! { Compat, "compat": Strict = "none", Year2018 = "2018", Year2019 = "2019" }

impl Compat {
    /// Returns the only dialect in which this reading makes sense, if there is one.
    pub const fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Strict | Self::Year2018 => None,
            Self::Year2019 => Some(Dialect::Year2019),
        }
    }
}

/// A line that a player is sent before the game, and the line with which it answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The line.
    pub line: String,
    /// The answer; none if the player says nothing.
    pub answer: Option<&'static str>,
}

/// A board that a dialect has no words for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the dialect 2017 cannot name filled cells: expected a board without any, or another dialect")]
pub struct NotExpressible;

impl Dialect {
    /// Returns whether boards of this year are tori.
    pub const fn is_torus(self) -> bool {
        matches!(self, Self::Year2019)
    }

    /// Returns the lines to a player before a game that begins with this board, with the expected answers.
    ///
    /// # Errors
    ///
    /// If the dialect has no words for the board.
    pub fn opening(self, board: &Board) -> Result<Vec<Step>, NotExpressible> {
        let size = board.size().to_string();
        let filled = || board.cells().filter(|cell| !board.is_free(*cell));
        let step = |line, answer| Step { line, answer };
        Ok(match self {
            Self::Year2017 if filled().next().is_some() => return Err(NotExpressible),
            Self::Year2017 => vec![step("PING".to_owned(), Some("PONG")), step(size, None)],
            Self::Year2018 => {
                let cells = filled().map(|cell| format!("_{cell}"));
                vec![step(cells.fold(size, |line, cell| line + &cell), Some("OK"))]
            }
            Self::Year2019 => {
                let cells: Vec<String> = filled().map(braced).collect();
                vec![step(size, Some("ok")), step(cells.join(","), Some("ok"))]
            }
        })
    }

    /// Returns whether a player's answer is the expected one. A referee of 2018 took `ok` for `OK`; in 2019 case did
    /// not matter.
    pub fn is_answer(self, expected: &str, line: &str, compat: Compat) -> bool {
        match self {
            Self::Year2019 => expected.eq_ignore_ascii_case(line),
            Self::Year2018 if compat == Compat::Year2018 => ["OK", "ok"].contains(&line),
            Self::Year2017 | Self::Year2018 => expected == line,
        }
    }

    /// Returns the line to the player who begins.
    pub const fn start(self) -> &'static str {
        match self {
            Self::Year2017 => "ZACZYNAJ",
            Self::Year2018 | Self::Year2019 => "START",
        }
    }

    /// Returns the line to both players at the end. Players of 2017 get none: they only see that their input ends.
    pub const fn stop(self) -> Option<&'static str> {
        match self {
            Self::Year2017 => None,
            Self::Year2018 | Self::Year2019 => Some("STOP"),
        }
    }

    /// Returns a brick as this dialect writes it, for a program that reads as this referee does.
    pub fn write(self, brick: Brick, compat: Compat) -> String {
        let [from, to] = self.turned(brick, compat).cells();
        match self {
            Self::Year2017 => {
                let number = |cell: Cell| format!("{} {}", cell.column + 1, cell.row + 1);
                format!("{} {}", number(from), number(to))
            }
            Self::Year2018 => brick.to_string(),
            Self::Year2019 => format!("{},{}", braced(from), braced(to)),
        }
    }

    /// Returns the brick of a line. Numbers beyond 65535 become 65535, which no board has.
    ///
    /// With [`Compat::Year2018`], a line in the dialect of 2018 is read as by the referee of 2018: a second `x` in a
    /// cell, a second `_` in a line, and the text behind either are ignored; numbers may have a sign.
    ///
    /// # Errors
    ///
    /// If the line is no brick.
    pub fn read(self, line: &str, compat: Compat) -> Result<Brick, NotationError> {
        let read = match self {
            Self::Year2017 => spaced(line),
            Self::Year2018 if compat == Compat::Year2018 => leniently_joined(line),
            Self::Year2018 => joined(line),
            Self::Year2019 => read_braced(line),
        };
        let read = read.map(|brick| self.turned(brick, compat));
        read.ok_or_else(|| NotationError::new("brick", line, self.brick_form()))
    }

    /// Returns the brick with columns and rows exchanged if both dialect and `compat` are those of 2019; else the same
    /// brick.
    fn turned(self, brick: Brick, compat: Compat) -> Brick {
        if self != Self::Year2019 || compat != Compat::Year2019 {
            return brick;
        }
        let [from, to] = brick.cells().map(|Cell { column, row }| Cell::new(row, column));
        Brick::new(from, to)
    }

    /// Returns the form of the line of a brick, for people.
    pub const fn brick_form(self) -> &'static str {
        match self {
            Self::Year2017 => "four numbers from 1, e.g. `2 3 3 3`",
            Self::Year2018 => "two cells, e.g. `1x2_2x2`",
            Self::Year2019 => "two cells, e.g. `{1;2},{2;2}`",
        }
    }
}

fn braced(cell: Cell) -> String {
    format!("{{{};{}}}", cell.column, cell.row)
}

/// Digits alone.
fn number(digits: &str) -> Option<u16> {
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u16::MAX))
}

/// Digits with an optional sign. A negative number becomes 65535, which no board has.
fn signed(text: &str) -> Option<u16> {
    match text.strip_prefix('-') {
        Some(digits) => number(digits).map(|found| if found == 0 { 0 } else { u16::MAX }),
        None => number(text.strip_prefix('+').unwrap_or(text)),
    }
}

fn joined(line: &str) -> Option<Brick> {
    let cell = |text: &str| {
        let (column, row) = text.split_once('x')?;
        Some(Cell::new(number(column)?, number(row)?))
    };
    let (one, other) = line.split_once('_')?;
    Some(Brick::new(cell(one)?, cell(other)?))
}

fn leniently_joined(line: &str) -> Option<Brick> {
    let cell = |text: &str| {
        let mut numbers = text.split('x');
        Some(Cell::new(signed(numbers.next()?)?, signed(numbers.next()?)?))
    };
    let mut cells = line.split('_');
    Some(Brick::new(cell(cells.next()?)?, cell(cells.next()?)?))
}

fn spaced(line: &str) -> Option<Brick> {
    let numbers: Option<Vec<u16>> = line.split(' ').map(|text| number(text)?.checked_sub(1)).collect();
    match numbers?[..] {
        [column, row, to_column, to_row] => {
            Some(Brick::new(Cell::new(column, row), Cell::new(to_column, to_row)))
        }
        _ => None,
    }
}

fn read_braced(line: &str) -> Option<Brick> {
    match cells_in_braces(line)?[..] {
        [one, other] => Some(Brick::new(one, other)),
        _ => None,
    }
}

/// Cells as `{0;1},{2;2}`; none of an empty text.
pub(super) fn cells_in_braces(line: &str) -> Option<Vec<Cell>> {
    if line.is_empty() {
        return Some(Vec::new());
    }
    let inner = line.strip_prefix('{')?.strip_suffix('}')?;
    let cell = |text: &str| {
        let (column, row) = text.split_once(';')?;
        Some(Cell::new(number(column)?, number(row)?))
    };
    inner.split("},{").map(cell).collect()
}

#[cfg(test)]
mod tests {
    use game_bricks::{Config, State};
    use game_env::{Environment as _, Seed};

    use super::*;

    #[test]
    fn bricks_read_as_they_are_written() {
        let brick: Brick = "1x2_2x2".parse().unwrap();
        for (dialect, written) in Dialect::ALL.into_iter().zip(["2 3 3 3", "1x2_2x2", "{1;2},{2;2}"]) {
            assert_eq!(dialect.write(brick, Compat::Strict), written);
            assert_eq!(dialect.read(written, Compat::Strict), Ok(brick));
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
            for other in Dialect::ALL.into_iter().filter(|other| *other != dialect) {
                assert!(other.read(written, Compat::Year2018).is_err(), "{other} reads {written}");
            }
        }
        assert!("2020".parse::<Dialect>().unwrap_err().to_string().ends_with("one of 2017, 2018, 2019"));
    }

    /// Bricks of each line: in strict reading and in that of the referee of 2018.
    #[test]
    fn a_line_is_a_brick_or_not() {
        use Dialect::{Year2017, Year2018, Year2019};
        const OUTSIDE: Option<&str> = Some("1x0_65535x0");
        for (dialect, line, strict, compatible) in [
            (Year2018, "2x2_1x2", Some("1x2_2x2"), Some("1x2_2x2")),
            (Year2018, "0x0_7x9", Some("0x0_7x9"), Some("0x0_7x9")),
            (Year2018, "01x002_2x2", Some("1x2_2x2"), Some("1x2_2x2")),
            (Year2018, "1x0_99999999999999999999x0", OUTSIDE, OUTSIDE),
            (Year2018, "1x2_2x2_3x3", None, Some("1x2_2x2")),
            (Year2018, "1x2_2x2_", None, Some("1x2_2x2")),
            (Year2018, "1x2x9_2x2", None, Some("1x2_2x2")),
            (Year2018, "+1x2_2x2", None, Some("1x2_2x2")),
            (Year2018, "1x0_-1x0", None, OUTSIDE),
            (Year2018, "1x2_2x2 ", None, None),
            (Year2018, " 1x2_2x2", None, None),
            (Year2018, "1x2_2x2 3x3_4x3", None, None),
            (Year2018, "1x2_2x2;", None, None),
            (Year2018, "1X2_2X2", None, None),
            (Year2018, "1x2", None, None),
            (Year2018, "1x2_", None, None),
            (Year2018, "x_x", None, None),
            (Year2018, "", None, None),
            (Year2018, "OK", None, None),
            (Year2018, "١x2_2x2", None, None),
            (Year2018, "\u{fffd}\u{0}", None, None),
            (Year2017, "3 3 2 3", Some("1x2_2x2"), Some("1x2_2x2")),
            (Year2017, "0 1 1 1", None, None),
            (Year2017, "2 3 3", None, None),
            (Year2017, "2 3 3 3 4", None, None),
            (Year2017, "2  3 3 3", None, None),
            (Year2017, "2 3 3 3 ", None, None),
            (Year2019, "{2;2},{1;2}", Some("1x2_2x2"), Some("1x2_2x2")),
            (Year2019, "{1;2},{2;2},{3;2}", None, None),
            (Year2019, "{1;2}", None, None),
            (Year2019, "", None, None),
            (Year2019, "{1;2}, {2;2}", None, None),
            (Year2019, "{1,2},{2,2}", None, None),
        ] {
            let read = |compat| dialect.read(line, compat).ok().map(|brick| brick.to_string());
            assert_eq!(read(Compat::Strict).as_deref(), strict, "{dialect} {line:?}");
            assert_eq!(read(Compat::Year2018).as_deref(), compatible, "{dialect} {line:?}, compatible");
        }
    }

    /// The referee of 2019 has the row first in bricks, and in nothing else.
    #[test]
    fn a_brick_of_2019_has_the_row_first_for_its_referee() {
        let brick: Brick = "1x2_1x3".parse().unwrap();
        for (compat, written) in [
            (Compat::Strict, "{1;2},{1;3}"),
            (Compat::Year2018, "{1;2},{1;3}"),
            (Compat::Year2019, "{2;1},{3;1}"),
        ] {
            assert_eq!(Dialect::Year2019.write(brick, compat), written, "{compat}");
            assert_eq!(Dialect::Year2019.read(written, compat), Ok(brick), "{compat}");
            assert_eq!(compat.to_string().parse(), Ok(compat));
        }
        for dialect in [Dialect::Year2017, Dialect::Year2018] {
            assert_eq!(dialect.write(brick, Compat::Year2019), dialect.write(brick, Compat::Strict));
        }
        assert!("2017".parse::<Compat>().unwrap_err().to_string().ends_with("one of none, 2018, 2019"));
    }

    #[test]
    fn openings_name_size_and_filled_cells() {
        let board = |cells: &[&str]| {
            let cells = cells.iter().map(|cell| cell.parse().unwrap());
            let config = Config::new(7).unwrap().filled(cells).unwrap();
            State::new(&config, Seed::new(0)).board().clone()
        };
        let told = |dialect: Dialect, cells: &[&str]| {
            let steps = dialect.opening(&board(cells)).map_err(|error| error.to_string())?;
            let shown = steps.iter().map(|step| format!("{}>{}", step.line, step.answer.unwrap_or("-")));
            Ok::<_, String>(shown.collect::<Vec<_>>())
        };
        assert_eq!(told(Dialect::Year2018, &["4x5", "2x3"]), Ok(vec!["7_2x3_4x5>OK".to_owned()]));
        assert_eq!(told(Dialect::Year2018, &[]), Ok(vec!["7>OK".to_owned()]));
        let lines = |lines: [&str; 2]| Ok(lines.map(str::to_owned).to_vec());
        assert_eq!(told(Dialect::Year2019, &["2x2", "0x1"]), lines(["7>ok", "{0;1},{2;2}>ok"]));
        assert_eq!(told(Dialect::Year2019, &[]), lines(["7>ok", ">ok"]));
        assert_eq!(told(Dialect::Year2017, &[]), lines(["PING>PONG", "7>-"]));
        assert!(told(Dialect::Year2017, &["2x2"]).unwrap_err().contains("cannot name filled cells"));
    }

    #[test]
    fn answers_are_strict_about_case_where_their_year_was() {
        for (dialect, expected, line, strict, compatible) in [
            (Dialect::Year2018, "OK", "OK", true, true),
            (Dialect::Year2018, "OK", "ok", false, true),
            (Dialect::Year2018, "OK", "Ok", false, false),
            (Dialect::Year2018, "OK", "OK ", false, false),
            (Dialect::Year2019, "ok", "Ok", true, true),
            (Dialect::Year2019, "ok", "okay", false, false),
            (Dialect::Year2017, "PONG", "PONG", true, true),
            (Dialect::Year2017, "PONG", "pong", false, false),
        ] {
            let is_answer =
                [Compat::Strict, Compat::Year2018].map(|compat| dialect.is_answer(expected, line, compat));
            assert_eq!(is_answer, [strict, compatible], "{dialect} {line:?}");
        }
    }
}
