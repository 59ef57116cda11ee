//! Exact values: the nimber of a position is the size of the heap of Nim that it is worth; the player to move wins
//! unless it is 0.
//!
//! The search is plain and drives the rules themselves, so that a wrong rule gives a wrong value. The expected values
//! are those of the literature on Cram.

use std::collections::BTreeMap;

use game_bricks::{Brick, Cell, Config, State};
use game_env::{Environment, Seed, SimTime, Turn};

/// A search over the positions of one board, with the nimber of each set of free cells.
#[derive(Default)]
struct Search {
    nimbers: BTreeMap<u32, u8>,
}

impl Search {
    /// The nimber of a state, the smallest number that no move leads to; `free` has a bit for each free cell.
    fn nimber(&mut self, state: &State, cells: &[Cell], free: u32) -> u8 {
        if let Some(known) = self.nimbers.get(&free) {
            return *known;
        }
        let Turn::Act { agent, .. } = state.turn() else { return 0 };
        let mut bricks = Vec::new();
        state.legal_actions(agent, &mut bricks);
        let mut reached = 0_u64;
        for brick in bricks {
            let mut next = state.clone();
            next.step(SimTime::START, agent, brick, &mut ());
            reached |= 1 << self.nimber(&next, cells, without(cells, free, brick));
        }
        let nimber = u8::try_from(reached.trailing_ones()).unwrap();
        self.nimbers.insert(free, nimber);
        nimber
    }
}

/// The free cells after a move.
fn without(cells: &[Cell], free: u32, brick: Brick) -> u32 {
    let bit = |cell: Cell| 1 << cells.iter().position(|own| *own == cell).unwrap();
    brick.cells().into_iter().fold(free, |free, cell| free & !bit(cell))
}

fn nimber_of(state: &State) -> u8 {
    let cells: Vec<Cell> = state.board().free_cells().collect();
    Search::default().nimber(state, &cells, (1 << cells.len()) - 1)
}

/// A board in the notation of the protocol: the size, and cells that are filled.
fn position(text: &str) -> State {
    let mut parts = text.split('_');
    let config = Config::new(parts.next().unwrap().parse().unwrap()).unwrap();
    let config = config.filled(parts.map(|cell| cell.parse().unwrap())).unwrap();
    State::new(&config, Seed::new(0))
}

/// A board of this many rows and columns in the corner of a larger one.
fn rectangle(rows: u16, columns: u16) -> State {
    let size = rows.max(columns).max(3) | 1;
    let outside = (0..size)
        .flat_map(|row| (0..size).map(move |column| Cell::new(column, row)))
        .filter(|cell| cell.row >= rows || cell.column >= columns);
    State::new(&Config::new(size).unwrap().filled(outside).unwrap(), Seed::new(0))
}

#[test]
fn one_row() {
    let known = [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3];
    for (columns, nimber) in (1..).zip(known) {
        assert_eq!(nimber_of(&rectangle(1, columns)), nimber, "1×{columns}");
    }
    assert_eq!(nimber_of(&rectangle(7, 1)), known[6], "a column is a row");
}

#[test]
fn small_rectangles() {
    for (rows, columns, nimber) in [
        (2, 2, 0),
        (2, 3, 1),
        (2, 6, 0),
        (2, 7, 1),
        (3, 3, 0),
        (3, 4, 1),
        (3, 5, 1),
        (3, 6, 4),
        (3, 7, 1),
        (4, 4, 0),
        (4, 5, 2),
    ] {
        assert_eq!(nimber_of(&rectangle(rows, columns)), nimber, "{rows}×{columns}");
    }
}

#[test]
fn boards_with_filled_cells() {
    for (text, nimber) in [("3", 0), ("3_1x1", 0), ("3_0x0", 2), ("5_0x0_2x0_4x0_2x1_1x2_3x3", 1)] {
        assert_eq!(nimber_of(&position(text)), nimber, "{text}");
    }
}

/// Every brick after which the other player is lost.
fn winning_bricks(text: &str) -> Vec<String> {
    let state = position(text);
    let mut bricks = Vec::new();
    state.legal_actions(state.mover(), &mut bricks);
    let wins = |brick: &Brick| {
        let mut next = state.clone();
        next.step(SimTime::START, state.mover(), *brick, &mut ());
        nimber_of(&next) == 0
    };
    let mut winning: Vec<String> = bricks.into_iter().filter(wins).map(|brick| brick.to_string()).collect();
    winning.sort_unstable();
    winning
}

#[test]
fn winning_first_bricks() {
    assert_eq!(winning_bricks("3_0x0"), ["0x2_1x2", "2x0_2x1"]);
    assert_eq!(
        winning_bricks("5_0x0_2x0_4x0_2x1_1x2_3x3"),
        ["0x2_0x3", "1x3_1x4", "2x3_2x4", "3x0_3x1", "3x1_4x1", "3x4_4x4", "4x1_4x2", "4x2_4x3"]
    );
}

#[test]
fn a_small_torus() {
    let torus = |cells: &[&str]| {
        let filled = cells.iter().map(|cell| cell.parse().unwrap());
        State::new(&Config::new(3).unwrap().torus(true).filled(filled).unwrap(), Seed::new(0))
    };
    assert_eq!(nimber_of(&torus(&[])), 0);
    // A column is a ring of three cells: any brick leaves one that is alone.
    let ring = ["1x0", "1x1", "1x2", "2x0", "2x1", "2x2"];
    assert_eq!(nimber_of(&torus(&ring)), 1);
}
