//! Finds the nearest piece, for every move and every discovery.
//!
//! There are two structures. [`Scan`] compares all pieces, several with one instruction: it is the fastest for
//! few pieces, and its cost grows with their number. [`Grid`] sorts pieces into square buckets, whose size
//! depends on the density, and searches the nearest buckets: its cost depends on neither the size of the board
//! nor the number of pieces. [`Index`] is the faster of the two; the book's page "The nearest piece" has the
//! measurements.
//!
//! Several pieces may lie on one field. They are a pile: the piece that was put there last is picked up first.

use std::ops::Range;

use wide::i16x8;

use crate::geometry::{Distance, Geometry, Position, Surroundings};
use crate::piece::Piece;

/// Pieces that lie on a board.
pub trait Pieces {
    /// Lays a piece on top of the pieces on its field.
    ///
    /// # Panics
    ///
    /// A [`Grid`] panics outside the task area.
    fn lay(&mut self, at: Position, piece: Piece);

    /// Takes the uppermost piece of a field.
    fn take(&mut self, at: Position) -> Option<Piece>;

    /// The distance of the nearest piece.
    fn nearest(&self, from: Position) -> Distance;

    /// The distances of the nearest piece from a field and the eight around it, on the board or not, in the
    /// order of [`Surroundings::OFFSETS`].
    fn around(&self, from: Position) -> [Distance; 9];

    /// Visits every piece, in an order that depends only on the pieces laid and taken before; pieces of one field from
    /// bottom to top.
    fn for_each(&self, visit: impl FnMut(Position, Piece));
}

/// The number of pieces up to which comparing all of them is the fastest.
pub const FEW_PIECES: u32 = 96;

/// The structure that is fastest for a board's number of pieces.
#[derive(Clone, Debug)]
pub enum Index {
    /// For few pieces.
    Scan(Scan),
    /// For many.
    Grid(Grid),
}

impl Index {
    /// An empty index with room for this many pieces.
    pub fn new(geometry: Geometry, pieces: u32) -> Self {
        if pieces <= FEW_PIECES {
            Self::Scan(Scan::new(pieces))
        } else {
            Self::Grid(Grid::new(geometry, pieces))
        }
    }
}

impl Pieces for Index {
    fn lay(&mut self, at: Position, piece: Piece) {
        match self {
            Self::Scan(scan) => scan.lay(at, piece),
            Self::Grid(grid) => grid.lay(at, piece),
        }
    }

    fn take(&mut self, at: Position) -> Option<Piece> {
        match self {
            Self::Scan(scan) => scan.take(at),
            Self::Grid(grid) => grid.take(at),
        }
    }

    #[inline]
    fn nearest(&self, from: Position) -> Distance {
        match self {
            Self::Scan(scan) => scan.nearest(from),
            Self::Grid(grid) => grid.nearest(from),
        }
    }

    #[inline]
    fn around(&self, from: Position) -> [Distance; 9] {
        match self {
            Self::Scan(scan) => scan.around(from),
            Self::Grid(grid) => grid.around(from),
        }
    }

    fn for_each(&self, visit: impl FnMut(Position, Piece)) {
        match self {
            Self::Scan(scan) => scan.for_each(visit),
            Self::Grid(grid) => grid.for_each(visit),
        }
    }
}

/// Number of pieces that are compared at once.
const LANES: usize = 8;

/// Up to eight fields on which pieces lie, ready to be compared at once.
///
/// Coordinates are signed 16-bit numbers, the type for which the oldest x86-64 has a minimum.
#[derive(Clone, Copy, Debug)]
struct Block {
    xs: i16x8,
    ys: i16x8,
}

/// The column of a lane that holds no piece: farther from any field than two corners of the largest board,
/// and near enough for the sum of both distances to fit.
const NOWHERE: i16 = -12_288;

impl Block {
    const EMPTY: Self = Self { xs: i16x8::new([NOWHERE; LANES]), ys: i16x8::ZERO };

    fn set(&mut self, lane: usize, at: Position) {
        let (x, y) = signed(at);
        self.xs.as_mut_array()[lane] = x;
        self.ys.as_mut_array()[lane] = y;
    }

    fn clear(&mut self, lane: usize) {
        self.xs.as_mut_array()[lane] = NOWHERE;
    }

    fn is_empty(&self, lane: usize) -> bool {
        self.xs.as_array()[lane] == NOWHERE
    }

    fn position(&self, lane: usize) -> Position {
        Position::new(self.xs.as_array()[lane].unsigned_abs(), self.ys.as_array()[lane].unsigned_abs())
    }
}

/// Both coordinates as signed numbers.
#[expect(clippy::cast_possible_wrap, reason = "sides of boards are at most 2^12")]
const fn signed(at: Position) -> (i16, i16) {
    (at.x as i16, at.y as i16)
}

/// Collects the shortest distances over blocks.
trait Gather {
    fn add(&mut self, block: &Block);

    /// Whether pieces at this distance from the middle, or farther, have no effect any more.
    fn is_settled(&self, beyond: i16) -> bool;
}

/// The shortest distances in every lane before the first block.
const FARTHEST: i16x8 = i16x8::new([i16::MAX; LANES]);

/// Returns the shortest distance of all lanes.
#[inline]
fn distance(lanes: i16x8) -> Distance {
    // A board's longest distance, one field off two opposite corners.
    const LONGEST: i16 = 2 * Geometry::LONGEST_SIDE.cast_signed();
    match lanes.reduce_min() {
        moves if moves <= LONGEST => Distance::new(moves.unsigned_abs()),
        _ => Distance::INFINITE,
    }
}

/// The distance from one field.
struct One {
    x: i16x8,
    y: i16x8,
    least: i16x8,
}

impl One {
    #[inline]
    fn new(from: Position) -> Self {
        let (x, y) = signed(from);
        Self { x: i16x8::splat(x), y: i16x8::splat(y), least: FARTHEST }
    }
}

impl Gather for One {
    #[inline]
    fn add(&mut self, block: &Block) {
        self.least = self.least.min((block.xs - self.x).abs() + (block.ys - self.y).abs());
    }

    #[inline]
    fn is_settled(&self, beyond: i16) -> bool {
        self.least.reduce_min() <= beyond
    }
}

/// The distances from a field and the eight around it.
struct Nine {
    columns: [i16x8; 3],
    rows: [i16x8; 3],
    least: [i16x8; 9],
}

impl Nine {
    #[inline]
    fn new(from: Position) -> Self {
        let (x, y) = signed(from);
        let around = |own: i16| [own - 1, own, own + 1].map(i16x8::splat);
        Self { columns: around(x), rows: around(y), least: [FARTHEST; 9] }
    }
}

impl Gather for Nine {
    #[inline]
    fn add(&mut self, block: &Block) {
        let columns = self.columns.map(|x| (block.xs - x).abs());
        let rows = self.rows.map(|y| (block.ys - y).abs());
        for (place, least) in self.least.iter_mut().enumerate() {
            *least = least.min(columns[place % 3] + rows[place / 3]);
        }
    }

    #[inline]
    fn is_settled(&self, beyond: i16) -> bool {
        // From a corner everything may be two moves nearer than from the middle, from the field between two
        // corners one move nearer, and it is one move from either. So corners with a move to spare settle all.
        [0, 2, 6, 8].into_iter().all(|corner| self.least[corner].reduce_min() < beyond - 2)
    }
}

/// Compares all pieces.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The pieces in the order in which they were laid.
    pieces: Vec<Piece>,
    /// The fields of the pieces, eight to a block.
    blocks: Vec<Block>,
}

impl Scan {
    /// An empty structure with room for this many pieces.
    pub fn new(pieces: u32) -> Self {
        let pieces = pieces as usize;
        Self { pieces: Vec::with_capacity(pieces), blocks: Vec::with_capacity(pieces.div_ceil(LANES)) }
    }

    fn position(&self, place: usize) -> Position {
        self.blocks[place / LANES].position(place % LANES)
    }
}

impl Pieces for Scan {
    fn lay(&mut self, at: Position, piece: Piece) {
        let place = self.pieces.len();
        self.pieces.push(piece);
        if place.is_multiple_of(LANES) {
            self.blocks.push(Block::EMPTY);
        }
        self.blocks[place / LANES].set(place % LANES, at);
    }

    fn take(&mut self, at: Position) -> Option<Piece> {
        let place = (0..self.pieces.len()).rev().find(|place| self.position(*place) == at)?;
        let taken = self.pieces.remove(place);
        let last = self.pieces.len();
        for place in place..last {
            let next = self.position(place + 1);
            self.blocks[place / LANES].set(place % LANES, next);
        }
        self.blocks[last / LANES].clear(last % LANES);
        self.blocks.truncate(last.div_ceil(LANES));
        Some(taken)
    }

    #[inline]
    fn nearest(&self, from: Position) -> Distance {
        let mut one = One::new(from);
        self.blocks.iter().for_each(|block| one.add(block));
        distance(one.least)
    }

    #[inline]
    fn around(&self, from: Position) -> [Distance; 9] {
        let mut nine = Nine::new(from);
        self.blocks.iter().for_each(|block| nine.add(block));
        nine.least.map(distance)
    }

    fn for_each(&self, mut visit: impl FnMut(Position, Piece)) {
        for (place, piece) in self.pieces.iter().enumerate() {
            visit(self.position(place), *piece);
        }
    }
}

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
    /// The number of fields along the side of a bucket.
    size: u16,
    /// The number of buckets in a row, with an empty one at either end: access to neighbours never leaves the table.
    columns: usize,
    /// The rows of buckets in which pieces may lie. The table has another one on either side of them, empty too.
    rows: Range<usize>,
    blocks: Vec<Block>,
    lists: Vec<List>,
    /// The number of crowded buckets.
    crowded: u32,
    nodes: Vec<Node>,
    /// The first node that holds no piece.
    free: u32,
}

/// The pieces of one bucket.
#[derive(Clone, Copy, Debug)]
struct List {
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

impl Grid {
    /// An empty structure with room for this many pieces.
    pub fn new(geometry: Geometry, pieces: u32) -> Self {
        const PIECES_PER_BUCKET: u32 = 2;
        let fields_per_piece = geometry.task_fields() / pieces.max(1);
        let longest = Geometry::LONGEST_SIDE.into();
        let size = (PIECES_PER_BUCKET * fields_per_piece).isqrt().clamp(1, longest);
        let size = u16::try_from(size).expect("no longer than a side");
        let columns = usize::from(geometry.columns().div_ceil(size)) + 2;
        let row = |y: u16| usize::from(y / size) + 1;
        let goal_rows = geometry.goal_rows();
        let rows = row(goal_rows)..row(geometry.rows() - goal_rows - 1) + 1;
        let buckets = columns * (rows.len() + 2);
        Self {
            size,
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
        (usize::from(at.x / self.size) + 1, usize::from(at.y / self.size) + 1)
    }

    /// The place of a bucket in the table; its row is one of [`Grid::rows`], or next to them.
    #[inline]
    fn place(&self, column: usize, row: usize) -> usize {
        (row + 1 - self.rows.start) * self.columns + column
    }

    /// Visits rings of buckets around a field until no nearer piece is possible.
    #[inline]
    fn search(&self, from: Position, gather: &mut impl Gather) {
        let (column, row) = self.bucket(from);
        if self.rows.contains(&row) {
            for row in row - 1..=row + 1 {
                let place = self.place(column - 1, row);
                self.blocks[place..place + 3].iter().for_each(|block| gather.add(block));
            }
            if self.crowded > 0 {
                for row in row - 1..=row + 1 {
                    (column - 1..=column + 1).for_each(|column| self.add_crowded(column, row, gather));
                }
            }
        }
        // The distance from the field to the first one beyond the own bucket, on the nearest side.
        let (x, y) = (from.x % self.size, from.y % self.size);
        let (x, y) = (x.min(self.size - 1 - x), y.min(self.size - 1 - y));
        let (own, size) = (i32::from(x.min(y) + 1), i32::from(self.size));
        let beyond =
            |rings: usize| i16::try_from(own + i32::try_from(rings).unwrap_or(0) * size).unwrap_or(i16::MAX);
        if !self.rows.contains(&row) {
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

/// The readings of a discovery: `None` where there is no field.
pub(crate) fn readings(geometry: Geometry, from: Position, distances: [Distance; 9]) -> Surroundings {
    let (x, y) = signed(from);
    let mut readings = distances.map(Some);
    for (reading, (east, north)) in readings.iter_mut().zip(Surroundings::OFFSETS) {
        let on_board = u16::try_from(x + east)
            .and_then(|x| Ok(geometry.contains(Position::new(x, u16::try_from(y + north)?))))
            .unwrap_or(false);
        if !on_board {
            *reading = None;
        }
    }
    Surroundings(readings)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: the least Manhattan distance, from fields off the board as well.
    fn by_definition(pieces: &[(Position, Piece)], x: i32, y: i32) -> Distance {
        let distance =
            |at: &Position| (i32::from(at.x) - x).unsigned_abs() + (i32::from(at.y) - y).unsigned_abs();
        let least = pieces.iter().map(|(at, _)| distance(at)).min();
        least.map_or(Distance::INFINITE, |moves| Distance::new(u16::try_from(moves).unwrap()))
    }

    /// Lays and takes pieces in both structures and compares every answer with the definition.
    fn compare(geometry: Geometry, room: u32, orders: &[(bool, prop::sample::Index, prop::sample::Index)]) {
        let (mut scan, mut grid) = (Scan::new(room), Grid::new(geometry, room));
        let mut lying: Vec<(Position, Piece)> = Vec::new();
        let (fields, task_fields) = (geometry.fields() as usize, geometry.task_fields() as usize);
        for (lay, field, from) in orders {
            let task_field = u32::try_from(field.index(task_fields)).unwrap();
            let at = geometry.position(geometry.goal_fields() + task_field);
            let from = geometry.position(u32::try_from(from.index(fields)).unwrap());
            if *lay && lying.len() < room as usize {
                let piece = Piece::from_sham(field.index(2) == 0);
                lying.push((at, piece));
                scan.lay(at, piece);
                grid.lay(at, piece);
            } else {
                // Mostly a field with a piece.
                let at = lying.get(field.index(lying.len() + 1)).map_or(at, |(at, _)| *at);
                let place = lying.iter().rposition(|(other, _)| *other == at);
                let expected = place.map(|place| lying.remove(place).1);
                assert_eq!(scan.take(at), expected);
                assert_eq!(grid.take(at), expected);
            }
            let expected = by_definition(&lying, from.x.into(), from.y.into());
            assert_eq!(
                (scan.nearest(from), grid.nearest(from)),
                (expected, expected),
                "from {from}: {lying:?}"
            );
            let expected = Surroundings::OFFSETS.map(|(east, north)| {
                by_definition(
                    &lying,
                    i32::from(from.x) + i32::from(east),
                    i32::from(from.y) + i32::from(north),
                )
            });
            assert_eq!(
                (scan.around(from), grid.around(from)),
                (expected, expected),
                "around {from}: {lying:?}"
            );
        }
        let mut listed = Vec::new();
        scan.for_each(|at, piece| listed.push((at, piece)));
        assert_eq!(listed, lying, "a scan lists pieces as they were laid");
        let mut listed = Vec::new();
        grid.for_each(|at, piece| listed.push((at, piece)));
        lying.sort_by_key(|(at, _)| *at); // stable: piles stay as they are
        listed.sort_by_key(|(at, _)| *at);
        assert_eq!(listed, lying, "a grid keeps every piece and the order of piles");
    }

    proptest! {
        #[test]
        fn both_structures_answer_by_definition(
            columns in 1u16..70, rows in 3u16..70, goal_rows in 1u16..35, room in 1u32..300,
            orders in prop::collection::vec((prop::bool::weighted(0.7), any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..200),
        ) {
            let goal_rows = goal_rows.min((rows - 1) / 2);
            compare(Geometry::new(columns, rows, goal_rows).unwrap(), room, &orders);
        }
    }

    /// A bucket is filled whole, and emptied again from the fields that its block holds.
    #[test]
    fn a_crowded_bucket_answers_by_definition() {
        let geometry = Geometry::new(24, 24, 1).unwrap();
        let mut grid = Grid::new(geometry, 60);
        assert_eq!((grid.size, usize::from(grid.size).pow(2) > LANES), (4, true));
        let check = |grid: &Grid, lying: &[(Position, Piece)]| {
            for from in (0..geometry.fields()).map(|field| geometry.position(field)) {
                let expected = by_definition(lying, from.x.into(), from.y.into());
                assert_eq!(grid.nearest(from), expected, "from {from}: {lying:?}");
            }
        };
        let mut lying = Vec::new();
        for at in (8..12).flat_map(|x| (8..12).map(move |y| Position::new(x, y))) {
            grid.lay(at, Piece::Real);
            lying.push((at, Piece::Real));
            check(&grid, &lying);
        }
        while !lying.is_empty() {
            let (at, piece) = lying.remove(0);
            assert_eq!(grid.take(at), Some(piece));
            check(&grid, &lying);
        }
    }

    #[test]
    fn the_table_of_buckets_is_in_proportion_to_the_pieces() {
        const PIECES: u32 = 1_000_000;
        for task_rows in [2, 96, 244, 246, 488, 490, 1000, 4094] {
            let side = Geometry::LONGEST_SIDE;
            let geometry = Geometry::new(side, side, (side - task_rows) / 2).unwrap();
            let grid = Grid::new(geometry, PIECES);
            let buckets = grid.blocks.len();
            assert_eq!(buckets, grid.lists.len());
            // Two for each piece at the most, and the empty ones around.
            assert!(buckets < 2_100_000, "{task_rows} rows: {buckets} buckets");
        }
    }

    #[test]
    fn the_longest_distance_fits() {
        let side = Geometry::LONGEST_SIDE;
        let geometry = Geometry::new(side, side, 1).unwrap();
        // Off the goal areas' rows no piece is farther than this.
        let (corner, opposite) = (Position::new(0, 0), Position::new(side - 1, side - 2));
        for room in [1, 1000] {
            let mut index = Index::new(geometry, room);
            assert_eq!(index.nearest(corner), Distance::INFINITE);
            index.lay(opposite, Piece::Real);
            assert_eq!(index.nearest(corner), Distance::new(2 * side - 3));
            assert_eq!(index.around(corner)[0], Distance::new(2 * side - 1));
        }
    }
}
