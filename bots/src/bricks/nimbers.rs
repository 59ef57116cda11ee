//! Exact values of positions.
//!
//! A position is worth a heap of Nim, whose size is its nimber; the player to move wins unless it is 0. The nimber of
//! several regions is the exclusive or of theirs. The search asks whether a region is worth a given number rather than
//! which number it is worth, as that needs only one refuting move (Lemoine and Viennot, "Nimbers are inevitable", 2012).

use rustc_hash::FxHashMap;

use super::region::{Region, Symmetry};
use crate::budget::Budget;

/// The search has used up its nodes or its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhausted;

/// A table of regions, and the search that fills it.
#[derive(Clone, Debug, Default)]
pub struct Nimbers {
    table: FxHashMap<Region, Known>,
    /// The number of positions that the search may still expand.
    budget: u64,
    /// Ends the search as well, if it is there.
    clock: Option<Budget>,
}

/// What is known of a region: the numbers that it is not worth, and whether the least of the others is its nimber.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    excluded: u32,
    is_exact: bool,
}

impl Known {
    /// All that is known of a region worth this number.
    const fn exactly(number: u8) -> Self {
        Self { excluded: (1 << number) - 1, is_exact: true }
    }

    /// The smallest number that is not excluded.
    fn least(self) -> u8 {
        u8::try_from(self.excluded.trailing_ones()).expect("at most 32")
    }

    fn nimber(self) -> Option<u8> {
        self.is_exact.then(|| self.least())
    }

    /// Whether the region is worth this number, as far as it is known.
    fn is_worth(self, number: u8) -> Option<bool> {
        if self.is_exact {
            return Some(self.least() == number);
        }
        (number < MOST && self.excluded >> number & 1 == 1).then_some(false)
    }
}

/// The search looks for smaller nimbers than this. Those of the regions that can be searched are far smaller.
const MOST: u8 = 31;

/// The most regions that stay in the table from one search to the next.
const LARGEST_TABLE: usize = 1 << 20;

/// The search asks whether its time is over each time it has expanded this many positions.
const NODES_BETWEEN_LOOKS: u64 = 32;

impl Nimbers {
    /// An empty table; a search also ends when the time of this budget is over.
    pub fn on_clock(clock: Budget) -> Self {
        Self { clock: Some(clock), ..Self::default() }
    }

    /// Lets the search expand this many positions from now on. Forgets all regions if there are too many.
    pub fn allow(&mut self, nodes: u64) {
        self.budget = nodes;
        if self.table.len() > LARGEST_TABLE {
            self.table.clear();
        }
    }

    /// The number of positions that the search may still expand.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// The nimber of a region.
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

    /// Whether these regions together are worth this number. If it is 0, the player to move loses on them.
    ///
    /// # Errors
    ///
    /// If the nodes do not suffice.
    pub fn are_worth(&mut self, regions: &[Region], number: u8) -> Result<bool, Exhausted> {
        let mut regions = regions.to_vec();
        cancel_pairs(&mut regions);
        self.is_sum_worth(&mut regions, number)
    }

    /// As [`Nimbers::are_worth`], of regions without pairs; sorts them.
    fn is_sum_worth(&mut self, regions: &mut [Region], number: u8) -> Result<bool, Exhausted> {
        // The largest one comes last: of it one number is asked for, and of the others which one.
        regions.sort_unstable_by_key(|region| (region.sheet().brick_count(), *region));
        let Some((last, others)) = regions.split_last() else { return Ok(number == 0) };
        let mut rest = number;
        for region in others {
            rest ^= self.nimber(*region)?;
        }
        self.is_worth(*last, rest)
    }

    /// Counts a position that is expanded.
    fn spend(&mut self) -> Result<(), Exhausted> {
        self.budget = self.budget.checked_sub(1).ok_or(Exhausted)?;
        let looks = self.budget.is_multiple_of(NODES_BETWEEN_LOOKS);
        if looks && self.clock.as_ref().is_some_and(Budget::is_over) {
            self.budget = 0;
            return Err(Exhausted);
        }
        Ok(())
    }

    fn is_worth(&mut self, region: Region, number: u8) -> Result<bool, Exhausted> {
        if let Some(answer) = self.known(region).is_worth(number) {
            return Ok(answer);
        }
        if number >= MOST {
            return Err(Exhausted);
        }
        // It is worth the number if it is worth no smaller one, and no move leads to the number.
        for smaller in 0..number {
            if self.is_worth(region, smaller)? {
                return Ok(false);
            }
        }
        self.spend()?;
        let is_reached = self.reaches(region, number)?;
        let known = self.table.entry(region).or_default();
        if is_reached {
            known.excluded |= 1 << number;
        } else {
            *known = Known::exactly(number);
        }
        Ok(!is_reached)
    }

    /// Whether a move leads to a position of this nimber.
    fn reaches(&mut self, region: Region, number: u8) -> Result<bool, Exhausted> {
        let sheet = region.sheet();
        let mut bricks = Vec::new();
        sheet.bricks(|brick| bricks.push(brick));
        // First the moves of which the table knows all: they cost nothing. The regions of the others stay in `unknown`,
        // each move with the number that they need to be worth.
        let (mut unknown, mut moves) = (Vec::new(), Vec::new());
        let mut parts = Vec::new();
        for brick in bricks {
            parts.clear();
            sheet.with(sheet.cells() & !brick).split(&mut parts);
            cancel_pairs(&mut parts);
            let first = unknown.len();
            let mut needed = number;
            for part in &parts {
                match self.known(*part).nimber() {
                    Some(nimber) => needed ^= nimber,
                    None => unknown.push(*part),
                }
            }
            match &unknown[first..] {
                [] if needed == 0 => return Ok(true),
                [] => {}
                [lone] if self.known(*lone).is_worth(needed) == Some(false) => unknown.truncate(first),
                several => {
                    let cost: u32 = several.iter().map(|part| part.sheet().brick_count()).sum();
                    moves.push((cost, first..unknown.len(), needed));
                }
            }
        }
        moves.sort_by_key(|(cost, ..)| *cost);
        for (_, parts, needed) in moves {
            if self.is_sum_worth(&mut unknown[parts], needed)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn known(&mut self, region: Region) -> Known {
        if let Some(known) = self.table.get(&region) {
            return *known;
        }
        let known = match region.symmetry() {
            Some(Symmetry::SecondWins) => Known::exactly(0),
            Some(Symmetry::FirstWins) => Known { excluded: 1, is_exact: false },
            None => return Known::default(),
        };
        self.table.insert(region, known);
        known
    }
}

/// Two equal regions together are worth nothing.
fn cancel_pairs(regions: &mut Vec<Region>) {
    regions.sort_unstable();
    let mut kept = 0;
    for place in 0..regions.len() {
        if kept > 0 && regions[kept - 1] == regions[place] {
            kept -= 1;
        } else {
            regions[kept] = regions[place];
            kept += 1;
        }
    }
    regions.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bricks::region::Sheet;

    /// The nimber of a whole rectangle.
    fn nimber(columns: usize, rows: usize, wraps: bool) -> u8 {
        let sheet = Sheet::new(columns, rows, [wraps; 2]);
        let mut regions = Vec::new();
        sheet.with((1 << (columns * rows)) - 1).split(&mut regions);
        let mut nimbers = Nimbers::default();
        nimbers.allow(u64::MAX);
        regions.first().map_or(0, |region| nimbers.nimber(*region).unwrap())
    }

    /// The values of the literature on Cram.
    #[test]
    fn rectangles_have_the_nimbers_that_are_known() {
        let one_row = [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3];
        for (columns, known) in (1..).zip(one_row) {
            assert_eq!(nimber(columns, 1, false), known, "1×{columns}");
        }
        for columns in 1..=12 {
            assert_eq!(usize::from(nimber(columns, 2, false)), columns % 2, "2×{columns}");
        }
        for (columns, known) in (3..).zip([0, 1, 1, 4, 1, 3, 1]) {
            assert_eq!(nimber(columns, 3, false), known, "3×{columns}");
        }
        for (columns, rows, known) in [(4, 4, 0), (5, 4, 2), (6, 4, 0), (5, 5, 0), (6, 6, 0)] {
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

    /// The nimber by its definition alone: no table of other regions, no symmetry, no number that is asked for.
    fn plain(sheet: Sheet, known: &mut FxHashMap<u128, u8>) -> u8 {
        if let Some(nimber) = known.get(&sheet.cells()) {
            return *nimber;
        }
        let mut reached = 0_u32;
        sheet.bricks(|brick| reached |= 1 << plain(sheet.with(sheet.cells() & !brick), known));
        let nimber = u8::try_from(reached.trailing_ones()).unwrap();
        known.insert(sheet.cells(), nimber);
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
                let sheet = Sheet::new(columns, rows, wraps);
                let cells =
                    (0..columns * rows).fold(0, |cells, bit| cells | u128::from(chance.happens(0.7)) << bit);
                let sheet = sheet.with(cells);
                let mut regions = Vec::new();
                sheet.split(&mut regions);
                nimbers.allow(u64::MAX);
                let sum = regions.iter().fold(0, |sum, region| sum ^ nimbers.nimber(*region).unwrap());
                let expected = plain(sheet, &mut known);
                assert_eq!(sum, expected, "{sheet:?}");
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
        Sheet::new(7, 5, [false; 2]).with((1 << 35) - 1).split(&mut regions);
        let mut nimbers = Nimbers::default();
        nimbers.allow(1_000);
        assert_eq!(nimbers.nimber(regions[0]), Err(Exhausted));
        assert_eq!(nimbers.budget(), 0);
        // What is known already costs nothing.
        Sheet::new(3, 1, [false; 2]).with(7).split(&mut regions);
        assert_eq!(nimbers.nimber(regions[1]), Ok(1));
    }

    #[test]
    fn pairs_are_worth_nothing() {
        let mut regions = Vec::new();
        Sheet::new(11, 11, [false; 2]).with((1 << 121) - 1).split(&mut regions);
        regions.push(regions[0]);
        // No node: the second player repeats on one board what the first one does on the other.
        assert_eq!(Nimbers::default().are_worth(&regions, 0), Ok(true));
    }
}
