//! The game as arrays of numbers.
//!
//! The plane has a number for each cell. An action is a brick: first the horizontal ones, row by row, each with the
//! number of its left cell, then the vertical ones with that of their upper cell. On a torus the last cell of a row or
//! column is left of or above the first. Bricks of a [loose](Config::loose) game that lie on cells apart have no
//! number.

use game_env::arrays::{Arrays, Layout};

use crate::board::{Brick, Cell, Config};
use crate::state::{Observation, State};

/// Returns the row or column behind this one.
fn next(config: &Config, at: u16) -> Option<u16> {
    match at + 1 {
        next if next < config.size() => Some(next),
        _ => config.is_torus().then_some(0),
    }
}

impl Arrays for State {
    fn layout(config: &Config) -> Layout {
        Layout {
            planes: vec!["1: the cell is filled".to_owned()],
            rows: config.size().into(),
            columns: config.size().into(),
            vector: vec!["1: it is the player's turn".to_owned(), "1: the board is a torus".to_owned()],
            actions: Self::actions(config).iter().map(Brick::to_string).collect(),
        }
    }

    fn actions(config: &Config) -> Vec<Brick> {
        let cells = || (0..config.size()).flat_map(|row| (0..config.size()).map(move |column| (row, column)));
        let across = cells().filter_map(|(row, column)| {
            Some(Brick::new(Cell { row, column }, Cell { row, column: next(config, column)? }))
        });
        let down = cells().filter_map(|(row, column)| {
            Some(Brick::new(Cell { row, column }, Cell { row: next(config, row)?, column }))
        });
        across.chain(down).collect()
    }

    fn number(config: &Config, brick: &Brick) -> Option<usize> {
        let size = config.size();
        let [one, other] = brick.cells();
        // The places at which a brick of a row or column can begin.
        let places = if config.is_torus() { size } else { size - 1 };
        let begin = |one: u16, other: u16| {
            let (low, high) = (one.min(other), one.max(other));
            if high - low == 1 {
                Some(low)
            } else {
                (config.is_torus() && low == 0 && high == size - 1).then_some(high)
            }
        };
        if [one, other].into_iter().any(|cell| cell.row.max(cell.column) >= size) {
            return None;
        }
        if one.row == other.row {
            let column = begin(one.column, other.column)?;
            return Some(usize::from(one.row) * usize::from(places) + usize::from(column));
        }
        if one.column != other.column {
            return None;
        }
        let row = begin(one.row, other.row)?;
        let across = usize::from(size) * usize::from(places);
        Some(across + usize::from(row) * usize::from(size) + usize::from(one.column))
    }

    fn write(seen: &Observation, planes: &mut [u8], vector: &mut [f32]) {
        for (place, cell) in seen.board.cells().enumerate() {
            planes[place] = (!seen.board.is_free(cell)).into();
        }
        vector[0] = u8::from(seen.player == seen.mover).into();
        vector[1] = u8::from(seen.board.is_torus()).into();
    }
}

#[cfg(test)]
mod tests {
    use game_env::conformance::{Case, check_arrays};
    use game_env::{AgentId, Environment as _, Seed, SimTime};

    use super::*;

    #[test]
    fn numbers_and_actions_agree() {
        for (size, is_torus) in [(3, false), (5, false), (3, true), (7, true)] {
            let config = Config::new(size).unwrap().torus(is_torus);
            let bound = u64::from(size) * u64::from(size);
            let decisions = check_arrays::<State>(&Case { name: "arrays", config, seeds: 0..10, bound });
            assert!(decisions > 10 * u64::from(size), "{decisions}");
        }
    }

    #[test]
    fn the_plane_shows_filled_cells() {
        let config = Config::new(3).unwrap().filled(["1x1".parse().unwrap()]).unwrap();
        let mut state = State::new(&config, Seed::new(1));
        let brick = State::actions(&config)[0];
        state.step(SimTime::START, AgentId::new(0), brick, &mut ());
        let (mut seen, mut planes, mut vector) = (Observation::default(), [0; 9], [0.0; 2]);
        state.observe(AgentId::new(1), &mut seen);
        State::write(&seen, &mut planes, &mut vector);
        assert_eq!((planes, vector), ([1, 1, 0, 0, 1, 0, 0, 0, 0], [1.0, 0.0]));
    }
}
