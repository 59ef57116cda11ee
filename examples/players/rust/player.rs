//! A player of Bricks in Rust: puts the brick after which the opponent has the fewest replies.

use std::io::{self, BufRead as _};

type Cell = (usize, usize); // column and row, from 0 at the top left

struct Board {
    size: usize,
    filled: Vec<bool>,
}

impl Board {
    fn is_free(&self, (column, row): Cell) -> bool {
        column < self.size && row < self.size && !self.filled[row * self.size + column]
    }

    fn fill(&mut self, (column, row): Cell) {
        self.filled[row * self.size + column] = true;
    }

    fn bricks(&self) -> Vec<[Cell; 2]> {
        let cells = (0..self.size).flat_map(|row| (0..self.size).map(move |column| (column, row)));
        let free = cells.filter(|cell| self.is_free(*cell));
        let beside = free.flat_map(|(x, y)| [[(x, y), (x + 1, y)], [(x, y), (x, y + 1)]]);
        beside.filter(|brick| self.is_free(brick[1])).collect()
    }

    /// Number of free neighbours of both cells, four of each: the brick would block this many bricks.
    fn blocked(&self, brick: [Cell; 2]) -> usize {
        let near = |(x, y): Cell| [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        brick.into_iter().flat_map(near).filter(|cell| self.is_free(*cell)).count()
    }
}

fn cell(text: &str) -> Cell {
    let (column, row) = text.split_once('x').expect("a cell, e.g. 1x2");
    (column.parse().expect("a column"), row.parse().expect("a row"))
}

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let Some(opening) = lines.next().transpose()? else { return Ok(()) };
    let mut words = opening.split('_'); // 7_2x3_4x5
    let size = words.next().and_then(|size| size.parse().ok()).expect("a size");
    let mut board = Board { size, filled: vec![false; size * size] };
    words.for_each(|word| board.fill(cell(word)));
    println!("OK");
    for line in lines.map_while(Result::ok).take_while(|line| line != "STOP") {
        if let Some((one, other)) = line.split_once('_') {
            [one, other].into_iter().for_each(|word| board.fill(cell(word))); // the opponent's brick
        }
        let Some(brick) = board.bricks().into_iter().max_by_key(|brick| board.blocked(*brick)) else { break };
        brick.into_iter().for_each(|cell| board.fill(cell));
        let [(x, y), (to_x, to_y)] = brick;
        println!("{x}x{y}_{to_x}x{to_y}");
    }
    Ok(())
}
