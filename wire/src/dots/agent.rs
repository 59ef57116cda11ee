//! Dots & Boxes in the agent protocol: the observation.
//!
//! An action is an edge, as two dots: `0-1`. Dots are numbered row by row from 0 at the top left, so the dot in column
//! `x` and row `y` has the number `y * columns + x`. A box has the number of its top left dot.
//!
//! ```text
//! + - +   +
//! | 0 |
//! + - +   +
//!
//! +   + - +
//!
//! {"player":1,"mover":0,"points":[1,0],"across":["-.","-.",".-"],"down":["||.","..."],"boxes":["0.",".."]}
//! ```

use game_dots::{Config, Edge, Observation as Seen, Position, State};
use game_env::{AgentId, Environment as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::{Told, read};

/// The view of a player: the whole board. Rows go from the top to the bottom, characters from the left to the right.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The player itself: 0 or 1.
    #[schemars(range(max = 1))]
    pub player: u8,
    /// The player whose turn it is.
    #[schemars(range(max = 1))]
    pub mover: u8,
    /// The number of boxes of each player.
    pub points: [u16; 2],
    /// The horizontal edges: a text for each row of dots, a character for each edge. `-` is drawn, `.` is not. The edge
    /// of column `x` leads from the dot of column `x` to the dot on its right.
    pub across: Vec<String>,
    /// The vertical edges: a text for each row of boxes, a character for each column of dots. `|` is drawn, `.` is not.
    /// The edge of column `x` leads from the dot of column `x` to the dot below it.
    pub down: Vec<String>,
    /// The owners of the boxes: a text for each row of boxes, a character for each box. `0` and `1` are the players,
    /// `.` is nobody.
    pub boxes: Vec<String>,
}

impl Told for State {
    type Observation = Observation;

    fn tell(seen: &Seen) -> Observation {
        let grid = seen.grid;
        let (columns, rows) = (grid.columns(), grid.rows());
        let dot = |x: u16, y: u16| y * columns + x;
        let texts = |width: u16, height: u16, letter: &dyn Fn(u16, u16) -> char| -> Vec<String> {
            (0..height).map(|y| (0..width).map(|x| letter(x, y)).collect()).collect()
        };
        let edge = |from: u16, to: u16, drawn: char| {
            let is_drawn = Edge::between(from, to).is_some_and(|edge| seen.is_drawn(edge));
            if is_drawn { drawn } else { '.' }
        };
        Observation {
            player: read::number(seen.player),
            mover: read::number(seen.mover),
            points: seen.points,
            across: texts(columns - 1, rows, &|x, y| edge(dot(x, y), dot(x + 1, y), '-')),
            down: texts(columns, rows - 1, &|x, y| edge(dot(x, y), dot(x, y + 1), '|')),
            boxes: texts(columns - 1, rows - 1, &|x, y| match seen.owner(dot(x, y)) {
                Some(owner) if owner == AgentId::new(0) => '0',
                Some(_) => '1',
                None => '.',
            }),
        }
    }

    fn read(told: Observation) -> Result<Seen, String> {
        let Observation { player, mover, points, across, down, boxes } = told;
        let player = read::player("player", player, 2)?;
        let mover = read::player("mover", mover, 2)?;
        let size = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let width = down.first().map_or(0, |row| row.chars().count());
        let grid = Config::new(size(across.len()), size(width))
            .map_err(|error| format!("`across` and `down` show {error}"))?;
        let (columns, rows) = (grid.columns(), grid.rows());
        let mut position = Position { mover, edges: Vec::new(), boxes: [Vec::new(), Vec::new()] };
        let mut draw = |from: u16, to: u16, letter: char| {
            if letter != '.' {
                position.edges.extend(Edge::between(from, to));
            }
        };
        let dot = |x: u16, y: u16| y * columns + x;
        read::characters("across", &across, (columns - 1, rows), "-.", |x, y, letter| {
            draw(dot(x, y), dot(x + 1, y), letter);
        })?;
        read::characters("down", &down, (columns, rows - 1), "|.", |x, y, letter| {
            draw(dot(x, y), dot(x, y + 1), letter);
        })?;
        read::characters("boxes", &boxes, (columns - 1, rows - 1), "01.", |x, y, letter| match letter {
            '0' => position.boxes[0].push(dot(x, y)),
            '1' => position.boxes[1].push(dot(x, y)),
            _ => {}
        })?;
        let state = Self::from_position(&grid, &position).map_err(|error| error.to_string())?;
        if state.points() != points {
            let [first, second] = state.points();
            return Err(format!(
                "`points` are {points:?}: expected [{first}, {second}], the number of boxes of each player"
            ));
        }
        let mut seen = Seen::default();
        state.observe(player, &mut seen);
        Ok(seen)
    }
}
