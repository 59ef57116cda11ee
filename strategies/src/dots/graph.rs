//! Graph of the undrawn edges of a board: boxes are nodes, undrawn edges join two boxes, or a box and the outside.
//!
//! The literature calls this form strings and coins: to draw an edge is to cut a string, and a box belongs to the
//! player that cuts its last one. A position is a set of at most 64 edges, as bits. [`Graph::canonical`] gives one form
//! to positions that play alike: those that a symmetry of the board maps to each other, and those that differ only in
//! which of several edges between a box and the outside is left.

use std::collections::BTreeMap;

use game_dots::{Config, Edge};

/// The node that stands for the outside of the board.
pub(super) const OUTSIDE: u8 = u8::MAX;

/// Boxes, and at most [`Graph::MOST_EDGES`] edges of a board.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The edges of the board, by their bits, in the order in which a search tries them.
    edges: Vec<Edge>,
    /// The boxes on both sides of each edge.
    sides: Vec<[u8; 2]>,
    /// The edges around each box.
    around: Vec<u64>,
    parallel: Vec<Parallel>,
    /// Images of each edge under the symmetries of the board. A board with fewer than eight repeats the identity.
    moved: Vec<Images>,
}

/// Bits of edges that lead outside, one of each box that has several: those of a box have the same place in each.
#[derive(Clone, Copy, Debug)]
struct Parallel {
    first: u32,
    mask: u64,
}

/// Images of a set of edges under the symmetries of the board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Images([u64; 8]);

impl Images {
    /// Returns the set itself.
    #[inline]
    pub(super) const fn set(&self) -> u64 {
        self.0[0]
    }

    /// Returns the least of all, which names the set and its images.
    #[inline]
    pub(super) fn least(&self) -> u64 {
        self.0.into_iter().fold(u64::MAX, u64::min)
    }

    /// Without these edges, which are images of each other.
    #[inline]
    fn remove(&mut self, edges: &Self) {
        for (own, edge) in self.0.iter_mut().zip(edges.0) {
            *own &= !edge;
        }
    }
}

impl Graph {
    /// The most edges of a graph.
    pub const MOST_EDGES: usize = 64;

    /// Returns all edges of a board; none if it has too many.
    pub fn board(grid: Config) -> Option<Self> {
        let edges: Vec<Edge> = grid.all_edges().collect();
        let mut graph = Self::of(grid, &edges)?;
        graph.move_edges(grid);
        Some(graph)
    }

    /// Returns these edges of a board, of which every box that has one still needs it; none if they are too many.
    pub fn of(grid: Config, edges: &[Edge]) -> Option<Self> {
        if edges.len() > Self::MOST_EDGES {
            return None;
        }
        let mut boxes: BTreeMap<u16, u8> = BTreeMap::new();
        let mut outward: Vec<Vec<Edge>> = Vec::new();
        for edge in edges {
            let beside = beside(grid, *edge);
            for corner in beside.into_iter().flatten() {
                let next = u8::try_from(boxes.len()).expect("two for each edge at most");
                let place = *boxes.entry(corner).or_insert(next);
                outward.resize(boxes.len(), Vec::new());
                if beside.contains(&None) {
                    outward[usize::from(place)].push(*edge);
                }
            }
        }
        // Last the edges of boxes that have several outward ones, the first of each box, then the second, and so on.
        outward.retain(|own| own.len() > 1);
        outward.sort_by_key(|own| std::cmp::Reverse(own.len()));
        let is_parallel = |edge: &Edge| outward.iter().flatten().any(|own| own == edge);
        let mut ordered: Vec<Edge> = edges.iter().filter(|edge| !is_parallel(edge)).copied().collect();
        ordered.sort_by_key(|edge| rank(grid, *edge));
        let mut parallel = Vec::new();
        for level in 0..4 {
            let first = u32::try_from(ordered.len()).expect("at most 64");
            let count = outward.iter().filter(|own| own.len() > level).count();
            if count > 0 {
                ordered.extend(outward[..count].iter().map(|own| own[level]));
                parallel.push(Parallel { first, mask: low(count) });
            }
        }

        let sides: Vec<[u8; 2]> = ordered
            .iter()
            .map(|edge| beside(grid, *edge).map(|corner| corner.map_or(OUTSIDE, |corner| boxes[&corner])))
            .collect();
        let mut around = vec![0; boxes.len()];
        for (bit, [one, other]) in sides.iter().enumerate() {
            for own in [one, other] {
                if *own != OUTSIDE {
                    around[usize::from(*own)] |= 1 << bit;
                }
            }
        }
        let moved = (0..ordered.len()).map(|place| Images([1 << place; 8])).collect();
        Some(Self { edges: ordered, sides, around, parallel, moved })
    }

    /// Returns the bit of an edge, if it is one of the graph.
    pub fn bit(&self, edge: Edge) -> Option<u64> {
        self.edges.iter().position(|own| *own == edge).map(|place| 1 << place)
    }

    /// Returns the edge of the board with this lowest bit.
    pub(super) fn edge(&self, bits: u64) -> Edge {
        self.edges[bits.trailing_zeros() as usize]
    }

    /// Returns the set of all edges.
    pub fn all(&self) -> u64 {
        low(self.edges.len())
    }

    /// Returns the number of boxes that an edge of this set lies beside.
    pub fn boxes(&self, left: u64) -> i16 {
        let open = self.around.iter().filter(|around| **around & left != 0).count();
        i16::try_from(open).expect("two for each edge at most")
    }

    /// Returns the edges around each box.
    #[inline]
    pub(super) fn all_around(&self) -> &[u64] {
        &self.around
    }

    /// Returns the edges of this set around a box, or outside none.
    #[inline]
    pub(super) fn around(&self, place: u8) -> u64 {
        self.around.get(usize::from(place)).copied().unwrap_or(0)
    }

    /// Returns the boxes on both sides of the edge of the lowest bit.
    #[inline]
    pub(super) fn sides(&self, bits: u64) -> [u8; 2] {
        self.sides[bits.trailing_zeros() as usize]
    }

    /// Returns the box beyond the edge of the lowest bit.
    #[inline]
    pub(super) fn beyond(&self, bits: u64, own: u8) -> u8 {
        let [one, other] = self.sides(bits);
        if one == own { other } else { one }
    }

    /// Returns the least of all positions that play like this one.
    pub fn canonical(&self, left: u64) -> u64 {
        self.images(left).least()
    }

    /// Returns a position that plays like this one, with its images: of several edges between a box and the outside,
    /// the first ones are left.
    pub(super) fn images(&self, left: u64) -> Images {
        let (mut images, mut open) = (Images([0; 8]), self.settled(left));
        while open != 0 {
            let moved = &self.moved[open.trailing_zeros() as usize];
            open &= open - 1;
            for (own, edge) in images.0.iter_mut().zip(moved.0) {
                *own |= edge;
            }
        }
        images
    }

    /// Returns a position of [`Graph::images`] without these edges. Of several edges between a box and the outside,
    /// they have to be the last ones.
    #[inline]
    pub(super) fn without(&self, mut images: Images, mut edges: u64) -> Images {
        while edges != 0 {
            images.remove(&self.moved[edges.trailing_zeros() as usize]);
            edges &= edges - 1;
        }
        images
    }

    /// Returns the edges of this set beside a box of which it has two, and those that have a further one between the
    /// same box and the outside, of a higher bit: of several, one stands for all.
    #[inline]
    pub(super) fn loony_and_twins(&self, left: u64) -> (u64, u64) {
        let mut loony = 0;
        for around in &self.around {
            let own = around & left;
            let without_one = own & own.wrapping_sub(1);
            if without_one != 0 && without_one & (without_one - 1) == 0 {
                loony |= own;
            }
        }
        let (mut twins, mut later) = (0, 0);
        for Parallel { first, mask } in self.parallel.iter().rev() {
            let own = left >> first & mask;
            twins |= (own & later) << first;
            later |= own;
        }
        (loony, twins)
    }

    /// Of several edges between a box and the outside, the first ones are left.
    #[inline]
    fn settled(&self, mut left: u64) -> u64 {
        for last in (1..self.parallel.len()).rev() {
            for pair in self.parallel[..=last].windows(2) {
                let [one, other] = [pair[0], pair[1]];
                let (upper, lower) = (left >> one.first & other.mask, left >> other.first & other.mask);
                left &= !(other.mask << one.first | other.mask << other.first);
                left |= (upper | lower) << one.first | (upper & lower) << other.first;
            }
        }
        left
    }

    /// Sets the images of each edge under the symmetries. Of several edges between a box and the outside, they take the
    /// first one to the first one of the other box, and so on: they play alike, and the first ones are left.
    fn move_edges(&mut self, grid: Config) {
        let places: BTreeMap<[u16; 2], usize> =
            self.edges.iter().enumerate().map(|(place, edge)| (middle(grid, *edge), place)).collect();
        for (number, map) in symmetries(grid).enumerate() {
            for (place, edge) in self.edges.iter().enumerate() {
                let to = places[&map(grid, middle(grid, *edge))];
                let of_same_rank = match (self.outward(place), self.outward(to)) {
                    (Some(from), Some(to)) => {
                        let rank = from.iter().position(|own| *own == place).expect("one of its box");
                        to[rank]
                    }
                    _ => to,
                };
                self.moved[place].0[number] = 1 << of_same_rank;
            }
        }
    }

    /// Returns the places of all edges between the outside and the box of this edge; none if the edge lies between two
    /// boxes.
    fn outward(&self, place: usize) -> Option<Vec<usize>> {
        let own = &self.sides[place];
        let is_same = |sides: &[u8; 2]| *sides == *own || *sides == [own[1], own[0]];
        own.contains(&OUTSIDE)
            .then(|| (0..self.sides.len()).filter(|other| is_same(&self.sides[*other])).collect())
    }
}

/// Returns the lowest bits.
const fn low(count: usize) -> u64 {
    if count == 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Returns the boxes on both sides of an edge, by the numbers of their top left dots.
pub(super) fn beside(grid: Config, edge: Edge) -> [Option<u16>; 2] {
    let (from, to) = edge.dots();
    let (row, column) = (from / grid.columns(), from % grid.columns());
    if to == from + 1 {
        [(row > 0).then(|| from - grid.columns()), (row + 1 < grid.rows()).then_some(from)]
    } else {
        [(column > 0).then(|| from - 1), (column + 1 < grid.columns()).then_some(from)]
    }
}

/// Returns the middle of an edge: row and column, in half sides of a box.
fn middle(grid: Config, edge: Edge) -> [u16; 2] {
    let (from, to) = edge.dots();
    let sum = |of: fn(u16, u16) -> u16| of(from, grid.columns()) + of(to, grid.columns());
    [sum(|dot, columns| dot / columns), sum(|dot, columns| dot % columns)]
}

/// Returns the places of edges in the order in which a search tries them: from the middle of the long side outwards, so
/// that the board falls apart early.
fn rank(grid: Config, edge: Edge) -> u16 {
    let [row, column] = middle(grid, edge);
    let (down, across) = (row.abs_diff(grid.rows() - 1), column.abs_diff(grid.columns() - 1));
    let (long, short) = if grid.rows() > grid.columns() { (down, across) } else { (across, down) };
    long * 256 + short
}

/// A symmetry of the board, as a map of middles of edges.
type Map = fn(Config, [u16; 2]) -> [u16; 2];

/// Returns the symmetries of a board.
fn symmetries(grid: Config) -> impl Iterator<Item = Map> {
    const ALL: [Map; 8] = [
        |_, [row, column]| [row, column],
        |grid, [row, column]| [2 * (grid.rows() - 1) - row, column],
        |grid, [row, column]| [row, 2 * (grid.columns() - 1) - column],
        |grid, [row, column]| [2 * (grid.rows() - 1) - row, 2 * (grid.columns() - 1) - column],
        |_, [row, column]| [column, row],
        |grid, [row, column]| [column, 2 * (grid.rows() - 1) - row],
        |grid, [row, column]| [2 * (grid.columns() - 1) - column, row],
        |grid, [row, column]| [2 * (grid.columns() - 1) - column, 2 * (grid.rows() - 1) - row],
    ];
    let count = if grid.rows() == grid.columns() { 8 } else { 4 };
    ALL.into_iter().take(count)
}
