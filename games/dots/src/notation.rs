//! The game as text, for replays, tests and people.
//!
//! An edge is its two dots, e.g. `0-1`. A board shows dots as `+`, drawn edges as `-` and `|`, and the owner of a box
//! as `0` or `1`:
//!
//! ```text
//! + - +   +
//! | 0 |
//! + - +   +
//! ```

use std::fmt;
use std::str::FromStr;

use game_env::parameter::{Checked, Parameter};
use game_env::scene::{Cell, Mark};
use game_env::text::number;
use game_env::{ConfigError, Notation, NotationError, Parameters, Preset, Scene, TeamId, Value};

use crate::grid::{Config, Edge};
use crate::state::{Event, Refusal, State};

// ANCHOR: parameters
/// Every parameter of the game, in the order of files.
pub const PARAMETERS: [Parameter; 2] = {
    const fn side(name: &'static str, meaning: &'static str) -> Parameter {
        Parameter::whole(name, meaning, 5, Config::SHORTEST_SIDE as i64, Config::LONGEST_SIDE as i64)
    }
    [side("rows", "rows of dots"), side("cols", "columns of dots")]
};
// ANCHOR_END: parameters

impl Notation for State {
    const GAME: &'static str = "dots";
    const RULES: u32 = 1;

    fn parameters() -> &'static [Parameter] {
        &PARAMETERS
    }

    fn presets() -> Vec<Preset> {
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

    fn write_config(config: &Config) -> Parameters {
        let side = |dots: u16| Value::Whole(dots.into());
        [("rows", side(config.rows())), ("cols", side(config.columns()))].into_iter().collect()
    }

    fn read_config(parameters: &Parameters) -> Result<Config, ConfigError> {
        let read = Checked::read(&PARAMETERS, parameters)?;
        Ok(Config::new(read.whole("rows"), read.whole("cols")).expect("the table has the limits of a grid"))
    }

    fn scene(&self) -> Scene {
        let grid = self.grid();
        let (columns, rows) = (usize::from(grid.columns()), usize::from(grid.rows()));
        let mut scene = Scene::new(2 * columns - 1, 2 * rows - 1, Cell::ground("gap", " "));
        // A scene counts its rows from the bottom, dots are counted from the top.
        let place = |dot: u16| {
            let (column, row) = (usize::from(dot % grid.columns()), usize::from(dot / grid.columns()));
            (2 * column, 2 * (rows - 1 - row))
        };
        for dot in 0..grid.dots() {
            let (x, y) = place(dot);
            *scene.cell_mut(x, y) = Cell::ground("dot", "+");
        }
        for edge in grid.all_edges().filter(|edge| self.is_drawn(*edge)) {
            let (from, to) = edge.dots();
            let ((x, y), leads_down) = (place(from), to != from + 1);
            let (cell, text) = if leads_down { ((x, y - 1), "|") } else { ((x + 1, y), "-") };
            scene.cell_mut(cell.0, cell.1).marks.push(Mark::new("edge", text));
        }
        for corner in 0..grid.dots() {
            if let Some(owner) = self.owner(corner) {
                let (x, y) = place(corner);
                let mark =
                    Mark::new("box", owner.index().to_string()).of(TeamId::of_lone_agent(owner)).by(owner);
                scene.cell_mut(x + 1, y - 1).marks.push(mark);
            }
        }
        let [first, second] = self.points();
        scene.caption.push(format!("boxes {first}:{second}, {} to move", self.mover()));
        scene
    }
}

// ANCHOR: edge
impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = self.dots();
        write!(f, "{from}-{to}")
    }
}
// ANCHOR_END: edge

impl FromStr for Edge {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            let (one, other) = text.split_once('-')?;
            Self::between(number(one)?, number(other)?)
        };
        read().ok_or_else(|| NotationError::new("edge", text, "two dots, e.g. `0-1`"))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drew { player, edge, boxes } => {
                write!(f, "{player} drew {edge}")?;
                boxes.iter().flatten().try_for_each(|corner| write!(f, " box {corner}"))
            }
            Self::Refused { player, edge, refusal } => write!(f, "{player} refused {edge} {refusal}"),
            Self::Over(outcome) => outcome.write_over(f, true),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Over => "over",
            Self::NotYourTurn => "not-your-turn",
            Self::NoEdge => "no-edge",
            Self::Drawn => "drawn",
        })
    }
}

#[cfg(test)]
mod tests {
    use game_env::{AgentId, Environment, Seed, SimTime};

    use super::*;

    #[test]
    fn an_edge_reads_as_it_is_written() {
        for (text, written) in [("0-1", "0-1"), ("7-2", "2-7"), ("9998-9999", "9998-9999")] {
            assert_eq!(text.parse::<Edge>().map(|edge| edge.to_string()).as_deref(), Ok(written));
        }
        for text in ["", "0", "0-", "-1", "0-0", "0-65536", "a-b", "0-1-2", "0 - 1", "+0-+1"] {
            let error = text.parse::<Edge>().unwrap_err().to_string();
            assert!(error.ends_with("expected two dots, e.g. `0-1`"), "{error}");
        }
    }

    #[test]
    fn faulty_configurations_name_every_fault() {
        let faulty =
            [("rows", Value::Whole(1)), ("cols", Value::Text("x".to_owned())), ("colour", Value::Flag(true))];
        let error = State::read_config(&faulty.into_iter().collect()).unwrap_err().to_string();
        assert_eq!(
            error,
            "cols = \"x\": wrong type; allowed: a whole number from 2 to 100\n\
             colour = true: unknown parameter; allowed: perhaps `cols`\n\
             rows = 1: it is too small; allowed: a whole number from 2 to 100"
        );
        assert_eq!(State::read_config(&Parameters::new()).unwrap(), Config::default());
    }

    #[test]
    fn a_board_shows_edges_and_owners() {
        let mut state = State::new(&Config::new(3, 3).unwrap(), Seed::new(0));
        for edge in ["0-1", "0-3", "1-4", "7-8", "3-4"] {
            let mover = state.mover();
            state.step(SimTime::START, mover, edge.parse().unwrap(), &mut ());
        }
        let owner = state.mover();
        let [first, second] = [0, 1].map(|player| u8::from(owner == AgentId::new(player)));
        assert_eq!(
            state.scene().to_string(),
            format!(
                "+ - +   +\n| {0} |\n+ - +   +\n\n+   + - +\nboxes {first}:{second}, {owner} to move\n",
                owner.index()
            )
        );
    }
}
