//! A table of bounds on the values of positions, in which isomorphic positions share an entry.
//!
//! The value of a position depends on its graph alone: the boxes that are joined, and those with edges to the outside.
//! The route of a chain over the board does not matter. A *form* is a number of 128 bits that is made from the graph
//! with its boxes in an order of their own: first the boxes get colours, which depend on their neighbours and the
//! neighbours of these, and then a walk from the box of the least colour numbers all of them. Each edge adds a number
//! that stands for the numbers of its two boxes. Positions with the same form are isomorphic, unless 108 bits agree by
//! chance. Of boxes of the same colour any may come first, so a few isomorphic positions have several forms; they only
//! cost time.

use super::graph::{Graph, OUTSIDE};
use super::table::mixed;

/// Bounds on values by form.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    buckets: Vec<Bucket>,
    /// The bits of a form that choose the bucket.
    mask: u64,
    walk: Box<Walk>,
}

/// A position as a number that only isomorphic ones share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Form(u128);

/// Entries of a cache line. The 108 highest bits of each are those of the form, then there are the number of edges, and
/// the distances of the lower bound from the least conceivable value and of the upper bound from the greatest one, both
/// in steps of two. 0 is an empty entry.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([u128; 4]);

/// The bits of a bound: at most 64 steps of two, as a position has at most 64 boxes. Those of the number of edges less
/// one.
const BOUND: u32 = 7;
const EDGES: u32 = 6;

/// The bits that are not of the form.
const REST: u32 = 2 * BOUND + EDGES;

/// Number of times that each box looks at its neighbours. More rounds find hardly any more isomorphic positions: of 3×4
/// boxes, 0.3 %.
const ROUNDS: u32 = 3;

/// Any number with bits of all sizes: the golden ratio.
const START: u64 = 0x9e37_79b9_7f4a_7c15;

/// Places for a byte's worth of boxes; the last one is [`OUTSIDE`].
const PLACES: usize = OUTSIDE as usize + 1;

/// Marks of boxes that have no number yet. Outside has the number 255.
const UNSEEN: u8 = 0;
const QUEUED: u8 = 254;

/// Buffers for the walk over a position; kept between positions, so that they are not made again.
#[derive(Clone, Debug)]
struct Walk {
    colours: [u64; PLACES],
    sums: [u64; PLACES],
    numbers: [u8; PLACES],
    queue: [u8; PLACES],
    sorted: [u64; PLACES],
}

impl Forms {
    /// Creates an empty table for at most `4 << size` positions of 16 bytes.
    pub(super) fn new(size: u32) -> Self {
        let walk = Walk {
            colours: [START; PLACES],
            sums: [0; PLACES],
            numbers: [OUTSIDE; PLACES],
            queue: [0; PLACES],
            sorted: [0; PLACES],
        };
        Self { buckets: vec![Bucket::default(); 1 << size], mask: (1 << size) - 1, walk: Box::new(walk) }
    }

    /// Forgets all positions.
    pub(super) fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
    }

    /// Returns the form of a position with one edge at least.
    #[inline]
    pub(super) fn form(&mut self, graph: &Graph, left: u64) -> Form {
        let boxes = self.walk.colour(graph, left);
        self.walk.number(graph, left, boxes);
        Form(self.walk.sum(graph, left))
    }

    /// Returns the known bounds on the value of a position with this many boxes: the least and the greatest.
    #[inline]
    pub(super) fn bounds(&self, form: Form, boxes: i16) -> (i16, i16) {
        let own = self.buckets[self.place(form)].0;
        let entry = own.into_iter().find(|entry| entry >> REST == form.0 >> REST && *entry != 0);
        entry.map_or((-boxes, boxes), |entry| (steps(entry >> BOUND) - boxes, boxes - steps(entry)))
    }

    /// Notes bounds on the value of a position with this number of edges and of boxes. In a full bucket it replaces the
    /// one with the fewest edges, which was the least work.
    #[inline]
    pub(super) fn keep(&mut self, form: Form, edges: u32, boxes: i16, (least, most): (i16, i16)) {
        let place = self.place(form);
        let entries = &mut self.buckets[place].0;
        let is_same = |entry: &u128| entry >> REST == form.0 >> REST && *entry != 0;
        let same = entries.iter().position(is_same);
        let place = same.unwrap_or_else(|| {
            let work =
                |place: &usize| (entries[*place] != 0, entries[*place] >> (2 * BOUND) & ((1 << EDGES) - 1));
            (0..entries.len()).min_by_key(work).expect("four entries")
        });
        let bounds = half(least + boxes) << BOUND | half(boxes - most);
        entries[place] = form.0 >> REST << REST | u128::from(edges - 1) << (2 * BOUND) | bounds;
    }

    #[inline]
    fn place(&self, form: Form) -> usize {
        usize::try_from(form.0 & u128::from(self.mask)).expect("within the table")
    }
}

impl Walk {
    /// Gives each box of a position a colour; returns their number.
    #[inline]
    fn colour(&mut self, graph: &Graph, left: u64) -> usize {
        let mut boxes = 0;
        for (own, around) in (0..OUTSIDE).zip(graph.all_around()) {
            if around & left != 0 {
                self.queue[boxes] = own;
                boxes += 1;
                self.colours[usize::from(own)] = 1;
                self.numbers[usize::from(own)] = UNSEEN;
            }
        }
        for _ in 0..ROUNDS {
            let mut open = left;
            while open != 0 {
                let [one, other] = graph.sides(open).map(usize::from);
                open &= open - 1;
                self.sums[one] = self.sums[one].wrapping_add(self.colours[other]);
                self.sums[other] = self.sums[other].wrapping_add(self.colours[one]);
            }
            for own in &self.queue[..boxes] {
                let own = usize::from(*own);
                self.colours[own] = mixed(self.colours[own].rotate_left(9) ^ self.sums[own]);
                self.sums[own] = 0;
            }
        }
        self.sums[usize::from(OUTSIDE)] = 0;
        boxes
    }

    /// Numbers the boxes from 1 on: a walk that visits the neighbours of each box in the order of their colours, first
    /// from the box of the least colour, then from the least that it has not reached, and so on.
    #[inline]
    fn number(&mut self, graph: &Graph, left: u64, boxes: usize) {
        for (slot, own) in self.sorted.iter_mut().zip(&self.queue[..boxes]) {
            *slot = self.colours[usize::from(*own)] & !0xff | u64::from(*own);
        }
        self.sorted[..boxes].sort_unstable();
        let (mut next, mut end) = (0, 0);
        for place in 0..boxes {
            let [start, ..] = self.sorted[place].to_le_bytes();
            if self.numbers[usize::from(start)] != UNSEEN {
                continue;
            }
            self.queue[end] = start;
            end += 1;
            self.numbers[usize::from(start)] = number(end);
            while next < end {
                let own = self.queue[next];
                next += 1;
                let first = end;
                let mut open = graph.around(own) & left;
                while open != 0 {
                    let beyond = graph.beyond(open, own);
                    open &= open - 1;
                    if self.numbers[usize::from(beyond)] == UNSEEN {
                        self.numbers[usize::from(beyond)] = QUEUED;
                        let mut place = end;
                        end += 1;
                        while place > first && self.colour_at(place - 1) > self.colours[usize::from(beyond)] {
                            self.queue[place] = self.queue[place - 1];
                            place -= 1;
                        }
                        self.queue[place] = beyond;
                    }
                }
                for place in first..end {
                    self.numbers[usize::from(self.queue[place])] = number(place + 1);
                }
            }
        }
    }

    #[inline]
    fn colour_at(&self, place: usize) -> u64 {
        self.colours[usize::from(self.queue[place])]
    }

    /// Returns the numbers that stand for all edges, added.
    #[inline]
    fn sum(&self, graph: &Graph, left: u64) -> u128 {
        let (mut sum, mut open) = (0_u128, left);
        while open != 0 {
            let [one, other] = graph.sides(open).map(|side| u64::from(self.numbers[usize::from(side)]));
            open &= open - 1;
            let low = mixed((one.min(other) << 8 | one.max(other)).wrapping_mul(START));
            sum = sum.wrapping_add(u128::from(mixed(low ^ START)) << 64 | u128::from(low));
        }
        sum
    }
}

/// Returns the number of a box.
#[inline]
fn number(place: usize) -> u8 {
    u8::try_from(place).expect("two boxes for each of 64 edges at most")
}

/// Twice the number in the lowest bits.
#[inline]
fn steps(entry: u128) -> i16 {
    i16::try_from(entry & ((1 << BOUND) - 1)).expect("seven bits") * 2
}

/// Half of a number from 0 to 128.
#[inline]
fn half(distance: i16) -> u128 {
    u128::try_from(distance / 2).expect("within the bounds of every value")
}

#[cfg(test)]
mod tests {
    use game_dots::Config;

    use super::*;

    /// Returns the form of a board on which just these edges are left.
    fn form(rows: u16, columns: u16, edges: &[&str]) -> Form {
        let graph = Graph::board(Config::new(rows, columns).unwrap()).unwrap();
        let left =
            edges.iter().map(|edge| graph.bit(edge.parse().unwrap()).unwrap()).fold(0, |all, bit| all | bit);
        Forms::new(1).form(&graph, left)
    }

    #[test]
    fn positions_have_one_form_if_their_graphs_are_isomorphic() {
        // A chain of three boxes from side to side, and one around a corner.
        let straight = form(4, 4, &["0-4", "1-5", "2-6", "3-7"]);
        let bent = form(4, 4, &["1-2", "5-6", "6-10", "7-11"]);
        assert_eq!(straight, bent);
        let shorter = form(4, 4, &["0-4", "1-5", "1-2"]);
        assert_ne!(straight, shorter);
        // From the box in the middle lead chains of one, one and two boxes, to any sides.
        let beside = form(4, 4, &["5-6", "1-2", "5-9", "4-8", "6-10", "10-11", "11-15"]);
        let opposite = form(4, 4, &["5-6", "1-2", "9-10", "13-14", "6-10", "6-7", "2-3"]);
        assert_eq!(beside, opposite);
        let shorter = form(4, 4, &["5-6", "1-2", "9-10", "13-14", "6-10", "7-11"]);
        assert_ne!(beside, shorter);
        // A loop of eight boxes, and two of four: every box has two neighbours.
        let ring = ["1-5", "2-6", "4-5", "6-7", "8-9", "10-11", "9-13", "10-14"];
        let squares = ["1-6", "5-6", "6-7", "6-11", "16-21", "20-21", "21-22", "21-26"];
        assert_ne!(form(4, 4, &ring), form(6, 5, &squares));
    }

    #[test]
    fn a_table_keeps_the_bounds_of_each_form() {
        let mut forms = Forms::new(0);
        let form = |number: u128| Form(number << REST | number);
        assert_eq!(forms.bounds(form(0), 3), (-3, 3));
        for number in 0..4 {
            forms.keep(form(number), 10, 64, (-64, 64));
            forms.keep(form(number), 10, 64, (-62, 64 - 2 * i16::try_from(number).unwrap()));
        }
        for number in 0..4 {
            assert_eq!(forms.bounds(form(number), 64), (-62, 64 - 2 * i16::try_from(number).unwrap()));
        }
        // A fifth one takes the place of the one with the fewest edges.
        forms.keep(form(2), 9, 64, (0, 2));
        forms.keep(form(5), 64, 7, (-7, 7));
        assert_eq!(forms.bounds(form(2), 7), (-7, 7));
        assert_eq!(forms.bounds(form(3), 64), (-62, 58));
        forms.clear();
        assert_eq!(forms.bounds(form(3), 64), (-64, 64));
    }
}
