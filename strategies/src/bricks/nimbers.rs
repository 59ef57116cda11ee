//! Exact values of positions.
//!
//! A position is worth a heap of Nim, whose size is its nimber; the player to move wins unless it is 0. The nimber of
//! several regions is the exclusive or of theirs. The search asks whether a region is worth a given number rather than
//! which number it is worth, as that needs only one refuting move (Lemoine and Viennot, "Nimbers are inevitable",
//! 2012).

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::region::{Rectangle, Region, Symmetry};
use crate::budget::{Budget, Exhausted, Meter};

/// A table of regions, and the search that fills it.
#[derive(Clone, Debug)]
pub struct Nimbers {
    /// Nearly all regions are small, and an entry of theirs takes a third of the memory.
    small: FxHashMap<u64, Known>,
    large: FxHashMap<Region, Known>,
    /// The positions that the search may still expand.
    meter: Meter,
}

/// Knowledge of a region: the numbers that it is not worth, and whether the least of the others is its nimber.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    excluded: u32,
    is_exact: bool,
}

impl Known {
    /// Returns the knowledge of a region worth this number.
    const fn exactly(number: u8) -> Self {
        Self { excluded: (1 << number) - 1, is_exact: true }
    }

    /// Returns the smallest number that is not excluded.
    fn least(self) -> u8 {
        u8::try_from(self.excluded.trailing_ones()).expect("at most 32")
    }

    /// Returns whether it is known that the region is not worth this number, because a move leads to it.
    fn excludes(self, number: u8) -> bool {
        self.excluded >> number & 1 == 1
    }

    fn nimber(self) -> Option<u8> {
        self.is_exact.then(|| self.least())
    }

    /// Returns whether the region is worth this number, as far as it is known.
    fn is_worth(self, number: u8) -> Option<bool> {
        if self.is_exact {
            return Some(self.least() == number);
        }
        (number < MOST && self.excludes(number)).then_some(false)
    }
}

/// An empty table, without a clock.
impl Default for Nimbers {
    fn default() -> Self {
        Self::on_clock(Budget::nodes(0))
    }
}

/// The search looks for smaller nimbers than this. Those of the regions that can be searched are far smaller.
const MOST: u8 = 31;

/// Room for the bricks of most regions.
const MOST_BRICKS_AT_ONCE: usize = 64;

/// The most regions that stay in the table from one search to the next.
const LARGEST_TABLE: usize = 1 << 20;

impl Nimbers {
    /// Returns an empty table; a search also ends when the time of this budget is over.
    pub fn on_clock(clock: Budget) -> Self {
        Self { small: FxHashMap::default(), large: FxHashMap::default(), meter: Meter::new(clock) }
    }

    /// Lets the search expand this many positions from now on. Forgets all regions if there are too many.
    pub fn allow(&mut self, nodes: u64) {
        self.meter.allow(nodes);
        if self.small.len() + self.large.len() > LARGEST_TABLE {
            self.small.clear();
            self.large.clear();
        }
    }

    /// Returns the number of positions that the search may still expand.
    pub fn budget(&self) -> u64 {
        self.meter.left()
    }

    /// Returns the nimber of all free cells of a rectangle.
    ///
    /// # Errors
    ///
    /// If the nodes do not suffice.
    pub fn nimber_of(&mut self, rectangle: &Rectangle) -> Result<u8, Exhausted> {
        let mut regions = Vec::new();
        rectangle.split(&mut regions);
        regions.into_iter().try_fold(0, |sum, region| Ok(sum ^ self.nimber(region)?))
    }

    /// Returns the nimber of a region.
    ///
    /// # Errors
    ///
    /// If the nodes do not suffice.
    pub fn nimber(&mut self, region: Region) -> Result<u8, Exhausted> {
        loop {
            let known = self.known(region);
            if let Some(nimber) = known.nimber() {
                return Ok(nimber);
            }
            self.is_worth(region, known.least())?;
        }
    }

    /// Returns whether these regions together are worth this number. If it is 0, the player to move loses on them.
    ///
    /// # Errors
    ///
    /// If the nodes do not suffice.
    pub fn are_worth(&mut self, regions: &[Region], number: u8) -> Result<bool, Exhausted> {
        let mut regions = regions.to_vec();
        cancel_pairs(&mut regions, 0);
        self.is_sum_worth(&mut regions, number)
    }

    /// As [`Nimbers::are_worth`], of regions without pairs; sorts them.
    fn is_sum_worth(&mut self, regions: &mut [Region], number: u8) -> Result<bool, Exhausted> {
        // The largest one comes last: for it, the search asks about one number only; for the others, about their
        // nimbers.
        regions.sort_unstable_by_key(|region| (region.rectangle().brick_count(), *region));
        let Some((last, others)) = regions.split_last() else { return Ok(number == 0) };
        let mut rest = number;
        for region in others {
            rest ^= self.nimber(*region)?;
        }
        self.is_worth(*last, rest)
    }

    fn is_worth(&mut self, region: Region, number: u8) -> Result<bool, Exhausted> {
        let mut known = self.known(region);
        if let Some(answer) = known.is_worth(number) {
            return Ok(answer);
        }
        if number >= MOST {
            return Err(Exhausted);
        }
        self.meter.spend()?;
        // All its images along a ring are compared for each of its bricks: milliseconds on a torus of 7×7 cells.
        if region.rectangle().is_ring() {
            self.meter.look()?;
        }
        let mut moves = self.open_moves(region, number, &mut known);
        // It is worth the number if no move leads to it, and a move leads to each smaller one.
        for asked in known.least()..=number {
            if known.excludes(number) {
                break;
            }
            if known.excludes(asked) {
                continue;
            }
            if self.any_is_worth(&mut moves, asked)? {
                known.excluded |= 1 << asked;
            } else {
                known = Known::exactly(asked);
                break;
            }
        }
        self.keep(region, known);
        Ok(known.is_exact && known.least() == number)
    }

    /// Returns the moves to positions whose nimber the table does not know, the simplest first; none if a known one has
    /// the number. Adds the known nimbers to `known`.
    fn open_moves(&mut self, region: Region, number: u8, known: &mut Known) -> Moves {
        let rectangle = region.rectangle();
        let mut moves = Moves::default();
        let mut bricks = Vec::with_capacity(MOST_BRICKS_AT_ONCE);
        rectangle.bricks(|brick| bricks.push(brick));
        for brick in bricks {
            let first = moves.parts.len();
            rectangle.with(rectangle.cells() & !brick).split(&mut moves.parts);
            let mut sum = 0;
            let mut kept = first;
            for place in first..moves.parts.len() {
                let part = moves.parts[place];
                match self.known(part).nimber() {
                    Some(nimber) => sum ^= nimber,
                    None => {
                        moves.parts[kept] = part;
                        kept += 1;
                    }
                }
            }
            moves.parts.truncate(kept);
            let parts = first..cancel_pairs(&mut moves.parts, first);
            if parts.is_empty() {
                known.excluded |= 1_u32.checked_shl(sum.into()).unwrap_or(0);
                if sum == number {
                    return Moves::default();
                }
            } else {
                let cost =
                    |part: &Region| (part.rectangle().cells().count_ones(), part.rectangle().brick_count());
                let costs = moves.parts[parts.clone()].iter().map(cost);
                let cost = costs.fold((0, 0), |(cells, bricks), one| (cells + one.0, bricks + one.1));
                moves.list.push(Move { cost, sum, parts });
            }
        }
        moves.sort();
        moves
    }

    /// Returns whether one of these moves leads to a position of this nimber.
    fn any_is_worth(&mut self, moves: &mut Moves, number: u8) -> Result<bool, Exhausted> {
        for Move { sum, parts, .. } in &moves.list {
            if self.is_sum_worth(&mut moves.parts[parts.clone()], number ^ sum)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn known(&mut self, region: Region) -> Known {
        let found = match region.key() {
            Some(key) => self.small.get(&key),
            None => self.large.get(&region),
        };
        if let Some(known) = found {
            return *known;
        }
        let known = match region.symmetry() {
            Some(Symmetry::SecondWins) => Known::exactly(0),
            Some(Symmetry::FirstWins) => Known { excluded: 1, is_exact: false },
            None => return Known::default(),
        };
        self.keep(region, known);
        known
    }

    fn keep(&mut self, region: Region, known: Known) {
        match region.key() {
            Some(key) => self.small.insert(key, known),
            None => self.large.insert(region, known),
        };
    }
}

/// Two equal regions together are worth nothing. Of those from this place on, keeps the others; returns their end.
fn cancel_pairs(regions: &mut Vec<Region>, first: usize) -> usize {
    regions[first..].sort_unstable();
    let mut kept = first;
    for place in first..regions.len() {
        if kept > first && regions[kept - 1] == regions[place] {
            kept -= 1;
        } else {
            regions[kept] = regions[place];
            kept += 1;
        }
    }
    regions.truncate(kept);
    kept
}

/// Moves of a region.
#[derive(Default)]
struct Moves {
    list: Vec<Move>,
    /// The regions that are left after each move, without those whose nimbers are known.
    parts: Vec<Region>,
}

/// A move: the nimber of the regions that are known, and the other ones, with the numbers of their cells and of the
/// bricks that fit.
struct Move {
    cost: (u32, u32),
    sum: u8,
    parts: Range<usize>,
}

impl Moves {
    /// Puts the simplest moves first, and leaves out those that are equal to others.
    fn sort(&mut self) {
        let Self { list, parts } = self;
        list.sort_unstable_by(|one, other| {
            let key = |one: &Move| (one.cost, one.sum, one.parts.len());
            key(one).cmp(&key(other)).then_with(|| parts[one.parts.clone()].cmp(&parts[other.parts.clone()]))
        });
        list.dedup_by(|one, other| {
            one.sum == other.sum && parts[one.parts.clone()] == parts[other.parts.clone()]
        });
    }
}

#[cfg(test)]
mod tests {
    use game_bricks::Cell;

    use super::*;

    /// Returns the nimber of a whole rectangle.
    fn nimber(columns: usize, rows: usize, wraps: bool) -> u8 {
        let rectangle = Rectangle::new(columns, rows, [wraps; 2]);
        let mut nimbers = Nimbers::default();
        nimbers.allow(u64::MAX);
        nimbers.nimber_of(&rectangle.with((1 << (columns * rows)) - 1)).unwrap()
    }

    /// The values of the literature on Cram.
    #[test]
    fn rectangles_have_the_nimbers_that_are_known() {
        let one_row = [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3];
        for (columns, known) in (1..).zip(one_row) {
            assert_eq!(nimber(columns, 1, false), known, "1×{columns}");
        }
        for columns in 1..=20 {
            assert_eq!(usize::from(nimber(columns, 2, false)), columns % 2, "2×{columns}");
        }
        for (columns, known) in (3..).zip([0, 1, 1, 4, 1, 3, 1, 2, 0]) {
            assert_eq!(nimber(columns, 3, false), known, "3×{columns}");
        }
        for (columns, rows, known) in
            [(4, 4, 0), (5, 4, 2), (6, 4, 0), (7, 4, 3), (8, 4, 0), (5, 5, 0), (6, 5, 2), (6, 6, 0)]
        {
            assert_eq!(nimber(columns, rows, false), known, "{rows}×{columns}");
            assert_eq!(nimber(rows, columns, false), known, "{columns}×{rows}");
        }
    }

    #[test]
    fn tori_have_the_nimbers_that_are_known() {
        for (columns, rows, known) in [
            (3, 3, 0),
            (4, 3, 0),
            (5, 3, 1),
            (4, 4, 0),
            (6, 3, 0),
            (5, 4, 0),
            (6, 4, 0),
            (7, 3, 0),
            (5, 5, 1),
        ] {
            assert_eq!(nimber(columns, rows, true), known, "{rows}×{columns}");
        }
    }

    /// Boards in the notation of the protocol: the nimber, and every brick after which the opponent is lost.
    #[test]
    fn named_positions_have_the_nimbers_and_the_winning_bricks_that_are_known() {
        for (text, known, winning) in [
            ("3", 0, ""),
            ("3_1x1", 0, ""),
            ("3_0x0", 2, "0x2_1x2 2x0_2x1"),
            ("5", 0, ""),
            ("5_2x2", 0, ""),
            (
                "5_0x0_2x0_4x0_2x1_1x2_3x3",
                1,
                "0x2_0x3 1x3_1x4 2x3_2x4 3x0_3x1 3x1_4x1 3x4_4x4 4x1_4x2 4x2_4x3",
            ),
        ] {
            let state = crate::bricks::position(text);
            let size = usize::from(state.board().size());
            let rectangle = Rectangle::new(size, size, [false; 2]);
            let bit = |cell: Cell| rectangle.bit(cell.column.into(), cell.row.into());
            let rectangle =
                rectangle.with(state.board().free_cells().fold(0, |cells, cell| cells | bit(cell)));
            let mut nimbers = Nimbers::default();
            nimbers.allow(u64::MAX);
            assert_eq!(nimbers.nimber_of(&rectangle), Ok(known), "{text}");
            let mut bricks = Vec::new();
            state.board().list(&mut bricks);
            bricks.retain(|brick| {
                let covered = brick.cells().into_iter().fold(0, |cells, cell| cells | bit(cell));
                nimbers.nimber_of(&rectangle.with(rectangle.cells() & !covered)) == Ok(0)
            });
            let mut found: Vec<String> = bricks.iter().map(ToString::to_string).collect();
            found.sort_unstable();
            assert_eq!(found.join(" "), winning, "{text}");
        }
    }

    /// Returns the nimber by its definition alone: no table of other regions, no symmetry, no number that is asked for.
    fn plain(rectangle: Rectangle, known: &mut FxHashMap<u128, u8>) -> u8 {
        if let Some(nimber) = known.get(&rectangle.cells()) {
            return *nimber;
        }
        let mut reached = 0_u32;
        rectangle.bricks(|brick| reached |= 1 << plain(rectangle.with(rectangle.cells() & !brick), known));
        let nimber = u8::try_from(reached.trailing_ones()).unwrap();
        known.insert(rectangle.cells(), nimber);
        nimber
    }

    #[test]
    fn random_positions_have_the_nimbers_of_a_plain_search() {
        let mut chance = game_env::Seed::new(5).game();
        let mut nimbers = Nimbers::default();
        let mut seen = std::collections::BTreeSet::new();
        for (columns, rows, wraps) in [
            (5, 5, [false; 2]),
            (7, 3, [false; 2]),
            (5, 4, [true; 2]),
            (4, 4, [true, false]),
            (6, 3, [false, true]),
        ] {
            let mut known = FxHashMap::default();
            for _ in 0..60 {
                let rectangle = Rectangle::new(columns, rows, wraps);
                let cells =
                    (0..columns * rows).fold(0, |cells, bit| cells | u128::from(chance.happens(0.7)) << bit);
                let rectangle = rectangle.with(cells);
                let mut regions = Vec::new();
                rectangle.split(&mut regions);
                nimbers.allow(u64::MAX);
                let sum = nimbers.nimber_of(&rectangle).unwrap();
                let expected = plain(rectangle, &mut known);
                assert_eq!(sum, expected, "{rectangle:?}");
                assert_eq!(nimbers.are_worth(&regions, expected), Ok(true));
                assert_eq!(nimbers.are_worth(&regions, expected + 1), Ok(false));
                seen.insert(expected);
            }
        }
        assert!(seen.len() >= 5, "{seen:?}");
    }

    #[test]
    fn a_search_stops_when_its_nodes_are_used_up() {
        let mut regions = Vec::new();
        Rectangle::new(7, 5, [false; 2]).with((1 << 35) - 1).split(&mut regions);
        let mut nimbers = Nimbers::default();
        nimbers.allow(1_000);
        assert_eq!(nimbers.nimber(regions[0]), Err(Exhausted));
        assert_eq!(nimbers.budget(), 0);
        // A nimber that is known already costs nothing.
        Rectangle::new(3, 1, [false; 2]).with(7).split(&mut regions);
        assert_eq!(nimbers.nimber(regions[1]), Ok(1));
    }

    #[test]
    fn pairs_are_worth_nothing() {
        let mut regions = Vec::new();
        Rectangle::new(11, 11, [false; 2]).with((1 << 121) - 1).split(&mut regions);
        regions.push(regions[0]);
        // No node: the second player repeats on one board what the first one does on the other.
        assert_eq!(Nimbers::default().are_worth(&regions, 0), Ok(true));
    }
}
