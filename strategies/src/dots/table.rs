//! A table of bounds on the values of positions, eight bytes each.
//!
//! A reversible function mixes the bits of a position. Some of the mixed bits choose a bucket, and the entry has the
//! others, so that it still names its position exactly.

/// Bounds on the values of the positions of one graph, in their canonical form.
#[derive(Clone, Debug)]
pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// The exponent of two of the number of buckets.
    size: u32,
}

/// Entries of a cache line. From the highest bit: the rest of the mixed position, then the distance of the lower bound
/// from the least conceivable value, and that of the upper bound from the greatest one, both in steps of two. 0 is an
/// empty entry.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([u64; 8]);

/// The bits of a bound: at most 64 steps of two, as a position has at most 64 boxes.
const BOUND: u32 = 7;

impl Table {
    /// The exponent of two of the fewest buckets: fewer leave no room for both bounds in an entry.
    pub(super) const SMALLEST: u32 = 2 * BOUND;

    /// Creates an empty table for at most `8 << size` positions.
    ///
    /// # Panics
    ///
    /// If the size is less than [`Table::SMALLEST`] or more than 40.
    pub(super) fn new(size: u32) -> Self {
        assert!((Self::SMALLEST..=40).contains(&size), "a table of 8 << {size} positions");
        Self { buckets: vec![Bucket::default(); 1 << size], size }
    }

    /// Forgets all positions.
    pub(super) fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
    }

    /// Returns the known bounds on the value of a position with this many boxes: the least and the greatest.
    #[inline]
    pub(super) fn bounds(&self, left: u64, boxes: i16) -> (i16, i16) {
        let (bucket, tag) = self.place(left);
        for entry in self.buckets[bucket].0 {
            if entry >> (2 * BOUND) == tag {
                return (steps(entry >> BOUND) - boxes, boxes - steps(entry));
            }
        }
        (-boxes, boxes)
    }

    /// Reads the bucket of a position, so that the memory is at hand when [`Table::bounds`] needs it.
    #[inline]
    pub(super) fn touch(&self, left: u64) -> u64 {
        self.buckets[self.place(left).0].0[0]
    }

    /// Notes bounds on the value of a position with this many boxes. In a full bucket it replaces the one with the
    /// fewest edges, which was the least work.
    #[inline]
    pub(super) fn keep(&mut self, left: u64, boxes: i16, (least, most): (i16, i16)) {
        let (bucket, tag) = self.place(left);
        let bits = 64 - self.size;
        let entries = &mut self.buckets[bucket].0;
        let same = entries.iter().position(|entry| *entry != 0 && *entry >> (2 * BOUND) == tag);
        let same = same.or_else(|| entries.iter().position(|entry| *entry == 0));
        let place = same.unwrap_or_else(|| {
            let edges = |entry: u64| unmixed((bucket as u64) << bits | entry >> (2 * BOUND)).count_ones();
            (0..entries.len()).min_by_key(|place| edges(entries[*place])).expect("eight entries")
        });
        entries[place] = tag << (2 * BOUND) | half(least + boxes) << BOUND | half(boxes - most);
    }

    /// Returns the bucket of a position, and the bits by which its entry names it.
    #[inline]
    fn place(&self, left: u64) -> (usize, u64) {
        let (mixed, bits) = (mixed(left), 64 - self.size);
        let bucket = usize::try_from(mixed >> bits).expect("at most 40 bits");
        (bucket, mixed & ((1 << bits) - 1))
    }
}

/// The bits of one bound.
const LOW: u64 = (1 << BOUND) - 1;

/// Twice the number in the lowest bits.
#[inline]
fn steps(entry: u64) -> i16 {
    i16::try_from(entry & LOW).expect("seven bits") * 2
}

/// Half of a number from 0 to 128.
#[inline]
fn half(distance: i16) -> u64 {
    u64::try_from(distance / 2).expect("within the bounds of every value")
}

/// Spreads the bits of a number, e.g. of a position: the finisher of SplitMix64, which is reversible.
#[inline]
pub(super) const fn mixed(number: u64) -> u64 {
    let one = (number ^ number >> 30).wrapping_mul(FACTORS[0]);
    let two = (one ^ one >> 27).wrapping_mul(FACTORS[1]);
    two ^ two >> 31
}

const FACTORS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// Returns the number that was mixed.
const fn unmixed(mixed: u64) -> u64 {
    let two = (mixed ^ mixed >> 31 ^ mixed >> 62).wrapping_mul(inverse(FACTORS[1]));
    let one = (two ^ two >> 27 ^ two >> 54).wrapping_mul(inverse(FACTORS[0]));
    one ^ one >> 30 ^ one >> 60
}

/// Returns the number that undoes a multiplication by an odd number, by Newton's method: each step doubles the correct
/// bits.
const fn inverse(factor: u64) -> u64 {
    let mut inverse = factor; // right in three bits
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_keeps_the_bounds_of_each_position() {
        let mut table = Table::new(Table::SMALLEST);
        let mut positions: Vec<u64> = (2..5_000).map(mixed).collect();
        positions.extend([1, u64::MAX, 1 << 63, (1 << 40) - 1]);
        for (place, left) in positions.iter().enumerate() {
            assert_eq!(unmixed(mixed(*left)), *left);
            let boxes = i16::try_from(place % 65).unwrap();
            assert_eq!(table.bounds(*left, boxes), (-boxes, boxes));
            let (least, most) = (-boxes + boxes / 3 * 2, boxes - boxes / 4 * 2);
            table.keep(*left, boxes, (least, boxes));
            table.keep(*left, boxes, (least, most));
            assert_eq!(table.bounds(*left, boxes), (least, most), "{boxes} boxes");
        }
        // 5,000 positions in 131,072 places: no bucket is full.
        for (place, left) in positions.iter().enumerate() {
            let boxes = i16::try_from(place % 65).unwrap();
            assert_eq!(table.bounds(*left, boxes), (-boxes + boxes / 3 * 2, boxes - boxes / 4 * 2));
        }
        table.clear();
        assert_eq!(table.bounds(positions[64], 64), (-64, 64));
    }

    #[test]
    fn positions_of_many_edges_stay() {
        let mut table = Table::new(Table::SMALLEST);
        // The reverse of the mix finds positions of one bucket.
        let mut same: Vec<u64> = (1..=9).map(|rest| unmixed(7 << 50 | rest)).collect();
        same.sort_by_key(|left| left.count_ones());
        for left in same.iter().rev() {
            table.keep(*left, 10, (0, 10));
        }
        let is_kept = |left: &u64| table.bounds(*left, 10) == (0, 10);
        assert_eq!(same.iter().filter(|left| is_kept(left)).count(), 8);
        assert!(
            is_kept(&same[0]) && !is_kept(&same[1]),
            "the last one has replaced the one of the fewest edges"
        );
    }
}
