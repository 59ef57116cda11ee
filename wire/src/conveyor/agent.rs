//! Conveyor in the agent protocol: the observation.
//!
//! A player sees no board: it knows the size, the number of its requests and the last answer. An action is `step up`,
//! `turn left` or `ahead two`.
//!
//! ```text
//! {"player":0,"columns":5,"rows":4,"hints":4,"conveyors":1,"requests":3,"last":"done","hint":"left"}
//! ```

use game_conveyor::{Answer, Config, Direction as Way, Observation as Seen, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::{Told, read};

/// The knowledge of a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The player itself: 0 steps in any direction, 1 turns and goes ahead.
    #[schemars(range(max = 1))]
    pub player: u8,
    /// The number of columns of the board.
    pub columns: u8,
    /// The number of rows of the board.
    pub rows: u8,
    /// The number of hint fields.
    pub hints: u16,
    /// The number of conveyors.
    pub conveyors: u16,
    /// The number of the player's requests that were answered.
    pub requests: u32,
    /// The answer to the last one; `null` before the first.
    pub last: Option<Last>,
    /// The direction of the player's home if its last request led to a hint field, otherwise `null`.
    pub hint: Option<Direction>,
}

/// The answer to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Last {
    /// It was done.
    Done,
    /// It was refused: the field would lie off the board, or only the other player moves like this.
    Refused,
}

/// A direction on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Away from the first row.
    Up,
    /// Towards the first row.
    Down,
    /// Towards the first column.
    Left,
    /// Away from the first column.
    Right,
}

impl From<Way> for Direction {
    fn from(way: Way) -> Self {
        match way {
            Way::Up => Self::Up,
            Way::Down => Self::Down,
            Way::Left => Self::Left,
            Way::Right => Self::Right,
        }
    }
}

impl From<Direction> for Way {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Up => Self::Up,
            Direction::Down => Self::Down,
            Direction::Left => Self::Left,
            Direction::Right => Self::Right,
        }
    }
}

impl Told for State {
    type Observation = Observation;

    fn tell(seen: &Seen) -> Observation {
        let Seen { config, player, requests, last } = *seen;
        let (last, hint) = match last {
            None => (None, None),
            Some(Answer::Done) => (Some(Last::Done), None),
            Some(Answer::Hint(way)) => (Some(Last::Done), Some(way.into())),
            Some(Answer::Refused) => (Some(Last::Refused), None),
        };
        Observation {
            player: read::number(player),
            columns: config.columns(),
            rows: config.rows(),
            hints: config.hints(),
            conveyors: config.conveyors(),
            requests,
            last,
            hint,
        }
    }

    fn read(told: Observation) -> Result<Seen, String> {
        let Observation { player, columns, rows, hints, conveyors, requests, last, hint } = told;
        let config = Config::new(columns, rows)
            .and_then(|config| config.with_hints(hints))
            .and_then(|config| config.with_conveyors(conveyors))
            .map_err(|error| error.to_string())?;
        let last = match (last, hint) {
            (None, None) => None,
            (Some(Last::Done), None) => Some(Answer::Done),
            (Some(Last::Done), Some(direction)) => Some(Answer::Hint(direction.into())),
            (Some(Last::Refused), None) => Some(Answer::Refused),
            (None | Some(Last::Refused), Some(_)) => {
                return Err("`hint` is a direction, and `last` is not `done`: expected `null`".to_owned());
            }
        };
        if last.is_some() != (requests > 0) {
            return Err(format!(
                "`requests` is {requests}: expected 0 if `last` is `null`, otherwise 1 or more"
            ));
        }
        Ok(Seen { config, player: read::player("player", player, 2)?, requests, last })
    }
}
