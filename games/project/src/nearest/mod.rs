//! Finds the nearest piece, for every move and every discovery.
//!
//! There are two structures. [`Scan`] compares all pieces, several with one instruction: it is the fastest for
//! few pieces, and its cost grows with their number. [`Grid`] sorts pieces into square buckets, whose size
//! depends on the density, and searches the nearest buckets: its cost depends on neither the size of the board
//! nor the number of pieces. [`Index`] is the faster of the two; the book's page "The nearest piece" has the
//! measurements.
//!
//! Several pieces may lie on one field. They are a pile: the piece that was put there last is picked up first.

mod block;
mod grid;
mod scan;

use crate::geometry::{Distance, Geometry, Position, Surroundings};
use crate::piece::Piece;

pub use self::grid::Grid;
pub use self::scan::Scan;

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

    /// Returns the distance of the nearest piece.
    fn nearest(&self, from: Position) -> Distance;

    /// Returns the distances of the nearest piece from a field and the eight around it, on the board or not, in the
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
    /// Creates an empty index with room for this many pieces.
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

/// Returns the readings of a discovery: `None` where there is no field.
pub(crate) fn readings(geometry: Geometry, from: Position, distances: [Distance; 9]) -> Surroundings {
    let mut readings = distances.map(Some);
    for (reading, (east, north)) in readings.iter_mut().zip(Surroundings::OFFSETS) {
        if geometry.beside(from, east, north).is_none() {
            *reading = None;
        }
    }
    Surroundings(readings)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::block::LANES;
    use super::*;

    /// Returns the definition: the least Manhattan distance, from fields off the board as well.
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
        assert_eq!((grid.side.fields, usize::from(grid.side.fields).pow(2) > LANES), (4, true));
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
