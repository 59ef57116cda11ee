//! Parts of a board as bits: the free cells of a small rectangle, and the canonical form of all parts that play alike.
//!
//! A brick covers two neighbouring cells, so free cells that are not connected are games of their own, and a region is
//! worth the same at any place, turned or mirrored. [`Region`] is the canonical form of all these.

use std::hash::{Hash, Hasher};

use super::small;

/// Free cells of a rectangle: bit `row * columns + column` is 1 if the cell is free.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rectangle {
    columns: u8,
    rows: u8,
    /// Whether the first and the last column are neighbours, and the first and the last row.
    wraps: [bool; 2],
    cells: u128,
}

/// Connected free cells, at least two, in the canonical form of all their images.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Region(Rectangle);

/// The cells nearly always decide; the rest is added to them.
impl Hash for Rectangle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let wraps = u128::from(self.wraps[0]) | u128::from(self.wraps[1]) << 1;
        let shape = u128::from(self.columns) << 8 | u128::from(self.rows) << 2 | wraps;
        state.write_u128(self.cells ^ shape << 100);
    }
}

/// The first cell of each row, for every number of columns.
const FIRST_COLUMN: [u128; Rectangle::MOST_CELLS as usize + 1] = {
    let mut masks = [0; Rectangle::MOST_CELLS as usize + 1];
    let mut columns = 1;
    while columns < masks.len() {
        let mut place = 0;
        while place < Rectangle::MOST_CELLS as usize {
            masks[columns] |= 1 << place;
            place += columns;
        }
        columns += 1;
    }
    masks
};

impl Rectangle {
    /// The most cells of a rectangle.
    pub const MOST_CELLS: u16 = 127;

    /// Creates a rectangle without free cells.
    ///
    /// # Panics
    ///
    /// If it has no cells, or more than [`Rectangle::MOST_CELLS`].
    pub fn new(columns: usize, rows: usize, wraps: [bool; 2]) -> Self {
        let most = usize::from(Self::MOST_CELLS);
        assert!(columns.min(rows) > 0 && columns * rows <= most, "a rectangle of {columns}×{rows} cells");
        let short = |cells: usize| u8::try_from(cells).expect("at most 127");
        Self { columns: short(columns), rows: short(rows), wraps, cells: 0 }
    }

    /// Returns the same rectangle with exactly these free cells.
    pub const fn with(self, cells: u128) -> Self {
        Self { cells, ..self }
    }

    /// Returns the bit of a cell.
    pub fn bit(&self, column: usize, row: usize) -> u128 {
        1 << (row * usize::from(self.columns) + column)
    }

    /// Returns whether it goes all around a torus in a direction.
    pub const fn is_ring(&self) -> bool {
        self.wraps[0] || self.wraps[1]
    }

    /// Returns the free cells.
    pub const fn cells(&self) -> u128 {
        self.cells
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns.into()
    }

    const fn first_column(&self) -> u128 {
        FIRST_COLUMN[self.columns as usize]
    }

    const fn first_row(&self) -> u128 {
        (1 << self.columns) - 1
    }

    /// Returns the distance of the first and the last bit of a row, and of a column.
    const fn spans(&self) -> [u32; 2] {
        [self.columns as u32 - 1, (self.rows as u32 - 1) * self.columns as u32]
    }

    /// Returns the first cells of the bricks that fit, in four directions with the distance of the second cell: to the
    /// right, down, and both across the edge.
    #[inline]
    fn firsts(&self) -> [(u128, u32); 4] {
        let (cells, columns) = (self.cells, u32::from(self.columns));
        let [along_row, along_column] = self.spans();
        // With two columns, the wrap would give the same bricks again, and with one none.
        let wraps = [self.wraps[0] && self.columns > 2, self.wraps[1] && self.rows > 2];
        let across = if wraps[0] { cells & self.first_column() & cells >> along_row } else { 0 };
        let around = if wraps[1] { cells & self.first_row() & cells >> along_column } else { 0 };
        [
            (cells & (cells & !self.first_column()) >> 1, 1),
            (cells & cells >> columns, columns),
            (across, along_row),
            (around, along_column),
        ]
    }

    /// Visits every brick that fits, as the bits of its two cells.
    #[inline]
    pub fn bricks(&self, mut visit: impl FnMut(u128)) {
        for (mut firsts, step) in self.firsts() {
            while firsts != 0 {
                let first = firsts & firsts.wrapping_neg();
                visit(first | first << step);
                firsts ^= first;
            }
        }
    }

    /// Returns the number of bricks that fit.
    #[inline]
    pub fn brick_count(&self) -> u32 {
        self.firsts().iter().map(|(firsts, _)| firsts.count_ones()).sum()
    }

    /// Returns a rectangle in the form of all small regions.
    const fn small(cells: u64) -> Self {
        Self { columns: small::SIDE, rows: small::SIDE, wraps: [false; 2], cells: cells as u128 }
    }

    /// Returns whether the rectangle has this form.
    #[inline]
    const fn is_small(&self) -> bool {
        self.columns == small::SIDE && self.rows == small::SIDE && !self.wraps[0] && !self.wraps[1]
    }

    /// Returns the cells of a small rectangle.
    #[inline]
    fn low(&self) -> u64 {
        u64::try_from(self.cells).expect("64 cells")
    }

    /// Returns the cells that can be reached from these through free cells.
    #[inline]
    fn reached(&self, from: u128) -> u128 {
        let (first_column, columns) = (self.first_column(), self.columns);
        let [along_row, along_column] = self.spans();
        let mut reached = from;
        loop {
            let mut next = (reached << 1 & !first_column)
                | (reached & !first_column) >> 1
                | reached << columns
                | reached >> columns;
            if self.wraps[0] {
                next |= (reached & first_column) << along_row | reached >> along_row & first_column;
            }
            if self.wraps[1] {
                let first_row = self.first_row();
                next |= (reached & first_row) << along_column | reached >> along_column & first_row;
            }
            let next = reached | next & self.cells;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// Adds the canonical form of every part in which a brick fits.
    #[inline]
    pub fn split(&self, out: &mut Vec<Region>) {
        if self.is_small() {
            small::split(self.low(), |part| out.push(Region(self.with(part.into()))));
            return;
        }
        let mut left = self.cells;
        while left != 0 {
            let part = self.reached(left & left.wrapping_neg());
            left &= !part;
            if part & (part - 1) != 0 {
                out.push(Region::of(&self.with(part)));
            }
        }
    }

    /// Returns the free cells by column and row.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (mut left, columns) = (self.cells, self.columns());
        std::iter::from_fn(move || {
            let place = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some((place % columns, place / columns))
        })
    }

    /// Rows as columns.
    fn transposed(&self) -> Self {
        let mut turned =
            Self { columns: self.rows, rows: self.columns, wraps: [self.wraps[1], self.wraps[0]], cells: 0 };
        for (column, row) in self.places() {
            turned.cells |= turned.bit(row, column);
        }
        turned
    }

    /// Returns the rows in the opposite order.
    #[inline]
    fn upside_down(&self) -> u128 {
        let (columns, row) = (u32::from(self.columns), self.first_row());
        let mut turned = 0;
        for place in 0..u32::from(self.rows) {
            turned = turned << columns | self.cells >> (place * columns) & row;
        }
        turned
    }

    /// Returns the cells turned by 180 degrees.
    #[inline]
    fn turned(&self, cells: u128) -> u128 {
        cells.reverse_bits() >> (128 - u32::from(self.columns) * u32::from(self.rows))
    }

    /// Returns the least of the cells and their images that keep the number of columns.
    #[inline]
    fn least_image(&self) -> u128 {
        let upside_down = self.upside_down();
        self.cells.min(upside_down).min(self.turned(self.cells)).min(self.turned(upside_down))
    }

    /// Cuts off empty rows and columns on all sides; of a rectangle that does not wrap.
    #[inline]
    fn trimmed(&self) -> Self {
        let (columns, row) = (u32::from(self.columns), self.first_row());
        let top = self.cells.trailing_zeros() / columns;
        let bottom = (127 - self.cells.leading_zeros()) / columns;
        let mut all = 0;
        for place in top..=bottom {
            all |= self.cells >> (place * columns) & row;
        }
        let left = all.trailing_zeros();
        let width = 128 - all.leading_zeros() - left;
        if (left, top, width) == (0, 0, columns) {
            return Self { rows: side(bottom + 1), ..*self };
        }
        let mut cells = 0;
        for place in (top..=bottom).rev() {
            cells = cells << width | self.cells >> (place * columns + left) & ((1 << width) - 1);
        }
        Self { columns: side(width), rows: side(bottom - top + 1), wraps: [false; 2], cells }
    }

    /// Returns the same cells, not wrapped where nothing crosses the edge any more.
    fn unwrapped(&self) -> Self {
        let mut rectangle = *self;
        for _ in 0..2 {
            if rectangle.wraps[0] {
                let places: Vec<(usize, usize)> = rectangle.places().collect();
                let columns = rectangle.columns();
                if let Some(first) = uncrossed(columns, &places) {
                    let mut flat = Self { wraps: [false, rectangle.wraps[1]], cells: 0, ..rectangle };
                    for (column, row) in places {
                        flat.cells |= flat.bit((column + columns - first) % columns, row);
                    }
                    rectangle = flat;
                }
            }
            rectangle = rectangle.transposed();
        }
        rectangle
    }
}

/// Returns the length of a side that is within a rectangle.
#[inline]
fn side(cells: u32) -> u8 {
    u8::try_from(cells).expect("at most 127")
}

/// Returns the column after an edge that no two of these cells cross, on a ring of columns; none if two cross every
/// edge. If columns are empty, it is the one after an empty stretch.
pub fn uncrossed(columns: usize, places: &[(usize, usize)]) -> Option<usize> {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    let has = |place: (usize, usize)| sorted.binary_search(&place).is_ok();
    let mut is_crossed = vec![false; columns];
    let mut is_empty = vec![true; columns];
    for (column, row) in places {
        is_empty[*column] = false;
        is_crossed[*column] |= has(((column + columns - 1) % columns, *row));
    }
    let is_cut = |column: &usize| !is_crossed[*column] && !is_empty[*column];
    (0..columns).find(is_cut)
}

impl Region {
    /// Returns the canonical form of connected free cells.
    #[inline]
    fn of(rectangle: &Rectangle) -> Self {
        if rectangle.wraps == [false; 2] {
            return Self::flat(rectangle.trimmed());
        }
        let rectangle = rectangle.unwrapped();
        match rectangle.wraps {
            [false, false] => Self::flat(rectangle.trimmed()),
            _ => Self::wrapped(&rectangle),
        }
    }

    /// Of a trimmed rectangle that does not wrap: the least of all images, in a square of eight cells a side, or, if it
    /// is larger, in a rectangle as wide as high at least.
    #[inline]
    fn flat(rectangle: Rectangle) -> Self {
        if rectangle.columns.max(rectangle.rows) <= small::SIDE {
            let row = rectangle.first_row();
            let cells = (0..u32::from(rectangle.rows)).fold(0, |cells, place| {
                cells
                    | (rectangle.cells >> (place * u32::from(rectangle.columns)) & row)
                        << (place * u32::from(small::SIDE))
            });
            let cells = Rectangle::small(0).with(cells).low();
            return Self(Rectangle::small(small::canonical(cells)));
        }
        let wide = if rectangle.columns < rectangle.rows { rectangle.transposed() } else { rectangle };
        let mut cells = wide.least_image();
        if wide.columns == wide.rows {
            cells = cells.min(wide.transposed().least_image());
        }
        Self(wide.with(cells))
    }

    /// Of a rectangle that wraps: the least of all images, moved along the directions that wrap as well.
    fn wrapped(rectangle: &Rectangle) -> Self {
        let mut least: Option<Rectangle> = None;
        for image in [*rectangle, rectangle.transposed()] {
            let places: Vec<(usize, usize)> = image.places().collect();
            let sides = [image.columns(), usize::from(image.rows)];
            // A direction that does not wrap begins at the edge.
            let ends = |of: fn(&(usize, usize)) -> usize| {
                let all = || places.iter().map(of);
                (all().min().unwrap_or(0), all().max().unwrap_or(0))
            };
            let ends = [ends(|place| place.0), ends(|place| place.1)];
            let along = |axis: usize| -> Vec<(usize, bool)> {
                let shifts = if image.wraps[axis] { 0..sides[axis] } else { 0..1 };
                shifts.flat_map(|shift| [(shift, false), (shift, true)]).collect()
            };
            let moved = |axis: usize, at: usize, (shift, is_mirrored): (usize, bool)| {
                let (least, most) = if image.wraps[axis] { (0, sides[axis] - 1) } else { ends[axis] };
                let at = if is_mirrored { most - at } else { at - least };
                (at + shift) % sides[axis]
            };
            for across in along(0) {
                for down in along(1) {
                    let size = |axis: usize| {
                        if image.wraps[axis] { sides[axis] } else { ends[axis].1 - ends[axis].0 + 1 }
                    };
                    let mut own = Rectangle::new(size(0), size(1), image.wraps);
                    for (column, row) in &places {
                        own.cells |= own.bit(moved(0, *column, across), moved(1, *row, down));
                    }
                    least = Some(least.map_or(own, |least| least.min(own)));
                }
            }
        }
        Self(least.expect("two images at least"))
    }

    /// Returns the identifier among small regions; none if it is not small.
    #[inline]
    pub(super) fn key(&self) -> Option<u64> {
        self.0.is_small().then(|| self.0.low())
    }

    /// Returns its cells.
    pub const fn rectangle(&self) -> &Rectangle {
        &self.0
    }

    /// Returns the winner by symmetry, for a region that looks the same when it is turned by 180 degrees; none for
    /// other regions.
    ///
    /// If no brick touches its own image, the second player answers each brick by its image and wins. If exactly one
    /// brick is its own image, the first player begins with it and has become the second.
    pub fn symmetry(&self) -> Option<Symmetry> {
        let Rectangle { mut columns, mut rows, wraps, cells } = self.0;
        let stride = u32::from(columns);
        if self.0.is_small() {
            let [width, height] = small::extent(self.0.low());
            if !small::is_turned_alike(self.0.low(), [width, height]) {
                return None;
            }
            (columns, rows) = (width, height);
        } else if wraps != [false; 2] || self.0.turned(cells) != cells {
            return None;
        }
        let middle = u32::from(rows) / 2 * stride + u32::from(columns) / 2;
        match (columns % 2, rows % 2) {
            (0, 0) => Some(Symmetry::SecondWins),
            (1, 1) => (cells >> middle & 1 == 0).then_some(Symmetry::SecondWins),
            // The two cells in the middle are images of each other: both are free, or none.
            (0, _) => Some(if cells >> middle & 1 == 1 { Symmetry::FirstWins } else { Symmetry::SecondWins }),
            (_, _) => Some(if cells >> (middle - stride) & 1 == 1 {
                Symmetry::FirstWins
            } else {
                Symmetry::SecondWins
            }),
        }
    }
}

/// Winner of a symmetric region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// The player to move wins.
    FirstWins,
    /// The other player wins.
    SecondWins,
}

#[cfg(test)]
mod tests {
    use game_env::Seed;

    use super::*;

    fn regions(rectangle: Rectangle) -> Vec<Region> {
        let mut regions = Vec::new();
        rectangle.split(&mut regions);
        regions.sort_unstable();
        regions
    }

    /// Rows of `#` and `.`; the free cells are the dots.
    fn rectangle(rows: &[&str], wraps: [bool; 2]) -> Rectangle {
        let rectangle = Rectangle::new(rows[0].len(), rows.len(), wraps);
        let is_free = |row: usize, column: usize| rows[row].as_bytes()[column] == b'.';
        let cells = (0..rows.len()).flat_map(|row| (0..rows[0].len()).map(move |column| (row, column)));
        let free = cells.filter(|(row, column)| is_free(*row, *column));
        rectangle.with(free.fold(0, |bits, (row, column)| bits | rectangle.bit(column, row)))
    }

    #[test]
    fn images_have_one_form() {
        let shapes =
            [["..#", "#..", "##."], ["##.", "#..", "..#"], [".##", "..#", "#.."], ["#..", "..#", ".##"]];
        let forms = shapes.map(|rows| regions(rectangle(&rows, [false; 2])));
        assert_eq!(forms[0].len(), 1);
        assert!(forms.iter().all(|form| *form == forms[0]), "{forms:?}");
        // The same shape somewhere else, turned, in a larger rectangle.
        let moved = rectangle(&["######", "#..###", "##..##", "###.##"], [false; 2]);
        assert_eq!(regions(moved), forms[0]);
        let other = rectangle(&["..#", "#.#", "#.."], [false; 2]);
        assert_ne!(regions(other), forms[0]);
        let (tall, wide) = (rectangle(&[".", ".", "."], [false; 2]), rectangle(&["..."], [false; 2]));
        assert_eq!(regions(tall), regions(wide));
    }

    #[test]
    fn parts_without_a_brick_are_left_out() {
        let parts = regions(rectangle(&["..#.", "##.#", "..#."], [false; 2]));
        assert_eq!(parts.iter().map(|part| part.rectangle().brick_count()).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn a_part_that_crosses_the_edge_of_a_torus_is_put_together() {
        let torus = rectangle(&[".#.", "###", ".##"], [true; 2]);
        assert_eq!(regions(torus), regions(rectangle(&["..", ".#"], [false; 2])));
        // A ring goes all around: it has as many bricks as cells.
        let ring = regions(rectangle(&["....", "####", "####"], [true; 2]));
        assert_eq!(ring[0].rectangle().brick_count(), 4);
        assert_ne!(ring, regions(rectangle(&["...."], [false; 2])));
        let upright = regions(rectangle(&["#.##", "#.##", "#.##", "#.##"], [true; 2]));
        assert_eq!(upright[0].rectangle().brick_count(), 4);
    }

    /// A torus has no corner: wherever the cells are moved, and however they are turned, the form stays.
    #[test]
    fn images_on_a_torus_have_one_form() {
        let mut chance = Seed::new(2).game();
        for _ in 0..40 {
            let (columns, rows) = (3 + chance.index(3), 3 + chance.index(3));
            let free: Vec<(usize, usize)> = (0..columns * rows)
                .filter(|_| chance.happens(0.7))
                .map(|place| (place % columns, place / columns))
                .collect();
            let form = |image: &dyn Fn(usize, usize) -> (usize, usize), turns: bool| {
                let rectangle = if turns {
                    Rectangle::new(rows, columns, [true; 2])
                } else {
                    Rectangle::new(columns, rows, [true; 2])
                };
                let bit = |(column, row)| rectangle.bit(column, row);
                regions(
                    rectangle
                        .with(free.iter().fold(0, |bits, (column, row)| bits | bit(image(*column, *row)))),
                )
            };
            let own = form(&|column, row| (column, row), false);
            let (across, down) = (chance.index(columns), chance.index(rows));
            assert_eq!(own, form(&|column, row| ((column + across) % columns, (row + down) % rows), false));
            assert_eq!(own, form(&|column, row| (columns - 1 - column, row), false));
            assert_eq!(own, form(&|column, row| ((row + down) % rows, column), true));
        }
    }

    #[test]
    fn symmetric_regions_show_who_wins() {
        let symmetry = |rows: &[&str]| {
            let [one] = regions(rectangle(rows, [false; 2]))[..] else { panic!("{rows:?} hang together") };
            one.symmetry()
        };
        for (rows, expected) in [
            (&["....", "....", "....", "...."][..], Some(Symmetry::SecondWins)),
            (&[".....", ".....", ".....", "....."], Some(Symmetry::FirstWins)),
            (&["...", "...", "..."], None), // a brick on the cell in the middle has no image
            (&["...", ".#.", "..."], Some(Symmetry::SecondWins)),
            (&["....", ".##.", "...."], Some(Symmetry::SecondWins)),
            (&["....", "#..#", "...."], Some(Symmetry::FirstWins)),
            (&["....", ".##.", "#..."], None),
        ] {
            assert_eq!(symmetry(rows), expected, "{rows:?}");
        }
    }
}
