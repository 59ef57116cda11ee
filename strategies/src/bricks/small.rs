//! Regions within a square of eight cells a side: their canonical form and their parts, in a few instructions each.
//!
//! Bit `8 * row + column` is 1 if the cell is free.

/// The cells of a side of the square.
pub(super) const SIDE: u8 = 8;

/// The first column, and the last.
const FIRST: u64 = 0x0101_0101_0101_0101;
const LAST: u64 = FIRST << 7;

/// Visits the canonical form of every part in which a brick fits.
#[inline]
pub(super) fn split(cells: u64, mut visit: impl FnMut(u64)) {
    // Cells without a neighbour are no part.
    let beside = cells << 8 | cells >> 8 | (cells & !LAST) << 1 | (cells & !FIRST) >> 1;
    let mut left = cells & beside;
    while left != 0 {
        let part = reached(left & left.wrapping_neg(), left);
        left ^= part;
        visit(canonical(part));
    }
}

/// Returns the cells that can be reached through free ones.
#[inline]
fn reached(from: u64, free: u64) -> u64 {
    let mut reached = from;
    loop {
        let across = reached | (reached & !LAST) << 1 | (reached & !FIRST) >> 1;
        let across = across & free;
        let next = (across | across << 8 | across >> 8) & free;
        if next == reached {
            return reached;
        }
        reached = next;
    }
}

/// Returns the least of the cells and their images, each moved to the first row and column.
#[inline]
pub(super) fn canonical(cells: u64) -> u64 {
    let turned = transposed(cells);
    least_of_four(cells).min(least_of_four(turned))
}

#[inline]
fn least_of_four(cells: u64) -> u64 {
    let mirrored = mirrored(cells);
    let [one, other] = [cells, mirrored].map(|cells| to_corner(cells).min(to_corner(cells.swap_bytes())));
    one.min(other)
}

/// Moves the cells to the first row and column.
#[inline]
fn to_corner(cells: u64) -> u64 {
    let up = cells >> (cells.trailing_zeros() & !7);
    up >> row_of_all(up).trailing_zeros()
}

/// Returns all rows in one.
#[inline]
fn row_of_all(cells: u64) -> u8 {
    let half = cells | cells >> 32;
    let quarter = half | half >> 16;
    (quarter | quarter >> 8).to_le_bytes()[0]
}

/// Each row in the opposite order.
#[inline]
fn mirrored(cells: u64) -> u64 {
    cells.reverse_bits().swap_bytes()
}

/// Rows as columns: blocks of one, two and four cells a side change places.
#[inline]
fn transposed(cells: u64) -> u64 {
    let swap = |cells: u64, shift: u32, mask: u64| {
        let differs = (cells ^ cells >> shift) & mask;
        cells ^ differs ^ differs << shift
    };
    let ones = swap(cells, 7, 0x00aa_00aa_00aa_00aa);
    let twos = swap(ones, 14, 0x0000_cccc_0000_cccc);
    swap(twos, 28, 0x0000_0000_f0f0_f0f0)
}

/// Returns the columns and rows of cells in the corner.
pub(super) fn extent(cells: u64) -> [u8; 2] {
    let row = u8::try_from(u8::BITS - row_of_all(cells).leading_zeros()).expect("at most 8");
    let rows = u8::try_from((u64::BITS - cells.leading_zeros()).div_ceil(8)).expect("at most 8");
    [row, rows]
}

/// Returns whether cells in the corner, of this many columns and rows, look the same when they are turned by 180
/// degrees.
pub(super) fn is_turned_alike(cells: u64, [columns, rows]: [u8; 2]) -> bool {
    let shift = u32::from(SIDE - rows) * 8 + u32::from(SIDE - columns);
    cells.reverse_bits() >> shift == cells
}
