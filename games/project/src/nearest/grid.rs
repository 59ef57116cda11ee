//! The structure for many pieces.

use std::ops::Range;

use super::Pieces;
use super::block::{Block, Gather, LANES, Nine, One, distance};
use crate::geometry::{Distance, Geometry, Position};
use crate::piece::Piece;

/// Searches the square buckets around a field, ring by ring, until no nearer piece is possible.
///
/// Buckets hold two pieces on average, so that the first nine, compared without any test, nearly always hold the
/// nearest piece. The pieces of a bucket are a linked list, the last laid first. For comparison their fields, each of
/// them once, are also in a block. A bucket with more fields than a block holds is *crowded*, and its list is searched
/// as well.
///
/// Pieces lie in the task area alone, and only its rows have buckets: with many pieces in a small task area
/// buckets are small, and the goal areas would need more of them than there are pieces.
#[derive(Clone, Debug)]
pub struct Grid {
    pub(super) side: Side,
    /// The number of buckets in a row, with an empty one at either end: access to neighbours never leaves the table.
    columns: usize,
    /// The rows of buckets in which pieces may lie. The table has another one on either side of them, empty too.
    rows: Range<usize>,
    pub(super) blocks: Vec<Block>,
    pub(super) lists: Vec<List>,
    /// The number of crowded buckets.
    crowded: u32,
    nodes: Vec<Node>,
    /// The first node that holds no piece.
    free: u32,
}

/// The number of fields along the side of a bucket, as a divisor of coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) fields: u16,
    /// 2^32 divided by this number, rounded up. Multiplying by it is much faster than dividing.
    reciprocal: u64,
}

/// The pieces of one bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: u32,
    crowded: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    at: Position,
    piece: Piece,
    next: u32,
}

/// The end of a list.
const NONE: u32 = u32::MAX;

impl Side {
    fn new(fields: u16) -> Self {
        Self { fields, reciprocal: (1_u64 << 32).div_ceil(fields.into()) }
    }

    /// Divides a coordinate, which is less than [`Geometry::LONGEST_SIDE`].
    #[inline]
    fn divide(self, coordinate: u16) -> usize {
        ((u64::from(coordinate) * self.reciprocal) >> 32) as usize
    }
}

impl Grid {
    /// Creates an empty structure with room for this many pieces.
    pub fn new(geometry: Geometry, pieces: u32) -> Self {
        const PIECES_PER_BUCKET: u32 = 2;
        let fields_per_piece = geometry.task_fields() / pieces.max(1);
        let longest = Geometry::LONGEST_SIDE.into();
        let fields = (PIECES_PER_BUCKET * fields_per_piece).isqrt().clamp(1, longest);
        let side = Side::new(u16::try_from(fields).expect("no longer than a board's side"));
        let columns = usize::from(geometry.columns().div_ceil(side.fields)) + 2;
        let row = |y: u16| side.divide(y) + 1;
        let goal_rows = geometry.goal_rows();
        let rows = row(goal_rows)..row(geometry.rows() - goal_rows - 1) + 1;
        let buckets = columns * (rows.len() + 2);
        Self {
            side,
            columns,
            rows,
            blocks: vec![Block::EMPTY; buckets],
            lists: vec![List { first: NONE, crowded: false }; buckets],
            crowded: 0,
            nodes: Vec::with_capacity(pieces as usize),
            free: NONE,
        }
    }

    #[inline]
    fn bucket(&self, at: Position) -> (usize, usize) {
        (self.side.divide(at.x) + 1, self.side.divide(at.y) + 1)
    }

    /// Returns the place of a bucket in the table; its row is one of [`Grid::rows`], or next to them.
    #[inline]
    fn place(&self, column: usize, row: usize) -> usize {
        (row + 1 - self.rows.start) * self.columns + column
    }

    /// Visits rings of buckets around a field until no nearer piece is possible.
    #[inline]
    fn search(&self, from: Position, gather: &mut impl Gather) {
        let (column, row) = self.bucket(from);
        let has_buckets = self.rows.contains(&row);
        if has_buckets {
            let first = self.place(column - 1, row - 1);
            let blocks = &self.blocks[first..first + 2 * self.columns + 3];
            for row in [0, self.columns, 2 * self.columns] {
                blocks[row..row + 3].iter().for_each(|block| gather.add(block));
            }
            if self.crowded > 0 {
                self.add_crowded_around(column, row, gather);
            }
        }
        // The distance from the field to the first one beyond the own bucket, on the nearest side.
        let fields = usize::from(self.side.fields);
        let (x, y) = (usize::from(from.x) - (column - 1) * fields, usize::from(from.y) - (row - 1) * fields);
        let own = x.min(fields - 1 - x).min(y).min(fields - 1 - y) + 1;
        let beyond = |rings: usize| i16::try_from(own + rings * fields).unwrap_or(i16::MAX);
        if !has_buckets {
            // The number of rings without any bucket, that of the field included.
            let empty = if row < self.rows.start { self.rows.start - row } else { row + 1 - self.rows.end };
            self.search_on(column, row, empty, beyond, gather);
        } else if !gather.is_settled(beyond(1)) {
            self.search_on(column, row, 2, beyond, gather);
        }
    }

    /// Visits the rings from this one on.
    #[cold]
    fn search_on(
        &self,
        column: usize,
        row: usize,
        first: usize,
        beyond: impl Fn(usize) -> i16,
        gather: &mut impl Gather,
    ) {
        for ring in first..self.columns.max(first + self.rows.len() + 1) {
            let (west, east) = (column.saturating_sub(ring).max(1), (column + ring).min(self.columns - 2));
            let south = (row + 1).saturating_sub(ring).max(self.rows.start);
            let north = (row + ring - 1).min(self.rows.end - 1);
            let mut look = |column: usize, row: usize| {
                gather.add(&self.blocks[self.place(column, row)]);
                self.add_crowded(column, row, gather);
            };
            for row in [row.checked_sub(ring), Some(row + ring)].into_iter().flatten() {
                if self.rows.contains(&row) {
                    (west..=east).for_each(|column| look(column, row));
                }
            }
            for column in [column.checked_sub(ring), Some(column + ring)].into_iter().flatten() {
                if (1..self.columns - 1).contains(&column) {
                    (south..=north).for_each(|row| look(column, row));
                }
            }
            if gather.is_settled(beyond(ring)) {
                return;
            }
        }
    }

    /// Adds the pieces of a bucket and of those around it that their blocks have no room for.
    #[cold]
    fn add_crowded_around(&self, column: usize, row: usize, gather: &mut impl Gather) {
        for row in row - 1..=row + 1 {
            (column - 1..=column + 1).for_each(|column| self.add_crowded(column, row, gather));
        }
    }

    /// Adds the pieces of a bucket that its block has no room for.
    fn add_crowded(&self, column: usize, row: usize, gather: &mut impl Gather) {
        let place = self.place(column, row);
        if self.lists[place].crowded {
            let mut single = Block::EMPTY;
            self.for_each_in(place, |at, _| {
                single.set(0, at);
                gather.add(&single);
            });
        }
    }

    /// Visits the pieces of a bucket, the last laid first.
    fn for_each_in(&self, place: usize, mut visit: impl FnMut(Position, Piece)) {
        let mut next = self.lists[place].first;
        while next != NONE {
            let node = &self.nodes[next as usize];
            visit(node.at, node.piece);
            next = node.next;
        }
    }

    /// Adds a field to its bucket's block, unless it is there or the block is full.
    fn note(&mut self, place: usize, at: Position) {
        let block = &mut self.blocks[place];
        match (0..LANES).find(|lane| block.is_empty(*lane) || block.position(*lane) == at) {
            Some(lane) => block.set(lane, at),
            None if self.lists[place].crowded => {}
            None => {
                self.lists[place].crowded = true;
                self.crowded += 1;
            }
        }
    }

    fn lies_in(&self, place: usize, at: Position) -> bool {
        let mut next = self.lists[place].first;
        while next != NONE {
            let node = &self.nodes[next as usize];
            if node.at == at {
                return true;
            }
            next = node.next;
        }
        false
    }

    /// Removes a field from its bucket's block, if no piece lies there any more.
    fn forget(&mut self, place: usize, at: Position) {
        if self.lies_in(place, at) {
            return;
        }
        if self.lists[place].crowded {
            return self.refill(place);
        }
        let block = &mut self.blocks[place];
        let lanes = (0..LANES).take_while(|lane| !block.is_empty(*lane)).count();
        let own = (0..lanes).find(|lane| block.position(*lane) == at).expect("what lay there was noted");
        // The last field fills the gap, so that empty lanes stay behind.
        let last = block.position(lanes - 1);
        block.set(own, last);
        block.clear(lanes - 1);
    }

    /// Writes a crowded bucket's block anew from its list.
    fn refill(&mut self, place: usize) {
        self.blocks[place] = Block::EMPTY;
        self.lists[place].crowded = false;
        self.crowded -= 1;
        let mut next = self.lists[place].first;
        while next != NONE && !self.lists[place].crowded {
            let node = self.nodes[next as usize];
            self.note(place, node.at);
            next = node.next;
        }
    }
}

impl Pieces for Grid {
    fn lay(&mut self, at: Position, piece: Piece) {
        let (column, row) = self.bucket(at);
        let place = self.place(column, row);
        let node = Node { at, piece, next: self.lists[place].first };
        self.lists[place].first = if self.free == NONE {
            self.nodes.push(node);
            u32::try_from(self.nodes.len() - 1).expect("a board has fewer than 2^32 pieces")
        } else {
            let reused = self.free;
            self.free = std::mem::replace(&mut self.nodes[reused as usize], node).next;
            reused
        };
        self.note(place, at);
    }

    fn take(&mut self, at: Position) -> Option<Piece> {
        let (column, row) = self.bucket(at);
        let place = self.place(column, row);
        let mut before = NONE;
        let mut found = self.lists[place].first;
        while found != NONE && self.nodes[found as usize].at != at {
            before = found;
            found = self.nodes[found as usize].next;
        }
        let Node { piece, next, .. } = *self.nodes.get(found as usize)?;
        match before {
            NONE => self.lists[place].first = next,
            before => self.nodes[before as usize].next = next,
        }
        self.nodes[found as usize].next = self.free;
        self.free = found;
        self.forget(place, at);
        Some(piece)
    }

    #[inline]
    fn nearest(&self, from: Position) -> Distance {
        let mut one = One::new(from);
        self.search(from, &mut one);
        distance(one.least)
    }

    #[inline]
    fn around(&self, from: Position) -> [Distance; 9] {
        let mut nine = Nine::new(from);
        self.search(from, &mut nine);
        nine.least.map(distance)
    }

    fn for_each(&self, mut visit: impl FnMut(Position, Piece)) {
        let mut pile = Vec::new();
        for place in 0..self.lists.len() {
            self.for_each_in(place, |at, piece| pile.push((at, piece)));
            pile.drain(..).rev().for_each(|(at, piece)| visit(at, piece));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coordinate_of_every_board_lies_in_its_bucket() {
        for fields in 1..=Geometry::LONGEST_SIDE {
            let side = Side::new(fields);
            for coordinate in 0..Geometry::LONGEST_SIDE {
                assert_eq!(
                    side.divide(coordinate),
                    usize::from(coordinate / fields),
                    "{coordinate} / {fields}"
                );
            }
        }
    }
}
