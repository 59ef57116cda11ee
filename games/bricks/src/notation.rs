//! The game as text, for replays, tests and people.
//!
//! A cell is its column and row, e.g. `1x2`, both from 0 at the top left; a brick is its two cells, e.g. `1x2_2x2`. A
//! board shows free cells as `.` and cells that were filled from the beginning as `#`. Half a brick is the player that
//! put it, and an arrow to the other half:
//!
//! ```text
//! 0> 0< .
//! 1v #  .
//! 1^ .  .
//! ```
//!
//! The halves of a brick that lies [loosely](crate::Board::are_loose) have a `*`.

use std::fmt;
use std::str::FromStr;

use game_env::parameter::{Checked, Form, Parameter};
use game_env::scene::{Cell as Field, Mark};
use game_env::text::number;
use game_env::{
    AgentId, ConfigError, Millis, Notation, NotationError, Parameters, Preset, Scene, TeamId, Value,
};

use crate::board::{Brick, Cell, Config};
use crate::state::{Event, Refusal, State};

/// Every parameter of the game, in the order of files.
pub const PARAMETERS: [Parameter; 6] = [
    Parameter::whole(
        "size",
        "cells of a side of the board, an odd number",
        11,
        Config::SMALLEST as i64,
        Config::LARGEST as i64,
    ),
    Parameter::flag("torus", "whether the first and the last cell of a row or column are neighbours", false),
    Parameter::text("filledCells", "cells that are filled from the beginning", "", CELLS),
    Parameter::whole(
        "filled",
        "number of further cells that are filled at random",
        0,
        0,
        Config::LARGEST as i64 * Config::LARGEST as i64,
    ),
    Parameter::whole("moveLimitMs", "time for a move; 0 for no limit", 500, 0, 3_600_000).unit("ms"),
    Parameter::flag(
        "loose",
        "whether a brick may also lie on cells whose columns or rows are one apart, as in a referee of 2018",
        false,
    ),
];

const CELLS: Form = Form {
    allowed: "cells joined by `_`, e.g. `2x3_4x5`",
    check: |text| read_cells(text).map(|_| ()).map_err(|error| error.to_string()),
};

impl Notation for State {
    const GAME: &'static str = "bricks";
    const RULES: u32 = 1;

    fn parameters() -> &'static [Parameter] {
        &PARAMETERS
    }

    fn presets() -> Vec<Preset> {
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

    fn write_config(config: &Config) -> Parameters {
        let filled: Vec<String> = config.filled_cells().iter().map(Cell::to_string).collect();
        let limit = config.limit().map_or(0, Millis::as_millis);
        [
            ("size", Value::Whole(config.size().into())),
            ("torus", Value::Flag(config.is_torus())),
            ("filledCells", Value::Text(filled.join("_"))),
            ("filled", Value::Whole(config.count_at_random().into())),
            ("moveLimitMs", Value::Whole(limit.into())),
        ]
        .into_iter()
        // Left out where it is off, so that matches and replays without it are written as they always were.
        .chain(config.is_loose().then_some(("loose", Value::Flag(true))))
        .collect()
    }

    fn read_config(parameters: &Parameters) -> Result<Config, ConfigError> {
        let read = Checked::read(&PARAMETERS, parameters)?;
        let cells = read_cells(&read.text("filledCells")).expect("the table has checked it");
        let limit = Some(read.millis("moveLimitMs")).filter(|limit| limit.as_millis() > 0);
        let config = Config::new(read.whole("size")).map_err(|error| read.fault("size", error))?;
        let config = config.filled(cells).map_err(|error| read.fault("filledCells", error))?;
        let config =
            config.filled_at_random(read.whole("filled")).map_err(|error| read.fault("filled", error))?;
        Ok(config.torus(read.flag("torus")).loose(read.flag("loose")).move_limit(limit))
    }

    fn scene(&self) -> Scene {
        let (board, size) = (self.board(), usize::from(self.board().size()));
        let mut scene = Scene::new(size, size, Field::ground("free", "."));
        // A scene counts its rows from the bottom, cells are counted from the top.
        let place = |cell: Cell| (usize::from(cell.column), size - 1 - usize::from(cell.row));
        for (number, brick) in self.bricks().iter().enumerate() {
            let player = AgentId::from_index(number % 2);
            let [from, to] = brick.cells();
            for (cell, other, is_first) in [(from, to, true), (to, from, false)] {
                // Across the edge of a torus the other half lies on the other side.
                let wraps = cell.row.abs_diff(other.row) > 1 || cell.column.abs_diff(other.column) > 1;
                let is_loose = cell.row != other.row && cell.column != other.column;
                let arrow = match (cell.row == other.row, is_first != wraps) {
                    (true, true) => '>',
                    (true, false) => '<',
                    (false, true) => 'v',
                    (false, false) => '^',
                };
                let arrow = if is_loose { '*' } else { arrow };
                let text = format!("{}{arrow}", player.index());
                let (x, y) = place(cell);
                let mark = Mark::new("brick", text).of(TeamId::of_lone_agent(player)).by(player);
                scene.cell_mut(x, y).marks.push(mark);
            }
        }
        for cell in board.cells().filter(|cell| !board.is_free(*cell)) {
            let (x, y) = place(cell);
            let field = scene.cell_mut(x, y);
            if field.marks.is_empty() {
                field.marks.push(Mark::new("filled", "#"));
            }
        }
        scene.caption.push(format!("{} bricks fit, {} to move", board.brick_count(), self.mover()));
        scene
    }
}

/// Cells joined by `_`; none of an empty text.
fn read_cells(text: &str) -> Result<Vec<Cell>, NotationError> {
    let text = text.trim();
    if text.is_empty() { Ok(Vec::new()) } else { text.split('_').map(str::parse).collect() }
}

/// Column and row, e.g. `1x2`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.column, self.row)
    }
}

impl FromStr for Cell {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            let (column, row) = text.split_once('x')?;
            Some(Self::new(number(column)?, number(row)?))
        };
        read().ok_or_else(|| NotationError::new("cell", text, "a column and a row, e.g. `1x2`"))
    }
}

/// Its two cells, e.g. `1x2_2x2`.
impl fmt::Display for Brick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = self.cells();
        write!(f, "{from}_{to}")
    }
}

impl FromStr for Brick {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            let (one, other) = text.split_once('_')?;
            Some(Self::new(one.parse().ok()?, other.parse().ok()?))
        };
        read().ok_or_else(|| NotationError::new("brick", text, "two cells, e.g. `1x2_2x2`"))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put { player, brick } => write!(f, "{player} put {brick}"),
            Self::Refused { player, brick, refusal } => write!(f, "{player} refused {brick} {refusal}"),
            Self::Over(outcome) => outcome.write_over(f, false),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Over => "over",
            Self::NotYourTurn => "not-your-turn",
            Self::Late => "late",
            Self::Outside => "outside",
            Self::Apart => "apart",
            Self::Taken => "taken",
        })
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Environment, Seed, SimTime};

    use super::*;

    #[test]
    fn a_brick_reads_as_it_is_written() {
        for (text, written) in [
            ("1x2_2x2", "1x2_2x2"),
            ("2x2_1x2", "1x2_2x2"),
            ("998x998_998x997", "998x997_998x998"),
            ("4x0_0x0", "0x0_4x0"),
            ("1x1_1x1", "1x1_1x1"),
        ] {
            assert_eq!(text.parse::<Brick>().map(|brick| brick.to_string()).as_deref(), Ok(written));
        }
        for text in [
            "",
            "1x2",
            "1x2_",
            "_1x2",
            "1x2 2x2",
            "1x2_2x2_3x2",
            "+1x2_2x2",
            "-1x2_2x2",
            "ax2_2x2",
            "1X2_2X2",
            "1x2_65536x2",
        ] {
            let error = text.parse::<Brick>().unwrap_err().to_string();
            assert!(error.ends_with("expected two cells, e.g. `1x2_2x2`"), "{error}");
        }
    }

    fn told(pairs: &[(&str, Value)]) -> String {
        State::read_config(&pairs.iter().cloned().collect()).unwrap_err().to_string()
    }

    #[test]
    fn faulty_configurations_name_every_fault() {
        assert_eq!(
            told(&[
                ("size", Value::Whole(1001)),
                ("filledCells", Value::Text("1x1,2x2".to_owned())),
                ("tours", Value::Flag(true)),
                ("moveLimitMs", Value::Real(0.5)),
            ]),
            "tours = true: unknown parameter; allowed: perhaps `torus`\n\
             moveLimitMs = 0.5: wrong type; allowed: a whole number from 0 to 3600000\n\
             size = 1001: it is too large; allowed: a whole number from 3 to 999\n\
             filledCells = \"1x1,2x2\": `1x1,2x2` is no cell: expected a column and a row, e.g. `1x2`; \
             allowed: cells joined by `_`, e.g. `2x3_4x5`"
        );
        assert_eq!(State::read_config(&Parameters::new()).unwrap(), Config::default());
    }

    #[test]
    fn what_does_not_fit_together_is_a_fault_of_the_parameter() {
        let (size, cells) = (
            |size| ("size", Value::Whole(size)),
            |cells: &str| ("filledCells", Value::Text(cells.to_owned())),
        );
        assert_eq!(told(&[size(4)]), "size = 4: a board of 4×4 cells; allowed: an odd number from 3 to 999");
        assert_eq!(
            told(&[size(5), cells("1x1_5x0")]),
            "filledCells = \"1x1_5x0\": cell 5x0 is not on the board; allowed: columns and rows from 0 to 4"
        );
        assert_eq!(
            told(&[size(5), cells("1x1_1x1")]),
            "filledCells = \"1x1_1x1\": cell 1x1 is filled twice; allowed: every cell once"
        );
        assert_eq!(
            told(&[size(3), cells("1x1"), ("filled", Value::Whole(9))]),
            "filled = 9: 9 more cells to fill; allowed: at most 8, the number of cells that are left"
        );
    }

    #[test]
    fn configurations_read_as_they_are_written() {
        let plain = Config::new(7).unwrap().torus(true).filled_at_random(3).unwrap();
        for config in [plain.clone(), plain.clone().loose(true), plain.move_limit(None)] {
            assert_eq!(State::read_config(&State::write_config(&config)), Ok(config));
        }
    }

    #[test]
    fn a_board_shows_bricks_their_players_and_filled_cells() {
        let config = Config::new(3).unwrap().torus(true).filled([Cell::new(1, 1)]).unwrap();
        let mut state = State::new(&config, Seed::new(0));
        for brick in ["0x0_1x0", "0x2_0x1", "2x0_2x2"] {
            let mover = state.mover();
            state.step(SimTime::START, mover, brick.parse().unwrap(), &mut ());
        }
        assert_eq!(state.scene().to_string(), "0> 0< 0^\n1v #  .\n1^ .  0v\n0 bricks fit, #1 to move\n");
    }
}
