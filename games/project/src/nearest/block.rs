//! Fields of eight pieces that are compared with one instruction, and the shortest distances over them.

use wide::i16x8;

use crate::geometry::{Distance, Geometry, Position};

/// Number of pieces that are compared at once.
pub(super) const LANES: usize = 8;

/// Up to eight fields on which pieces lie, ready to be compared at once.
///
/// Coordinates are signed 16-bit numbers, the type for which the oldest x86-64 has a minimum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    xs: i16x8,
    ys: i16x8,
}

/// The column of a lane that holds no piece: farther from any field than two corners of the largest board,
/// and near enough for the sum of both distances to fit.
const NOWHERE: i16 = -12_288;

impl Block {
    pub(super) const EMPTY: Self = Self { xs: i16x8::new([NOWHERE; LANES]), ys: i16x8::ZERO };

    pub(super) fn set(&mut self, lane: usize, at: Position) {
        let (x, y) = signed(at);
        self.xs.as_mut_array()[lane] = x;
        self.ys.as_mut_array()[lane] = y;
    }

    pub(super) fn clear(&mut self, lane: usize) {
        self.xs.as_mut_array()[lane] = NOWHERE;
    }

    pub(super) fn is_empty(&self, lane: usize) -> bool {
        self.xs.as_array()[lane] == NOWHERE
    }

    pub(super) fn position(&self, lane: usize) -> Position {
        Position::new(self.xs.as_array()[lane].unsigned_abs(), self.ys.as_array()[lane].unsigned_abs())
    }
}

/// Returns both coordinates as signed numbers.
#[expect(clippy::cast_possible_wrap, reason = "sides of boards are at most 2^12")]
const fn signed(at: Position) -> (i16, i16) {
    (at.x as i16, at.y as i16)
}

/// Collects the shortest distances over blocks.
pub(super) trait Gather {
    fn add(&mut self, block: &Block);

    /// Returns whether pieces at this distance from the middle, or farther, have no effect any more.
    fn is_settled(&self, beyond: i16) -> bool;
}

/// The shortest distances in every lane before the first block.
const FARTHEST: i16x8 = i16x8::new([i16::MAX; LANES]);

/// Returns the shortest distance of all lanes.
#[inline]
pub(super) fn distance(lanes: i16x8) -> Distance {
    // A board's longest distance, one field off two opposite corners.
    const LONGEST: i16 = 2 * Geometry::LONGEST_SIDE.cast_signed();
    match lanes.reduce_min() {
        moves if moves <= LONGEST => Distance::new(moves.unsigned_abs()),
        _ => Distance::INFINITE,
    }
}

/// The distance from one field.
pub(super) struct One {
    x: i16x8,
    y: i16x8,
    pub(super) least: i16x8,
}

impl One {
    #[inline]
    pub(super) fn new(from: Position) -> Self {
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
pub(super) struct Nine {
    columns: [i16x8; 3],
    rows: [i16x8; 3],
    pub(super) least: [i16x8; 9],
}

impl Nine {
    #[inline]
    pub(super) fn new(from: Position) -> Self {
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
