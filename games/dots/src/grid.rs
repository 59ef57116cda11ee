//! The grid: dots, edges between neighbouring dots, and boxes.

use std::fmt;

use thiserror::Error;

/// The number of a dot: `row * columns + column`, from 0 at the top left. A box has the number of its top left dot.
pub type Dot = u16;

/// The size of the grid, in dots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    rows: u16,
    columns: u16,
}

/// A line between two neighbouring dots of some grid.
///
/// Its lower dot comes first: an edge leads to the right or downwards. Whether the dots are neighbours depends on the
/// grid: see [`Config::has`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    from: Dot,
    to: Dot,
}

/// A size that no grid can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "a grid of {rows}×{columns} dots: expected {} to {} rows and columns",
    Config::SHORTEST_SIDE,
    Config::LONGEST_SIDE
)]
pub struct ConfigError {
    /// The number of rows.
    pub rows: u16,
    /// The number of columns.
    pub columns: u16,
}

impl Config {
    /// The fewest dots of a row or column that make a box.
    pub const SHORTEST_SIDE: u16 = 2;

    /// The most dots of a row or column. Such a game has 19,800 edges, 9,900 for each player.
    pub const LONGEST_SIDE: u16 = 100;

    /// Creates a grid of this many rows and columns of dots.
    ///
    /// # Errors
    ///
    /// Fails if a side is shorter than [`Config::SHORTEST_SIDE`] or longer than [`Config::LONGEST_SIDE`].
    pub fn new(rows: u16, columns: u16) -> Result<Self, ConfigError> {
        let allowed = Self::SHORTEST_SIDE..=Self::LONGEST_SIDE;
        if allowed.contains(&rows) && allowed.contains(&columns) {
            Ok(Self { rows, columns })
        } else {
            Err(ConfigError { rows, columns })
        }
    }

    /// Returns the number of rows of dots.
    pub const fn rows(self) -> u16 {
        self.rows
    }

    /// Returns the number of columns of dots.
    pub const fn columns(self) -> u16 {
        self.columns
    }

    /// Returns the number of dots.
    pub const fn dots(self) -> u16 {
        self.rows * self.columns
    }

    /// Returns the number of boxes.
    pub const fn boxes(self) -> u16 {
        (self.rows - 1) * (self.columns - 1)
    }

    /// Returns the number of edges.
    pub const fn edges(self) -> u16 {
        self.rows * (self.columns - 1) + (self.rows - 1) * self.columns
    }

    /// Returns whether this is an edge of the grid. The last dot of a row and the first of the next are not neighbours.
    pub const fn has(self, edge: Edge) -> bool {
        let Edge { from, to } = edge;
        if to >= self.dots() {
            return false;
        }
        to == from + self.columns || (to == from + 1 && to % self.columns != 0)
    }

    /// Returns every edge: those that lead to the right, then those that lead downwards.
    pub fn all_edges(self) -> impl Iterator<Item = Edge> {
        (0..2 * usize::from(self.dots()))
            .map(move |place| self.edge(place))
            .filter(move |edge| self.has(*edge))
    }

    /// Returns the place of an edge in a table of two entries for each dot.
    pub(crate) const fn place(self, edge: Edge) -> usize {
        let leads_down = edge.to != edge.from + 1;
        edge.from as usize + if leads_down { self.dots() as usize } else { 0 }
    }

    /// Returns the edge at a place, whether the grid has it or not.
    #[inline]
    pub(crate) const fn edge(self, place: usize) -> Edge {
        let dots = self.dots() as usize;
        // Both fit: a grid has at most 10,000 dots.
        #[expect(clippy::cast_possible_truncation, reason = "the largest grid has 10,000 dots")]
        let (right, down) = (place as u16, place.wrapping_sub(dots) as u16);
        if place < dots {
            Edge { from: right, to: right + 1 }
        } else {
            Edge { from: down, to: down + self.columns }
        }
    }

    /// Returns the boxes on both sides of an edge of the grid.
    #[inline]
    pub(crate) const fn boxes_beside(self, edge: Edge) -> [Option<Dot>; 2] {
        let (row, column) = (edge.from / self.columns, edge.from % self.columns);
        if edge.to == edge.from + 1 {
            let above = if row > 0 { Some(edge.from - self.columns) } else { None };
            let below = if row + 1 < self.rows { Some(edge.from) } else { None };
            [above, below]
        } else {
            let left = if column > 0 { Some(edge.from - 1) } else { None };
            let right = if column + 1 < self.columns { Some(edge.from) } else { None };
            [left, right]
        }
    }

    /// Returns the four edges around a box: above, below, left, right.
    #[inline]
    pub const fn around(self, corner: Dot) -> [Edge; 4] {
        let below = corner + self.columns;
        [
            Edge { from: corner, to: corner + 1 },
            Edge { from: below, to: below + 1 },
            Edge { from: corner, to: below },
            Edge { from: corner + 1, to: below + 1 },
        ]
    }
}

/// Five by five dots, as in the original of 2023.
impl Default for Config {
    fn default() -> Self {
        Self { rows: 5, columns: 5 }
    }
}

/// Rows, then columns, e.g. `5×5 dots`.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{} dots", self.rows, self.columns)
    }
}

impl Edge {
    /// Returns the edge between two dots, in either order; `None` from a dot to itself.
    pub const fn between(one: Dot, other: Dot) -> Option<Self> {
        match (one < other, one > other) {
            (true, _) => Some(Self { from: one, to: other }),
            (_, true) => Some(Self { from: other, to: one }),
            _ => None,
        }
    }

    /// Returns both dots, the lower first.
    pub const fn dots(self) -> (Dot, Dot) {
        (self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(one: Dot, other: Dot) -> Edge {
        Edge::between(one, other).unwrap()
    }

    #[test]
    fn sides_have_limits() {
        assert_eq!(Config::new(2, 100).map(Config::boxes), Ok(99));
        assert_eq!(Config::new(2, 100).unwrap().to_string(), "2×100 dots");
        let error = Config::new(1, 5).unwrap_err();
        assert_eq!(error.to_string(), "a grid of 1×5 dots: expected 2 to 100 rows and columns");
        assert!(Config::new(5, 101).is_err());
    }

    #[test]
    fn neighbours_have_edges_and_no_other_dots() {
        let grid = Config::default();
        assert_eq!((grid.dots(), grid.boxes(), grid.edges()), (25, 16, 40));
        for (one, other, is_edge) in [
            (0, 1, true),
            (1, 0, true),
            (0, 5, true),
            (19, 24, true),
            (4, 5, false),  // the end of a row and the beginning of the next
            (9, 10, false), // likewise
            (0, 6, false),
            (0, 2, false),
            (24, 25, false),
            (20, 25, false),
            (65_534, 65_535, false),
        ] {
            assert_eq!(grid.has(edge(one, other)), is_edge, "{one}-{other}");
        }
        assert_eq!(Edge::between(3, 3), None);
    }

    #[test]
    fn every_edge_has_a_place_of_its_own() {
        for (rows, columns) in [(2, 2), (2, 7), (5, 5), (100, 100)] {
            let grid = Config::new(rows, columns).unwrap();
            let edges: Vec<Edge> = grid.all_edges().collect();
            assert_eq!(edges.len(), usize::from(grid.edges()));
            assert!(edges.iter().all(|edge| grid.edge(grid.place(*edge)) == *edge));
        }
    }

    #[test]
    fn a_box_and_its_edges_know_each_other() {
        let grid = Config::new(3, 4).unwrap();
        assert_eq!(grid.boxes_beside(edge(0, 1)), [None, Some(0)]);
        assert_eq!(grid.boxes_beside(edge(5, 6)), [Some(1), Some(5)]);
        assert_eq!(grid.boxes_beside(edge(8, 9)), [Some(4), None]);
        assert_eq!(grid.boxes_beside(edge(3, 7)), [Some(2), None]);
        for corner in [0, 1, 2, 4, 5, 6] {
            for edge in grid.around(corner) {
                assert!(grid.has(edge) && grid.boxes_beside(edge).contains(&Some(corner)), "{corner} {edge}");
            }
        }
    }
}
