//! Bricks in the agent protocol: the observation.
//!
//! An action is a brick, as its two cells, each with column and row from 0 at the top left: `1x2_2x2`.
//!
//! ```text
//! {"player":0,"mover":0,"until":500,"torus":false,"board":["...",".#.","..."]}
//! ```

use game_bricks::board::Cell;
use game_bricks::{Config, Observation as Seen, State};
use game_env::{Environment as _, Seed, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::{Told, read};

/// The view of a player: the whole board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The player itself: 0 or 1.
    #[schemars(range(max = 1))]
    pub player: u8,
    /// The player whose turn it is.
    #[schemars(range(max = 1))]
    pub mover: u8,
    /// The game time at which the player whose turn it is loses, in milliseconds; `null` if a move has no limit.
    pub until: Option<u64>,
    /// Whether the first and the last cell of a row or column are neighbours.
    pub torus: bool,
    /// The cells: a text for each row from the top to the bottom, a character for each cell from the left to the right.
    /// `.` is free, `#` is filled.
    pub board: Vec<String>,
}

impl Told for State {
    type Observation = Observation;

    fn tell(seen: &Seen) -> Observation {
        let board = &seen.board;
        let letter = |cell: Cell| if board.is_free(cell) { '.' } else { '#' };
        let row = |row: u16| (0..board.size()).map(|column| letter(Cell { row, column })).collect();
        Observation {
            player: read::number(seen.player),
            mover: read::number(seen.mover),
            until: seen.until.map(SimTime::as_millis),
            torus: board.is_torus(),
            board: (0..board.size()).map(row).collect(),
        }
    }

    fn read(told: Observation) -> Result<Seen, String> {
        let Observation { player, mover, until, torus, board } = told;
        let player = read::player("player", player, 2)?;
        let mover = read::player("mover", mover, 2)?;
        let size = u16::try_from(board.len()).unwrap_or(u16::MAX);
        let config = Config::new(size).map_err(|error| format!("`board` shows {error}"))?;
        let mut filled = Vec::new();
        read::characters("board", &board, (size, size), ".#", |column, row, letter| {
            if letter == '#' {
                filled.push(Cell { row, column });
            }
        })?;
        let config = config.filled(filled).map_err(|error| error.to_string())?.torus(torus);
        // No cell is filled at random, so the seed decides nothing.
        let state = Self::new(&config, Seed::new(0));
        Ok(Seen { board: state.board().clone(), player, mover, until: until.map(SimTime::from_millis) })
    }
}
